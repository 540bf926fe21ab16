package strategy

import (
	"testing"

	"pgregory.net/rapid"
)

func TestDeltaGivesThePageBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := genAria(t, "before")
		after := mutate(t, before)
		if rapid.IntRange(0, 9).Draw(t, "unrelated") == 0 {
			after = genAria(t, "after")
		}
		v := delta.Values(Values{"min_savings": 0, "ignore_focus": float64(rapid.IntRange(0, 1).Draw(t, "focus")), "ancestors": float64(rapid.IntRange(0, 4).Draw(t, "ancestors"))})
		d := makeDelta(before, after, v)
		got, err := ApplyDelta(before, d.text)
		if err != nil || got != after {
			t.Fatalf("%v\ngot:\n%s\nwant:\n%s\ndelta:\n%s\nbefore:\n%s", err, got, after, d.text, before)
		}
	})
}
