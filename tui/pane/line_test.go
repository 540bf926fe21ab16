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
