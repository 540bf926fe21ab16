package ledger_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

const onePage = "- button \"Go\" [ref=e1]"

// The first example timeline of the expiry document: the snapshot of turn 2 is
// counted 1, 2, 3 by a click, a read and a fill, and the fill expires it.
func TestExpiryDocumentsFirstTimeline(t *testing.T) {
	tl := new(script).
		user("check the page").
		act(session.VerbSnapshot, "", onePage).
		act(session.VerbClick, "e1", "").
		act(session.VerbEvaluate, "", "").
		act(session.VerbFill, "e1", "").
		timeline()
	p := named("openclaw")
	for step, want := range map[int]ledger.CounterState{
		1: {Step: 1, Calls: 0, Limit: 3},
		2: {Step: 1, Calls: 1, Limit: 3},
		3: {Step: 1, Calls: 2, Limit: 3},
		4: {Step: 1, Calls: 3, Limit: 3, Expired: true, ExpiredAt: 4, Reason: "3 results or messages ≥ tool_calls 3 → expired"},
	} {
		if diff := cmp.Diff([]ledger.CounterState{want}, ledger.Counters(tl, p, step, ledger.Options{})); diff != "" {
			t.Errorf("after step %d: %s", step, diff)
		}
	}
}

// The second: snapshot B expires snapshot A at once.
func TestExpiryDocumentsSecondTimeline(t *testing.T) {
	tl := new(script).
		user("check the page").
		act(session.VerbSnapshot, "", onePage).
		act(session.VerbClick, "e1", "").
		act(session.VerbSnapshot, "", onePage+"\n- link [ref=e2]").
		act(session.VerbClick, "e2", "").
		timeline()
	p := named("openclaw")
	want := []ledger.CounterState{
		{Step: 1, Calls: 2, Limit: 3, Expired: true, ExpiredAt: 3, Reason: "a newer snapshot came at step 3 → expired"},
		{Step: 3, Calls: 0, Limit: 3},
	}
	if diff := cmp.Diff(want, ledger.Counters(tl, p, 3, ledger.Options{})); diff != "" {
		t.Error(diff)
	}
	want[1].Calls = 1
	if diff := cmp.Diff(want, ledger.Counters(tl, p, 4, ledger.Options{})); diff != "" {
		t.Error(diff)
	}
}

func TestUserMessagesCountAndParallelResultsOneEach(t *testing.T) {
	s := new(script).act(session.VerbSnapshot, "", onePage).act(session.VerbClick, "e1", "").user("now the other one")
	for _, id := range []string{"x", "y"} { // chosen together
		s.put(session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Tool: "click"}})
	}
	for _, id := range []string{"x", "y"} {
		s.put(session.Event{Kind: session.KindResult, Result: &session.Result{Action: id, Error: "failed"}})
	}
	tl := s.timeline()
	want := []ledger.CounterState{{Step: 1, Calls: 4, Limit: 3, Expired: true, ExpiredAt: 4}}
	got := ledger.Counters(tl, named("openclaw"), 0, ledger.Options{})
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(ledger.CounterState{}, "Reason")); diff != "" {
		t.Error(diff)
	}
	if calls := simulate(tl, named("openclaw"), options()).Calls; len(calls) != 3 {
		t.Errorf("two actions that ran together make %d calls with those before, want 3", len(calls))
	}
}

// The published code's fault: what expired is blank for one request and then in
// full again.
func TestExpiryThatDoesNotStick(t *testing.T) {
	tl := new(script).
		act(session.VerbSnapshot, "", onePage).
		act(session.VerbSnapshot, "", onePage).
		act(session.VerbClick, "e1", "").
		act(session.VerbClick, "e1", "").
		timeline()
	p := named("openclaw")
	if err := p.Set("sticky=false"); err != nil {
		t.Fatal(err)
	}
	r := simulate(tl, p, options())
	var live, expired []int
	for _, c := range r.Calls {
		live, expired = append(live, c.LiveSnapshots), append(expired, c.ExpiredSnapshots)
	}
	if !cmp.Equal(live, []int{0, 1, 1, 2}) || !cmp.Equal(expired, []int{0, 0, 1, 0}) {
		t.Errorf("live %v, expired %v", live, expired)
	}
	if e := r.Expiries; len(e) != 1 || e[0].CallsLeft != 1 {
		t.Errorf("an expiry that was undone after one call: %+v", e)
	}
}

func TestCountersOfAPolicyWithoutRetention(t *testing.T) {
	tl := new(script).act(session.VerbSnapshot, "", onePage).timeline()
	if got := ledger.Counters(tl, policy.Full(), 1, ledger.Options{}); got != nil {
		t.Errorf("full counts %v", got)
	}
	if got := ledger.Counters(session.NewTimeline(nil), named("openclaw"), 1, ledger.Options{}); len(got) != 0 {
		t.Errorf("an empty session counts %v", got)
	}
}

func TestAnthropicClearTakesResultsToo(t *testing.T) {
	s := new(script).user("go")
	for range 6 {
		s.act(session.VerbSnapshot, "", onePage)
	}
	p := policy.Policy{Name: "clear", Stages: []policy.Stage{policy.MustStage("clear-tool-uses", nil)}}
	for _, set := range []string{"trigger=1000", "keep=1"} {
		if err := p.Set(set); err != nil {
			t.Fatal(err)
		}
	}
	o := options()
	o.System = 995 // the third call carries 995 + 1 + 2 × (2 + 4) = 1008 tokens
	r := simulate(s.timeline(), p, o)
	var expired []int
	for _, c := range r.Calls {
		expired = append(expired, c.ExpiredSnapshots)
	}
	if want := []int{0, 0, 1, 2, 3, 4}; !cmp.Equal(expired, want) {
		t.Errorf("cleared at each call: %v, want %v", expired, want)
	}
}
