package view

import (
	"fmt"
	"slices"

	"snapscope/snapshot/wording"
)

// NextName says what the next step is, where that is known.
func (m *Story) NextName() string {
	if len(m.Pending) > 0 {
		return m.Pending[0].Label()
	}
	return "step " + wording.Count(len(m.Tl.Steps)+1)
}

func (m *Reader) Rows() int {
	if m.Grid == nil {
		return 0
	}
	return m.Grid.Len()
}

// PageRows is how many rows of the page a pane shows.
func (m *Screen) PageRows() int {
	if len(m.Lay.Panes) == 0 {
		return 1
	}
	least := m.Lay.Panes[0].H
	for _, p := range m.Lay.Panes {
		least = min(least, p.H)
	}
	return max(1, least-m.Lay.PaneHead())
}

// ShiftBy scrolls to the right.
func (m *Reader) ShiftBy(columns int) { m.Shift = max(0, min(m.Shift+columns, 4000)) }

// GoTo puts the cursor on a row and scrolls so that it is seen.
func (m *Reader) GoTo(row int) {
	m.Row = row
	m.ClampView()
}

// LeapTo is goTo for a jump: a row that is not in sight comes to the upper third,
// with what follows it.
func (m *Reader) LeapTo(row int) {
	h := m.PageRows()
	if margin := min(4, (h-1)/2); row < m.Top+margin || row > m.Top+h-1-margin {
		m.Top = row - h/3
	}
	m.GoTo(row)
}

// ClampView keeps the cursor in the page and the window around the cursor, a
// few rows from its edges.
func (m *Reader) ClampView() {
	n, h := m.Rows(), m.PageRows()
	m.Row = max(0, min(m.Row, n-1))
	margin := min(4, (h-1)/2)
	if m.Row < m.Top+margin {
		m.Top = m.Row - margin
	}
	if m.Row > m.Top+h-1-margin {
		m.Top = m.Row - h + 1 + margin
	}
	m.Top = max(0, min(m.Top, n-h))
}

// ToChange goes to the next change down the page, or with -1 up.
func (m *Reader) ToChange(by int) {
	at, found := slices.BinarySearch(m.Grid.Changes, int32(m.Row))
	where := " further up"
	if by > 0 {
		where = " further down"
		if !found {
			at--
		}
	}
	if at += by; at < 0 || at >= len(m.Grid.Changes) {
		m.Say(LevelInfo, "there is no change"+where)
		return
	}
	m.LeapTo(int(m.Grid.Changes[at]))
	m.Say(LevelInfo, fmt.Sprintf("change %d of %d", at+1, len(m.Grid.Changes)))
}

// ToggleFold folds what did not change, or unfolds it; after a fix it takes its offer.
func (m *State) ToggleFold() {
	if m.Knobs.FixAll() { // just offered
		return
	}
	was, row := m.Grid, m.Row
	m.Fold = !m.Fold
	m.regrid()
	m.placeAt(was, row)
	m.ClampView()
	m.Search.Run(&m.Reader)
	if m.Fold {
		m.Say(LevelInfo, "only what changed is shown; "+m.Keys.Label("fold")+" shows the rest again")
	}
}

// TurnPane moves the focus among the shown panes and the side column.
func (m *State) TurnPane(by int) {
	shown := m.ShownPanes()
	n := len(shown)
	if m.Side != SideNone && !m.Zoom {
		n++
	}
	at := m.FocusAt()
	if m.OnSide {
		at = len(shown)
	}
	at = (at + by + n) % n
	m.OnSide = at == len(shown)
	if !m.OnSide {
		m.Focus = shown[at]
		m.Knobs.Follow()
	}
}

// ToggleZoom gives the screen to the focused pane, or back to all.
func (m *State) ToggleZoom() {
	m.Zoom = !m.Zoom
	m.Arrange()
	m.ClampView()
}

// GoToPane takes the focus to a pane, and shows it where it is hidden.
func (m *State) GoToPane(n int) {
	hidden := !m.Panes[n].Shown
	m.Panes[n].Shown, m.Focus, m.OnSide = true, n, false
	m.Knobs.Follow()
	m.Arrange()
	m.ClampView()
	if hidden {
		m.Ask(WantFrame)
		m.Say(LevelInfo, m.Panes[n].Policy.Name+" is shown; "+m.Keys.Label("hide")+" hides it")
	}
	if m.List.Open {
		m.Ask(WantSteps)
	}
}

// HidePane hides the focused pane and says how it comes back.
func (m *State) HidePane() {
	n := m.Focus
	m.Panes[n].Shown = false
	m.Focus = m.ShownPanes()[0]
	m.Knobs.Follow()
	m.Arrange()
	m.Ask(WantFrame)
	m.Say(LevelInfo, fmt.Sprintf("%s is hidden; %d shows it again", m.Panes[n].Policy.Name, n+1))
}

// AddDigit adds a typed digit to the count that waits for its key.
func (m *State) AddDigit(d int) {
	if m.Count < maxCount {
		m.Count = m.Count*10 + d
	}
	m.Say(LevelInfo, fmt.Sprintf("%d … %s goes to step %d, %s moves so many lines", m.Count, m.Keys.Label("bottom"), m.Count, m.Keys.Label("down")))
	if m.Count <= len(m.Panes) {
		m.Say(LevelInfo, fmt.Sprintf("%d … pane %d, %s; or a count: %s goes to step %d", m.Count, m.Count, m.Panes[m.Count-1].Policy.Name, m.Keys.Label("bottom"), m.Count))
	}
}

// maxCount bounds a typed count.
const maxCount = 100_000

// Times is how often a motion is to be done: the count that was typed before it,
// else once.
func (m *Screen) Times() int {
	n := max(1, m.Count)
	m.Count = 0
	return n
}

// GoToStep looks at the step with a number, or the last one where there are fewer.
func (m *Walk) GoToStep(n int) {
	if last := len(m.Tl.Steps); n > last {
		m.Say(LevelInfo, fmt.Sprintf("there are %d steps so far", last))
		n = last
	}
	m.Look(n - 1)
	if m.List.Open {
		m.List.fill(m.Table, m.At)
	}
}

// MovePane changes places with the shown neighbour.
func (m *State) MovePane(by int) {
	shown := m.ShownPanes()
	to := shown[m.FocusAt()+by]
	m.Panes[m.Focus], m.Panes[to] = m.Panes[to], m.Panes[m.Focus]
	m.Focus = to
	m.Knobs.Forget()
	m.Knobs.Follow()
	m.Ask(WantFrame)
}

// ToggleMouse takes the mouse from the terminal, or gives it back.
func (m *Screen) ToggleMouse() {
	m.Mouse = !m.Mouse
	if m.Mouse {
		m.Say(LevelInfo, "mouse on: wheel scrolls, a click chooses")
	} else {
		m.Say(LevelInfo, "mouse off: the terminal's own selection works")
	}
}
