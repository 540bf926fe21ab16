package dialog

import (
	"time"

	"snapscope/snapshot/wording"
	"snapscope/tui/format"
	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// Recent is one row of the list of sessions.
type Recent struct {
	Path  string
	Title string // a line about it; empty: the path alone
	When  time.Time
}

// SessionList is the first screen where no session was named: recent ones to
// open.
type SessionList struct {
	menu    menu
	recent  []Recent
	Opening string
	Seq     int
	Err     string
}

func NewSessionList(recent []Recent) *SessionList {
	return &SessionList{recent: recent, menu: menu{rows: make([]menuRow, len(recent))}}
}

func (l *SessionList) Press(_ *view.State, key string) Reply {
	l.Err = ""
	switch key {
	case "q":
		return Reply{Do: "quit"}
	case "esc":
		l.Opening = ""
		l.Seq++
	case "enter":
		if len(l.recent) == 0 || l.Opening != "" {
			return Reply{}
		}
		l.Seq++
		l.Opening = l.recent[l.menu.at].Path
		return Reply{Open: l.Opening}
	default:
		l.menu.move(key)
	}
	return Reply{}
}

// Hints tells what can be done with the list, or what became of it.
func (l *SessionList) Hints() []string {
	switch {
	case l.Err != "":
		return []string{"✗ " + l.Err}
	case l.Opening != "":
		return []string{"opening " + l.Opening + " … esc lets go of it", "opening … esc lets go of it"}
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

// Draw fills the whole screen: there is no session yet that it could lie over.
func (l *SessionList) Draw(m *pane.Painter, r layout.Rect) {
	c, th := m.Cv, m.Th
	if m.S.H >= layout.TallEnough {
		c.Fill(r.Row(0), "─", th.Faint)
		c.Fill(r.Row(r.H-1), "─", th.Faint)
		r = layout.R(r.X, r.Y+1, r.W, r.H-2)
	}
	if len(l.recent) == 0 {
		c.Text(r.Row(1).Inset(1, 1), "no agent has left a session here, and none was recorded", th.Text)
		c.Text(r.Row(3).Inset(1, 1), "snapscope demo makes one · snapscope open URL begins one · snapscope replay FILE reads one", th.Dim)
		return
	}
	c.Text(r.Row(0).Inset(1, 1), wording.Plural(len(l.recent), "session")+" found, the newest first", th.Accent)
	body := layout.R(r.X+1, r.Y+2, r.W-2, r.H-2)
	l.menu.fit(body.H)
	now := m.S.Clock()
	for i := 0; i < body.H && l.menu.top+i < len(l.recent); i++ {
		at := l.menu.top + i
		l.drawRow(m, body.Row(i), l.recent[at], now, at == l.menu.at)
	}
}

func (l *SessionList) drawRow(m *pane.Painter, r layout.Rect, s Recent, now time.Time, chosen bool) {
	c, th := m.Cv, m.Th
	look := th.Text
	if chosen {
		look = th.Accent
		c.Put(r.X, r.Y, r.X+1, "▸", th.Accent)
	}
	if !s.When.IsZero() {
		c.Right(layout.R(r.X+2, r.Y, agoWidth, 1), format.Ago(now.Sub(s.When)), th.Dim)
	}
	rest := r.Inset(agoWidth+4, 0)
	title := s.Title
	if title == "" {
		title = format.Base(s.Path)
	}
	w := rest.W * titleShare / 100
	c.Text(rest.ClipRight(w), title, look)
	rest = rest.Inset(w+2, 0)
	c.Text(rest, safetext.CutFront(s.Path, rest.W), th.Dim)
}

// Path is the path of the chosen session.
func (l *SessionList) Path() string { return l.recent[l.menu.at].Path }
