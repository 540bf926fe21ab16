package ledger_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

func options() ledger.Options {
	return ledger.Options{Renderer: policy.NewRenderer(words)}
}

func TestFullCarriesEverything(t *testing.T) {
	tl := new(script).
		user("do the thing"). // 3
		act(session.VerbGoto, "", "- button [ref=e1]").
		act(session.VerbClick, "e1", "- button [ref=e1]\n- link [ref=e2]").
		act(session.VerbClick, "e2", "- text: done").
		timeline()
	r := simulate(tl, policy.Full(), options())
	var got []int
	for _, c := range r.Calls {
		got = append(got, c.InputTokens)
	}
	// goto {} is 2 words, each click {} 2; the snapshots 3, 6 and 3.
	if want := []int{3, 3 + 2 + 3, 3 + 2 + 3 + 2 + 6}; !cmp.Equal(got, want) {
		t.Errorf("the calls carry %v, want %v", got, want)
	}
	if r.AppendedTokens != 12 || r.InputTokens != 27 || r.PeakTokens != 16 || r.Snapshots != 3 || r.Steps != 3 {
		t.Errorf("appended %d, input %d, peak %d, snapshots %d, steps %d", r.AppendedTokens, r.InputTokens, r.PeakTokens, r.Snapshots, r.Steps)
	}
	if r.Survival.Acted != 2 || r.Survival.Survived != 2 {
		t.Errorf("survival %+v", r.Survival)
	}
	if r.CachedTokens != 3+8 || r.WrittenTokens != 27-11 {
		t.Errorf("cached %d, written %d", r.CachedTokens, r.WrittenTokens)
	}
}
