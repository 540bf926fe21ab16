package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
)

// breakList lists the breakpoints; each can be switched off or taken away.
type breakList struct{ menu menu }

// doBreaks opens the list of breakpoints.
func (m *Model) doBreaks() tea.Cmd {
	if len(m.breaks) == 0 {
		m.say(levelInfo, "no breakpoint is set; "+m.keys.Label("break")+" sets one")
		return nil
	}
	l := &breakList{}
	l.fill(m)
	m.over = l
	return nil
}

func (l *breakList) fill(m *Model) {
	l.menu.rows = l.menu.rows[:0]
	for _, b := range m.breaks {
		row := menuRow{text: "◆ " + b.at.String(), note: "on"}
		if b.off {
			row = menuRow{text: "◇ " + b.at.String(), note: "off", faint: true}
		}
		l.menu.rows = append(l.menu.rows, row)
	}
}

func (l *breakList) press(m *Model, key string) reply {
	i := l.menu.at
	switch key {
	case "enter", "space":
		m.breaks[i].off = !m.breaks[i].off
	case "d", "x", "delete", "backspace":
		m.breaks = append(m.breaks[:i:i], m.breaks[i+1:]...)
		m.wantSave()
		if len(m.breaks) == 0 {
			return reply{close: true}
		}
	default:
		if l.menu.move(key) {
			return reply{}
		}
		return reply{close: true}
	}
	m.wantSave()
	l.fill(m)
	return reply{}
}

func (l *breakList) draw(m *Model, r rect) {
	in := m.sheet(r, 60, min(len(l.menu.rows), r.h-6), fmt.Sprintf("breakpoints · %d", len(m.breaks)), "enter on or off · d deletes · esc closes")
	l.menu.draw(m, in.inset(2, 0))
}
