package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/session/breakpoint"
	"snapscope/tui/dialog"
	"snapscope/tui/draw"
	"snapscope/tui/view"
)

func (m *jobs) step() tea.Cmd {
	if m.s.Finished() && m.s.At < len(m.s.Tl.Steps)-1 {
		m.s.Look(m.s.At + 1)
		return nil
	}
	return m.start(view.JobStep, m.s.NextName(), nil)
}

// goOn goes on to a breakpoint or the end; in a session that is there as a
// whole, from the step looked at.
func (m *jobs) goOn() tea.Cmd {
	if m.s.Finished() && m.s.At < len(m.s.Tl.Steps)-1 {
		return m.walk(m.s.At+1, 1)
	}
	return m.start(view.JobContinue, "continue", nil)
}

// escape closes or stops the nearest thing that is open or running.
func (m *Model) escape() tea.Cmd {
	switch {
	case m.s.Job != nil:
		return m.cancelJob()
	case m.s.Play.On:
		m.s.Play.On = false
	case m.s.Search.Active():
		m.s.Search.Clear(&m.s.Reader)
	case m.s.OnSide:
		m.s.OnSide = false
	case m.s.Side != view.SideNone:
		m.s.Side = view.SideNone
	case m.s.Zoom:
		m.s.Zoom = false
	}
	return nil
}

func (m *themes) next() tea.Cmd {
	for i, n := range draw.ThemeNames {
		if n == m.p.Th.Name {
			m.setTheme(draw.ThemeNames[(i+1)%len(draw.ThemeNames)])
			m.cfg.Theme, m.picked = m.p.Th.Name, true
			m.s.Say(view.LevelInfo, "theme "+m.p.Th.Name)
			break
		}
	}
	return nil
}

func (m *Model) leave() tea.Cmd {
	m.quit = true
	if m.s.Job != nil {
		m.jobStop()
	}
	m.save()
	return tea.Quit
}

func (m *front) reason() tea.Cmd {
	if s := dialog.ReasonSheet(m.s); s != nil {
		m.over = s
	}
	return nil
}

// openRow opens the chosen row of the list: the panes of its step, or what was
// said in full.
func (m *front) openRow() tea.Cmd {
	if r, ok := m.s.Chosen(); ok && r.Kind != view.RowStep {
		m.over = dialog.Words(r)
		return nil
	}
	m.s.ShowList()
	m.s.SayFailure()
	return nil
}

func (m *front) note() tea.Cmd {
	return m.ask(dialog.InputNote, fmt.Sprintf("note on step %d: ", m.s.Step().N), "")
}

// addNote keeps a remark with the session: in the recording where one is being
// written, and in the screen's own state.
func (m *jobs) addNote(text string) tea.Cmd {
	n := m.s.Step().N
	m.s.Notes = append(m.s.Notes, view.Note{Step: n, Text: text})
	m.s.Ask(view.WantSave)
	if text == "" {
		m.s.Say(view.LevelGood, fmt.Sprintf("step %d is bookmarked", n))
	} else {
		m.s.Say(view.LevelGood, fmt.Sprintf("noted on step %d", n))
	}
	if m.s.Info.Mode == session.ModeLive && text != "" && m.s.Job == nil {
		a := session.Action{Verb: session.VerbNote, Tool: string(session.VerbNote), Args: map[string]any{"text": text}}
		return m.start(view.JobDo, "note", &a)
	}
	return nil
}

// runTo goes on until the line under the cursor is another: its text changes
// or it is gone.
func (m *jobs) runTo() tea.Cmd {
	line := strings.TrimSpace(m.s.Fr.Page.Lines[m.s.Grid.Page[m.s.Row]])
	b, err := breakpoint.Parse("text " + view.Quoted(line) + " vanishes")
	if err != nil {
		m.s.Say(view.LevelError, err.Error())
		return nil
	}
	m.s.WantRef = m.s.CursorRef()
	m.s.Once = append(m.s.Once[:0], b)
	return m.start(view.JobContinue, "going on until "+m.s.WantRef+" changes", nil)
}

func (m *front) edit() tea.Cmd {
	return m.ask(dialog.InputCommand, ":", view.CommandOf(*m.s.Step().Action))
}

// breaks opens the list of breakpoints.
func (m *front) breaks() tea.Cmd {
	if len(m.s.Breaks) == 0 {
		m.s.Say(view.LevelInfo, "no breakpoint is set; "+m.s.Keys.Label("break")+" sets one")
		return nil
	}
	m.over = dialog.NewBreakList(m.s)
	return nil
}
