package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/tui/safetext"
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
	return &sessionList{recent: cfg.Recent, menu: menu{rows: make([]menuRow, len(cfg.Recent))}}
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
	m.welcome()
	if m.cfg.AutoSteps == 0 {
		m.cfg.AutoSteps = -1
	}
	return m.begin()
}

func (l *sessionList) press(_ *Model, key string) reply {
	l.err = ""
	switch key {
	case "q":
		return reply{do: "quit"}
	case "esc":
		l.opening = ""
		l.seq++
	case "enter":
		if len(l.recent) == 0 || l.opening != "" {
			return reply{}
		}
		l.seq++
		l.opening = l.recent[l.menu.at].Path
		return reply{open: l.opening}
	default:
		l.menu.move(key)
	}
	return reply{}
}

// openSession opens a session from the list, in a command.
func (m *Model) openSession(l *sessionList, path string) tea.Cmd {
	seq, open, ctx := l.seq, m.cfg.Open, m.ctx
	if open == nil {
		return nil
	}
	return func() tea.Msg {
		e, err := open(ctx, path)
		return openedMsg{seq, e, err}
	}
}

// hints tells what can be done with the list, or what became of it.
func (l *sessionList) hints() []string {
	switch {
	case l.err != "":
		return []string{"✗ " + l.err}
	case l.opening != "":
		return []string{"opening " + l.opening + " … esc lets go of it", "opening … esc lets go of it"}
	case len(l.recent) == 0:
		return []string{"q leaves"}
	}
	return []string{"↑↓ choose   enter opens   q leaves"}
}

// Columns of the list.
const (
	agoWidth   = 14
	titleShare = 45 // of a hundred cells that are left, those of the title
)

// draw fills the whole screen: there is no session yet that it could lie over.
func (l *sessionList) draw(m *Model, r rect) {
	c, th := m.cv, m.th
	if m.h >= tallEnough {
		c.fill(r.row(0), "─", th.faint)
		c.fill(r.row(r.h-1), "─", th.faint)
		r = rect{r.x, r.y + 1, r.w, r.h - 2}
	}
	if len(l.recent) == 0 {
		c.text(r.row(1).inset(1, 1), "no agent has left a session here, and none was recorded", th.text)
		c.text(r.row(3).inset(1, 1), "snapscope demo makes one · snapscope open URL begins one · snapscope replay FILE reads one", th.dim)
		return
	}
	c.text(r.row(0).inset(1, 1), plural(len(l.recent), "session")+" found, the newest first", th.accent)
	body := rect{r.x + 1, r.y + 2, r.w - 2, r.h - 2}
	l.menu.fit(body.h)
	now := m.clock()
	for i := 0; i < body.h && l.menu.top+i < len(l.recent); i++ {
		at := l.menu.top + i
		l.drawRow(m, body.row(i), l.recent[at], now, at == l.menu.at)
	}
}

func (l *sessionList) drawRow(m *Model, r rect, s Recent, now time.Time, chosen bool) {
	c, th := m.cv, m.th
	look := th.text
	if chosen {
		look = th.accent
		c.put(r.x, r.y, r.x+1, "▸", th.accent)
	}
	if !s.When.IsZero() {
		c.right(rect{r.x + 2, r.y, agoWidth, 1}, ago(now.Sub(s.When)), th.dim)
	}
	rest := r.inset(agoWidth+4, 0)
	title := s.Title
	if title == "" {
		title = base(s.Path)
	}
	w := rest.w * titleShare / 100
	c.text(rest.clipRight(w), title, look)
	rest = rest.inset(w+2, 0)
	c.text(rest, safetext.CutFront(s.Path, rest.w), th.dim)
}
