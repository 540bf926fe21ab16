package tui

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/policy"
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
		d.wants("6 steps", "1 lost under compress", "! 1 error", "tick Melonie", "step 1/6", `fill searchbox "Search"`, `check checkbox "Sel`, "added", "input")
		d.lacks("fill e7", "no step yet", "check e612")
		d.press("down", "down", "down")
		d.wants("step 4/6", "✗ step 4: compress hid it: keep_n 10")
		d.press("enter")
		d.wants("step 4/6", "expiry", "passmark")
		d.lacks("input  ")
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
	d.wants("added▾", "sorted by added", "step 4/6")
	d.press("r")
	d.wants("added▴")
	d.press("esc", "&")
	d.typed("lost")
	d.press("enter")
	d.wants("1 row with lost", "step 4/6")
	d.lacks("goto /leads")
	for _, c := range []struct{ filter, want, lack string }{
		{"error", "click e9999", "snapshot"},
		{"tokens>8603", "click e9999", "goto"},
		{"saved<50", "goto", "click e9999"},
		{"goto", "goto /leads", "snapshot"},
		{"said", "tick Melonie", "goto /leads"},
		{"!goto !said", "click e9999", "goto /leads"},
		{"/^click/", "click e9999", "snapshot"},
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
	d.press("esc", "esc")
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
	d.press("l", "3", "g", "g") // in the list of steps, too
	d.wants("step 3/6")
	d.press("g", "l")
	d.wants("step 1/6")
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

// TestFromLossToExportedPolicy walks from the list of a failed run to a policy that
// would not have failed: to the loss, why, the fix, and the policy file, which
// other commands read.
func TestFromLossToExportedPolicy(t *testing.T) {
	for _, s := range [][2]int{{80, 24}, {120, 36}, {160, 45}} {
		var saved []policy.Policy
		e := lossEngine()
		d := newDriver(t, Config{Engine: e, AutoSteps: -1, List: true, ExportDir: t.TempDir(), SavePolicy: func(p policy.Policy) (string, error) {
			saved = append(saved, p)
			return "policies.toml", nil
		}}, s[0], s[1])
		d.press("!", "!")
		d.wants("LOST e612", "step 4/6", "compress")
		d.press("enter")
		d.wants("✗ What would be lost under compress: e612", "f: compress.keep_n=", "keeps it")
		d.press("f")
		d.wants("keeps e612 · u takes it back")
		d.lacks("✗ LOST e612")
		d.press("e")
		d.wants("policy compress to the policy file", "step 4 as Markdown", "the session as an HTML report")
		d.press("enter")
		d.wants("saved as policy my-compress in policies.toml")
		if len(saved) != 1 || saved[0].Name != "my-compress" || len(saved[0].Stages[0].Knobs) != 1 {
			t.Errorf("%v: saved %+v", s, saved)
		}
		checkScreen(t, d.m, s[0], s[1])
	}
}

// TestNextLossWaitsForTheFigures holds that ! asked for early goes to the loss once
// it is known.
func TestNextLossWaitsForTheFigures(t *testing.T) {
	d := finished(t, lossEngine(), 120, 36)
	set := d.m.s.Set
	d.m.s.Set = nil
	d.press("!")
	d.wants("working out what went wrong …")
	d.send(made{take: figured(set)})
	d.wants("! step 5: acted on e9999", "step 5/6")
}

// TestExports holds what each export holds.
func TestExports(t *testing.T) {
	dir := t.TempDir()
	var copied string
	d := newDriver(t, Config{
		Engine: lossEngine(), AutoSteps: -1, List: true, ExportDir: dir, Command: "snapscope replay run.jsonl",
		Clipboard: func(s string) error { copied = s; return nil },
	}, 120, 36)
	d.press("!", "!")
	pick := func(row string) {
		t.Helper()
		d.press("e")
		for range 12 {
			if strings.Contains(d.screen(), "▸ "+row) || strings.Contains(d.screen(), "▸"+row) {
				break
			}
			d.press("down")
		}
		d.wants("▸ " + row)
		d.press("enter")
	}
	d.press(":")
	d.typed("set keep_n=3")
	d.press("enter")
	pick("the command line that gives this view")
	if want := "snapscope replay run.jsonl --policy full --policy passmark --policy compress --set compress.keep_n=3"; copied != want {
		t.Errorf("copied %q, want %q", copied, want)
	}
	read := func(name string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	pick("step 4 as Markdown")
	md := read("snapscope-step4.md")
	for _, want := range []string{`# Step 4: check checkbox "Select Melonie Parker 120"`, "| compress |", "**Lost under compress**: e612", "## What the agent gets under compress"} {
		if !strings.Contains(md, want) {
			t.Errorf("the Markdown lacks %q:\n%.1500s", want, md)
		}
	}
	pick("the session as an HTML report")
	for _, name := range []string{"snapscope-step4.md", "snapscope-report.html"} { // nobody named them: they are for their owner
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, st, err)
		}
	}
	if html := read("snapscope-report.html"); !strings.Contains(html, "<html") || !strings.Contains(html, "e612") {
		t.Errorf("the report is %.200q", html)
	}
}

// TestKnobIsTyped holds that a knob takes a typed value, and that one undo takes a
// run of presses back.
func TestKnobIsTyped(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: -1}, 160, 45)
	d.press("tab", "tab", "o", "enter")
	d.wants("compress.fire_threshold = 100")
	d.press("ctrl+u")
	d.typed("many")
	d.press("enter")
	d.wants("fire_threshold")
	if d.m.input == nil || d.m.s.Panes[2].Policy.Stages[0].Knobs["fire_threshold"] != 0 {
		t.Fatal("a value that is none was taken")
	}
	d.press("ctrl+u")
	d.typed("170")
	d.press("enter", "+", "+", "+")
	knob := func() float64 { return d.m.s.Panes[2].Policy.Stages[0].Knobs["fire_threshold"] }
	if knob() != 200 {
		t.Fatalf("three presses from 170 make %v", knob())
	}
	d.press("u")
	if knob() != 170 {
		t.Errorf("one undo leaves %v of a run of presses, want 170", knob())
	}
	d.press("u")
	if knob() != 0 {
		t.Errorf("a second undo leaves %v", knob())
	}
}

// TestHelpBeginsWhereItWasCalled holds that the help begins with the view's own keys.
func TestHelpBeginsWhereItWasCalled(t *testing.T) {
	d := finished(t, lossEngine(), 80, 24)
	d.press("?")
	d.wants("Here: the list of steps", "sort by the next column")
	d.press("esc", "l", "o", "?")
	d.wants("Here: the knobs", "type its value")
}

func TestUnknownTheme(t *testing.T) {
	if err := CheckTheme("darkk"); err == nil || !strings.Contains(err.Error(), "there are dark, light") {
		t.Errorf("CheckTheme says %v", err)
	}
}

// TestNextTroubleIsWhatWentWrongFirst holds that the key for trouble goes to what did
// go wrong, then to what a shown policy would lose, that each kind has a sign of its
// own, and that the step says what it is wherever one looks at it.
func TestNextTroubleIsWhatWentWrongFirst(t *testing.T) {
	const why = "step 5: acted on e9999: no earlier page showed it; the call failed: no element with ref e9999"
	for _, s := range [][2]int{{80, 24}, {160, 45}} {
		d := finished(t, lossEngine(), s[0], s[1])
		d.wants("errors, losses", "! 1 error", "1 lost under compress")
		d.press("!")
		d.wants("! step 5: acted on e9999: no earlier page showed it", "step 5/6")
		d.lacks("LOST e9999")
		d.press("enter")
		d.wants("! What went wrong in this step", "no earlier page showed it; the call failed")
		d.lacks("What would be lost under")
		d.press("esc", "!")
		d.wants("LOST e612", "step 4/6")
		d.press("!")
		d.wants("! step 5: acted on e9999", "step 5/6")
		d.press("[")
		d.lacks("acted on e9999")
		d.press("]")
		if s[0] > 80 {
			d.wants("! " + why)
		}
		d.press("l", "enter")
		d.wants("! step 5: acted on e9999")
	}
	d := newDriver(t, Config{Engine: lossEngine(), AutoSteps: -1, List: true, Panes: []policy.Policy{policy.Full()}}, 120, 36)
	d.wants("! errors")
	d.press("!")
	d.wants("! step 5: acted on e9999", "step 5/6")
	e := lossEngine()
	e.steps = e.steps[:3]
	d = finished(t, e, 120, 36)
	d.press("!")
	d.wants("nothing went wrong in this session, and nothing would be lost under a shown policy")
}
