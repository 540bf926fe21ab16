package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
)

// ---- steps

func (m *Model) noStep() string {
	switch {
	case !m.open:
		return "no session is open"
	case m.job != nil:
		return m.job.what + " is still running; esc stops it"
	}
	return ""
}

func (m *Model) doStep() tea.Cmd {
	return m.start(jobStep, m.nextName(), nil)
}

// nextName says what the next step is, where that is known.
func (m *Model) nextName() string {
	if len(m.pending) > 0 {
		return m.pending[0].Label()
	}
	return "step " + thousands(len(m.tl.Steps)+1)
}

func (m *Model) doContinue() tea.Cmd {
	return m.start(jobContinue, "continue", nil)
}

func (m *Model) noSteps() string {
	if len(m.tl.Steps) == 0 {
		return fmt.Sprintf("there is no step yet; %s takes the first", m.keys.Label("step"))
	}
	return ""
}

func (m *Model) noPrev() string {
	if why := m.noSteps(); why != "" {
		return why
	}
	if m.at <= 0 {
		return "this is the first step"
	}
	return ""
}

func (m *Model) noNext() string {
	if why := m.noSteps(); why != "" {
		return why
	}
	if m.at >= len(m.tl.Steps)-1 {
		return fmt.Sprintf("this is the newest step; %s takes the next", m.keys.Label("step"))
	}
	return ""
}

func (m *Model) doPrev()  { m.look(m.at - 1) }
func (m *Model) doNext()  { m.look(m.at + 1) }
func (m *Model) doFirst() { m.look(0) }
func (m *Model) doLast()  { m.look(len(m.tl.Steps) - 1) }

// doEscape closes or stops the nearest thing that is open or running.
func (m *Model) doEscape() tea.Cmd {
	switch {
	case m.job != nil:
		return m.cancelJob()
	case m.play.on:
		m.play.on = false
	case m.search.active():
		m.search.clear(m)
	case m.onSide:
		m.onSide = false
	case m.side != sideNone:
		m.side = sideNone
	case m.zoom:
		m.zoom = false
	}
	return nil
}

// ---- reading

func (m *Model) rows() int {
	if m.grid == nil {
		return 0
	}
	return m.grid.len()
}

// pageRows is how many rows of the page a pane shows.
func (m *Model) pageRows() int {
	if len(m.lay.panes) == 0 {
		return 1
	}
	least := m.lay.panes[0].h
	for _, p := range m.lay.panes {
		least = min(least, p.h)
	}
	return max(1, least-m.lay.paneHead())
}

func (m *Model) move(n int) { m.goTo(m.row + n) }

// goTo puts the cursor on a row and scrolls so that it is seen.
func (m *Model) goTo(row int) {
	m.row = row
	m.clampView()
}

// leapTo is goTo for a jump: a row that is not in sight comes to the upper third,
// with what follows it.
func (m *Model) leapTo(row int) {
	h := m.pageRows()
	if margin := min(4, (h-1)/2); row < m.top+margin || row > m.top+h-1-margin {
		m.top = row - h/3
	}
	m.goTo(row)
}

// clampView keeps the cursor in the page and the window around the cursor, a
// few rows from its edges.
func (m *Model) clampView() {
	n, h := m.rows(), m.pageRows()
	m.row = max(0, min(m.row, n-1))
	margin := min(4, (h-1)/2)
	if m.row < m.top+margin {
		m.top = m.row - margin
	}
	if m.row > m.top+h-1-margin {
		m.top = m.row - h + 1 + margin
	}
	m.top = max(0, min(m.top, n-h))
}

func (m *Model) noPage() string {
	if m.grid == nil {
		if why := m.noSteps(); why != "" {
			return why
		}
		return "this step has no snapshot"
	}
	return ""
}

func (m *Model) noChanges() string {
	if why := m.noPage(); why != "" {
		return why
	}
	if len(m.grid.changes) == 0 {
		if m.fr.page.first {
			return "this is the first snapshot of the document: there is nothing to compare it with"
		}
		return "nothing changed in this step"
	}
	return ""
}

func (m *Model) doNextChange() {
	for i, r := range m.grid.changes {
		if int(r) > m.row {
			m.leapTo(int(r))
			m.say(levelInfo, fmt.Sprintf("change %d of %d", i+1, len(m.grid.changes)))
			return
		}
	}
	m.say(levelInfo, "there is no change further down")
}

func (m *Model) doPrevChange() {
	for i := len(m.grid.changes) - 1; i >= 0; i-- {
		if r := int(m.grid.changes[i]); r < m.row {
			m.leapTo(r)
			m.say(levelInfo, fmt.Sprintf("change %d of %d", i+1, len(m.grid.changes)))
			return
		}
	}
	m.say(levelInfo, "there is no change further up")
}

func (m *Model) doFold() {
	was, row := m.grid, m.row
	m.fold = !m.fold
	m.regrid()
	m.placeAt(was, row)
	m.clampView()
	m.search.run(m)
	if m.fold {
		m.say(levelInfo, "only what changed is shown; "+m.keys.Label("fold")+" shows the rest again")
	}
}

// ---- panes

func (m *Model) doNextPane() { m.turnPane(1) }
func (m *Model) doPrevPane() { m.turnPane(-1) }

// turnPane moves the focus among the shown panes and the side column.
func (m *Model) turnPane(by int) {
	shown := m.shownPanes()
	n := len(shown)
	if m.side != sideNone && !m.zoom {
		n++
	}
	at := m.focusAt()
	if m.onSide {
		at = len(shown)
	}
	at = (at + by + n) % n
	m.onSide = at == len(shown)
	if !m.onSide {
		m.focus = shown[at]
		m.knobs.follow(m)
	}
}

func (m *Model) doZoom() {
	m.zoom = !m.zoom
	m.arrange()
	m.clampView()
}

func (m *Model) noPane(n int) string {
	if n >= len(m.panes) {
		return fmt.Sprintf("there is no pane %d; there are %d", n+1, len(m.panes))
	}
	if m.panes[n].shown && len(m.shownPanes()) == 1 {
		return "this is the only pane; show another one first"
	}
	return ""
}

func (m *Model) togglePane(n int) {
	p := &m.panes[n]
	p.shown = !p.shown
	if p.shown {
		m.focus = n
	} else if m.focus == n {
		m.focus = m.shownPanes()[0]
	}
	m.knobs.follow(m)
	m.arrange()
	m.wantFrame()
}

func (m *Model) noMoveLeft() string {
	if m.focusAt() == 0 {
		return "this is the first pane already"
	}
	return ""
}

func (m *Model) noMoveRight() string {
	if m.focusAt() == len(m.shownPanes())-1 {
		return "this is the last pane already"
	}
	return ""
}

func (m *Model) doMoveLeft()  { m.movePane(-1) }
func (m *Model) doMoveRight() { m.movePane(1) }

// movePane changes places with the shown neighbour.
func (m *Model) movePane(by int) {
	shown := m.shownPanes()
	to := shown[m.focusAt()+by]
	m.panes[m.focus], m.panes[to] = m.panes[to], m.panes[m.focus]
	m.focus = to
	m.knobs = knobsPane{}
	m.knobs.follow(m)
	m.wantFrame()
}

// ---- everything else

func (m *Model) doMouse() {
	m.mouse = !m.mouse
	if m.mouse {
		m.say(levelInfo, "mouse on: wheel scrolls, a click chooses")
	} else {
		m.say(levelInfo, "mouse off: the terminal's own selection works")
	}
}

func (m *Model) noTheme() string {
	if m.mono {
		return "NO_COLOR is set, so there is one theme"
	}
	return ""
}

func (m *Model) doTheme() {
	for i, n := range themeNames {
		if n == m.th.name {
			m.setTheme(themeNames[(i+1)%len(themeNames)])
			m.cfg.Theme, m.picked = m.th.name, true
			m.say(levelInfo, "theme "+m.th.name)
			return
		}
	}
}

func (m *Model) doQuit() tea.Cmd {
	m.quit = true
	if m.job != nil {
		m.jobStop()
	}
	m.save()
	return tea.Quit
}

func (m *Model) doReason() tea.Cmd {
	if s := reasonSheet(m); s != nil {
		m.over = s
	}
	return nil
}

func (m *Model) doHelp() tea.Cmd    { m.over = helpSheet(m); return nil }
func (m *Model) doContext() tea.Cmd { m.over = newContextView(m); return nil }
func (m *Model) doCopy() tea.Cmd    { m.over = newCopyMenu(m); return nil }
func (m *Model) doPalette() tea.Cmd { m.over = newPalette(m, m.whyNot); return nil }

// act does one action out of turn: from the command line.
func (m *Model) act(a session.Action) tea.Cmd {
	return m.start(jobDo, a.Label(), &a)
}
