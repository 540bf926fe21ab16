package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"snapscope/session"
)

// shop is a list of n items, each with a button: ref e<2i> the item, e<2i+1>
// its button.
func shop(n int) string {
	var b strings.Builder
	b.WriteString("- list [ref=e1]:")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "\n  - listitem [ref=e%d]:\n    - button \"Buy\" [ref=e%d]", 2*i, 2*i+1)
	}
	return b.String()
}

func TestCompressHidesAButtonAndTheFixKeepsIt(t *testing.T) {
	tl := new(script).
		user("buy number 57").
		act(session.VerbGoto, "", shop(150)).
		act(session.VerbClick, "e115", "- text: bought").
		timeline()
	o := options()
	o.Fixes = true
	p := named("compress")
	r := simulate(tl, p, o)
	if len(r.Survival.Lost) != 1 {
		t.Fatalf("lost %+v, want the click on e115 alone", r.Survival.Lost)
	}
	l := r.Survival.Lost[0]
	if l.Step != 2 || l.Ref != "e115" || l.From != 1 || l.Strategy != "compress" || l.Knob != "keep_n" || l.Value != "10" {
		t.Errorf("lost %+v", l)
	}
	if l.Keep == nil || l.Keep.Assignment() != "compress.keep_n=57" {
		t.Fatalf("the fix is %+v, want compress.keep_n=57", l.Keep)
	}
	if !strings.Contains(l.Line, `button "Buy" [ref=e115]`) {
		t.Errorf("the hidden line is %q", l.Line)
	}
	if got := simulate(tl, l.Keep.Apply(p), o).Survival; got.Ratio() != 1 {
		t.Errorf("with the fix survival is %+v", got)
	}
	if err := p.Set("compress.keep_n=56"); err != nil {
		t.Fatal(err)
	}
	if got := simulate(tl, p, o).Survival; got.Survived != 0 {
		t.Errorf("one less keeps it too: %+v", got)
	}
}
