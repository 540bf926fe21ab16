package ledger_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// recorded reads a recording of testdata/ledger, all of whose snapshots stand
// inline.
func recorded(t testing.TB, name string) *session.Timeline {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "ledger", name))
	if err != nil {
		t.Fatal(err)
	}
	var events []session.Event
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var e session.Event
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Seq > 0 { // the header has none
			events = append(events, e)
		}
	}
	return session.NewTimeline(events)
}

func handPrices(t testing.TB) *ledger.Prices {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "ledger", "prices.toml"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ledger.ParsePrices("prices.toml", data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func deltaAndExpiry() policy.Policy {
	return policy.Policy{Name: "both", Stages: []policy.Stage{policy.MustStage("passmark", nil), policy.MustStage("openclaw", nil)}}
}

type figures struct {
	Inputs                          []int
	Appended, Input, Cached         int
	Written, Plain, Acted, Survived int
	Cost                            float64
}

func figuresOf(r *ledger.Report) figures {
	f := figures{
		Appended: r.AppendedTokens, Input: r.InputTokens, Cached: r.CachedTokens, Written: r.WrittenTokens,
		Plain: r.PlainTokens, Acted: r.Survival.Acted, Survived: r.Survival.Survived,
	}
	for _, c := range r.Calls {
		f.Inputs = append(f.Inputs, c.InputTokens)
	}
	if r.Cost != nil {
		f.Cost = math.Round(*r.Cost*1e9) / 1e9
	}
	return f
}

// The arithmetic of every row is written out in testdata/ledger/five-calls.md.
func TestFiveCallsByHand(t *testing.T) {
	tl := recorded(t, "five-calls.jsonl")
	full := []int{23, 105, 108, 191, 194}
	expired := []int{23, 105, 108, 117, 120}
	delta := []int{23, 107, 110, 149, 152}
	both := []int{23, 107, 110, 73, 76}
	for _, c := range []struct {
		name   string
		policy policy.Policy
		model  string
		want   figures
	}{
		{"full", policy.Full(), "", figures{full, 164, 621, 427, 194, 0, 4, 4, 0}},
		{"full", policy.Full(), "writer", figures{full, 164, 621, 404, 194, 23, 4, 4, 0.003059}},
		{"full", policy.Full(), "blocker", figures{full, 164, 621, 350, 150, 121, 4, 4, 0.00446}},
		{"full", policy.Full(), "near", figures{full, 164, 621, 427, 194, 0, 4, 4, 0.002852}},
		{"full", policy.Full(), "open-alias", figures{full, 164, 621, 427, 194, 0, 4, 4, 0.002852}},
		{"openclaw", named("openclaw"), "", figures{expired, 164, 473, 270, 203, 0, 4, 4, 0}},
		{"openclaw", named("openclaw"), "writer", figures{expired, 164, 473, 222, 228, 23, 4, 4, 0.003302}},
		{"openclaw", named("openclaw"), "near", figures{expired, 164, 473, 265, 208, 0, 4, 4, 0.002865}},
		{"openclaw", named("openclaw"), "open", figures{expired, 164, 473, 270, 203, 0, 4, 4, 0.0028075}},
		{"passmark", named("passmark"), "", figures{delta, 122, 541, 389, 152, 0, 4, 4, 0}},
		{"both", deltaAndExpiry(), "", figures{both, 122, 389, 0 + 23 + 107 + 25 + 73, 161, 0, 4, 2, 0}},
	} {
		t.Run(c.name+" "+c.model, func(t *testing.T) {
			o := options()
			o.Prices, o.Model = handPrices(t), c.model
			if diff := cmp.Diff(c.want, figuresOf(simulate(tl, c.policy, o))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExpiryWinsAndLoses(t *testing.T) {
	tl := recorded(t, "five-calls.jsonl")
	for _, c := range []struct {
		model     string
		rewritten int
		even, net float64
		paid      bool
	}{
		{"open", 9, 10.35 / 7.4, 4.45, true},
		{"writer", 34, 39.1 / 7.4, -24.3, false},
	} {
		o := options()
		o.Prices, o.Model = handPrices(t), c.model
		rs, err := ledger.All(context.Background(), tl, []policy.Policy{policy.Full(), named("openclaw")}, o)
		if err != nil {
			t.Fatal(err)
		}
		r := rs[1]
		if len(r.Expiries) != 1 {
			t.Fatalf("%s: expiries %+v", c.model, r.Expiries)
		}
		e := r.Expiries[0]
		if e.Call != 4 || e.Step != 3 || e.At != 25 || e.Saved != 74 || e.Rewritten != c.rewritten || e.CallsLeft != 2 || e.Paid != c.paid {
			t.Errorf("%s: %+v", c.model, e)
		}
		if math.Abs(e.BreakEven-c.even) > 1e-9 || math.Abs(e.Net()-c.net) > 1e-9 {
			t.Errorf("%s: break-even %v, net %v, want %v, %v", c.model, e.BreakEven, e.Net(), c.even, c.net)
		}
		// With one expiry, what it won is just the difference of the two policies.
		if won := (*rs[0].Cost - *r.Cost) / *e.USD; math.Abs(won-c.net) > 1e-6 {
			t.Errorf("%s: full costs %v plain tokens more, the expiry says %v", c.model, won, c.net)
		}
		if want := 1 - 473.0/621; math.Abs(r.SavedRatio-want) > 1e-12 {
			t.Errorf("%s: saved %v, want %v", c.model, r.SavedRatio, want)
		}
	}
}

func TestDeltaWithoutItsBaseIsLost(t *testing.T) {
	o := options()
	o.Fixes = true
	r := simulate(recorded(t, "five-calls.jsonl"), deltaAndExpiry(), o)
	var got []string
	for _, l := range r.Survival.Lost {
		got = append(got, l.Ref, l.Strategy, l.Why)
		if l.Keep == nil {
			t.Fatalf("no fix for %s", l.Ref)
		}
		got = append(got, l.Keep.Assignment())
		if s := simulate(recorded(t, "five-calls.jsonl"), l.Keep.Apply(deltaAndExpiry()), o).Survival; lostStep(s, l.Step) {
			t.Errorf("%s is lost with its fix", l.Ref)
		}
	}
	why := "openclaw cleared the snapshot of step 1, on which the delta of step 3 builds, before call 4: a newer snapshot came at step 3 → expired; "
	want := []string{
		"e9", "openclaw", why + "passmark.context 4 would keep it, but still loses e12 at step 5; 7 keeps both", "passmark.context=4",
		"e12", "openclaw", why + "passmark.context 7 would keep it", "passmark.context=7",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func lostStep(s ledger.Survival, step int) bool {
	for _, l := range s.Lost {
		if l.Step == step {
			return true
		}
	}
	return false
}

func TestPartsSumToTheirCall(t *testing.T) {
	tl := recorded(t, "five-calls.jsonl")
	r := simulate(tl, deltaAndExpiry(), options())
	got := r.Parts(4)
	want := []ledger.Part{
		{Kind: ledger.PartDefinitions, Tokens: 12, Cached: true},
		{Kind: ledger.PartSystem, Tokens: 8, Cached: true},
		{Kind: ledger.PartUser, Seq: 2, Tokens: 3, Cached: true},
		{Kind: ledger.PartToolCall, Seq: 4, Step: 1, Tokens: 2, Cached: true},
		{Kind: ledger.PartSnapshot, Seq: 5, Step: 1, Tokens: 6, State: ledger.Expired},
		{Kind: ledger.PartToolCall, Seq: 7, Step: 2, Tokens: 2},
		{Kind: ledger.PartResult, Seq: 8, Step: 2, Tokens: 1},
		{Kind: ledger.PartToolCall, Seq: 10, Step: 3, Tokens: 2},
		{Kind: ledger.PartSnapshot, Seq: 11, Step: 3, Tokens: 37, State: ledger.Delta, Base: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if b := r.Calls[3].By; b != (ledger.Breakdown{Fixed: 20, Messages: 9, User: 3, Results: 1, Snapshots: 37, Expired: 6, Cleared: 82, Own: 73}) {
		t.Errorf("by kind: %+v", b)
	}
}
