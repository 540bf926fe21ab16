package view

import (
	"fmt"
	"time"
)

// Player walks through the steps there are by itself. It ticks only while it
// plays.
type Player struct {
	On    bool
	Seq   int
	Speed int // index into speeds
}

// Speeds are how long a step is looked at.
var Speeds = []struct {
	Label string
	Each  time.Duration
}{{"1×", time.Second}, {"2×", 500 * time.Millisecond}, {"4×", 250 * time.Millisecond}, {"½×", 2 * time.Second}}

// speedOrder lists speeds from slow to fast.
var speedOrder = []int{3, 0, 1, 2}

func (m *State) NoPlay() string {
	if why := m.NoSteps(); why != "" {
		return why
	}
	if m.Job != nil {
		return m.Job.What + " is still running; esc stops it"
	}
	return ""
}

func (m *State) SayPlay() {
	m.Say(LevelInfo, fmt.Sprintf("▷ playing at %s · %s %s slower, faster · %s pauses",
		Speeds[m.Play.Speed].Label, m.Keys.Label("slower"), m.Keys.Label("faster"), m.Keys.Label("play")))
}

func (m *State) DoFaster() { m.speed(1) }

func (m *State) DoSlower() { m.speed(-1) }

func (m *State) speed(by int) {
	for i, s := range speedOrder {
		if s == m.Play.Speed {
			m.Play.Speed = speedOrder[max(0, min(i+by, len(speedOrder)-1))]
			break
		}
	}
	m.SayPlay()
	if !m.Play.On {
		m.Say(LevelInfo, "plays at "+Speeds[m.Play.Speed].Label)
	}
}
