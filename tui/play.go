package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
)

// player walks through the steps there are by itself. It ticks only while it
// plays.
type player struct {
	on    bool
	seq   int
	speed int // index into speeds
}

// speeds are how long a step is looked at.
var speeds = []struct {
	label string
	each  time.Duration
}{{"1×", time.Second}, {"2×", 500 * time.Millisecond}, {"4×", 250 * time.Millisecond}, {"½×", 2 * time.Second}}

// speedOrder lists speeds from slow to fast.
var speedOrder = []int{3, 0, 1, 2}

// playMsg asks for the next step of a play.
type playMsg struct{ seq int }

func (p playMsg) apply(m *Model) tea.Cmd {
	if !m.play.on || p.seq != m.play.seq {
		return nil
	}
	if m.at >= len(m.tl.Steps)-1 {
		m.play.on = false
		m.say(levelInfo, "played to the newest step")
		return nil
	}
	m.look(m.at + 1)
	return m.playTick()
}

func (m *Model) noPlay() string {
	if why := m.noSteps(); why != "" {
		return why
	}
	if m.job != nil {
		return m.job.what + " is still running; esc stops it"
	}
	return ""
}

// doPlay begins to play, or pauses. At the newest step it begins anew.
func (m *Model) doPlay() tea.Cmd {
	if m.play.on {
		m.play.on = false
		m.say(levelInfo, "paused")
		return nil
	}
	m.play.on = true
	m.play.seq++
	m.sayPlay()
	if m.at >= len(m.tl.Steps)-1 {
		m.look(0)
	}
	return m.playTick()
}

func (m *Model) sayPlay() {
	m.say(levelInfo, fmt.Sprintf("▷ playing at %s · %s %s slower, faster · %s pauses",
		speeds[m.play.speed].label, m.keys.Label("slower"), m.keys.Label("faster"), m.keys.Label("play")))
}

func (m *Model) playTick() tea.Cmd {
	seq := m.play.seq
	return m.after(speeds[m.play.speed].each, playMsg{seq})
}

func (m *Model) doFaster() { m.speed(1) }
func (m *Model) doSlower() { m.speed(-1) }

func (m *Model) speed(by int) {
	for i, s := range speedOrder {
		if s == m.play.speed {
			m.play.speed = speedOrder[max(0, min(i+by, len(speedOrder)-1))]
			break
		}
	}
	m.sayPlay()
	if !m.play.on {
		m.say(levelInfo, "plays at "+speeds[m.play.speed].label)
	}
}

// later sends a message after a time.
func later(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}
