package tui

import (
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/tui/view"
)

// TestLongMessageIsReadInFull holds that a message too long for its row takes more.
func TestLongMessageIsReadInFull(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(5), AutoSteps: 3}, 80, 24)
	d.m.s.Say(view.LevelError, strings.Repeat("what went wrong ", 8)+"REMEDY")
	d.wants("✗ what went wrong", "REMEDY")
	checkScreen(t, d.m, 80, 24)
}

// TestRefsStay holds that in narrow panes a name gives way, not the ref.
func TestRefsStay(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(20), AutoSteps: 1}, 120, 36)
	d.wants(`cell "Melonie Park…" [ref=e13]`)
}

// TestLossIsRedInATab holds that a small screen says in its tabs which pane lost.
func TestLossIsRedInATab(t *testing.T) {
	d := finished(t, lossEngine(), 80, 24)
	d.press("!", "!", "1", "enter", "esc")
	d.m.s.Focus = 0
	tabs := strings.Split(d.screen(), "\n")[1]
	if !strings.Contains(tabs, "compress") || !strings.Contains(tabs, "✗ LOST") {
		t.Errorf("the tabs are %q", tabs)
	}
}

// TestBranchesAreWeighed holds that T shows the tokens of branches and W goes to the
// heaviest, whose lines sum up to the page.
func TestBranchesAreWeighed(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: 1}, 160, 45)
	d.press("T")
	w := d.m.s.WeightsHere()
	if w == nil {
		t.Fatal("nothing was weighed")
	}
	if top := int(w.Of[0]); top < w.Total*9/10 || top > w.Total*11/10 {
		t.Errorf("the root weighs %d of %d", top, w.Total)
	}
	d.press("W")
	d.wants("rowgroup [ref=e9]", "W goes on into it")
	at := d.m.s.Row
	d.press("W")
	d.wants("row \"Select")
	if d.m.s.Row <= at {
		t.Error("a second W does not go on into the branch")
	}
	d.press("tab")
	if d.m.s.WeightsHere() == nil {
		t.Error("another pane is not weighed")
	}
	d.press("T")
	if d.m.s.WeightsHere() != nil {
		t.Error("T does not hide the weights")
	}
}

// TestSliderSaysWhereLossesBegin holds that the chosen knob's slider is marked with
// where losses begin, the same value as the fix of the loss.
func TestSliderSaysWhereLossesBegin(t *testing.T) {
	d := finished(t, lossEngine(), 160, 45)
	d.press("!", "!", "l", "l", "o")
	for range 12 {
		if strings.Contains(d.screen(), "▸ keep_n") {
			break
		}
		d.press("down")
	}
	d.wants("▸ keep_n", "×××", "losses begin below 121")
	d.press("esc", "enter")
	d.wants("compress.keep_n=121 keeps it")
}

// TestHelpIsSearched holds that the help shows only what was looked for.
func TestHelpIsSearched(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(5), AutoSteps: 1}, 120, 36)
	d.press("?", "/")
	d.typed("bookmark")
	d.wants("/bookmark", "a note on the step; empty: a bookmark")
	d.lacks("to the next change")
	d.press("ctrl+u")
	d.typed("next-loss") // an action's name, as remapping has it
	d.wants("to what went wrong, then to what shown policies would lose")
	d.press("ctrl+u")
	d.typed("bookmark")
	d.press("enter")
	d.wants("/bookmark ·")
	d.press("/", "esc")
	d.wants("do or reveal the next step")
}

// TestPricesAreChosen holds that the model whose prices count is chosen on the screen
// and that all costs follow.
func TestPricesAreChosen(t *testing.T) {
	d := finished(t, lossEngine(), 160, 45)
	d.lacks("cost $", "$0.")
	name := ledger.DefaultPrices().Models()[0]
	d.press("$")
	d.wants("costs at the prices of", name)
	d.press("down", "enter")
	d.wants("costs are of "+name, "$0.", "calls")
	d.press(":")
	d.typed("model nothing")
	d.press("enter")
	d.wants(`no price for model "nothing"; there are`)
	d.press("esc", ":")
	d.typed("model")
	d.press("enter")
	d.wants("costs are of the model that the session names")
	d.lacks("$0.")
}

// TestStepsSortByEveryColumn walks through the columns.
func TestStepsSortByEveryColumn(t *testing.T) {
	d := finished(t, lossEngine(), 160, 45)
	for _, head := range []string{"added▾", "input▾", "saved▾", "sorted by took", "page▾", "did▾"} {
		d.press("s")
		d.wants(head)
	}
	if r, _ := d.m.s.Chosen(); !strings.HasPrefix(r.Did, "check") {
		t.Errorf("by what was done the first is %q", r.Did)
	}
}

// TestFixThatIsAskedForEarly holds that f pressed before the knob is found turns it
// once it is.
func TestFixThatIsAskedForEarly(t *testing.T) {
	d := finished(t, lossEngine(), 120, 36)
	d.press("!", "!")
	d.m.s.Fixes = view.Fixes{}
	f, _ := d.m.s.FiguresOf("compress")
	d.m.s.FindFixes(f)
	d.m.s.TakeAsked() // it takes its time
	d.m.s.Knobs.FixHere()
	d.wants("it is turned once it is found")
	d.press("e") // the person is quicker than the search
	d.wants("the export opens once it is turned")
	d.lacks("the session as an HTML report")
	d.run(d.m.fixes())
	d.wants("compress.keep_n=121 keeps e612", "the session as an HTML report")
	if n := d.m.s.Panes[2].Policy.Stages[0].Knobs["keep_n"]; n != 121 {
		t.Errorf("keep_n is %v", n)
	}
}

// TestFixesFollowTheSession holds that what was found for a session's losses is not
// taken for those of the steps that came after.
func TestFixesFollowTheSession(t *testing.T) {
	e := lossEngine()
	e.info.Mode = session.ModeLive
	far := fakeStep(7, session.Action{Verb: session.VerbClick, Target: &session.Target{Ref: "e617"}}, leadsURL, "Leads", leadsPage(130, 121, ": google"))
	e.steps = append(e.steps[:4:4], far)
	d := newDriver(t, Config{Engine: e, AutoSteps: 4}, 120, 36)
	d.press("!", "s", "v", "down", "down")
	d.wants("compress.keep_n=121 keeps it", "compress.keep_n=122 keeps it")
	d.lacks("no single setting keeps it")
}

// TestMarksOfSteps holds that what is not as it should be is marked in the list of
// steps and in the line of steps, and said in words: captured early, edited, answered
// and held by a person.
func TestMarksOfSteps(t *testing.T) {
	for _, c := range []struct {
		change             func(*session.Result)
		list, strip, words string
	}{
		{func(r *session.Result) { r.Rest, r.Waited = session.RestRequests, "a request was open after 5 s" }, " ◔ ", "3 ◔ fill", "◔ step 3: captured before the page had come to rest: a request"},
		{func(r *session.Result) { r.Touched = session.TouchedEdited }, " ✎ ", "", "a person changed it on its way"},
		{func(r *session.Result) { r.Touched = session.TouchedAnswered }, " ← ", "", "a person answered"},
		{func(r *session.Result) { r.Touched = session.TouchedDropped }, " ‖ ", "", "dropped while it was held"},
	} {
		for _, s := range [][2]int{{80, 24}, {160, 45}} {
			e := lossEngine()
			c.change(e.steps[2][1].Result)
			d := finished(t, e, s[0], s[1])
			d.press("down", "down")
			d.wants(c.list, c.words)
			d.press("enter")
			if c.strip != "" && s[0] > 80 {
				d.wants(c.strip)
			}
		}
	}
}

// tellingEngine is a session whose step tells how far it is.
type tellingEngine struct{ *fakeEngine }

func (tellingEngine) Progress() string { return "loading, 1.2 s of 5 s" }

// TestProgressIsShown holds that a step that runs says what it does, for how long, and
// how it is stopped.
func TestProgressIsShown(t *testing.T) {
	e := tellingEngine{leadsEngine(5)}
	e.gate = make(chan struct{})
	for _, s := range [][2]int{{80, 24}, {160, 45}} {
		d := newDriver(t, Config{Engine: e}, s[0], s[1])
		d.m.Update(keyMsg("s"))
		d.send(tickMsg{d.m.s.Job.Seq})
		d.wants("loading, 1.2 s of 5 s", "0.0 s", "esc stops it")
		checkScreen(t, d.m, s[0], s[1])
	}
}
