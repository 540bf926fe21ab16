package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// copyMenu offers what can be copied from where the cursor is.
type copyMenu struct {
	menu  menu
	clips []clip
}

// newCopyMenu lists what can be copied. What is copied is the text as it is, not
// as it is drawn: it goes to the terminal as base64 (OSC 52), so no byte of it is
// ever read as a command.
func newCopyMenu(m *Model) *copyMenu {
	c := &copyMenu{}
	add := func(what, text string) {
		if text == "" {
			return
		}
		c.clips = append(c.clips, clip{what, text})
		c.menu.rows = append(c.menu.rows, menuRow{text: what, note: strings.TrimSpace(firstLine(text))})
	}
	d := m.docOf(m.focusAt())
	if m.grid != nil && m.row < m.grid.len() {
		if p := m.grid.page[m.row]; p >= 0 {
			add("ref", refOf(m.fr.page.lines[p]))
		}
		if l := m.grid.line(m.row, m.focusAt()); l >= 0 && d != nil {
			add("line", d.lines[l].text)
		} else if p := m.grid.page[m.row]; p >= 0 {
			add("line", m.fr.page.lines[p])
		}
	}
	if s := m.step(); s != nil {
		add("step", s.Action.Label())
	}
	if d != nil {
		add("what the agent gets under "+d.policy.Name, d.rendered.Text)
		if !d.same {
			add("the page in full", strings.Join(m.fr.page.lines, "\n"))
		}
		add("why", d.rendered.Reason())
	}
	add("URL", m.fr.url)
	return c
}

func firstLine(s string) string {
	line, rest, more := strings.Cut(s, "\n")
	if more {
		return fmt.Sprintf("%s … %s", line, plural(strings.Count(rest, "\n")+2, "line"))
	}
	return line
}

func (c *copyMenu) press(m *Model, key string) reply {
	if key == "enter" || key == m.keys.KeyOf("copy") {
		return reply{close: true, copy: c.clips[c.menu.at]}
	}
	return reply{close: !c.menu.move(key)}
}

func (c *copyMenu) draw(m *Model, r rect) {
	in := m.sheet(r, min(90, r.w-8), len(c.menu.rows), "copy", "enter copies · esc closes")
	c.menu.draw(m, in.inset(2, 0))
}

// maxOSC52 is what terminals take of a copied text; tmux and others drop more.
const maxOSC52 = 74_000

func (m *Model) copyText(what, text string) tea.Cmd {
	m.say(levelGood, fmt.Sprintf("copied %s · %s", what, plural(len([]rune(text)), "character")))
	if len(text) > maxOSC52 && m.cfg.Clipboard == nil {
		m.say(levelWarn, fmt.Sprintf("%s is %s bytes, more than terminals take; %s writes it to a file", what, thousands(len(text)), m.keys.Label("export")))
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
		m.say(levelWarn, "the clipboard did not take it: "+c.err.Error())
	}
	return nil
}

// doExport writes what the focused pane shows to a file: the exact text.
func (m *Model) doExport() tea.Cmd {
	d := m.docOf(m.focusAt())
	name := fmt.Sprintf("snapscope-step%d-%s.txt", m.step().N, fileName(d.policy.Name))
	dir, text := m.cfg.ExportDir, d.rendered.Text
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
	lines := make([]string, m.cv.h)
	for y := range lines {
		lines[y] = strings.TrimRight(m.cv.plainLine(y), " ")
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
		m.say(levelError, e.err.Error())
	} else {
		m.say(levelGood, "wrote "+e.path+" and the screen beside it")
	}
	return nil
}
