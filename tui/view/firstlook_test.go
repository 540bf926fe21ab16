package view

import (
	"testing"

	"snapscope/session"
	"snapscope/snapshot/notation"
)

// The eye goes to what the step did, not to where the focus went.
func TestFirstLook(t *testing.T) {
	const before = "- generic [active] [ref=e1]:\n  - button \"Save\" [ref=e2]\n  - status [ref=e3]: idle\n  - checkbox \"All\" [ref=e4]\n  - checkbox \"All\" [ref=e5]"
	ref := func(r string) *session.Target { return &session.Target{Ref: r} }
	for _, c := range []struct {
		name   string
		now    string
		has    bool
		target *session.Target
		want   int32
	}{
		{"the element acted on, changed", "- generic [ref=e1]:\n  - button \"Save\" [ref=e2]\n  - status [ref=e3]: done\n  - checkbox \"All\" [checked] [active] [ref=e4]\n  - checkbox \"All\" [ref=e5]", true, ref("e4"), 3},
		{"named by role, the second", "- generic [ref=e1]:\n  - button \"Save\" [ref=e2]\n  - status [ref=e3]: done\n  - checkbox \"All\" [ref=e4]\n  - checkbox \"All\" [checked] [ref=e5]", true, &session.Target{Role: "checkbox", Name: "All", Nth: 2}, 4},
		{"it only got the focus: what changed else", "- generic [ref=e1]:\n  - button \"Save\" [active] [ref=e2]\n  - status [ref=e3]: done\n  - checkbox \"All\" [ref=e4]\n  - checkbox \"All\" [ref=e5]", true, ref("e2"), 2},
		{"nothing but the focus moved", "- generic [ref=e1]:\n  - button \"Save\" [active] [ref=e2]\n  - status [ref=e3]: idle\n  - checkbox \"All\" [ref=e4]\n  - checkbox \"All\" [ref=e5]", true, ref("e2"), 1},
		{"no target, only the focus moved", "- generic [ref=e1]:\n  - button \"Save\" [active] [ref=e2]\n  - status [ref=e3]: idle\n  - checkbox \"All\" [ref=e4]\n  - checkbox \"All\" [ref=e5]", true, nil, 0},
		{"a line went away", "- generic [active] [ref=e1]:\n  - button \"Save\" [ref=e2]\n  - checkbox \"All\" [ref=e4]\n  - checkbox \"All\" [ref=e5]", true, nil, 2},
		{"the same page", before, true, nil, -1},
		{"the same page, an element acted on", before, true, ref("e3"), 2},
		{"another document", "- generic [ref=e1]", false, ref("e1"), -1},
	} {
		if got := firstLook(buildPage(before, c.now, notation.Aria, c.has), c.target); got != c.want {
			t.Errorf("%s: line %d, want %d", c.name, got, c.want)
		}
	}
}
