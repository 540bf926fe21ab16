package pane

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/snapshot/notation"
	"snapscope/tui/draw"
	"snapscope/tui/view"
)

// A changed state at the end of a long line is seen: the name gives way.
func TestElide(t *testing.T) {
	line := `    - checkbox "Select Melonie Parker" [checked] [ref=e12]`
	for _, c := range []struct {
		room, from, to int
		want           string
	}{
		{80, 39, 48, ""},
		{44, 39, 48, `    - checkbox "Select Melo…" [checked] [ref=e12]`},
		{40, 39, 48, `    - checkbox "Select …" [checked] [ref=e12]`},
		{36, 39, 48, `    - checkbox "Select Meloni…" [checked] [ref=e12]`}, // no room for the ref: the change first
		{26, 39, 48, ""}, // too little would be left of the name
		{44, 17, 22, `    - checkbox "Select Melo…" [checked] [ref=e12]`},
		{40, 26, 33, ""}, // what stands out is in what would be cut
	} {
		short, hs, ok := elide(line, view.LineParts(line, notation.Aria, nil), []highlight{{from: c.from, to: c.to}}, c.room)
		if ok != (c.want != "") || short != c.want {
			t.Errorf("room %d: %q, want %q", c.room, short, c.want)
		} else if ok && short[hs[0].from:hs[0].to] != line[c.from:c.to] {
			t.Errorf("room %d: what stands out is %q", c.room, short[hs[0].from:hs[0].to])
		}
	}
}

// Where the focus is gives way to what else changed and to the ref, unless it is all
// that changed.
func TestLeastTelling(t *testing.T) {
	line := `  - textbox "Search" [active] [ref=e4]: tea`
	link := `  - link "More" [ref=e9] [cursor=pointer]: tea`
	for _, c := range []struct {
		line string
		room int
		hs   []highlight
		want string
	}{
		{line, 80, nil, ""},
		{line, 34, nil, "[active]"},
		{line, 34, []highlight{{from: 21, to: 29}}, ""},
		{line, 34, []highlight{{from: 21, to: 29}, {from: 40, to: 43}}, "[active]"},
		{link, 34, []highlight{{from: 42, to: 45}}, "[cursor=pointer]"},
		{link, 34, nil, ""},
	} {
		if got := leastTelling(c.line, view.LineParts(c.line, notation.Aria, nil), c.hs, c.room); got != c.want {
			t.Errorf("%s in %d: %q, want %q", c.line, c.room, got, c.want)
		}
	}
}

// A line without a ref has nothing behind its name that could be kept in sight.
func TestElideWithoutARef(t *testing.T) {
	line := `    - row "Select lead 000 lead 000, Main office 0, open":`
	for room := range 60 {
		for _, hs := range [][]highlight{nil, {{from: 0, to: 4}}, {{from: 6, to: 9}}} {
			if short, _, ok := elide(line, view.LineParts(line, notation.Aria, nil), hs, room); ok {
				t.Errorf("room %d: %q", room, short)
			}
		}
	}
}

// What stands out on a line comes in any order and overlaps: the words that changed,
// then the places that were searched for. However it lies and however narrow the pane
// is, elide leaves each of them whole or leaves the line alone, and the line is drawn.
func TestElideWhateverStandsOut(t *testing.T) {
	alphabet := []rune(`ab "\:[]=#界é` + "\u0301\u202e\t")
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 40, -1).Draw(t, "name")
		states := rapid.SliceOfN(rapid.SampledFrom([]string{" [checked]", " [active]", " [ref=e12]", " [cursor=pointer]", " [level=2]", ":", ": tea", `: "x]y"`, " /re[f=e1]/"}), 0, 5).Draw(t, "states")
		line := strings.Repeat(" ", rapid.IntRange(0, 9).Draw(t, "indent")) + "- checkbox " + strconv.Quote(name) + strings.Join(states, "")
		var hs []highlight
		for range rapid.IntRange(0, 5).Draw(t, "highlights") {
			from := rapid.IntRange(0, len(line)).Draw(t, "from")
			hs = append(hs, highlight{from: from, to: rapid.IntRange(from, len(line)).Draw(t, "to")})
		}
		width := rapid.IntRange(0, 90).Draw(t, "width")
		short, moved, ok := elide(line, view.LineParts(line, notation.Aria, nil), hs, width)
		for i := range moved {
			if got, want := short[moved[i].from:moved[i].to], line[hs[i].from:hs[i].to]; ok && got != want {
				t.Fatalf("%q in %d cells becomes %q: %q stands out as %q", line, width, short, want, got)
			}
		}
		m, x := &onePane{Painter: &Painter{Cv: draw.NewCanvas(90, 2), Th: draw.ThemeOf("dark")}}, 0
		for _, p := range view.LineParts(line, notation.Aria, nil) {
			x = m.drawPart(x, 0, 0, width, line, p, hs, draw.Style{})
		}
	})
}
