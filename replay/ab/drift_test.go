package ab

import (
	"context"
	"math"
	"strings"
	"testing"

	"snapscope/session"
)

func TestADriftIsNamedWithItsCause(t *testing.T) {
	for name, c := range map[string]struct {
		input func(n, ours, parts int) int
		want  string // of the session; "": there is no drift
		call  string // of call 7
	}{
		"none":         {func(_, ours, _ int) int { return ours + 5 }, "", ""},
		"system":       {func(_, ours, _ int) int { return ours + 4000 }, "4,000 tokens of each call are not in the recording", ""},
		"tokenizer":    {func(_, ours, _ int) int { return ours * 13 / 10 }, "tokenizer makes 1.300 tokens", ""},
		"frames":       {func(_, ours, parts int) int { return ours + 20*parts }, "weighs 20.0 tokens", ""},
		"one is apart": {func(n, ours, _ int) int { return ours + 900*b2i(n == 7) }, "", "more than calls of this session weigh otherwise"},
	} {
		tl := story(9, func(n, ours, parts int) *session.Usage { return &session.Usage{Input: c.input(n, ours, parts)} })
		d, ok, err := CheckDrift(context.Background(), tl, options())
		if err != nil || !ok || d.Calls != 9 || len(d.Each) != 9 {
			t.Fatalf("%s: %+v, %v, %v", name, d, ok, err)
		}
		if (c.want == "") != (math.Abs(d.Off) <= drift) && c.call == "" || !strings.Contains(d.Cause, c.want) || c.want == "" && d.Cause != "" && c.call == "" {
			t.Errorf("%s: %s", name, d)
		}
		if got := d.Each[7].Cause; !strings.Contains(got, c.call) || c.call == "" && got != "" {
			t.Errorf("%s, call 7: %q", name, got)
		}
	}
	if _, ok, err := CheckDrift(context.Background(), story(3, func(int, int, int) *session.Usage { return nil }), options()); ok || err != nil {
		t.Errorf("without a count: %v, %v", ok, err)
	}
}
