package tui

import (
	"testing"

	"snapscope/session"
)

// The panes say when the model never had the page that they show.
func TestUnreadPagesAreSaid(t *testing.T) {
	for _, c := range []struct {
		seen session.Seen
		want string
	}{
		{session.SeenUnasked, "not shown to the agent: evaluate answers without the page"},
		{session.SeenLink, "not shown to the agent: evaluate gave it a link"},
		{session.SeenSpilled, "not shown to the agent: too large, saved to a file"},
		{session.SeenDropped, "not shown to the agent: too large, cut"},
		{session.SeenExpired, "not shown to the agent: a placeholder"},
		{session.SeenIncremental, "what if in full: the agent itself had only the changed parts"},
		{session.SeenCut, "what if in full: the agent's client cut it and left a part out"},
	} {
		e := leadsEngine(20)
		e.steps[3][0].Action.Verb = session.VerbEvaluate
		e.steps[3][1].Result.Seen = c.seen
		d := newDriver(t, Config{Engine: e, AutoSteps: 4}, 200, 45)
		d.wants(c.want)
		d.press("[")
		d.lacks(c.want)
	}
}

// The knobs of all shown policies and of expiry are one list; the focus goes
// along to the pane that shows what a turn does.
func TestKnobsOfAllPolicies(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: 6}, 160, 45)
	d.press("o")
	d.wants("▸ min_savings", "fire_threshold", "expiry · openclaw", "tool_calls")
	for range 4 {
		d.press("down")
	}
	d.wants("▸ fire_threshold")
	if name := d.m.s.Panes[d.m.s.Focus].Policy.Name; name != "compress" {
		t.Errorf("the focus is on %s", name)
	}
	d.press("end", "up", "up")
	d.wants("▸ enabled")
	d.press("-")
	d.wants("expired", "→", "input", "survival", "#6 live, 0 since")
	if d.m.s.Rule.Policy.Stages[0].Knobs["enabled"] != 0 {
		t.Error("the expiry rule was not turned")
	}
	d.press("u")
	d.wants("0/3 new")
	d.press("down", "+")
	d.wants("▸ tool_calls", "0/4 new")
	d.press("r")
	d.wants("0/3 new", "all knobs of openclaw are as they came")
}

// A knob is turned by name whichever pane has it.
func TestSetFindsThePane(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: 4}, 160, 45)
	for _, c := range []struct{ set, policy string }{{"keep_n=3", "compress"}, {"min_savings=1", "passmark"}} {
		d.press(":")
		d.typed("set " + c.set)
		d.press("enter")
		if name := d.m.s.Panes[d.m.s.Focus].Policy.Name; name != c.policy {
			t.Errorf("set %s turned %s", c.set, name)
		}
	}
	d.press(":")
	d.typed("set nope=1")
	d.press("enter")
	d.wants("no knob \"nope\"; there are min_savings,")
	d.press("esc", ":")
	d.typed("set keep_n=abc")
	d.press("enter")
	d.wants("compress: keep_n is \"abc\"")
	d.press("esc", ":")
	d.typed("set tool_c")
	d.press("tab")
	d.wants(":set openclaw.tool_calls=")
	d.press("esc", ":")
	d.typed("save a\u202eb")
	d.press("enter")
	d.wants("save takes one word")
}

// Every new step brings what it did into sight, at any size, live and replayed.
func TestNewStepsAreSeen(t *testing.T) {
	for _, live := range []bool{false, true} {
		for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
			e := leadsEngine(300)
			if live {
				e.info.Mode = session.ModeLive
			}
			e.steps[3] = fakeStep(4, session.Action{Verb: session.VerbCheck, Target: &session.Target{Role: "checkbox", Name: "Select Melonie Parker 250"}}, leadsURL, "Leads · CRM", leadsPage(300, 250, ": google"))
			d := newDriver(t, Config{Engine: e, AutoSteps: 1}, size[0], size[1])
			d.press("s", "s", "s")
			d.wants("[checked]")
			if l := d.m.s.Grid.Page[d.m.s.Row]; l < 0 || nameAt(d, int(l)) != "Select Melonie Parker 250" {
				t.Errorf("live %v, %v: the cursor is on row %d", live, size, d.m.s.Row)
			}
			d.press("[", "]")
			d.wants("[checked]")
		}
	}
}

// nameAt is the name of the element on a line of the page.
func nameAt(d *driver, line int) string {
	l := d.m.s.Fr.Page.Line(line)
	return l.Name()
}
