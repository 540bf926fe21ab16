package dialog

import (
	"fmt"
	"slices"
	"strings"

	"snapscope/session"
	"snapscope/snapshot/wording"
	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// Menu is an overlay with things to choose from.
type Menu struct {
	view.List
	title, foot string
	width       int
	own         string // the action that opens it: its key chooses, as enter does
	letters     bool   // a letter goes to the next row that begins with it
	Rows        []MenuRow
}

// MenuRow is one thing to choose, and what is asked of the screen when it is.
type MenuRow struct {
	text, note string
	key        string // chooses it at once; empty: none does
	faint      bool
	Does       Reply
}

func (l *Menu) add(r MenuRow) {
	r.Does.Close = true
	l.Rows = append(l.Rows, r)
	l.N = len(l.Rows)
}

// motions are the keys that move the choice where letters may be typed.
var motions = map[string]string{
	"down": "down", "ctrl+n": "down", "tab": "down", "up": "up", "ctrl+p": "up", "shift+tab": "up",
	"pgdown": "page-down", "pgup": "page-up", "home": "top", "end": "bottom",
}

// Press takes a key while the menu is open; one that it has no use for closes it.
func (l *Menu) Press(m *view.State, key string) Reply {
	if key == "enter" || l.own != "" && key == m.Keys.KeyOf(l.own) {
		return l.Rows[l.At].Does
	}
	for k := 1; k <= l.N; k++ {
		at := (l.At + k) % l.N
		switch r := l.Rows[at]; {
		case r.key == key:
			return r.Does
		case l.letters && len(key) == 1 && strings.HasPrefix(r.text, key) && at > 0:
			l.Go(at)
			return Reply{}
		}
	}
	return Reply{Close: !l.Move(motions[key], 1)}
}

// Arrange brings the chosen row into sight.
func (l *Menu) Arrange(_ *view.State, r layout.Rect) {
	l.Fit(sheetRoom(r, min(l.N, r.H-6)), 0)
}

// Draw draws the menu over r.
func (l *Menu) Draw(m *pane.Painter, r layout.Rect) {
	in := m.Sheet(r, min(l.width, r.W-8), min(l.N, r.H-6), l.title, l.foot)
	l.drawRows(m, in.Inset(2, 0))
}

func (l *Menu) drawRows(m *pane.Painter, r layout.Rect) {
	for i := range r.H {
		at, ok := l.RowAt(i)
		if !ok {
			return
		}
		row, line, look := l.Rows[at], r.Row(i), m.Th.Text
		if row.faint {
			look = m.Th.Faint
		}
		m.Hit(line, pane.HitRow, at)
		if at == l.At {
			m.Cv.Put(line.X-2, line.Y, line.X, "▸", m.OnSheet(m.Th.Accent))
			look = m.Th.Accent
		}
		nw := min(safetext.Width(row.note), line.W*2/3)
		m.Cv.Text(line.ClipRight(line.W-nw-1), row.text, m.OnSheet(look))
		m.Cv.Right(layout.R(line.X+line.W-nw, line.Y, nw, 1), row.note, m.OnSheet(m.Th.Dim))
	}
}

// acts are the actions on one element, each with its key; those with a text to come
// open the line.
var acts = []struct {
	key   string
	verb  session.Verb
	types bool
}{
	{"c", session.VerbClick, false},
	{"f", session.VerbFill, true},
	{"h", session.VerbHover, false},
	{"s", session.VerbSelect, true},
	{"x", session.VerbCheck, false},
	{"u", session.VerbUncheck, false},
	{"p", session.VerbPress, true},
	{"t", session.VerbType, true},
	{"e", session.VerbEvaluate, true},
	{"2", session.VerbDblClick, false},
	{"o", session.VerbScroll, false},
}

// likely is what an element of a role is there for.
var likely = map[string]session.Verb{
	"textbox": session.VerbFill, "searchbox": session.VerbFill, "spinbutton": session.VerbFill, "combobox": session.VerbSelect,
	"listbox": session.VerbSelect, "checkbox": session.VerbCheck, "radio": session.VerbCheck, "switch": session.VerbCheck,
}

// ActMenu offers what can be done to the element under the cursor, the likely action
// first.
func ActMenu(m *view.State) *Menu {
	ref := m.CursorRef()
	l := &Menu{title: "act on " + ref + " " + m.CursorRole(), foot: "a letter or enter does it · esc closes", width: 64, own: "act"}
	for _, a := range acts {
		spec, _ := session.SpecOf(a.verb)
		r := MenuRow{text: a.key + "  " + string(a.verb), note: spec.Doc, key: a.key, Does: Reply{Line: string(a.verb) + " " + ref}}
		if a.types {
			r.Does = Reply{Type: r.Does.Line + " "}
		}
		l.add(r)
		if a.verb == likely[m.CursorRole()] {
			l.Rows = slices.Insert(l.Rows[:l.N-1], 0, l.Rows[l.N-1])
		}
	}
	return l
}

// CopyMenu offers what can be copied from where the cursor is. What is copied is the
// text as it is, not as it is drawn: it goes to the terminal as base64 (OSC 52), so no
// byte of it is ever read as a command.
func CopyMenu(m *view.State) *Menu {
	l := &Menu{title: "copy", foot: "enter copies · esc closes", width: 90, own: "copy"}
	add := func(what, text string) {
		if text != "" {
			l.add(MenuRow{text: what, note: strings.TrimSpace(firstLine(text)), Does: Reply{Copy: clip{what, text}}})
		}
	}
	d := m.DocOf(m.FocusAt())
	if m.Grid != nil && m.Row < m.Grid.Len() {
		if p := m.Grid.Page[m.Row]; p >= 0 {
			add("ref", m.Fr.Page.Ref(int(p)))
		}
		if at := m.Grid.Line(m.Row, m.FocusAt()); at >= 0 && d != nil {
			add("line", d.Lines[at].Text)
		} else if p := m.Grid.Page[m.Row]; p >= 0 {
			add("line", m.Fr.Page.Lines[p])
		}
	}
	if s := m.Step(); s != nil {
		add("step", s.Action.Label())
	}
	if d != nil {
		add("what the agent gets under "+d.Policy.Name, d.Rendered.Text)
		if !d.Same {
			add("the page in full", strings.Join(m.Fr.Page.Lines, "\n"))
		}
		add("why", d.Reason())
	}
	add("URL", m.Fr.Url)
	return l
}

// firstLine is the first line of a text, and how many there are.
func firstLine(s string) string {
	line, rest, more := strings.Cut(s, "\n")
	if more {
		return fmt.Sprintf("%s … %s", line, wording.Plural(strings.Count(rest, "\n")+2, "line"))
	}
	return line
}

// ModelMenu offers the models whose prices costs can be counted with, the chosen one
// marked.
func ModelMenu(models []string, chosen string) *Menu {
	l := &Menu{title: "costs at the prices of", foot: "enter chooses · a letter goes to its models · esc closes", width: 60, letters: true}
	for i, name := range append([]string{""}, models...) {
		r := MenuRow{text: name, Does: Reply{Line: "model " + name}}
		if name == "" {
			r.text = "the model that the session names"
		}
		if name == chosen {
			r.note, l.At = "now", i
		}
		l.add(r)
	}
	return l
}

// BreakList lists the breakpoints; each can be switched off or taken away.
type BreakList struct{ Menu }

// NewBreakList lists the breakpoints that there are.
func NewBreakList(m *view.State) *BreakList {
	l := &BreakList{}
	l.fill(m)
	return l
}

func (l *BreakList) fill(m *view.State) {
	l.Menu = Menu{List: l.List, title: fmt.Sprintf("breakpoints · %d", len(m.Breaks)), foot: "enter on or off · d deletes · esc closes", width: 60}
	for _, b := range m.Breaks {
		row := MenuRow{text: "◆ " + b.At.String(), note: "on"}
		if b.Off {
			row = MenuRow{text: "◇ " + b.At.String(), note: "off", faint: true}
		}
		l.add(row)
	}
	l.Go(l.At)
}

// Press takes a key while the list is open.
func (l *BreakList) Press(m *view.State, key string) Reply {
	switch key {
	case "enter", "space":
		m.Breaks[l.At].Off = !m.Breaks[l.At].Off
	case "d", "x", "delete", "backspace":
		m.Breaks = slices.Delete(m.Breaks, l.At, l.At+1)
	default:
		return l.Menu.Press(m, key)
	}
	m.Ask(view.WantSave)
	l.fill(m)
	return Reply{Close: len(m.Breaks) == 0}
}
