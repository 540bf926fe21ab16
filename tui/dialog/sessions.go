package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"snapscope/snapshot/wording"
	"snapscope/tui/draw"
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
	Runs  bool // an agent that runs now: opening it attaches to it
}

// Measured is what a session comes to, read from its file.
type Measured struct {
	Steps  int
	Tokens int // that its results added to the history, estimated
	Took   time.Duration
	Wrong  string // what did go wrong in it, first of all; empty: nothing, or it is not known
}

// sessionSort is what the list of sessions is sorted by.
type sessionSort uint8

const (
	byWhen sessionSort = iota
	bySteps
	byTokens
	byTook
	sessionSorts
)

func (s sessionSort) String() string { return [...]string{"when", "steps", "tokens", "took"}[s] }

// SessionList is the first screen where no session was named: those that run, those
// that agents have left, and own recordings, to open one.
type SessionList struct {
	view.List // of shown
	recent    []Recent
	known     map[string]Measured
	shown     []int // indexes into recent
	sort      sessionSort
	up        bool
	find      typed // only sessions with this in title or path
	measured  int   // of recent, how many were asked for
	Opening   string
	Seq       int
	Err       string
}

// NewSessionList makes the list.
func NewSessionList(recent []Recent) *SessionList {
	l := &SessionList{recent: recent, known: map[string]Measured{}}
	l.fill()
	return l
}

// Unmeasured is the next session to be measured; empty: there is none left.
func (l *SessionList) Unmeasured() string {
	if l.measured >= len(l.recent) {
		return ""
	}
	l.measured++
	return l.recent[l.measured-1].Path
}

// Measure takes in what a session comes to.
func (l *SessionList) Measure(path string, m Measured) {
	l.known[path] = m
	if l.sort != byWhen {
		l.fill()
	}
}

// fill picks and sorts the rows, and keeps the choice on its session.
func (l *SessionList) fill() {
	chosen := l.Path()
	l.shown = l.shown[:0]
	for i, r := range l.recent {
		if l.find.in(r.Title + " " + r.Path) {
			l.shown = append(l.shown, i)
		}
	}
	slices.SortStableFunc(l.shown, func(a, b int) int {
		x, y := l.recent[a], l.recent[b]
		switch { // what runs is what one comes for
		case x.Runs && !y.Runs:
			return -1
		case y.Runs && !x.Runs:
			return 1
		}
		c := cmp.Or(cmp.Compare(l.figure(y), l.figure(x)), y.When.Compare(x.When))
		if l.up {
			return -c
		}
		return c
	})
	l.N = len(l.shown)
	l.At = max(0, slices.IndexFunc(l.shown, func(at int) bool { return l.recent[at].Path == chosen }))
}

// figure is what a session is sorted by, beside when it was.
func (l *SessionList) figure(r Recent) int {
	k := l.known[r.Path]
	return [...]int{0, k.Steps, k.Tokens, int(k.Took)}[l.sort]
}

// Press takes a key.
func (l *SessionList) Press(m *view.State, key string) Reply {
	l.Err = ""
	name := m.Keys.NameOf(key)
	if l.find.on {
		if l.find.press(key) {
			l.fill()
		} else {
			l.Move(motions[key], 1)
		}
		return Reply{}
	}
	switch name {
	case "quit":
		return Reply{Do: "quit"}
	case "filter", "search":
		l.find.on = true
	case "step":
		l.sort, l.up = (l.sort+1)%sessionSorts, false
		l.fill()
		l.At = 0
	case "reset":
		l.up = !l.up
		l.fill()
		l.At = 0
	case "cancel":
		l.Opening = ""
		l.Seq++
		l.find = typed{}
		l.fill()
	case "reason":
		if l.N == 0 || l.Opening != "" {
			return Reply{}
		}
		l.Seq++
		l.Opening = l.Path()
		return Reply{Open: l.Opening}
	case "theme":
		return Reply{Do: "theme"}
	case "down", "up", "top", "bottom":
		l.Move(name, 1)
	default:
		l.Move(motions[key], 1)
	}
	return Reply{}
}

// Hints tells what can be done with the list, or what became of it.
func (l *SessionList) Hints(m *view.State) []string {
	k := m.Keys.Label
	switch {
	case l.Err != "":
		return []string{"✗ " + l.Err}
	case l.Opening != "":
		return []string{"opening " + l.Opening + " … " + k("cancel") + " lets go of it", "opening … " + k("cancel") + " lets go of it"}
	case l.find.on:
		return []string{"& " + string(l.find.text) + "▏  enter keeps the filter · esc drops it"}
	case len(l.recent) == 0:
		return []string{k("quit") + " leaves"}
	}
	return []string{k("up") + k("down") + " choose   " + k("reason") + " opens   " + k("filter") + " filter   " + k("step") + " sort: " + l.sort.String() + "   " +
		k("reset") + " turns it round   " + k("quit") + " leaves"}
}

// Columns of the list.
const (
	agoWidth    = 14
	figureWidth = 9
	titleShare  = 45 // of a hundred cells that are left, those of the title
)

// within is the room that a view of the whole screen has: on a high one, rules set the
// header and the hints apart.
func within(m *view.State, r layout.Rect) layout.Rect {
	if m.H >= layout.TallEnough {
		return layout.R(r.X, r.Y+1, r.W, r.H-2)
	}
	return r
}

// Arrange brings the chosen session into sight.
func (l *SessionList) Arrange(m *view.State, r layout.Rect) { l.Fit(within(m, r).H-2, 0) }

// Draw fills the whole screen: there is no session yet that it could lie over.
func (l *SessionList) Draw(m *pane.Painter, r layout.Rect) {
	c, th := m.Cv, m.Th
	if in := within(m.S, r); in != r {
		c.Fill(r.Row(0), "─", th.Faint)
		c.Fill(r.Row(r.H-1), "─", th.Faint)
		r = in
	}
	if len(l.recent) == 0 {
		c.Text(r.Row(1).Inset(1, 1), "no agent has left a session here, and none was recorded", th.Text)
		c.Text(r.Row(3).Inset(1, 1), "snapscope demo makes one · snapscope open URL begins one · snapscope replay FILE reads one", th.Dim)
		return
	}
	text := wording.Plural(len(l.recent), "session") + " found"
	if len(l.find.text) > 0 {
		text = fmt.Sprintf("%d of %s with %s", l.N, text, string(l.find.text))
	}
	end := c.Text(r.Row(0).Inset(1, 1), text, th.Accent)
	if why := l.known[l.Path()].Wrong; why != "" { // of the chosen one: a row has no room for it
		c.Text(layout.R(end+3, r.Y, r.X+r.W-end-4, 1), "! "+why, th.Warn)
	}
	cols := l.columns(m)
	head := r.Row(1).Inset(3, 1)
	pane.Heads(m, head, cols, pane.Sorted{Key: int(l.sort) + 1, Up: l.up})
	m.Cv.Put(head.X+pane.Wide(cols)+2, head.Y, head.X+head.W, "session", m.Th.Dim)
	body := layout.R(r.X+1, r.Y+2, r.W-2, r.H-2)
	for i := range body.H {
		at, ok := l.RowAt(i)
		if !ok {
			return
		}
		m.Hit(body.Row(i), pane.HitRow, at)
		l.drawRow(m, body.Row(i), cols, l.recent[l.shown[at]], at == l.At)
	}
}

// columns are those before a session's title.
func (l *SessionList) columns(m *pane.Painter) []pane.Column[Recent] {
	now := m.S.Clock()
	figure := func(sort sessionSort, of func(Measured) string) pane.Column[Recent] {
		return pane.Column[Recent]{Head: sort.String(), W: figureWidth, Key: int(sort) + 1, Cell: func(r Recent) (string, draw.Style) {
			if k, ok := l.known[r.Path]; ok {
				return of(k), m.Th.Text
			}
			return "…", m.Th.Faint
		}}
	}
	return []pane.Column[Recent]{
		{Head: byWhen.String(), W: agoWidth, Key: int(byWhen) + 1, Cell: func(r Recent) (string, draw.Style) {
			switch {
			case r.Runs:
				return "◉ runs now", m.Th.Good
			case r.When.IsZero():
				return "", m.Th.Dim
			}
			return format.Ago(now.Sub(r.When)), m.Th.Dim
		}},
		figure(bySteps, func(k Measured) string { return wording.Count(k.Steps) }),
		figure(byTokens, func(k Measured) string { return "~" + format.Short(k.Tokens) }),
		figure(byTook, func(k Measured) string {
			if k.Took > 0 {
				return format.Duration(k.Took)
			}
			return "–"
		}),
		{W: 2, Cell: func(r Recent) (string, draw.Style) { // whether something did go wrong
			if l.known[r.Path].Wrong != "" {
				return "!", m.Th.Warn
			}
			return "", m.Th.Dim
		}},
	}
}

func (l *SessionList) drawRow(m *pane.Painter, r layout.Rect, cols []pane.Column[Recent], s Recent, chosen bool) {
	c, th := m.Cv, m.Th
	look := th.Text
	if chosen {
		look = th.Accent
		c.Put(r.X, r.Y, r.X+1, "▸", th.Accent)
	}
	r = r.Inset(2, 0)
	pane.Cells(m, r, cols, s)
	x := r.X + pane.Wide(cols)
	rest := layout.R(x+2, r.Y, r.X+r.W-x-2, 1)
	title := cmp.Or(s.Title, format.Base(s.Path))
	w := rest.W * titleShare / 100
	if rest.W < 60 {
		w = rest.W
	}
	c.Text(rest.ClipRight(w), title, look.With(draw.Style{}))
	if rest = rest.Inset(w+2, 0); rest.W > 8 {
		c.Text(rest, safetext.CutFront(s.Path, rest.W), th.Dim)
	}
}

// Path is the path of the chosen session; empty where there is none.
func (l *SessionList) Path() string {
	if l.At >= len(l.shown) {
		return ""
	}
	return l.recent[l.shown[l.At]].Path
}
