package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/snapshot/wording"
	"snapscope/tui/view"
)

// maxOSC52 is what terminals take of a copied text; tmux and others drop more.
const maxOSC52 = 74_000

func (m *Model) copyText(what, text string) tea.Cmd {
	m.s.Say(view.LevelGood, fmt.Sprintf("copied %s · %s", what, wording.Plural(len([]rune(text)), "character")))
	if len(text) > maxOSC52 && m.cfg.Clipboard == nil {
		m.s.Say(view.LevelWarn, fmt.Sprintf("%s is %s bytes, more than terminals take; %s writes it to a file", what, wording.Count(len(text)), m.s.Keys.Label("export")))
		return nil
	}
	if keep := m.cfg.Clipboard; keep != nil {
		return tea.Batch(tea.SetClipboard(text), func() tea.Msg { return copiedMsg{keep(text)} })
	}
	return tea.SetClipboard(text)
}

type copiedMsg struct{ err error }

func (c copiedMsg) apply(m *Model) tea.Cmd {
	if c.err != nil {
		m.s.Say(view.LevelWarn, "the clipboard did not take it: "+c.err.Error())
	}
	return nil
}

// doExport writes what the focused pane shows to a file: the exact text.
func doExport(m *Model) tea.Cmd {
	d := m.s.DocOf(m.s.FocusAt())
	name := fmt.Sprintf("snapscope-step%d-%s.txt", m.s.Step().N, fileName(d.Policy.Name))
	dir, text := m.cfg.ExportDir, d.Rendered.Text
	screen := m.screenText()
	return func() tea.Msg {
		path, err := writeNew(dir, name, text)
		if err == nil {
			_, err = writeNew(dir, strings.TrimSuffix(name, ".txt")+"-screen.txt", screen)
		}
		return exportedMsg{path, err}
	}
}

// screenText is the screen as plain text.
func (m *Model) screenText() string {
	m.draw()
	lines := make([]string, m.p.Cv.H)
	for y := range lines {
		lines[y] = strings.TrimRight(m.p.Cv.PlainLine(y), " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, s)
}

// writeNew writes a file that was not there before: name, name-2, name-3, …
func writeNew(dir, name, text string) (string, error) {
	stem := strings.TrimSuffix(name, ".txt")
	for i := 1; i < 1000; i++ {
		n := name
		if i > 1 {
			n = fmt.Sprintf("%s-%d.txt", stem, i)
		}
		path := filepath.Join(dir, n)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("exporting: %w", err)
		}
		_, err = f.WriteString(text)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			_ = os.Remove(path) // no half-written file stays
			return "", fmt.Errorf("exporting: %w", err)
		}
		return path, nil
	}
	return "", fmt.Errorf("exporting: %s and a thousand others are there already", name)
}

type exportedMsg struct {
	path string
	err  error
}

func (e exportedMsg) apply(m *Model) tea.Cmd {
	if e.err != nil {
		m.s.Say(view.LevelError, e.err.Error())
	} else {
		m.s.Say(view.LevelGood, "wrote "+e.path+" and the screen beside it")
	}
	return nil
}
