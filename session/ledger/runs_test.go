package ledger_test

import (
	"math"
	"testing"

	"snapscope/session/ledger"
)

// The intervals are those of Wilson's score without a correction, as tables have them.
func TestRunsTellWilsonsInterval(t *testing.T) {
	for _, c := range []struct {
		whole, of int
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {20, 20, 0.8389, 1}, {0, 0, 0, 1},
	} {
		var r ledger.Runs
		for i := range c.of {
			r.Count(max(0, i+1-c.whole), 0)
		}
		if _, low, high := r.Share(); r.Whole != c.whole || r.Sessions != c.of || math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%d of %d: %+v, %.4f to %.4f, want %.4f to %.4f", c.whole, c.of, r, low, high, c.low, c.high)
		}
	}
}

// A session without a lost element is whole; a lost quote is told apart, and a session
// without pages says nothing.
func TestRunsCountSessions(t *testing.T) {
	var full, view, one ledger.Runs
	for _, name := range []string{"words-dropped", "read-not-touched", "moved", "browser-use-without-pages"} {
		s := truth(t, name, "full", "agent-browser", "keep-one")
		full.Add(s.Reports[0])
		view.Add(s.Reports[1])
		one.Add(s.Reports[2])
	}
	if full != (ledger.Runs{Sessions: 3, Whole: 3, Read: 3}) || view != (ledger.Runs{Sessions: 3, Whole: 3, Read: 1}) || one != (ledger.Runs{Sessions: 3, Whole: 3, Read: 2}) {
		t.Errorf("full %+v, agent-browser %+v, keep-one %+v", full, view, one)
	}
}
