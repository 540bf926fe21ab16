package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
	"snapscope/session/ledger"
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
	if len(l.Keep.Still) > 0 || l.Keep.All != nil || l.Keep.Loses()+l.Keep.Better() != "" {
		t.Errorf("nothing else is lost, the fix says %+v", l.Keep)
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

// A fix says what it does to the whole session, and which value of the same knob loses
// nothing; what it says is what a simulation with it finds.
func TestAFixTellsOfTheWholeSession(t *testing.T) {
	for name, c := range map[string]struct {
		clicks []string
		whole  string
		still  []ledger.Act
		all    string
	}{
		"two":      {[]string{"e115", "e215"}, "still loses e215 at step 3; 107 keeps both", []ledger.Act{{Step: 3, Ref: "e215"}}, "compress.keep_n=107"},
		"three":    {[]string{"e115", "e215", "e275"}, "still loses e215 at step 3 and 1 more; 137 keeps all", []ledger.Act{{Step: 3, Ref: "e215"}, {Step: 4, Ref: "e275"}}, "compress.keep_n=137"},
		"the last": {[]string{"e215", "e115"}, "", nil, ""},
	} {
		s := new(script).act(session.VerbGoto, "", shop(150))
		for _, ref := range c.clicks {
			s.act(session.VerbClick, ref, "")
		}
		o, p := options(), named("compress")
		o.Fixes = true
		l := simulate(s.timeline(), p, o).Survival.Lost[0]
		if l.Keep == nil || strings.Trim(l.Keep.Loses()+"; "+l.Keep.Better(), "; ") != c.whole || !cmp.Equal(l.Keep.Still, c.still) {
			t.Fatalf("%s: the fix is %+v", name, l.Keep)
		}
		if got := simulate(s.timeline(), l.Keep.Apply(p), o).Survival.Lost; len(got) != len(c.still) {
			t.Errorf("%s: with the fix %+v is lost", name, got)
		}
		if c.all == "" {
			if l.Keep.All != nil {
				t.Errorf("%s: all is %+v", name, l.Keep.All)
			}
			continue
		}
		if l.Keep.All == nil || l.Keep.All.Assignment() != c.all || !strings.Contains(l.Why, c.whole) {
			t.Fatalf("%s: all is %+v, why %s", name, l.Keep.All, l.Why)
		}
		if got := simulate(s.timeline(), l.Keep.All.Apply(p), o).Survival; len(got.Lost) > 0 {
			t.Errorf("%s: with %s %+v is lost", name, c.all, got.Lost)
		}
	}
}
