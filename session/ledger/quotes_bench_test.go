package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// What quotes cost: one session of 60 pages of 800 lines whose model quotes each page, and
// the same whose model says nothing of them, through a whole report and a turned knob.
func BenchmarkQuotes(b *testing.B) {
	count, err := token.New("")
	if err != nil {
		b.Fatal(err)
	}
	made := func(quotes bool) *session.Timeline {
		s := new(script).says("")
		for i := range 60 {
			var page strings.Builder
			page.WriteString("- main [ref=e1]:")
			for k := range 400 {
				fmt.Fprintf(&page, "\n  - row \"Order %d\" [ref=e%d]:\n    - cell \"total %d,%03d\" [ref=e%d]", i%7*1000+k, 2*k+2, k+10, i, 2*k+3)
			}
			s.act(session.VerbClick, "", page.String())
			text := "I see the page and what is on it, more or less, and so I go on now"
			if quotes {
				text = fmt.Sprintf("I see %d,%03d and %d,%03d and \"Order %d\" of somebody else", i%30+10, i, i%90+11, i, i%7*1000+5)
			}
			s.says(text)
		}
		return s.timeline()
	}
	for name, quotes := range map[string]bool{"without": false, "with": true} {
		tl := made(quotes)
		b.Run("report/"+name, func(b *testing.B) {
			for b.Loop() {
				o := ledger.Options{Renderer: policy.NewRenderer(count.Count), Prices: ledger.DefaultPrices()}
				if _, err := ledger.Study(b.Context(), tl, []policy.Policy{policy.Full(), named("combined")}, nil, o); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("knob/"+name, func(b *testing.B) {
			o, p := ledger.Options{Renderer: policy.NewRenderer(count.Count)}, named("compress")
			simulate(tl, p, o)
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				o.Renderer.Forget(p)
				b.StartTimer()
				simulate(tl, p, o)
			}
		})
	}
}
