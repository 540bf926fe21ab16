package draw

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/tui/safetext"
)

// TestLettersAtOnce: a text is drawn as if piece after piece were put, whatever stands
// there before, and every row keeps its width.
func TestLettersAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const w = 12
		once, pieces := NewCanvas(w, 1), NewCanvas(w, 1)
		for _, c := range []*Canvas{once, pieces} {
			c.PutFrom(0, 0, 0, w, "界界界界界界", Style{})
		}
		for range rapid.IntRange(1, 6).Draw(t, "puts") {
			text := rapid.StringOfN(rapid.RuneFrom([]rune("abcd 界字é\u0301\u202e\x1b\U0001F600")), 0, 14, -1).Draw(t, "text")
			x, left := rapid.IntRange(-4, w/2).Draw(t, "x"), rapid.IntRange(0, 4).Draw(t, "left")
			look := Style{Attr: attr(rapid.IntRange(0, 3).Draw(t, "look"))}
			right := rapid.IntRange(w/2, w+2).Draw(t, "right")
			once.PutFrom(x, 0, left, right, text, look)
			for at := x; text != "" && at < min(right, w); {
				n := safetext.Next(text).Size
				at = pieces.PutFrom(at, 0, left, right, text[:n], look)
				text = text[n:]
			}
		}
		if d := cmp.Diff(pieces.String(), once.String()); d != "" {
			t.Fatal(d)
		}
		if got := safetext.Width(once.PlainLine(0)); got != w {
			t.Fatalf("a row of %d cells, want %d", got, w)
		}
	})
}

// TestStylesShareSlots: more styles than the canvas keeps are each written as they are.
func TestStylesShareSlots(t *testing.T) {
	c := NewCanvas(1, 1)
	for i := range 4 * len(c.sgr) {
		s := Style{Fg: hex(uint32(i * 7)), Bg: hex(uint32(i * 13)), Attr: attr(i & 7)}
		c.Put(0, 0, 1, "x", s)
		first := c.String()
		if d := cmp.Diff(NewCanvas(1, 1).with(s), first); d != "" {
			t.Fatal(d)
		}
	}
}

// with is one cell drawn by a canvas that remembers nothing.
func (c *Canvas) with(s Style) string {
	c.Put(0, 0, 1, "x", s)
	return c.String()
}
