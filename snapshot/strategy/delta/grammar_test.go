package delta

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Each example of the grammar is a line that the code writes for a change of the
// grammar's page.
func TestGrammarExamplesAreWritten(t *testing.T) {
	r := func(old ...string) string { return strings.NewReplacer(old...).Replace(grammarPage) }
	want := map[string]bool{}
	for _, s := range signs {
		want[s.example] = true
	}
	for _, after := range []string{
		r("0 selected", "1 selected", " [active]", "", "[ref=e5]", "[active] [ref=e5]"),
		r("  - list", "  - group [ref=e9]:\n    - list", "    - item", "      - item", "    - text: and", "      - text: and"),
		r("the end", "an end"),
		r("- item [ref=e5]: Ben", "- item [ref=e9]: Bo"),
		r("e4", "e9", "e5", "e10"),
		r("    - text: and", "    - item [ref=e9]:\n      - link \"Di\" [ref=e10]\n    - text: and"),
		r("\n    - item [ref=e5]: Ben", ""),
		r("\n    - item [ref=e4]: Ada\n    - item [ref=e5]: Ben", ""),
		r("\n    - item [ref=e5]: Ben\n    - text: and", ""),
		r("\n  - paragraph:\n    - text: the end", ""),
		r("    - item [ref=e4]: Ada\n", "", "    - item [ref=e6]: Cy", "    - item [ref=e6]: Cy\n    - item [ref=e4]: Ada"),
		grammarPage + "\nloose words",
	} {
		d := makeDelta(grammarPage, after, Strategy.Values(nil))
		for line := range strings.SplitSeq(d.text, "\n") {
			delete(want, line)
		}
		if got, err := applyDelta(grammarPage, d.text); err != nil || got != after {
			t.Errorf("%v\n%s", err, d.text)
		}
	}
	if len(want) > 0 {
		t.Errorf("no change is written as %q", slices.Sorted(maps.Keys(want)))
	}
}
