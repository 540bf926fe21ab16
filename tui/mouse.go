package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"snapscope/tui/dialog"
	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/view"
)

// mouseEvent gives the mouse to what lies under it.
func (m *Model) mouseEvent(msg tea.MouseMsg) tea.Cmd {
	if !m.s.Mouse || m.s.Lay.Mode == layout.LayoutTooSmall {
		return nil
	}
	at := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		return m.wheel(at)
	case tea.MouseClickMsg:
		if at.Button == tea.MouseLeft {
			m.s.ClearMessage()
			return m.click(at.X, at.Y)
		}
	}
	return nil
}

func (m *Model) wheel(at tea.Mouse) tea.Cmd {
	by := 0
	switch at.Button {
	case tea.MouseWheelDown:
		by = 1
	case tea.MouseWheelUp:
		by = -1
	case tea.MouseWheelLeft:
		m.s.ShiftBy(-4)
	case tea.MouseWheelRight:
		m.s.ShiftBy(4)
	}
	if by == 0 {
		return nil
	}
	action := "down"
	if by < 0 {
		action = "up"
	}
	if m.over != nil {
		key := action
		if _, modal := m.over.(*dialog.Scrolled); modal {
			key = m.s.Keys.KeyOf(key)
		}
		return m.answer(m.over.Press(m.s, key))
	}
	if m.s.Lay.List.Holds(at.X, at.Y) {
		m.s.ListTo(m.s.List.At + by*view.WheelRows)
		return nil
	}
	if m.s.Lay.Side.Holds(at.X, at.Y) && m.s.Side == view.SideKnobs {
		m.s.Knobs.Press(m.s, action)
		return nil
	}
	if m.s.Lay.Steps.Holds(at.X, at.Y) {
		m.s.Look(m.s.At + by)
		return nil
	}
	m.s.Scroll(by * view.WheelRows)
	return nil
}

func (m *Model) click(x, y int) tea.Cmd {
	if m.over != nil {
		m.over = nil
		return nil
	}
	if m.input != nil {
		return nil
	}
	shown := m.s.ShownPanes()
	for i, r := range m.s.Lay.Panes {
		if !r.Holds(x, y) || m.s.Lay.First+i >= len(shown) {
			continue
		}
		was := m.s.Focus
		m.s.Focus, m.s.OnSide = shown[m.s.Lay.First+i], false
		m.s.Knobs.Follow(m.s)
		line := y - r.Y - m.s.Lay.PaneHead()
		switch {
		case line >= 0 && m.s.Top+line < m.s.Rows():
			m.s.GoTo(m.s.Top + line)
		case line < 0 && was == m.s.Focus && m.whyNot("reason") == "":
			return doReason(m)
		}
		return nil
	}
	for _, h := range slices.Backward(m.p.Hits) {
		if !h.Holds(x, y) {
			continue
		}
		switch h.What {
		case pane.HitStep:
			if h.N < len(m.s.Tl.Steps) { // others are yet to come
				m.s.Look(h.N)
			}
		case pane.HitHead:
			m.s.ClickHead(view.SortKey(h.N))
		case pane.HitRow:
			if m.s.ListTo(h.N) {
				return openRow(m)
			}
		case pane.HitKnob:
			m.s.Knobs.Choose(m.s, h.N)
		}
		break
	}
	switch {
	case m.s.Lay.Tabs.Holds(x, y):
		m.s.TurnPane(1)
	case m.s.Lay.Side.Holds(x, y) && m.s.Side == view.SideKnobs:
		m.s.OnSide = true
	}
	return nil
}
