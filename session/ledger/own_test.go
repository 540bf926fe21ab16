package ledger

import (
	"fmt"
	"testing"

	"snapscope/session/policy"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
)

// What is kept of an item says what its verdicts say, line by line: with lines
// left out, shown twice, shown without their ref, and through two stages.
func TestOwnRefsAreWhatTheVerdictsShow(t *testing.T) {
	text := ""
	for i := range 12 {
		text += fmt.Sprintf("- button \"b\" [ref=e%d]\n", i%10+1) // e1 and e2 twice
	}
	page := notation.Read(text+"- text: e99", notation.Aria)
	line := func(source int) strategy.Line { return strategy.Line{Mark: strategy.Same, Source: source} }
	for name, stages := range map[string][]policy.StageView{
		"whole":   {{Verdict: strategy.Verdict{Text: page.String()}}},
		"refless": {{Verdict: strategy.Verdict{Text: page.String(), NoRef: []int{2, 5}}}},
		"left out": {{Verdict: strategy.Verdict{
			Text: "a\nb\nc", Lines: []strategy.Line{line(3), {Mark: strategy.Gap, Source: -1}, line(7)},
		}}},
		"two stages": {
			{Verdict: strategy.Verdict{Text: "a\nb\nc", Lines: []strategy.Line{line(3), line(7), line(3)}}},
			{Verdict: strategy.Verdict{Text: "a\nb\nc", Lines: []strategy.Line{line(2), line(1), line(0)}, NoRef: []int{1}}},
		},
		"a header": {{Offset: 2, Verdict: strategy.Verdict{Text: "a\nb", Lines: []strategy.Line{line(0), line(4)}}}},
	} {
		it := &item{rendered: policy.Rendered{Stages: stages}}
		var o own
		shown := 0
		for range 2 * often {
			for ref := range 13 {
				ref := fmt.Sprint("e", ref)
				want := it.shows(page.Find(ref), true)
				if got := o.shows(0, it, page, ref); got != want {
					t.Errorf("%s: %s %v, want %v", name, ref, got, want)
				}
				if want {
					shown++
				}
			}
		}
		if shown == 0 || o.items[0] == nil {
			t.Errorf("%s: nothing was compared", name)
		}
	}
}
