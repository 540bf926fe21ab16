package tui

import (
	"context"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/breakpoint"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/tui/dialog"
)

func liveEngine(rows int) *fakeEngine {
	e := leadsEngine(rows)
	e.info.Mode = session.ModeLive
	e.do = func(_ context.Context, a session.Action) ([]session.Event, error) {
		return fakeStep(90, a, leadsURL, "Leads · CRM", leadsPage(rows, 2, "")), nil
	}
	return e
}

func TestLateAnswersAreDropped(t *testing.T) {
	e := leadsEngine(5)
	e.gate = make(chan struct{})
	d := newDriver(t, Config{Engine: e}, 120, 36)
	_, cmd := d.m.Update(keyMsg("s"))
	if d.m.s.Job == nil || cmd == nil {
		t.Fatal("no job runs after s")
	}
	d.wants("step 1", "esc stops it")
	d.press("s")
	if !strings.Contains(d.m.s.Msg.Text, "still running") {
		t.Errorf("a second s says %q", d.m.s.Msg.Text)
	}
	seq := d.m.s.Job.Seq
	d.press("esc")
	d.wants("stopping", "esc again lets go")
	d.press("esc")
	if d.m.s.Job != nil {
		t.Fatal("a second esc does not let go")
	}
	d.send(grewMsg{seq: seq, events: e.steps[0], info: e.info})
	if len(d.m.s.Tl.Steps) != 0 {
		t.Error("a late answer was taken in")
	}
}

func TestCancelReachesTheEngine(t *testing.T) {
	e := leadsEngine(5)
	e.gate = make(chan struct{})
	d := newDriver(t, Config{Engine: e}, 120, 36)
	_, cmd := d.m.Update(keyMsg("s"))
	d.press("esc")
	d.run(cmd) // the engine sees the cancelled context
	if d.m.s.Job != nil {
		t.Fatal("the job did not end")
	}
	d.wants("cancelled after")
}

func TestContinueStopsAtBreakpoint(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(130), Breaks: []string{"error"}}, 120, 36)
	d.press("c")
	d.wants("stopped: error: no element with ref e9999", "step 5/6")
	d.press("c")
	d.wants("step 6/6", "the end of the session")
	d = newDriver(t, Config{Engine: leadsEngine(130)}, 120, 36)
	d.press("b")
	d.typed("tokens passmark < 200")
	d.press("enter")
	d.wants("stops at tokens passmark < 200")
	d.press("c")
	d.wants("stopped:", "tokens under passmark < 200", "step 2/6")
	d.press("B", "enter", "esc", "c")
	d.wants("step 6/6")
}

func TestBreakpointSurvival(t *testing.T) {
	e := leadsEngine(130)
	far := session.Action{Verb: session.VerbCheck, Target: &session.Target{Ref: "e612"}}
	e.steps = append(e.steps[:3:3], fakeStep(4, far, leadsURL, "Leads", leadsPage(130, 120, ": google")))
	d := newDriver(t, Config{Engine: e, Breaks: []string{"survival lost"}}, 160, 45)
	d.press("c")
	d.wants("stopped: lost: e612 under compress", "✗ LOST e612", "LOST 1 of 2 under compress")
	d.press("(", "!")
	d.wants("LOST e612 under compress")
	d.press("v", "down", "down", "enter")
	d.wants("LOST e612 under compress: ", "step 4/6", "▸compress")
}

func TestLossIsMendedByItsKnob(t *testing.T) {
	e := leadsEngine(130)
	far := session.Action{Verb: session.VerbCheck, Target: &session.Target{Ref: "e612"}}
	e.steps = append(e.steps[:3:3], fakeStep(4, far, leadsURL, "Leads", leadsPage(130, 120, ": google")))
	d := newDriver(t, Config{Engine: e, AutoSteps: -1}, 160, 45)
	d.press("tab", "tab", "v")
	d.wants("lost under compress: 1 element", "e612", "keeps it")
	d.press("f")
	d.lacks("lost under compress")
	if k := d.m.s.Panes[2].Policy.Stages[0].Knobs; len(k) != 1 {
		t.Errorf("the knobs are %v", k)
	}
	d.press("f")
	d.wants("nothing was lost under compress")
	d.press("esc", "u")
	d.wants("LOST 1 of 2 under compress")
}

// TestLossIsNamedWhereItWas holds that a single pane names the element that was
// lost, and what the cursor stands on where a rule hid it.
func TestLossIsNamedWhereItWas(t *testing.T) {
	e := leadsEngine(130)
	far := session.Action{Verb: session.VerbCheck, Target: &session.Target{Ref: "e612"}}
	e.steps = append(e.steps[:3:3], fakeStep(4, far, leadsURL, "Leads", leadsPage(130, 120, ": google")))
	d := newDriver(t, Config{Engine: e, AutoSteps: -1}, 80, 24)
	d.press("tab", "tab")
	d.wants("✗ LOST e612 ·", "▌  ✗ LOST  checkbox \"Select Melonie Parker 120\" [checked] [ref=e612]")
	d.press("down")
	d.wants("✗ LOST  checkbox", "hidden here by keep_n 10: cell \"Melonie Parker 120\" [ref=e613] · with ")
}

// TestGapIsSaidOnce holds that a strategy's own "..." gets its figure and no
// second ellipsis.
func TestGapIsSaidOnce(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: 4}, 160, 45)
	n := 0
	for _, l := range strings.Split(d.screen(), "\n") {
		if strings.Contains(l, "...") && strings.Contains(l, "unchanged") {
			n++
			if strings.Contains(l, "... ⋯") || strings.Contains(l, "...  ⋯") {
				t.Errorf("said twice: %q", l)
			}
		}
	}
	if n == 0 {
		t.Errorf("no gap on the screen:\n%s", d.screen())
	}
}

// TestContextOpensBeforeItsFigures holds that the view says what it waits for and
// opens by itself.
func TestContextOpensBeforeItsFigures(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(10), AutoSteps: 4}, 120, 36)
	set := d.m.s.Set
	d.m.s.Set = nil
	d.press("tab", "v")
	d.wants("context and cost", "working out the input of every model call")
	d.send(made{take: figured(set)})
	d.wants("▸ passmark", "input", "survival")
	d.lacks("working out what")
	d.press("esc")
	d.m.s.Set = nil
	d.press("v", "down")
	d.lacks("working out what")
}

// TestContextGivesAdvice holds that the view says first what would have saved most
// without hiding anything, in the words of a report, and with the session's next
// steps says it anew.
func TestContextGivesAdvice(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		e := leadsEngine(40)
		d := newDriver(t, Config{Engine: e, AutoSteps: 4}, size[0], size[1])
		d.press("v")
		sheet, err := ledger.Study(t.Context(), d.m.s.Tl, nil, nil, ledger.Options{Renderer: d.m.rd})
		if err != nil {
			t.Fatal(err)
		}
		a := sheet.Advice
		if a.Policy == "" || a.Command == "" {
			t.Fatalf("no advice: %+v", a)
		}
		seen := strings.Join(strings.Fields(d.screen()), " ")
		if !strings.Contains(seen, a.Best) || size[0] > 100 && !strings.Contains(seen, a.Text) {
			t.Errorf("at %v the view lacks %q:\n%s", size, a.Text, d.screen())
		}
		before := d.m.s.Advice
		d.press("esc", "s", "v")
		if d.m.s.Advice == before {
			t.Error("the advice is of the session as it was")
		}
	}
}

// TestContextSetsFullBesideAnother holds that bars never stand alone where there
// is another policy.
func TestContextSetsFullBesideAnother(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: -1}, 160, 45)
	d.press("v")
	d.wants("▸ full", "call  full ·", "call  passmark ·", "step 6/6", "step      ", " + ")
	d.press("down", "down")
	d.wants("call  full ·", "call  compress ·")
	d.press("up", "r", "down")
	d.wants("call  passmark ·", "call  compress ·")
}

func TestUntilAndRunToCursor(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(10)}, 120, 36)
	d.press(":")
	d.typed("until 3")
	d.press("enter")
	d.wants("reached step 3", "step 3/6")
	d.press(":")
	d.typed("ref e12")
	d.press("enter", "C")
	d.wants("step 4/6", "stopped: text", "vanishes")
}

func TestKnobsShowOldAndNew(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: 4}, 160, 45)
	d.press("tab", "tab", "o")
	d.wants("▸knobs", "▸ fire_threshold", "min_savings", "expiry · openclaw", "tool_calls", "default 100")
	d.press(":")
	d.typed("set keep_n=3")
	d.press("enter")
	d.wants("→")
	was := d.m.s.Knobs.Was
	if was == nil || was.Tokens <= d.m.s.DocOf(2).Rendered.Tokens {
		t.Fatalf("keep_n 3 did not save tokens: %+v", was)
	}
	d.press("u")
	if got := d.m.s.Panes[2].Policy.Stages[0].Knobs["keep_n"]; got != 0 {
		t.Errorf("undo left keep_n at %v", got)
	}
	d.press("ctrl+r")
	if got := d.m.s.Panes[2].Policy.Stages[0].Knobs["keep_n"]; got != 3 {
		t.Errorf("redo left keep_n at %v", got)
	}
	d.press("r")
	if why := d.m.whyNot("reset"); why == "" {
		t.Error("reset left a knob turned")
	}
	d.press("-")
	d.wants("90")
	d.press("x")
	if d.m.s.Knobs.Was != nil {
		t.Error("old → new stays after the next key")
	}
}

func TestCompareAndSave(t *testing.T) {
	var saved []policy.Policy
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: 3, SavePolicy: func(p policy.Policy) (string, error) {
		saved = append(saved, p)
		return "policies.toml", nil
	}}, 200, 60)
	d.press("tab", "tab", "A", "+")
	d.wants("compress·B")
	if d.m.s.Panes[d.m.s.Focus].Policy.Stages[0].Knobs["fire_threshold"] == 0 {
		t.Error("B was not turned")
	}
	for i, p := range d.m.s.Panes {
		if p.Policy.Name == "compress" && p.Policy.Stages[0].Knobs != nil {
			t.Errorf("A (pane %d) was turned too: %v", i, p.Policy.Stages[0].Knobs)
		}
	}
	d.press("w")
	d.typed("seeds")
	d.press("enter")
	d.wants("built-in policy")
	d.press("ctrl+u")
	d.typed("mine")
	d.press("enter")
	d.wants("saved as policy mine in policies.toml")
	if len(saved) != 1 || saved[0].Name != "mine" {
		t.Errorf("saved %+v", saved)
	}
}

func TestSearchAndFilter(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(30), AutoSteps: 4}, 120, 36)
	d.press("n")
	d.wants("nothing was searched for yet")
	d.press("/")
	d.typed("ravi parker 3")
	d.wants("lines match")
	d.press("enter", "n")
	d.wants(" of ", "step 4")
	d.press("N")
	d.wants(" of ", "step 4")
	d.press("/")
	d.typed("Zebra")
	d.wants("not on this page")
	d.press("enter")
	d.wants(`"Zebra" is nowhere in this session`)
	d.press("&")
	d.typed("role:heading")
	d.press("enter")
	d.wants(`heading "Leads"`, "without a match")
	d.lacks("Ravi Parker 3")
	d.press("esc")
	d.wants(`cell "Ana Parker 2"`)
}

func TestCommandLine(t *testing.T) {
	d := newDriver(t, Config{Engine: liveEngine(10), AutoSteps: 2}, 120, 36)
	d.press(":")
	d.typed("cl")
	d.wants("click", "click an element")
	d.press("tab")
	if got := d.m.input.String(); got != "click " {
		t.Errorf("tab makes %q", got)
	}
	d.typed("e900")
	d.wants("e9000", "button Next page")
	d.press("tab", "enter")
	d.wants("step 3/6", `click button "Next page"`)
	d.press(":", "up")
	if got := d.m.input.String(); got != "click e9000" {
		t.Errorf("the history gives %q", got)
	}
	d.press("ctrl+u")
	d.typed("clik e1")
	d.press("enter")
	d.wants("no action", "click")
	d.press("esc", ":")
	d.typed(`click button "Ne`)
	d.wants(`"Next page"`)
	d.press("tab")
	if got := d.m.input.String(); got != `click button "Next page" ` {
		t.Errorf("tab makes %q", got)
	}
	d.press("esc", "E")
	if got := d.m.input.String(); got != "click e9000" {
		t.Errorf("edit offers %q", got)
	}
}

func TestRecordedCannotAct(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(5), AutoSteps: 1}, 120, 36)
	d.press(":")
	d.typed("click e12")
	d.press("enter")
	d.wants("this session is a recording")
	d.press("esc", "E")
	d.wants("this session is a recording")
}

// TestEveryActionSaysWhy: an action that cannot be done now gives its reason and
// does nothing, on an empty session and on a full one.
func TestEveryActionSaysWhy(t *testing.T) {
	for _, auto := range []int{0, -1} {
		for _, a := range Actions() {
			d := newDriver(t, Config{Engine: leadsEngine(5), AutoSteps: auto, ExportDir: t.TempDir()}, 120, 36)
			why := d.m.whyNot(a.Name)
			d.run(d.m.do(a.Name))
			d.run(d.m.fulfil())
			if why != "" && d.m.s.Msg.Text != why {
				t.Errorf("%s says %q, not why: %q", a.Name, d.m.s.Msg.Text, why)
			}
			checkScreen(t, d.m, 120, 36)
		}
	}
}

// TestHelpFitsOrScrolls holds that all of the help can be read on any screen that
// the program runs on: in one column or two, nothing is cut.
func TestHelpFitsOrScrolls(t *testing.T) {
	for _, c := range []struct {
		w, h, columns int
	}{{80, 24, 1}, {120, 36, 1}, {160, 45, 2}, {200, 100, 2}} {
		d := newDriver(t, Config{Engine: leadsEngine(5)}, c.w, c.h)
		d.press("?")
		seen := ""
		for range 40 {
			s := d.screen()
			seen += s
			d.press("pgdown")
			if d.screen() == s {
				break
			}
		}
		two := false
		for _, l := range strings.Split(seen, "\n") {
			two = two || strings.Contains(l, " Steps  ") && (strings.Contains(l, "Actions to type") || strings.Contains(l, "Everything else"))
		}
		if two != (c.columns == 2) {
			t.Errorf("%d×%d is not in %d columns:\n%s", c.w, c.h, c.columns, seen)
		}
		for _, f := range breakpoint.Forms {
			if !strings.Contains(strings.Join(strings.Fields(seen), " "), f.Word) {
				t.Errorf("%d×%d lacks %s", c.w, c.h, f.Word)
			}
		}
		for _, l := range strings.Split(seen, "\n") {
			if strings.Contains(l, "…") && !strings.Contains(l, "role:…") && !strings.Contains(l, "goto …") && !strings.Contains(l, "snapscope") {
				t.Errorf("%d×%d cuts %q", c.w, c.h, l)
			}
		}
		d.press("home")
		d.wants("keys and commands", "do or reveal the next step")
	}
}

func TestHelpNamesEveryAction(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(5)}, 120, 200)
	d.press("?")
	s := d.screen()
	for _, a := range Actions() {
		if strings.HasPrefix(a.Name, "pane-") {
			continue
		}
		if !strings.Contains(s, a.Doc) {
			t.Errorf("the help lacks %s: %q", a.Name, a.Doc)
		}
	}
	for _, v := range session.Verbs {
		if !strings.Contains(s, v.Doc) {
			t.Errorf("the help lacks the verb %s", v.Verb)
		}
	}
}

// TestNeverReadIsNoLoss holds that an element the model had never read is told
// apart from one that a policy hid.
func TestNeverReadIsNoLoss(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: -1}, 120, 36)
	d.press("v")
	d.wants("! used, and no earlier page showed it: 1 element", "e9999")
	d.lacks("lost under", "✗ 3/4")
	if _, look := dialog.SurvivalCell(d.m.p.Th, d.m.s.Set.Full.Report.Survival, false); look != d.m.p.Th.Warn {
		t.Errorf("an element that was never read looks like %+v", look)
	}
}

// TestFoldSaysARunOnce holds that what a fold parts is still one run, with one
// note.
func TestFoldSaysARunOnce(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: 4}, 160, 45)
	d.press("f")
	d.wants("lines without a change")
	if n := strings.Count(d.screen(), "646 lines unchanged"); n != 1 {
		t.Errorf("the run has %d notes:\n%s", n, d.screen())
	}
}
