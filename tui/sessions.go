package tui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/session/guard"
	"snapscope/tui/dialog"
	"snapscope/tui/format"
	"snapscope/tui/view"
)

// Seated is an engine that follows a running agent's recording, with the seat that
// the agent can be held by.
type Seated interface{ Seat() Seat }

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
	path := l.Opening
	l.Opening = ""
	if o.err != nil {
		l.Err = o.err.Error()
		return nil
	}
	m.over = nil
	m.owned = o.engine
	m.cfg.Command = "snapscope replay " + format.ShellWord(path)
	var seat tea.Cmd
	if s, ok := o.engine.(Seated); ok {
		m.cfg.Seat = s.Seat()
		seat = m.beginSeat()
	}
	m.attach(o.engine)
	m.welcome()
	if m.cfg.AutoSteps == 0 {
		m.cfg.AutoSteps = -1
	}
	return tea.Batch(m.open(), seat)
}

// openSession opens a session from the list, in a command.
func (m *base) openSession(l *dialog.SessionList, path string) tea.Cmd {
	seq, open, ctx := l.Seq, m.cfg.Open, m.ctx
	if open == nil {
		return nil
	}
	return func() tea.Msg {
		out := openedMsg{seq: seq}
		out.err = guard.Do("opening "+path, func() (err error) {
			out.engine, err = open(ctx, path)
			return err
		})
		return out
	}
}

// measuredMsg is what a session of the list comes to.
type measuredMsg struct {
	path string
	of   dialog.Measured
	err  error
}

func (o measuredMsg) apply(m *Model) tea.Cmd {
	l, ok := m.over.(*dialog.SessionList)
	if !ok {
		return nil // a session was opened: the rest is not read
	}
	var broke *guard.Broke
	switch {
	case o.err == nil:
		l.Measure(o.path, o.of)
	case errors.As(o.err, &broke): // a file that cannot be read says so when it is opened
		m.s.Say(view.LevelError, broke.Error())
	}
	return m.measureNext()
}

// measureNext reads one session of the list after the other, to say what it comes to.
func (m *front) measureNext() tea.Cmd {
	l, ok := m.over.(*dialog.SessionList)
	if !ok || m.cfg.Measure == nil {
		return nil
	}
	path := l.Unmeasured()
	if path == "" {
		return nil
	}
	measure, ctx := m.cfg.Measure, m.ctx
	return func() tea.Msg {
		out := measuredMsg{path: path}
		out.err = guard.Do("reading "+path, func() (err error) {
			out.of, err = measure(ctx, path)
			return err
		})
		return out
	}
}
