package tui

import (
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
		switch m.over.(type) {
		case *dialog.Scrolled, *dialog.ContextView: // read keys as actions
			key = m.s.Keys.KeyOf(action)
		}
		return m.answer(m.over.Press(m.s, key))
	}
	if m.s.Lay.List.Holds(at.X, at.Y) {
		m.s.ListTo(m.s.List.At + by*view.WheelRows)
		return nil
	}
	if m.s.Lay.Side.Holds(at.X, at.Y) && m.s.Side == view.SideKnobs {
		m.s.Knobs.Press(action)
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
	hit, ok := m.p.At(x, y)
	if m.over != nil {
		return m.clickOver(hit, ok)
	}
	if m.input != nil {
		return nil
	}
	shown := m.s.ShownPanes()
	for i, r := range m.s.Lay.Panes {
		if r.Holds(x, y) && m.s.Lay.First+i < len(shown) {
			return m.clickPane(shown[m.s.Lay.First+i], y-r.Y-m.s.Lay.PaneHead())
		}
	}
	switch {
	case m.s.Lay.Tabs.Holds(x, y):
		m.s.TurnPane(1)
	case m.s.Lay.Side.Holds(x, y) && m.s.Side == view.SideKnobs:
		m.s.OnSide = true
	}
	switch {
	case !ok:
	case hit.What == pane.HitStep && hit.N < len(m.s.Tl.Steps): // others are yet to come
		m.s.Look(hit.N)
	case hit.What == pane.HitHead:
		m.s.ClickHead(view.SortKey(hit.N))
	case hit.What == pane.HitRow:
		if m.s.ListTo(hit.N) {
			return m.openRow()
		}
	case hit.What == pane.HitKnob:
		m.s.Knobs.Choose(hit.N)
	}
	return nil
}

// clickPane takes a click into a pane, so many lines below its head: on the head of the
// focused one it says why.
func (m *Model) clickPane(n, line int) tea.Cmd {
	was := m.s.Focus
	m.s.Focus, m.s.OnSide = n, false
	m.s.Knobs.Follow()
	switch {
	case line >= 0 && m.s.Top+line < m.s.Rows():
		m.s.GoTo(m.s.Top + line)
	case line < 0 && was == n && m.whyNot("reason") == "":
		return m.reason()
	}
	return nil
}

// clickOver takes a click while something lies over the panes: in a list it chooses,
// else it closes what has something below it.
func (m *Model) clickOver(hit pane.Place, ok bool) tea.Cmd {
	list, is := m.over.(interface{ Pick(at int) bool })
	switch {
	case is && ok && hit.What == pane.HitRow:
		if key := m.chooses(); list.Pick(hit.N) {
			return m.answer(m.over.Press(m.s, key))
		}
	case m.eng != nil:
		m.over = nil
	}
	return nil
}

// chooses is the key that chooses in the list that lies over the panes.
func (m *Model) chooses() string {
	if _, sessions := m.over.(*dialog.SessionList); sessions {
		return m.s.Keys.KeyOf("reason")
	}
	return "enter"
}
