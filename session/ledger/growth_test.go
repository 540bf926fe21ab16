package ledger_test

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// Sessions that are made to take long: what a session takes grows with its size and no
// faster. It is measured in bytes allocated, which a busy machine does not change, and
// each session is of a kind of its own: what grew with the square allocated, too, or is
// looked through here for each step.
func TestGrowthIsLinear(t *testing.T) {
	page := func(i int) string {
		var b strings.Builder
		b.WriteString("- main [ref=e1]:")
		for j := range 30 {
			fmt.Fprintf(&b, "\n  - row \"same row\" [ref=r%d]:\n    - button \"Open\" [ref=b%d]", j, j)
		}
		fmt.Fprintf(&b, "\n  - text: \"step %d\"", i%3)
		return b.String()
	}
	for _, c := range []struct {
		name   string
		policy string
		n      int
		put    func(s *script, i, n int)
	}{
		{"user messages", "combined", 2000, func(s *script, i, _ int) { s.user("m") }},
		{"compactions that keep all", "combined", 500, func(s *script, i, n int) {
			s.call("said", nil).user("m " + strconv.Itoa(i))
			s.put(session.Event{Kind: session.KindCompact, Compact: &session.Compaction{Keep: n, Text: "sum"}})
		}},
		{"compactions that keep half", "combined", 500, func(s *script, i, n int) {
			s.user("m " + strconv.Itoa(i))
			s.put(session.Event{Kind: session.KindCompact, Compact: &session.Compaction{Keep: i / 2, Text: "sum"}})
		}},
		{"actions without a page", "combined", 60, func(s *script, i, _ int) {
			if i == 0 {
				s.act(session.VerbClick, "", page(0))
			}
			s.act(session.VerbClick, "b"+strconv.Itoa(i%30), "")
		}},
		{"lost elements", "combined", 100, func(s *script, i, _ int) {
			if i == 0 {
				s.act(session.VerbClick, "", page(0))
			}
			s.act(session.VerbClick, "x"+strconv.Itoa(i), "")
		}},
		{"a page that repeats", "combined", 12, func(s *script, i, _ int) { s.act(session.VerbClick, "b20", page(i)) }},
		{"results that are never cleared", "clear-tool-uses", 250, func(s *script, i, _ int) { s.act(session.VerbClick, "e1", "- button [ref=e1]") }},
		{"actions answered at the end", "combined", 1000, func(s *script, i, n int) {
			s.put(session.Event{Kind: session.KindAction, Action: &session.Action{ID: strconv.Itoa(i), Tool: "click", Verb: session.VerbClick}})
			if i == n-1 {
				for k := range n {
					s.put(session.Event{Kind: session.KindResult, Result: &session.Result{Action: strconv.Itoa(k), OK: true}})
				}
			}
		}},
	} {
		var took [3]float64
		for k := range took {
			n := c.n << k
			s := &script{doc: "d"}
			for i := range n {
				c.put(s, i, n)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := ledger.Run(t.Context(), s.timeline(), named(c.policy), ledger.Options{Renderer: policy.NewRenderer(words), Fixes: true}); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			took[k] = float64(after.TotalAlloc - before.TotalAlloc)
		}
		if exponent := math.Log2(took[2]/took[0]) / 2; exponent > 1.2 {
			t.Errorf("%s: exponent %.2f: %.0f, %.0f and %.0f KB", c.name, exponent, took[0]/1e3, took[1]/1e3, took[2]/1e3)
		}
	}
}
