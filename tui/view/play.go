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

func (m *State) SayPlay() {
	m.Say(LevelInfo, fmt.Sprintf("▷ playing at %s · %s %s slower, faster · %s pauses",
		Speeds[m.Play.Speed].Label, m.Keys.Label("slower"), m.Keys.Label("faster"), m.Keys.Label("play")))
}

// Speed plays faster or slower.
func (m *State) Speed(by int) {
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
