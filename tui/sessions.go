package tui

import (
	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/tui/dialog"
	"snapscope/tui/format"
)

// openedMsg is the answer to opening a session.
type openedMsg struct {
	seq    int
	engine session.Engine
	err    error
}

func (o openedMsg) apply(m *Model) tea.Cmd {
	l, ok := m.over.(*dialog.SessionList)
	if !ok || l.Seq != o.seq {
		if o.engine != nil {
			e := o.engine
			return func() tea.Msg { _ = e.Close(); return nil } // given up on: nobody looks at it
		}
		return nil
	}
	l.Opening = ""
	if o.err != nil {
		l.Err = o.err.Error()
		return nil
	}
	m.over = nil
	m.owned = o.engine
	m.cfg.Command = "snapscope replay " + format.ShellWord(l.Path())
	m.attach(o.engine)
	m.welcome()
	if m.cfg.AutoSteps == 0 {
		m.cfg.AutoSteps = -1
	}
	return m.begin()
}

// openSession opens a session from the list, in a command.
func (m *Model) openSession(l *dialog.SessionList, path string) tea.Cmd {
	seq, open, ctx := l.Seq, m.cfg.Open, m.ctx
	if open == nil {
		return nil
	}
	return func() tea.Msg {
		e, err := open(ctx, path)
		return openedMsg{seq, e, err}
	}
}
