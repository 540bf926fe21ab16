package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"snapscope/session"
	"snapscope/snapshot"
	"snapscope/tui/view"
)

// TestSearchGoesThroughTheSession holds that n goes on behind the last match of a
// page, both ways, through snapshots, results and messages, and counts.
func TestSearchGoesThroughTheSession(t *testing.T) {
	e := leadsEngine(30)
	e.steps[1][1].Result.Text = "### Console\n- a rare word stands here"
	d := newDriver(t, Config{Engine: e, AutoSteps: -1}, 120, 36)
	d.press("(", "/")
	d.typed("google")
	d.wants("not on this page · enter looks through the session")
	d.press("enter")
	d.wants("/google   1 of 5 · step 3")
	for _, want := range []string{"step 4", "step 5", "step 6"} { // step 3 has it in its action and on its page
		d.press("n")
		d.wants("of 5 · " + want)
	}
	d.press("N")
	d.wants("4 of 5 · step 5")
	d.press("n", "n")
	d.wants("1 of 5 · step 3")
	d.press("(", "/")
	d.typed("rare word")
	d.press("enter")
	d.wants("step 2, not on its page: - a rare word stands here")
	d.press("/")
	d.typed("/e90[0-9]{2}/")
	d.press("enter")
	d.wants("step 2", "of 6")
	d.press("N")
	d.wants("step 1/6")
	d.press("/")
	d.typed("/[/")
	d.press("enter")
	d.wants("this is no regular expression")
	d.press("esc", "/")
	d.typed("zebra")
	d.press("enter")
	d.wants(`"zebra" is nowhere in this session`)
	d.press("l", "/")
	d.typed("e9999")
	d.press("enter")
	d.wants("step 5", "▌   5")
}

// TestSearchOnALineThatChanged searches for what stands before the changed part of a
// line that is too long for its pane, at every width: the words that changed and those
// that were found do not lie in order then.
func TestSearchOnALineThatChanged(t *testing.T) {
	page := "- generic [ref=e1]:\n  - checkbox \"Select Melonie Parker, Vice President of Sales, Main office\" [ref=e14]\n"
	ticked := strings.Replace(page, " [ref=e14]", " [checked] [active] [ref=e14]", 1)
	for width := 60; width <= 180; width += 3 {
		e := &fakeEngine{info: session.Info{Mode: session.ModeReplay, Planned: 2}, steps: [][]session.Event{
			fakeStep(1, session.Action{Verb: session.VerbSnapshot}, "http://x/", "t", page),
			fakeStep(2, session.Action{Verb: session.VerbClick, Target: &session.Target{Ref: "e14"}}, "http://x/", "t", ticked),
		}}
		d := newDriver(t, Config{Engine: e, AutoSteps: -1}, width, 36)
		for _, what := range []string{"Select", "checkbox", " ", "/c.*k/", "e14", "Parker"} {
			d.press("/")
			d.typed(what)
			d.press("enter")
			for range 6 {
				d.press("n")
				checkScreen(t, d.m, width, 36)
			}
		}
	}
}

// bigSession is a session of so many snapshots of about 45 KB, each of its own.
func bigSession(n int) *session.Timeline {
	t := &session.Timeline{}
	rest := strings.Repeat("  - listitem \"An entry of the list that is like the others\" [ref=e7]\n", 640)
	for i := range n {
		text := fmt.Sprintf("- main \"Page %d\" [ref=e1]:\n", i) + rest
		id := fmt.Sprint("a", i)
		at := time.Date(2026, 1, 15, 10, 0, i%60, 0, time.UTC)
		t.Append(session.Event{Time: at, Kind: session.KindAction, Action: &session.Action{ID: id, Verb: session.VerbSnapshot, Tool: "snapshot"}})
		t.Append(session.Event{Time: at, Kind: session.KindResult, Result: &session.Result{Action: id, OK: true, Seen: session.SeenInline, Snapshot: &snapshot.Snapshot{
			URL: "http://x/list", Text: text, Hash: fmt.Sprint(i), Document: "d",
		}}})
	}
	return t
}

// BenchmarkSessionSearch looks through 45 MB for a word of its last page.
func BenchmarkSessionSearch(b *testing.B) {
	t := bigSession(1000)
	p, err := view.NewPattern("page 999")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if h := view.FindAll(context.Background(), t, p); h.Total != 1 {
			b.Fatalf("%d matches", h.Total)
		}
	}
}

// BenchmarkStepTable puts 1,000 steps into rows, the first time and again.
func BenchmarkStepTable(b *testing.B) {
	t := bigSession(1000)
	first := view.MakeSteps(view.StepAsk{View: t})
	for b.Loop() {
		if s := view.MakeSteps(view.StepAsk{View: t, Have: first}); len(s.Rows) != 1000 {
			b.Fatal(len(s.Rows))
		}
	}
}

// BenchmarkStepList is a key to a drawn frame in the list of 1,000 steps: a move
// and a sort.
func BenchmarkStepList(b *testing.B) {
	m, err := newModel(context.Background(), Config{Engine: leadsEngine(5), AutoSteps: -1, List: true, Theme: "dark"})
	if err != nil {
		b.Fatal(err)
	}
	m.s.Tl, m.s.Open, m.s.At, m.s.List.Open = bigSession(1000), true, 0, true
	m.s.W, m.s.H = 160, 45
	m.s.TakeSteps(view.MakeSteps(view.StepAsk{View: m.s.Tl}))
	for _, key := range []string{"down", "s"} {
		b.Run(key, func(b *testing.B) {
			for b.Loop() {
				m.Update(keyMsg(key))
				_ = m.View()
			}
		})
	}
}
