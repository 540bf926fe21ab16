package dialog

import (
	"fmt"

	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/view"
)

// BreakList lists the breakpoints; each can be switched off or taken away.
type BreakList struct{ menu menu }

func (l *BreakList) Fill(m *view.State) {
	l.menu.rows = l.menu.rows[:0]
	for _, b := range m.Breaks {
		row := menuRow{text: "◆ " + b.At.String(), note: "on"}
		if b.Off {
			row = menuRow{text: "◇ " + b.At.String(), note: "off", faint: true}
		}
		l.menu.rows = append(l.menu.rows, row)
	}
}

func (l *BreakList) Press(m *view.State, key string) Reply {
	i := l.menu.at
	switch key {
	case "enter", "space":
		m.Breaks[i].Off = !m.Breaks[i].Off
	case "d", "x", "delete", "backspace":
		m.Breaks = append(m.Breaks[:i:i], m.Breaks[i+1:]...)
		m.WantSave()
		if len(m.Breaks) == 0 {
			return Reply{Close: true}
		}
	default:
		if l.menu.move(key) {
			return Reply{}
		}
		return Reply{Close: true}
	}
	m.WantSave()
	l.Fill(m)
	return Reply{}
}

func (l *BreakList) Draw(m *pane.Painter, r layout.Rect) {
	in := m.Sheet(r, 60, min(len(l.menu.rows), r.H-6), fmt.Sprintf("breakpoints · %d", len(m.S.Breaks)), "enter on or off · d deletes · esc closes")
	l.menu.Draw(m, in.Inset(2, 0))
}
