package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	pixel "image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
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
	if d.m.job == nil || cmd == nil {
		t.Fatal("no job runs after s")
	}
	d.wants("step 1", "esc stops it")
	d.press("s")
	if !strings.Contains(d.m.msg.text, "still running") {
		t.Errorf("a second s says %q", d.m.msg.text)
	}
	seq := d.m.job.seq
	d.press("esc")
	d.wants("stopping", "esc again lets go")
	d.press("esc")
	if d.m.job != nil {
		t.Fatal("a second esc does not let go")
	}
	d.send(grewMsg{seq: seq, events: e.steps[0]})
	if len(d.m.tl.Steps) != 0 {
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
	if d.m.job != nil {
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
	far := session.Action{Verb: session.Check, Target: &session.Target{Ref: "e612"}}
	e.steps = append(e.steps[:3:3], fakeStep(4, far, leadsURL, "Leads", leadsPage(130, 120, ": google")))
	d := newDriver(t, Config{Engine: e, Breaks: []string{"survival lost"}}, 160, 45)
	d.press("c")
	d.wants("stopped: lost: e612 under compress", "✗ LOST e612", "LOST 1 of 2 under compress")
	d.press("(", "!")
	d.wants("LOST e612 under compress")
	d.press("v", "down", "down", "enter")
	d.wants("LOST e612 under compress: ", "step 4/6", "▸compress")
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
	d.wants("knobs compress", "fire_threshold", "default 100")
	d.typed("set")
	d.press("esc")
	d.press(":")
	d.typed("set keep_n=3")
	d.press("enter")
	d.wants("→")
	was := d.m.knobs.was
	if was == nil || was.tokens <= d.m.docOf(2).rendered.Tokens {
		t.Fatalf("keep_n 3 did not save tokens: %+v", was)
	}
	d.press("u")
	if got := d.m.panes[2].policy.Stages[0].Knobs["keep_n"]; got != 0 {
		t.Errorf("undo left keep_n at %v", got)
	}
	d.press("ctrl+r")
	if got := d.m.panes[2].policy.Stages[0].Knobs["keep_n"]; got != 3 {
		t.Errorf("redo left keep_n at %v", got)
	}
	d.press("r")
	if why := d.m.noReset(); why == "" {
		t.Error("reset left a knob turned")
	}
	d.press("-")
	d.wants("90")
	d.press("x")
	if d.m.knobs.was != nil {
		t.Error("old → new stays after the next key")
	}
}

func TestCompareAndSave(t *testing.T) {
	var saved []session.Policy
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: 3, SavePolicy: func(p session.Policy) error {
		saved = append(saved, p)
		return nil
	}}, 200, 60)
	d.press("tab", "tab", "A", "+")
	d.wants("compress·B")
	if d.m.panes[d.m.focus].policy.Stages[0].Knobs["fire_threshold"] == 0 {
		t.Error("B was not turned")
	}
	for i, p := range d.m.panes {
		if p.policy.Name == "compress" && p.policy.Stages[0].Knobs != nil {
			t.Errorf("A (pane %d) was turned too: %v", i, p.policy.Stages[0].Knobs)
		}
	}
	d.press("w")
	d.typed("seeds")
	d.press("enter")
	d.wants("built-in policy")
	d.press("ctrl+u")
	d.typed("mine")
	d.press("enter")
	d.wants("saved as policy mine")
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
	d.wants("match 2 of")
	d.press("N")
	d.wants("match 1 of")
	d.press("/")
	d.typed("Zebra")
	d.wants("no match")
	d.press("enter")
	d.wants(`"Zebra" is not on this page`)
	d.press("&")
	d.typed("role:heading")
	d.press("enter")
	d.wants(`heading "Leads"`, "without a match")
	d.lacks("Ravi Parker 3")
	d.press("esc")
	d.wants("Ravi Parker 3")
}

func TestCommandLine(t *testing.T) {
	d := newDriver(t, Config{Engine: liveEngine(10), AutoSteps: 2}, 120, 36)
	d.press(":")
	d.typed("cl")
	d.wants("click", "click an element")
	d.press("tab")
	if got := d.m.input.string(); got != "click " {
		t.Errorf("tab makes %q", got)
	}
	d.typed("e900")
	d.wants("e9000", "button Next page")
	d.press("tab", "enter")
	d.wants("step 3/6", "click e9000")
	d.press(":", "up")
	if got := d.m.input.string(); got != "click e9000" {
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
	if got := d.m.input.string(); got != `click button "Next page" ` {
		t.Errorf("tab makes %q", got)
	}
	d.press("esc", "E")
	if got := d.m.input.string(); got != "click e9000" {
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
		for _, a := range actionTable() {
			d := newDriver(t, Config{Engine: leadsEngine(5), AutoSteps: auto, ExportDir: t.TempDir()}, 120, 36)
			act := d.m.bindings.byName[a.name]
			why := ""
			if act.why != nil {
				why = act.why(d.m)
			}
			d.run(d.m.do(act))
			if why != "" && d.m.msg.text != why {
				t.Errorf("%s says %q, not why: %q", a.name, d.m.msg.text, why)
			}
			checkScreen(t, d.m, 120, 36)
		}
	}
}

func TestHelpNamesEveryAction(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(5)}, 120, 200)
	d.press("?")
	s := d.screen()
	for _, a := range actionTable() {
		if strings.HasPrefix(a.name, "pane-") {
			continue
		}
		if !strings.Contains(s, a.doc) {
			t.Errorf("the help lacks %s: %q", a.name, a.doc)
		}
	}
	for _, v := range session.Verbs {
		if !strings.Contains(s, v.Doc) {
			t.Errorf("the help lacks the verb %s", v.Verb)
		}
	}
}

func TestKeysThatStayPut(t *testing.T) {
	b, err := bindKeys(nil)
	if err != nil {
		t.Fatal(err)
	}
	for key, name := range map[string]string{
		"?": "help", "q": "quit", ":": "command", "ctrl+p": "palette", "s": "step", "c": "continue", "[": "prev", "]": "next",
		"{": "prev-change", "}": "next-change", "tab": "next-pane", "z": "zoom", "/": "search", "n": "next-match", "N": "prev-match",
		"1": "pane-1", "9": "pane-9", "+": "more", "-": "less", "o": "knobs", "b": "break", "y": "copy", "e": "export", "m": "mouse", "t": "theme",
	} {
		if a := b.byKey[key]; a == nil || a.name != name {
			t.Errorf("%s does %v, want %s", key, a, name)
		}
	}
	seen := map[string]string{}
	for _, a := range actionTable() {
		for _, k := range a.keys {
			if other := seen[k]; other != "" {
				t.Errorf("%s does both %s and %s", k, other, a.name)
			}
			seen[k] = a.name
		}
	}
}

func TestRemapKeys(t *testing.T) {
	for _, c := range []struct {
		keys map[string][]string
		want string // of the error; empty: fine
	}{
		{map[string][]string{"step": {"x"}}, ""},
		{map[string][]string{"step": {"q"}}, ""}, // quit keeps ctrl+c
		{map[string][]string{"stepp": {"x"}}, `no action "stepp"`},
		{map[string][]string{"step": {"x"}, "zoom": {"x"}}, "x is given to both step and zoom"},
		{map[string][]string{"step": {""}}, "step has an empty key"},
		{map[string][]string{"command": {}}, "command is left without a key"},
		{map[string][]string{"step": {"?", "f1"}}, "help is left without a key"},
	} {
		err := CheckKeys(c.keys)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("CheckKeys(%v) = %v, want %q", c.keys, err, c.want)
		}
	}
	d := newDriver(t, Config{Engine: leadsEngine(5), Keys: map[string][]string{"step": {"x"}}}, 120, 36)
	d.wants("x step", "x takes the first")
	d.press("s")
	d.wants("no action on s")
	d.press("x")
	d.wants("step 1/6")
}

func TestCopyIsRawAndExportWhole(t *testing.T) {
	var got []string
	dir := t.TempDir()
	e := hostileEngine()
	d := newDriver(t, Config{Engine: e, AutoSteps: -1, ExportDir: dir, Clipboard: func(s string) error {
		got = append(got, s)
		return nil
	}}, 120, 36)
	d.press("}", "y")
	d.wants("copy", "ref", "line", "what the agent gets under full")
	for i, what := range d.m.over.(*copyMenu).whats {
		if what == "what the agent gets under full" {
			for range i {
				d.press("down")
			}
		}
	}
	d.press("enter")
	if len(got) != 1 || got[0] != e.steps[7][1].Result.Snapshot.Text {
		t.Errorf("copied %q", got)
	}
	d.press("e")
	d.wants("wrote ")
	text, err := os.ReadFile(filepath.Join(dir, "snapscope-step8-full.txt"))
	if err != nil || string(text) != e.steps[7][1].Result.Snapshot.Text {
		t.Errorf("exported %q, %v", text, err)
	}
	screen, err := os.ReadFile(filepath.Join(dir, "snapscope-step8-full-screen.txt"))
	if err != nil || bytes.ContainsAny(screen, "\x1b\x07\x00") || !bytes.Contains(screen, []byte("step 8/8")) {
		t.Errorf("the exported screen is %q, %v", screen, err)
	}
	d.press("e")
	if _, err := os.Stat(filepath.Join(dir, "snapscope-step8-full-2.txt")); err != nil {
		t.Error("a second export wrote over the first")
	}
}

func TestStateIsKept(t *testing.T) {
	dir := t.TempDir()
	open := func() *driver {
		return newDriver(t, Config{Engine: leadsEngine(20), StateDir: dir, AutoSteps: 2, Mouse: true}, 160, 45)
	}
	d := open()
	d.press("2", "f", "m", "t", "b")
	d.typed("error")
	d.press("enter", "a")
	d.typed("look here")
	d.press("enter", ":")
	d.typed("ref e6")
	d.press("enter", "q")
	d = open()
	if d.m.panes[1].shown || !d.m.fold || d.m.mouse || d.m.th.name != "light" {
		t.Errorf("shown %v, fold %v, mouse %v, theme %s", d.m.panes[1].shown, d.m.fold, d.m.mouse, d.m.th.name)
	}
	if len(d.m.breaks) != 1 || d.m.breaks[0].at.String() != "error" {
		t.Errorf("breakpoints %v", d.m.breaks)
	}
	if n := d.m.notesOn(2); len(n) != 1 || n[0] != "look here" {
		t.Errorf("notes %v", d.m.notes)
	}
	if len(d.m.hist) != 1 || d.m.hist[0] != "ref e6" {
		t.Errorf("history %v", d.m.hist)
	}
	for _, junk := range []string{"", "{", "[]", `{"version":99}`, `{"version":1,"sessions":{"leads demo":{"breaks":[{"at":"nonsense"}]}}}`} {
		if err := os.WriteFile(filepath.Join(dir, "screen.json"), []byte(junk), 0o600); err != nil {
			t.Fatal(err)
		}
		d = open()
		d.wants("step 2/6")
	}
	d.press("q")
	var s state
	data, err := os.ReadFile(filepath.Join(dir, "screen.json"))
	if err != nil || json.Unmarshal(data, &s) != nil || s.Version != stateVersion {
		t.Errorf("the state was not written anew: %s, %v", data, err)
	}
}

func TestSessionList(t *testing.T) {
	e := leadsEngine(5)
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	d := newDriver(t, Config{
		Recent: []Recent{{Path: "/a.jsonl", Title: "first", When: now.Add(-3 * time.Hour)}, {Path: "/b.jsonl", When: now}},
		Open: func(_ context.Context, path string) (session.Engine, error) {
			if path == "/a.jsonl" {
				return nil, errors.New("reading /a.jsonl: it is empty")
			}
			return e, nil
		},
	}, 120, 36)
	d.wants("sessions · 2", "first", "3 hours ago", "/b.jsonl")
	d.press("enter")
	d.wants("✗ reading /a.jsonl: it is empty")
	d.press("down", "enter")
	d.wants("step 6/6")
	for _, k := range []string{"s", "v", "o", "p"} {
		newDriver(t, Config{}, 120, 36).press(k)
	}
}

func TestPicture(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 64, 36))
	for i := range img.Pix {
		img.Pix[i] = 200
	}
	img.Set(3, 3, pixel.Black)
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	e := shooter{leadsEngine(5)}
	e.shot = buf.Bytes()
	d := newDriver(t, Config{Engine: e, AutoSteps: 1}, 160, 45)
	d.press("p")
	d.wants("picture of the page now", "▀▀▀")
	e.shot = []byte("no picture")
	d.press("p", "p")
	d.wants("✗ reading the picture")
	d = newDriver(t, Config{Engine: leadsEngine(5), AutoSteps: 1}, 160, 45)
	d.press("p")
	d.wants("no browser to take a picture of")
}

func TestMouse(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(60), AutoSteps: 4, Mouse: true}, 160, 45)
	top := d.m.top
	d.send(tea.MouseWheelMsg{X: 10, Y: 10, Button: tea.MouseWheelDown})
	if d.m.top != top+wheelRows {
		t.Errorf("the wheel scrolls from %d to %d", top, d.m.top)
	}
	d.send(tea.MouseClickMsg{X: 70, Y: 12, Button: tea.MouseLeft})
	if d.m.focus != 1 || d.m.row != d.m.top+12-d.m.lay.panes[1].y-d.m.lay.paneHead() {
		t.Errorf("a click gives pane %d, row %d", d.m.focus, d.m.row)
	}
	d.screen()
	d.send(tea.MouseClickMsg{X: d.m.stepHits[0].from + 1, Y: d.m.lay.steps.y, Button: tea.MouseLeft})
	if d.m.at != d.m.stepHits[0].index {
		t.Errorf("a click on a step looks at %d", d.m.at)
	}
	d.press("m")
	if d.m.View().MouseMode != tea.MouseModeNone {
		t.Error("m leaves the mouse on")
	}
}

func TestPlaySteps(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(5), AutoSteps: -1}, 120, 36)
	d.press("P")
	d.wants("playing at 1×", "step 1/6")
	for range 9 {
		d.send(playMsg{d.m.play.seq})
	}
	d.wants("played to the newest step", "step 6/6")
	d.press(">")
	d.wants("plays at 2×")
	d.press("P", "P")
	d.wants("paused")
	at := d.m.at
	d.send(playMsg{d.m.play.seq})
	if d.m.at != at {
		t.Error("a paused play goes on")
	}
}

// follower is a fake engine whose session has grown by the time one asks
// whether it has.
type follower struct {
	*fakeEngine
	all [][]session.Event
}

func (f *follower) Changed() <-chan struct{} {
	ch := make(chan struct{}, 1)
	if len(f.steps) < len(f.all) {
		f.steps = f.all
		ch <- struct{}{}
	} else {
		close(ch)
	}
	return ch
}

func TestFollowTakesNewSteps(t *testing.T) {
	e := &follower{fakeEngine: leadsEngine(5)}
	e.info.Mode = session.ModeFollow
	e.all, e.steps = e.steps, e.steps[:2]
	d := newDriver(t, Config{Engine: e, AutoSteps: -1}, 120, 36)
	d.wants("step 6/6", "following")
}

func TestPlain(t *testing.T) {
	var out bytes.Buffer
	if err := Plain(context.Background(), &out, Config{Engine: hostileEngine(), Count: func(s string) int { return len(s) / 4 }, Encoding: "o200k_base"}); err != nil {
		t.Fatal(err)
	}
	s := out.String()
	for _, want := range []string{"Step 4: check", "passmark:", "of full.", "changed: - checkbox", "failed: no element with ref e9999", "snapshot of step 4: 0 of 3", "The session: 8 steps", "lost in step 5"} {
		if !strings.Contains(s, want) {
			t.Errorf("the plain view lacks %q:\n%s", want, s)
		}
	}
	for i, l := range strings.Split(s, "\n") {
		checkSequences(t, l)
		if strings.ContainsRune(l, 0x1b) {
			t.Errorf("line %d holds an escape: %q", i, l)
		}
	}
	if err := Plain(context.Background(), &out, Config{}); err == nil {
		t.Error("the plain view shows no session")
	}
}
