package pane

import (
	"testing"

	"snapscope/snapshot/notation"
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
