package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/snapshot/wording"
	"snapscope/tui/view"
)

// maxOSC52 is what terminals take of a copied text; tmux and others drop more.
const maxOSC52 = 74_000

func (m *base) copyText(what, text string) tea.Cmd {
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

// screenText is the screen as plain text.
func (m *Model) screenText() string {
	m.draw(m.whyNot)
	lines := make([]string, m.p.Cv.H)
	for y := range lines {
		lines[y] = strings.TrimRight(m.p.Cv.PlainLine(y), " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
