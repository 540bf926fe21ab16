package dialog

import (
	"slices"

	"snapscope/session"
	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/view"
)

// ActMenu offers what can be done to the element under the cursor.
type ActMenu struct {
	menu menu
	what string // the element, for the title
	ref  string
	acts []act
}

// act is one row: a verb, its key within the menu, and whether more has to be typed.
type act struct {
	key   string
	verb  session.Verb
	types bool
}

// acts are the actions on one element, those with a text to come opening the line.
var acts = []act{
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

// NewActMenu lists the actions on the element under the cursor, the likely one first.
func NewActMenu(m *view.State) *ActMenu {
	a := &ActMenu{ref: m.CursorRef(), acts: slices.Clone(acts)}
	a.what = a.ref + " " + m.CursorRole()
	if first := likely[m.CursorRole()]; first != "" {
		slices.SortStableFunc(a.acts, func(x, y act) int { return rank(y, first) - rank(x, first) })
	}
	for _, x := range a.acts {
		spec, _ := session.SpecOf(x.verb)
		a.menu.rows = append(a.menu.rows, menuRow{text: x.key + "  " + string(x.verb), note: spec.Doc})
	}
	return a
}

func rank(a act, first session.Verb) int {
	if a.verb == first {
		return 1
	}
	return 0
}

// Press takes a key while the menu is open.
func (a *ActMenu) Press(m *view.State, key string) Reply {
	at := a.menu.at
	if key != "enter" && key != m.Keys.KeyOf("act") {
		if at = slices.IndexFunc(a.acts, func(x act) bool { return x.key == key }); at < 0 {
			return Reply{Close: !a.menu.move(key)}
		}
	}
	x := a.acts[at]
	line := string(x.verb) + " " + a.ref
	if x.types {
		return Reply{Close: true, Type: line + " "}
	}
	return Reply{Close: true, Line: line}
}

// Draw draws the menu over r.
func (a *ActMenu) Draw(m *pane.Painter, r layout.Rect) {
	in := m.Sheet(r, 64, len(a.menu.rows), "act on "+a.what, "a letter or enter does it · esc closes")
	a.menu.Draw(m, in.Inset(2, 0))
}
