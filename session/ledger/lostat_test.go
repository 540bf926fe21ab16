package ledger_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// differs says where LostAt answers another thing than the whole report; asked counts
// the losses that were compared.
func differs(t *session.Timeline) (diff string, asked int, err error) {
	rep, err := ledger.AsSent(context.Background(), t, ledger.Options{Renderer: policy.NewRenderer(words)})
	if err != nil {
		return "", 0, err
	}
	r := policy.NewRenderer(words)
	for _, s := range t.Steps {
		var want []ledger.Lost
		for _, l := range rep.Survival.Lost {
			if l.Step == s.N {
				want = append(want, l)
			}
		}
		got, err := ledger.LostAt(context.Background(), t, s.N, r)
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(ledger.Lost{}, "Uses", "Price", "Cost"), cmpopts.IgnoreUnexported(ledger.Lost{})); err != nil || d != "" {
			return fmt.Sprintf("step %d: %s", s.N, d), asked, err
		}
		asked += len(want)
	}
	return "", asked, nil
}

// What a breakpoint asks of one step is what the report of the whole session says.
func TestTheLossesOfOneStepAreThoseOfTheReport(t *testing.T) {
	asked := 0
	check := func(t rapid.TB, tl *session.Timeline) {
		d, n, err := differs(tl)
		if err != nil || d != "" {
			t.Fatal(d, err)
		}
		asked += n
	}
	rapid.Check(t, func(rt *rapid.T) { check(rt, drawn(rt)) })
	if asked < 20 {
		t.Errorf("%d losses: nothing is tested", asked)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "transcripts", "truth", "*.json"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if im, err := transcript.Read(t.Context(), f, transcript.Options{Count: words}); err == nil {
			check(t, session.NewTimeline(im.Events))
		}
	}
}

// asked is what LostAt says of an action that would be chosen now: it is counted as if
// it had happened.
func asked(t *session.Timeline, a *session.Action, r *policy.Renderer) ([]ledger.Lost, error) {
	v := t.View()
	v.Append(session.Event{Kind: session.KindAction, Action: a})
	v.Append(session.Event{Kind: session.KindResult, Result: &session.Result{Action: a.ID, OK: true}})
	return ledger.LostAt(context.Background(), v, len(v.Steps), r)
}

// What is asked of a session while it grows is what is said of it as it then stands:
// before an action and after a step, whatever was asked before and however seldom.
func TestTheLossesOfAGrowingSessionAreThoseOfOneThatStands(t *testing.T) {
	next, at := 0, 0
	check := func(t rapid.TB, events []session.Event, often func() bool) {
		whole := session.NewTimeline(events)
		var acts []*session.Action
		for i := range whole.Steps {
			if a := *whole.Steps[i].Action; a.Target != nil {
				a.ID, a.Person = "next", false
				acts = append(acts, &a)
			}
		}
		acts = append(acts, &session.Action{ID: "next", Verb: session.VerbClick, Target: &session.Target{Ref: "e777777"}})
		grows, r := session.NewTimeline(nil), policy.NewRenderer(words)
		l := ledger.NewLosses(grows, r)
		same := func(what string, got, want []ledger.Lost, err, err2 error) {
			if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(ledger.Lost{}, "Uses", "Price", "Cost"), cmpopts.IgnoreUnexported(ledger.Lost{})); d != "" || err != nil || err2 != nil {
				t.Fatalf("after %d of %d events, %s: %v %v %s", len(grows.Events), len(events), what, err, err2, d)
			}
		}
		for i, e := range events {
			grows.Append(e)
			if e.Result != nil && len(grows.Steps) > 0 && often() {
				n := len(grows.Steps)
				got, err := l.At(n)
				want, err2 := ledger.LostAt(context.Background(), grows, n, r)
				same(fmt.Sprintf("step %d", n), got, want, err, err2)
				at += len(want)
			}
			if often() {
				a := acts[i%len(acts)]
				got, err := l.Next(a)
				want, err2 := asked(grows, a, r)
				same("before "+a.Label(), got, want, err, err2)
				next += len(want)
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		check(rt, drawn(rt).Events, func() bool { return rapid.Bool().Draw(rt, "asked") })
	})
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "transcripts", "truth", "*.json"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if im, err := transcript.Read(t.Context(), f, transcript.Options{Count: words}); err == nil {
			n := 0
			check(t, im.Events, func() bool { n++; return n%3 == 0 })
		}
	}
	if next < 20 || at < 20 {
		t.Errorf("%d and %d losses: nothing is tested", next, at)
	}
}
