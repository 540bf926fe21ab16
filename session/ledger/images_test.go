package ledger_test

import (
	"testing"

	"snapscope/session/ledger"
)

// The figures are the vendors' own examples, or worked out by hand from their
// rules where they give none.
func TestPicturesAreCountedByThePublishedRules(t *testing.T) {
	for _, c := range []struct {
		model      string
		w, h, want int
	}{
		{"claude-sonnet-4-5", 200, 200, 54},
		{"claude-sonnet-4-5-20250929", 1000, 1000, 1334},
		{"us.anthropic.claude-sonnet-4-5-v1:0", 1092, 1092, 1590},
		{"claude-opus-4-6", 8000, 6000, 1600},
		{"claude-opus-4-8", 2000, 1500, 4000},
		{"gpt-4o", 1024, 1024, 765},
		{"gpt-4o-2024-08-06", 2048, 4096, 1105},
		{"openai/gpt-5", 1024, 1024, 630},
		{"gpt-4o-mini", 1024, 1024, 2833 + 4*5667},
		{"gpt-4.1-mini", 1024, 1024, 1659}, // 1,024 patches × 1.62
		{"o4-mini", 1800, 2400, 2498},      // 1,452 patches × 1.72
		{"gemini-2.5-flash", 384, 384, 258},
		{"gemini-2.5-flash", 960, 540, 6 * 258},
		{"gemini-2.0-flash", 4000, 3000, 6 * 4 * 258},
	} {
		r, ok := ledger.ImageRuleOf(c.model)
		if !ok {
			t.Errorf("%s has no rule", c.model)
			continue
		}
		if got := r.Count(c.w, c.h); got != c.want {
			t.Errorf("%s, %s: %d × %d is %d tokens, want %d", c.model, r.Name, c.w, c.h, got, c.want)
		}
	}
	for _, model := range []string{"", "gpt-5.4", "gpt-4.1-turbo", "gemini-3-pro", "llama"} {
		if r, ok := ledger.ImageRuleOf(model); ok {
			t.Errorf("%q is counted as %s", model, r.Name)
		}
	}
}
