package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
	menu     menu
	recent   []Recent
	known    map[string]Measured
	shown    []int // indexes into recent
	sort     sessionSort
	up       bool
	text     []rune // only sessions with this in title or path
	typing   bool
	measured int // of recent, how many were asked for
	Opening  string
	Seq      int
	Err      string
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
	want := strings.ToLower(string(l.text))
	for i, r := range l.recent {
		if want == "" || strings.Contains(strings.ToLower(r.Title+" "+r.Path), want) {
			l.shown = append(l.shown, i)
		}
	}
	slices.SortStableFunc(l.shown, func(a, b int) int {
		x, y := l.recent[a], l.recent[b]
		if x.Runs != y.Runs { // what runs is what one comes for
			return cmp.Compare(b2i(y.Runs), b2i(x.Runs))
		}
		kx, ky := l.known[x.Path], l.known[y.Path]
		c := 0
		switch l.sort {
		case bySteps:
			c = cmp.Compare(ky.Steps, kx.Steps)
		case byTokens:
			c = cmp.Compare(ky.Tokens, kx.Tokens)
		case byTook:
			c = cmp.Compare(ky.Took, kx.Took)
		}
		if c == 0 {
			c = y.When.Compare(x.When)
		}
		if l.up {
			c = -c
		}
		return c
	})
	l.menu.rows = make([]menuRow, len(l.shown))
	l.menu.at = 0
	for i, at := range l.shown {
		if l.recent[at].Path == chosen {
			l.menu.at = i
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Press takes a key.
func (l *SessionList) Press(m *view.State, key string) Reply {
	l.Err = ""
	if l.typing {
		l.typed(key)
		return Reply{}
	}
	switch m.Keys.NameOf(key) {
	case "quit":
		return Reply{Do: "quit"}
	case "filter", "search":
		l.typing = true
	case "step":
		l.sort, l.up = (l.sort+1)%sessionSorts, false
		l.fill()
		l.menu.at = 0
	case "reset":
		l.up = !l.up
		l.fill()
		l.menu.at = 0
	case "cancel":
		l.Opening = ""
		l.Seq++
		l.text = nil
		l.fill()
	case "reason":
		if len(l.shown) == 0 || l.Opening != "" {
			return Reply{}
		}
		l.Seq++
		l.Opening = l.Path()
		return Reply{Open: l.Opening}
	case "down":
		l.menu.move("down")
	case "up":
		l.menu.move("up")
	case "top":
		l.menu.move("home")
	case "bottom":
		l.menu.move("end")
	case "theme":
		return Reply{Do: "theme"}
	default:
		l.menu.move(key)
	}
	return Reply{}
}

// typed takes a key of the filter.
func (l *SessionList) typed(key string) {
	switch key {
	case "enter":
		l.typing = false
	case "esc", "ctrl+g":
		l.typing, l.text = false, nil
	case "backspace":
		l.text = l.text[:max(0, len(l.text)-1)]
	case "ctrl+u":
		l.text = nil
	case "space":
		l.text = append(l.text, ' ')
	default:
		if r := []rune(key); len(r) == 1 && len(l.text) < 80 {
			l.text = append(l.text, r[0])
		} else {
			l.menu.move(key)
			return
		}
	}
	l.fill()
}

// Hints tells what can be done with the list, or what became of it.
func (l *SessionList) Hints() []string {
	switch {
	case l.Err != "":
		return []string{"✗ " + l.Err}
	case l.Opening != "":
		return []string{"opening " + l.Opening + " … esc lets go of it", "opening … esc lets go of it"}
	case l.typing:
		return []string{"& " + string(l.text) + "▏  enter keeps the filter · esc drops it"}
	case len(l.recent) == 0:
		return []string{"q leaves"}
	}
	return []string{"↑↓ choose   enter opens   & filter   s sort: " + l.sort.String() + "   r turns it round   q leaves"}
}

// Columns of the list.
const (
	agoWidth    = 14
	figureWidth = 9
	titleShare  = 45 // of a hundred cells that are left, those of the title
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
	text := wording.Plural(len(l.recent), "session") + " found"
	if len(l.text) > 0 {
		text = fmt.Sprintf("%d of %s with %s", len(l.shown), text, string(l.text))
	}
	c.Text(r.Row(0).Inset(1, 1), text, th.Accent)
	l.drawHead(m, r.Row(1).Inset(1, 1))
	body := layout.R(r.X+1, r.Y+2, r.W-2, r.H-2)
	l.menu.fit(body.H)
	now := m.S.Clock()
	for i := 0; i < body.H && l.menu.top+i < len(l.shown); i++ {
		at := l.menu.top + i
		l.drawRow(m, body.Row(i), l.recent[l.shown[at]], now, at == l.menu.at)
	}
}

// drawHead names the columns, the one that the list is sorted by set off.
func (l *SessionList) drawHead(m *pane.Painter, r layout.Rect) {
	x := r.X + 2
	for s, w := range []int{agoWidth, figureWidth, figureWidth, figureWidth} {
		text, look := sessionSort(s).String(), m.Th.Dim
		if sessionSort(s) == l.sort {
			text, look = text+"▾", m.Th.Accent
			if l.up {
				text = sessionSort(s).String() + "▴"
			}
		}
		m.Cv.Right(layout.R(x, r.Y, w, 1), text, look)
		x += w
	}
	m.Cv.Put(x+2, r.Y, r.X+r.W, "session", m.Th.Dim)
}

func (l *SessionList) drawRow(m *pane.Painter, r layout.Rect, s Recent, now time.Time, chosen bool) {
	c, th := m.Cv, m.Th
	look := th.Text
	if chosen {
		look = th.Accent
		c.Put(r.X, r.Y, r.X+1, "▸", th.Accent)
	}
	x := r.X + 2
	switch {
	case s.Runs:
		c.Right(layout.R(x, r.Y, agoWidth, 1), "◉ runs now", th.Good)
	case !s.When.IsZero():
		c.Right(layout.R(x, r.Y, agoWidth, 1), format.Ago(now.Sub(s.When)), th.Dim)
	}
	x += agoWidth
	k, ok := l.known[s.Path]
	for _, text := range l.figures(k, ok) {
		st := th.Text
		if !ok {
			st = th.Faint
		}
		c.Right(layout.R(x, r.Y, figureWidth, 1), text, st)
		x += figureWidth
	}
	rest := layout.R(x+2, r.Y, r.X+r.W-x-2, 1)
	title := s.Title
	if title == "" {
		title = format.Base(s.Path)
	}
	w := rest.W * titleShare / 100
	if rest.W < 60 {
		w = rest.W
	}
	c.Text(rest.ClipRight(w), title, look.With(draw.Style{}))
	if rest = rest.Inset(w+2, 0); rest.W > 8 {
		c.Text(rest, safetext.CutFront(s.Path, rest.W), th.Dim)
	}
}

// figures are a session's steps, tokens and time, as far as they are known.
func (l *SessionList) figures(k Measured, ok bool) []string {
	if !ok {
		return []string{"…", "…", "…"}
	}
	took := "–"
	if k.Took > 0 {
		took = format.Duration(k.Took)
	}
	return []string{wording.Count(k.Steps), "~" + format.Short(k.Tokens), took}
}

// Path is the path of the chosen session; empty where there is none.
func (l *SessionList) Path() string {
	if l.menu.at >= len(l.shown) {
		return ""
	}
	return l.recent[l.shown[l.menu.at]].Path
}
