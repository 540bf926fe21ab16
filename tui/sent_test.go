package tui

import (
	"testing"

	"snapscope/session"
)

// seatEngine is the leads session as a seat before the server recorded it.
func seatEngine(rows int) *fakeEngine {
	steps := leadsSteps(rows)
	start := session.Event{Kind: session.KindStart, Start: &session.Start{Source: "mcp-seat"}}
	steps[0] = append([]session.Event{start}, steps[0]...)
	last := steps[len(steps)-1][1].Result
	last.Seen, last.Shown = session.SeenCut, last.Snapshot.Text[:500]
	return &fakeEngine{info: session.Info{Mode: session.ModeFollow, Name: "seat.jsonl"}, steps: steps}
}

func TestASeatsSessionBeginsWithWhatWentOut(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 45}, {200, 60}} {
		d := newDriver(t, Config{Engine: seatEngine(40), AutoSteps: -1}, size[0], size[1])
		d.wants("as sent", "cut by the agent's own program")
		d.press("(")
		d.wants("went out as the server gave it")
		d.press("enter")
		d.wants("went out as the server gave it")
		d.press("esc", "o", "esc", "v")
		d.wants("as sent")
		d.press("esc", "l", "enter", "tab", "z", "z", "x")
	}
}
