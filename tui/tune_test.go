package tui

import (
	"strings"
	"testing"

	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// :tune finds a policy for the open session and shows it in the focused pane.
func TestTuneOnTheScreen(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: 6}, 160, 45)
	d.press(":")
	d.typed("tune stop")
	d.press("enter")
	d.wants("nothing is being tuned")
	d.press("esc", ":")
	d.typed("tune never")
	d.press("enter")
	d.wants("takes a number of seconds")
	d.press("esc", ":")
	d.typed("tune 30")
	d.press("enter")
	p := d.m.s.Panes[d.m.s.Focus].Policy
	if p.Name != tuned || d.m.search != nil {
		t.Fatalf("the pane shows %q", p.Name)
	}
	d.wants("tuned", "saves", "keeps")
	opt := ledger.Options{Renderer: d.m.rd}
	full, err := ledger.Run(t.Context(), d.m.s.Tl.View(), policy.Full(), opt)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ledger.Run(t.Context(), d.m.s.Tl.View(), p, opt)
	if err != nil || r.Survival.Survived != full.Survival.Survived || r.InputTokens >= full.InputTokens || full.Survival.Survived == 0 {
		t.Errorf("%s: %+v, input %d of %d, %v", p.Title, r.Survival, r.InputTokens, full.InputTokens, err)
	}
	d.press(":")
	d.typed("policy " + tuned)
	d.press("enter")
	if strings.Contains(d.screen(), "no policy") {
		t.Error("the policy cannot be chosen again")
	}
}
