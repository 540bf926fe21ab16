package tui

import (
	"strings"
	"testing"

	"snapscope/session"
)

// lossEngine is a finished session in which compress loses the element of step 4.
func lossEngine() *fakeEngine {
	e := leadsEngine(130)
	far := session.Action{Verb: session.VerbCheck, Target: &session.Target{Ref: "e612"}}
	steps := append(e.steps[:3:3], fakeStep(4, far, leadsURL, "Leads", leadsPage(130, 120, ": google")))
	e.steps = append(steps, leadsSteps(130)[4:]...)
	return e
}

func finished(t *testing.T, e *fakeEngine, w, h int) *driver {
	t.Helper()
	return newDriver(t, Config{Engine: e, AutoSteps: -1, List: true}, w, h)
}

// TestFinishedSessionOpensOnItsSteps holds that a session that has happened is
// there as a whole, one row a step, in the page's words.
func TestFinishedSessionOpensOnItsSteps(t *testing.T) {
	for _, s := range [][2]int{{80, 24}, {120, 36}, {160, 45}} {
		d := finished(t, lossEngine(), s[0], s[1])
		d.wants("6 steps", "1 lost under compress", "! 1 failed", "tick Melonie", "step 1/6", `fill searchbox "Search"`, `check checkbox "Sel`, "added", "carried")
		d.lacks("fill e7", "no step yet", "check e612")
		d.press("down", "down", "down")
		d.wants("step 4/6", "✗ step 4: compress hid it: keep_n 10")
		d.press("enter")
		d.wants("step 4/6", "expiry", "passmark")
		d.lacks("carried  ")
		d.press("l")
		d.wants("added")
		d.press("l")
		d.lacks(" did ")
		checkScreen(t, d.m, s[0], s[1])
	}
}

// TestStepListSortsAndFilters holds that the most expensive step is one key away,
// and that filters pick steps.
func TestStepListSortsAndFilters(t *testing.T) {
	d := finished(t, lossEngine(), 120, 36)
	d.press("s")
	d.wants("added▾", "sorted by added", "step 1/6")
	d.press("r")
	d.wants("added▴")
	d.press("esc", "&")
	d.typed("lost")
	d.press("enter")
	d.wants("1 row with lost", "step 4/6")
	d.lacks("goto /leads")
	for _, c := range []struct{ filter, want, lack string }{
		{"error", "click e9999", "snapshot"},
		{"tokens>2000", "goto", "click e9999"},
		{"goto", "goto /leads", "snapshot"},
		{"said", "tick Melonie", "goto /leads"},
	} {
		d.press("&", "ctrl+u")
		d.typed(c.filter)
		d.press("enter")
		d.wants(c.want, "& "+c.filter)
		if rows := strings.Split(d.screen(), "took")[0]; strings.Contains(rows, " "+c.lack+" ") {
			t.Errorf("%s shows %q:\n%s", c.filter, c.lack, rows)
		}
	}
	d.press("&", "ctrl+u")
	d.typed("tokens>many")
	d.press("enter")
	d.wants(`tokens> takes a number, not "many"`)
	d.press("esc", "esc", "esc")
	d.wants("goto /leads", "click e9999")
}

// TestDigitsNeverHide holds that a digit goes to a pane or is a count, and that
// hiding has a key of its own that says how to undo it.
func TestDigitsNeverHide(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: -1}, 160, 45)
	shown := len(d.m.s.ShownPanes())
	for _, k := range strings.Split("123456789123", "") {
		d.press(k, "down")
		if n := len(d.m.s.ShownPanes()); n < shown {
			t.Fatalf("%s hides a pane", k)
		} else {
			shown = n
		}
	}
	d.press("2")
	d.wants("2 … pane 2, passmark")
	d.send(countMsg{2})
	if name := d.m.s.Panes[d.m.s.Focus].Policy.Name; name != "passmark" {
		t.Errorf("2 goes to %s", name)
	}
	d.press("x")
	d.wants("passmark is hidden; 2 shows it again")
	d.press("4", "g", "g")
	d.wants("step 4/6")
	d.press("1", "0", "0", "G")
	d.wants("step 6/6", "there are 6 steps so far")
	d.press(":")
	d.typed("3")
	d.press("enter")
	d.wants("step 3/6")
	d.press(":")
	d.typed("q")
	d.press("enter")
	if !d.m.quit {
		t.Error(":q does not leave")
	}
}

// TestFinishedSessionIsSteppedThrough holds that s and c walk through a session
// that is there as a whole.
func TestFinishedSessionIsSteppedThrough(t *testing.T) {
	d := newDriver(t, Config{Engine: lossEngine(), AutoSteps: -1, Breaks: []string{"error"}}, 120, 36)
	d.press("(", "s")
	d.wants("step 2/6")
	d.press("c")
	d.wants("step 5/6", "stopped: error")
	d.press("c")
	d.wants("step 6/6", "the end of the session")
}

// TestInterrupt holds that ctrl+c stops what runs, and twice leaves.
func TestInterrupt(t *testing.T) {
	e := leadsEngine(5)
	e.gate = make(chan struct{})
	d := newDriver(t, Config{Engine: e}, 120, 36)
	_, cmd := d.m.Update(keyMsg("s"))
	d.press("ctrl+c")
	d.wants("stopping")
	d.run(cmd)
	if d.m.quit {
		t.Fatal("one ctrl+c leaves")
	}
	d.press("down", "ctrl+c")
	d.wants("ctrl+c again leaves")
	d.press("ctrl+c")
	if !d.m.quit || !d.m.broken {
		t.Error("a second ctrl+c does not leave")
	}
}
