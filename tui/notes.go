package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
)

// note is a remark of the person's on a step; an empty one is a bookmark.
type note struct {
	Step int    `json:"step"`
	Text string `json:"text,omitempty"`
}

func (m *Model) doNote() tea.Cmd {
	m.input = newInput(inputNote, fmt.Sprintf("note on step %d: ", m.step().N), "")
	return nil
}

func (m *Model) doBreak() tea.Cmd {
	m.input = newInput(inputBreak, "stop at: ", "")
	m.input.changed(m)
	return nil
}

// addNote keeps a remark with the session: in the recording where one is being
// written, and in the screen's own state.
func (m *Model) addNote(text string) tea.Cmd {
	n := m.step().N
	m.notes = append(m.notes, note{n, text})
	m.wantSave()
	if text == "" {
		m.say(levelGood, fmt.Sprintf("step %d is bookmarked", n))
	} else {
		m.say(levelGood, fmt.Sprintf("noted on step %d", n))
	}
	if m.info.Mode == session.ModeLive && text != "" && m.job == nil {
		a := session.Action{Verb: session.VerbNote, Tool: string(session.VerbNote), Args: map[string]any{"text": text}}
		return m.start(jobDo, "note", &a)
	}
	return nil
}

// notesOn lists the remarks on a step.
func (m *Model) notesOn(step int) []string {
	var out []string
	for _, n := range m.notes {
		if n.Step == step {
			out = append(out, n.Text)
		}
	}
	return out
}
