package dialog

import (
	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/view"
)

// ModelMenu offers the models whose prices costs can be counted with.
type ModelMenu struct {
	menu  menu
	names []string // of the rows; the first is the session's own
}

// NewModelMenu lists the models, the chosen one marked.
func NewModelMenu(models []string, chosen string) *ModelMenu {
	l := &ModelMenu{names: append([]string{""}, models...)}
	for i, name := range l.names {
		row := menuRow{text: name}
		if name == "" {
			row.text = "the model that the session names"
		}
		if name == chosen {
			row.note, l.menu.at = "now", i
		}
		l.menu.rows = append(l.menu.rows, row)
	}
	return l
}

// Press takes a key while the menu is open. A letter goes to the next name that
// begins with it.
func (l *ModelMenu) Press(_ *view.State, key string) Reply {
	if key == "enter" {
		return Reply{Close: true, Line: "model " + l.names[l.menu.at]}
	}
	if len(key) == 1 {
		for k := 1; k <= len(l.names); k++ {
			if i := (l.menu.at + k) % len(l.names); l.names[i] != "" && l.names[i][:1] == key {
				l.menu.at = i
				return Reply{}
			}
		}
	}
	return Reply{Close: !l.menu.move(key)}
}

// Draw draws the menu over r.
func (l *ModelMenu) Draw(m *pane.Painter, r layout.Rect) {
	in := m.Sheet(r, 60, min(len(l.menu.rows), r.H-6), "costs at the prices of", "enter chooses · a letter goes to its models · esc closes")
	l.menu.Draw(m, in.Inset(2, 0))
}
