package tui

import (
	tea "charm.land/bubbletea/v2"
)

// wheelRows is how many rows one turn of the wheel scrolls.
const wheelRows = 3

// mouseEvent gives the mouse to what lies under it.
func (m *Model) mouseEvent(msg tea.MouseMsg) tea.Cmd {
	if !m.mouse || m.lay.mode == layoutTooSmall {
		return nil
	}
	at := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		return m.wheel(at)
	case tea.MouseClickMsg:
		if at.Button == tea.MouseLeft {
			m.said()
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
		m.shift = max(0, m.shift-4)
	case tea.MouseWheelRight:
		m.shift = min(m.shift+4, 4000)
	}
	if by == 0 {
		return nil
	}
	if m.over != nil {
		key := "down"
		if by < 0 {
			key = "up"
		}
		if _, modal := m.over.(*scrolled); modal {
			key = m.keys.KeyOf(key)
		}
		return m.answer(m.over.press(m, key))
	}
	if m.lay.side.holds(at.X, at.Y) && m.side == sideKnobs {
		action := "down"
		if by < 0 {
			action = "up"
		}
		m.knobs.press(m, action)
		return nil
	}
	if m.lay.steps.holds(at.X, at.Y) {
		m.look(m.at + by)
		return nil
	}
	m.scroll(by * wheelRows)
	return nil
}

// scroll moves the window and takes the cursor along at its edges.
func (m *Model) scroll(by int) {
	h := m.pageRows()
	m.top = max(0, min(m.top+by, m.rows()-h))
	margin := min(4, (h-1)/2)
	lo, hi := m.top+margin, m.top+h-1-margin
	if m.top == 0 {
		lo = 0
	}
	if m.top >= m.rows()-h {
		hi = m.rows() - 1
	}
	m.row = max(lo, min(m.row, hi))
	m.clampView()
}

func (m *Model) click(x, y int) tea.Cmd {
	if m.over != nil {
		m.over = nil
		return nil
	}
	if m.input != nil {
		return nil
	}
	shown := m.shownPanes()
	for i, r := range m.lay.panes {
		if !r.holds(x, y) || m.lay.first+i >= len(shown) {
			continue
		}
		was := m.focus
		m.focus, m.onSide = shown[m.lay.first+i], false
		m.knobs.follow(m)
		line := y - r.y - m.lay.paneHead()
		switch {
		case line >= 0 && m.top+line < m.rows():
			m.goTo(m.top + line)
		case line < 0 && was == m.focus && m.noPage() == "":
			return m.doReason()
		}
		return nil
	}
	switch {
	case m.lay.tabs.holds(x, y):
		m.turnPane(1)
	case m.lay.side.holds(x, y) && m.side == sideKnobs:
		m.onSide = true
		m.knobs.click(m, m.lay.side, x, y)
	case m.lay.steps.holds(x, y):
		m.clickStep(x)
	}
	return nil
}

// clickStep goes to the step whose label lies at column x.
func (m *Model) clickStep(x int) {
	for _, h := range m.stepHits {
		if x >= h.from && x < h.to && h.index < len(m.tl.Steps) {
			m.look(h.index)
			return
		}
	}
}

// stepHit is where a step's label was drawn.
type stepHit struct{ from, to, index int }
