package view

import (
	"fmt"

	"snapscope/snapshot/wording"
)

func (m *State) NoStep() string {
	switch {
	case !m.Open:
		return "no session is open"
	case m.Job != nil:
		return m.Job.What + " is still running; esc stops it"
	}
	return ""
}

// NextName says what the next step is, where that is known.
func (m *State) NextName() string {
	if len(m.Pending) > 0 {
		return m.Pending[0].Label()
	}
	return "step " + wording.Count(len(m.Tl.Steps)+1)
}

func (m *State) NoSteps() string {
	if len(m.Tl.Steps) == 0 {
		return fmt.Sprintf("there is no step yet; %s takes the first", m.Keys.Label("step"))
	}
	return ""
}

func (m *State) NoPrev() string {
	if why := m.NoSteps(); why != "" {
		return why
	}
	if m.At <= 0 {
		return "this is the first step"
	}
	return ""
}

func (m *State) NoNext() string {
	if why := m.NoSteps(); why != "" {
		return why
	}
	if m.At >= len(m.Tl.Steps)-1 {
		return fmt.Sprintf("this is the newest step; %s takes the next", m.Keys.Label("step"))
	}
	return ""
}

func (m *State) DoFirst() { m.Look(0) }

func (m *State) DoLast() { m.Look(len(m.Tl.Steps) - 1) }

func (m *State) Rows() int {
	if m.Grid == nil {
		return 0
	}
	return m.Grid.Len()
}

// PageRows is how many rows of the page a pane shows.
func (m *State) PageRows() int {
	if len(m.Lay.Panes) == 0 {
		return 1
	}
	least := m.Lay.Panes[0].H
	for _, p := range m.Lay.Panes {
		least = min(least, p.H)
	}
	return max(1, least-m.Lay.PaneHead())
}

func (m *State) Move(n int) { m.GoTo(m.Row + n) }

// GoTo puts the cursor on a row and scrolls so that it is seen.
func (m *State) GoTo(row int) {
	m.Row = row
	m.ClampView()
}

// LeapTo is goTo for a jump: a row that is not in sight comes to the upper third,
// with what follows it.
func (m *State) LeapTo(row int) {
	h := m.PageRows()
	if margin := min(4, (h-1)/2); row < m.Top+margin || row > m.Top+h-1-margin {
		m.Top = row - h/3
	}
	m.GoTo(row)
}

// ClampView keeps the cursor in the page and the window around the cursor, a
// few rows from its edges.
func (m *State) ClampView() {
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

func (m *State) NoPage() string {
	if m.Grid == nil {
		if why := m.NoSteps(); why != "" {
			return why
		}
		return "this step has no snapshot"
	}
	return ""
}

func (m *State) NoChanges() string {
	if why := m.NoPage(); why != "" {
		return why
	}
	if len(m.Grid.Changes) == 0 {
		if m.Fr.Page.first {
			return "this is the first snapshot of the document: there is nothing to compare it with"
		}
		return "nothing changed in this step"
	}
	return ""
}

func (m *State) DoNextChange() {
	for i, r := range m.Grid.Changes {
		if int(r) > m.Row {
			m.LeapTo(int(r))
			m.Say(LevelInfo, fmt.Sprintf("change %d of %d", i+1, len(m.Grid.Changes)))
			return
		}
	}
	m.Say(LevelInfo, "there is no change further down")
}

func (m *State) DoPrevChange() {
	for i := len(m.Grid.Changes) - 1; i >= 0; i-- {
		if r := int(m.Grid.Changes[i]); r < m.Row {
			m.LeapTo(r)
			m.Say(LevelInfo, fmt.Sprintf("change %d of %d", i+1, len(m.Grid.Changes)))
			return
		}
	}
	m.Say(LevelInfo, "there is no change further up")
}

func (m *State) DoFold() {
	if m.FixAll() { // just offered
		return
	}
	was, row := m.Grid, m.Row
	m.Fold = !m.Fold
	m.regrid()
	m.placeAt(was, row)
	m.ClampView()
	m.Search.Run(m)
	if m.Fold {
		m.Say(LevelInfo, "only what changed is shown; "+m.Keys.Label("fold")+" shows the rest again")
	}
}

func (m *State) DoNextPane() { m.TurnPane(1) }

func (m *State) DoPrevPane() { m.TurnPane(-1) }

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
		m.Knobs.Follow(m)
	}
}

func (m *State) DoZoom() {
	m.Zoom = !m.Zoom
	m.Arrange()
	m.ClampView()
}

func (m *State) NoPane(n int) string {
	if n >= len(m.Panes) {
		return fmt.Sprintf("there is no pane %d; there are %d", n+1, len(m.Panes))
	}
	return ""
}

// GoToPane takes the focus to a pane, and shows it where it is hidden.
func (m *State) GoToPane(n int) {
	hidden := !m.Panes[n].Shown
	m.Panes[n].Shown, m.Focus, m.OnSide = true, n, false
	m.Knobs.Follow(m)
	m.Arrange()
	m.ClampView()
	if hidden {
		m.WantFrame()
		m.Say(LevelInfo, m.Panes[n].Policy.Name+" is shown; "+m.Keys.Label("hide")+" hides it")
	}
	if m.List.Open {
		m.WantSteps()
	}
}

func (m *State) NoHide() string {
	if len(m.ShownPanes()) == 1 {
		return "this is the only pane; show another one first"
	}
	return ""
}

// HidePane hides the focused pane and says how it comes back.
func (m *State) HidePane() {
	n := m.Focus
	m.Panes[n].Shown = false
	m.Focus = m.ShownPanes()[0]
	m.Knobs.Follow(m)
	m.Arrange()
	m.WantFrame()
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
func (m *State) Times() int {
	n := max(1, m.Count)
	m.Count = 0
	return n
}

// GoToStep looks at the step with a number, or the last one where there are fewer.
func (m *State) GoToStep(n int) {
	if last := len(m.Tl.Steps); n > last {
		m.Say(LevelInfo, fmt.Sprintf("there are %d steps so far", last))
		n = last
	}
	m.Look(n - 1)
	if m.List.Open {
		m.List.fill(m.Table, m.At)
	}
}

func (m *State) NoMoveLeft() string {
	if m.FocusAt() == 0 {
		return "this is the first pane already"
	}
	return ""
}

func (m *State) NoMoveRight() string {
	if m.FocusAt() == len(m.ShownPanes())-1 {
		return "this is the last pane already"
	}
	return ""
}

func (m *State) DoMoveLeft() { m.movePane(-1) }

func (m *State) DoMoveRight() { m.movePane(1) }

// movePane changes places with the shown neighbour.
func (m *State) movePane(by int) {
	shown := m.ShownPanes()
	to := shown[m.FocusAt()+by]
	m.Panes[m.Focus], m.Panes[to] = m.Panes[to], m.Panes[m.Focus]
	m.Focus = to
	m.Knobs = KnobsPane{}
	m.Knobs.Follow(m)
	m.WantFrame()
}

func (m *State) DoMouse() {
	m.Mouse = !m.Mouse
	if m.Mouse {
		m.Say(LevelInfo, "mouse on: wheel scrolls, a click chooses")
	} else {
		m.Say(LevelInfo, "mouse off: the terminal's own selection works")
	}
}

func (m *State) NoTheme() string {
	if m.Mono {
		return "NO_COLOR is set, so there is one theme"
	}
	return ""
}
