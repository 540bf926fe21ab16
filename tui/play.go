package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/tui/view"
)

// playMsg asks for the next step of a play.
type playMsg struct{ seq int }

func (p playMsg) apply(m *Model) tea.Cmd {
	if !m.s.Play.On || p.seq != m.s.Play.Seq {
		return nil
	}
	if m.s.At >= len(m.s.Tl.Steps)-1 {
		m.s.Play.On = false
		m.s.Say(view.LevelInfo, "played to the newest step")
		return nil
	}
	m.s.Look(m.s.At + 1)
	return m.playTick()
}

// play begins to play, or pauses. At the newest step it begins anew.
func (m *jobs) play() tea.Cmd {
	if m.s.Play.On {
		m.s.Play.On = false
		m.s.Say(view.LevelInfo, "paused")
		return nil
	}
	m.s.Play.On = true
	m.s.Play.Seq++
	m.s.SayPlay()
	if m.s.At >= len(m.s.Tl.Steps)-1 {
		m.s.Look(0)
	}
	return m.playTick()
}

func (m *jobs) playTick() tea.Cmd {
	seq := m.s.Play.Seq
	return m.after(view.Speeds[m.s.Play.Speed].Each, playMsg{seq})
}

// tick sends a message after a time.
func tick(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}
