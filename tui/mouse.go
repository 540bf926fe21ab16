package tui

import (
	tea "charm.land/bubbletea/v2"

	"snapscope/tui/dialog"
	"snapscope/tui/layout"
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
		m.s.Shift = max(0, m.s.Shift-4)
	case tea.MouseWheelRight:
		m.s.Shift = min(m.s.Shift+4, 4000)
	}
	if by == 0 {
		return nil
	}
	if m.over != nil {
		key := "down"
		if by < 0 {
			key = "up"
		}
		if _, modal := m.over.(*dialog.Scrolled); modal {
			key = m.s.Keys.KeyOf(key)
		}
		return m.answer(m.over.Press(m.s, key))
	}
	if m.s.Lay.List.Holds(at.X, at.Y) {
		m.s.ScrollList(by * view.WheelRows)
		return nil
	}
	if m.s.Lay.Side.Holds(at.X, at.Y) && m.s.Side == view.SideKnobs {
		action := "down"
		if by < 0 {
			action = "up"
		}
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
		case line < 0 && was == m.s.Focus && m.s.NoPage() == "":
			return doReason(m)
		}
		return nil
	}
	switch {
	case m.s.Lay.List.Holds(x, y):
		if m.s.ClickList(x, y) {
			return openRow(m)
		}
	case m.s.Lay.Tabs.Holds(x, y):
		m.s.TurnPane(1)
	case m.s.Lay.Side.Holds(x, y) && m.s.Side == view.SideKnobs:
		m.s.OnSide = true
		m.s.Knobs.Click(m.s, m.s.Lay.Side, x, y)
	case m.s.Lay.Steps.Holds(x, y):
		m.s.ClickStep(x)
	}
	return nil
}
