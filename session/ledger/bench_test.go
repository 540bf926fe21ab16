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

// longSession ticks one box after another in a table: every step has a snapshot
// of the whole page (rows × about 85 bytes) in which one line changed.
func longSession(steps, rows int) *session.Timeline {
	page := make([]string, rows)
	for i := range page {
		page[i] = fmt.Sprintf("  - row \"Lead %d, Vice President, Example %d\" [ref=e%d]:\n    - checkbox \"Select lead %d\" [ref=e%d]", i, i%7, 2*i+2, i, 2*i+3)
	}
	s := new(script).user("tick them all").act(session.VerbGoto, "", "- table [ref=e1]:\n"+strings.Join(page, "\n"))
	for n := 1; n < steps; n++ {
		i := n % rows
		page[i] = strings.Replace(page[i], " [ref=e"+fmt.Sprint(2*i+3), " [checked] [ref=e"+fmt.Sprint(2*i+3), 1)
		s.act(session.VerbCheck, fmt.Sprintf("e%d", 2*i+3), "- table [ref=e1]:\n"+strings.Join(page, "\n"))
	}
	return s.timeline()
}

// BenchmarkKnobTurned is what a person waits for after turning a knob: all
// figures of a session whose snapshots were seen before, under a value that was
// not. The goals are 50 ms for 100 steps and 500 ms for 1,000.
func BenchmarkKnobTurned(b *testing.B) {
	count, err := token.New("")
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []struct{ steps, rows int }{{100, 250}, {1000, 250}, {100, 2000}} {
		tl := longSession(size.steps, size.rows)
		kb := len(tl.Snaps[0].Snap.Text) / 1024
		for _, knob := range []struct{ policy, set string }{
			{"openclaw", "tool_calls=%d"}, {"passmark", "context=%d"}, {"compress", "keep_n=%d"},
		} {
			b.Run(fmt.Sprintf("%s/%d_steps_%d_KB", knob.policy, size.steps, kb), func(b *testing.B) {
				o := ledger.Options{Renderer: policy.NewRenderer(count.Count), Prices: ledger.DefaultPrices(), Model: "claude-sonnet-4-5"}
				p := named(knob.policy)
				simulate(tl, policy.Full(), o)
				simulate(tl, p, o)
				n := 0
				for b.Loop() {
					n++
					q := p.Clone()
					if err := q.Set(fmt.Sprintf(knob.set, 1+n%18)); err != nil {
						b.Fatal(err)
					}
					o.Renderer.Forget(q)
					simulate(tl, q, o)
				}
			})
		}
	}
}

// BenchmarkNothingChanged is the same question asked again: a redraw, or one
// more step of a live session.
func BenchmarkNothingChanged(b *testing.B) {
	tl := longSession(1000, 250)
	o := ledger.Options{Renderer: policy.NewRenderer(words)}
	p := named("passmark")
	simulate(tl, p, o)
	for b.Loop() {
		simulate(tl, p, o)
	}
}

// BenchmarkFixes finds the knob for a lost button.
func BenchmarkFixes(b *testing.B) {
	tl := recorded(b, "hidden-button.jsonl")
	for b.Loop() {
		o := options()
		o.Fixes = true
		if l := simulate(tl, named("compress"), o).Survival.Lost; len(l) != 1 || l[0].Keep == nil {
			b.Fatalf("lost %+v", l)
		}
	}
}
