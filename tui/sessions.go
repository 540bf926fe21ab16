package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
)

// sessionList is the first screen where no session was named: recent ones to
// open.
type sessionList struct {
	menu    menu
	recent  []Recent
	opening string
	seq     int
	err     string
}

func newSessionList(cfg Config) *sessionList {
	l := &sessionList{recent: cfg.Recent}
	now := cfg.now()
	for _, r := range cfg.Recent {
		row := menuRow{text: r.Title, note: r.Path}
		if r.Title == "" {
			row = menuRow{text: r.Path}
		}
		if !r.When.IsZero() {
			row.note += "  " + ago(now.Sub(r.When))
		}
		l.menu.rows = append(l.menu.rows, row)
	}
	return l
}

// ago is a time that has passed, roughly.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return plural(int(d.Minutes()), "minute") + " ago"
	case d < 24*time.Hour:
		return plural(int(d.Hours()), "hour") + " ago"
	}
	return plural(int(d.Hours()/24), "day") + " ago"
}

// openedMsg is the answer to opening a session.
type openedMsg struct {
	seq    int
	engine session.Engine
	err    error
}

func (o openedMsg) apply(m *Model) tea.Cmd {
	l, ok := m.over.(*sessionList)
	if !ok || l.seq != o.seq {
		if o.engine != nil {
			e := o.engine
			return func() tea.Msg { _ = e.Close(); return nil } // given up on: nobody looks at it
		}
		return nil
	}
	l.opening = ""
	if o.err != nil {
		l.err = o.err.Error()
		return nil
	}
	m.over = nil
	m.owned = o.engine
	m.attach(o.engine)
	if m.cfg.AutoSteps == 0 {
		m.cfg.AutoSteps = -1
	}
	return m.begin()
}

func (l *sessionList) press(m *Model, key string) tea.Cmd {
	l.err = ""
	switch key {
	case "q":
		return m.doQuit()
	case "esc":
		l.opening = ""
		l.seq++
	case "enter":
		if len(l.recent) == 0 || m.cfg.Open == nil || l.opening != "" {
			return nil
		}
		l.seq++
		r := l.recent[l.menu.at]
		l.opening = r.Path
		seq, open, ctx := l.seq, m.cfg.Open, m.ctx
		return func() tea.Msg { return openSession(ctx, open, r.Path, seq) }
	default:
		l.menu.move(key)
	}
	return nil
}

func openSession(ctx context.Context, open func(context.Context, string) (session.Engine, error), path string, seq int) tea.Msg {
	e, err := open(ctx, path)
	return openedMsg{seq, e, err}
}

func (l *sessionList) draw(m *Model, r rect) {
	foot := "enter opens · q leaves"
	if l.opening != "" {
		foot = "opening " + l.opening + " … esc lets go of it"
	}
	if l.err != "" {
		foot = "✗ " + l.err
	}
	in := m.sheet(r, min(110, r.w-8), max(3, min(len(l.recent), r.h-6)), fmt.Sprintf("sessions · %d", len(l.recent)), foot)
	if len(l.recent) == 0 {
		m.cv.text(in.row(1), "no session yet: snapscope demo makes one, snapscope open URL begins one", m.onSheet(m.th.dim))
		return
	}
	l.menu.draw(m, in.inset(2, 0))
}
