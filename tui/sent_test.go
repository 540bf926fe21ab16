package tui

import (
	"path/filepath"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/tui/dialog"
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
		d.wants("as sent", "! the agent's program cut")
		d.press("(")
		d.wants("went out as the server gave it")
		d.press("enter")
		d.wants("went out as the server gave it")
		d.press("esc", "o", "esc", "v")
		d.wants("as sent")
		d.press("esc", "l", "enter", "tab", "z", "z", "x")
	}
}

// TestASessionThatWasCutBeginsWithWhatWentOut holds that somebody else's session
// shows what its agent really read, wherever that was not each page in full, and
// that the list of steps tells what really was.
func TestASessionThatWasCutBeginsWithWhatWentOut(t *testing.T) {
	e := lossEngine()
	whole := finished(t, e, 160, 45)
	whole.lacks("as sent")
	e = lossEngine()
	r := e.steps[2][1].Result
	r.Seen, r.Shown = session.SeenCut, r.Snapshot.Text[:500]
	d := finished(t, e, 160, 45)
	d.wants("as sent", "saved under passmark")
	full, cut := whole.m.s.Table, d.m.s.Table
	if a, b := full.Rows[3], cut.Rows[3]; a.N != 3 || a.Added <= 10*b.Added || a.Full != b.Full || a.Under != b.Under {
		t.Errorf("step 3 added %+v, cut %+v", a, b)
	}
	d.press("down", "down")
	d.wants("! step 3: the agent's program cut this page (", "sent, 8,602 in full, 66 under")
	for i, row := range full.Rows {
		if i > 0 && row.Added != row.Full {
			t.Errorf("step %d really added %d of %d tokens", row.N, row.Added, row.Full)
		}
	}
	if full.Sum.Peak <= cut.Sum.Peak || full.Rows[2].Carried <= full.Rows[1].Carried {
		t.Errorf("the peaks are %d and %d", full.Sum.Peak, cut.Sum.Peak)
	}
	if line := dialog.CommandLine(d.m.s, "snapscope replay x"); line != "snapscope replay x" {
		t.Errorf("the command line of this view is %q", line)
	}
	d.press("2") // full pages, too
	d.send(countMsg{2})
	if line := dialog.CommandLine(d.m.s, "snapscope replay x"); line != "snapscope replay x --policy full --policy passmark --policy compress" {
		t.Errorf("the command line with full pages is %q", line)
	}
	d.press("x")
	html, err := d.m.report()()
	if n := strings.Count(html, `data-name="policy">as sent<`); err != nil || n != 1 {
		t.Errorf("the report has %d rows of what was sent, %v", n, err)
	}
	d.m.mem.path = filepath.Join(t.TempDir(), "screen.json")
	d.m.save()
	if shown := strings.Join(d.m.mem.state.Shown, " "); shown != "full passmark compress" { // the next session may have been given whole pages
		t.Errorf("kept as shown is %s", shown)
	}
	one := newDriver(t, Config{Engine: e, AutoSteps: -1, List: true, Panes: []policy.Policy{policy.Full()}}, 160, 45)
	one.lacks("as sent")
}
