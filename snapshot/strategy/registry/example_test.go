package registry_test

import (
	"fmt"
	"strings"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

// A page after a click, under the exact delta: its text, the rule that decided,
// and what a reader of the text alone can find.
func Example() {
	before := "- main [ref=e1]:\n  - status [ref=e2]: 0 selected\n" + strings.Repeat("  - text: a row\n", 20) + "  - button \"Save\" [ref=e3]"
	in := strategy.Input{
		Page:  strategy.Page{Text: strings.Replace(before, "0 selected", "1 selected", 1)},
		Base:  &strategy.Page{Text: before},
		Count: func(s string) int { return len(s) / 4 },
	}
	s, err := registry.Get("delta")
	if err != nil {
		fmt.Println(err)
		return
	}
	v := s.Apply(in, s.Values(nil))
	fmt.Println(v.Text)
	fmt.Println(v.Reason())
	fmt.Println(v.Rules[0].Knob, v.Rules[0].Value, v.Rules[0].Outcome)
	for ref, line := range v.Refs(in.Page.Read()) {
		fmt.Println(ref, "on line", line)
	}
	// Output:
	// [page delta: ~ changed]
	// @e1 main
	// ~ status [ref=e2]: 1 selected
	// saved 84.7 % of tokens (98 → 15) ≥ 5 % → delta
	// min_savings 0.05 delta
	// e2 on line 2
}
