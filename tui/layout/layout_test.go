package layout

import (
	"testing"

	"pgregory.net/rapid"
)

func TestArrangeModes(t *testing.T) {
	for _, c := range []struct {
		w, h  int
		want  Wanted
		mode  layoutMode
		panes int
		tabs  bool
	}{
		{79, 24, Wanted{Panes: 3}, LayoutTooSmall, 0, false},
		{80, 23, Wanted{Panes: 3}, LayoutTooSmall, 0, false},
		{80, 24, Wanted{Panes: 3}, layoutMedium, 1, true},
		{80, 24, Wanted{Panes: 1}, layoutMedium, 1, false},
		{100, 30, Wanted{Panes: 3}, layoutMedium, 2, true},
		{120, 36, Wanted{Panes: 3}, layoutWide, 3, false},
		{160, 45, Wanted{Panes: 4}, layoutWide, 4, false},
		{160, 45, Wanted{Panes: 3, Side: true}, layoutWide, 3, false},
		{140, 45, Wanted{Panes: 3, Side: true}, layoutWide, 3, false},
		{120, 36, Wanted{Panes: 3, Side: true}, layoutWide, 3, false},
		{120, 36, Wanted{Panes: 2, Side: true}, layoutWide, 2, false},
		{120, 30, Wanted{Panes: 3, Side: true}, layoutMedium, 2, true},
		{120, 36, Wanted{Panes: 3, Side: true, Wide: true}, layoutMedium, 1, true},
		{200, 60, Wanted{Panes: 4}, layoutWide, 4, false},
		{90, 60, Wanted{Panes: 3}, layoutPortrait, 3, false},
		{90, 60, Wanted{Panes: 9}, layoutPortrait, 5, true},
		{160, 45, Wanted{Panes: 3, Zoom: true}, layoutZoomed, 1, false},
	} {
		p := Arrange(c.w, c.h, c.want)
		if p.Mode != c.mode || len(p.Panes) != c.panes || (p.Tabs.H > 0) != c.tabs {
			t.Errorf("%d×%d %+v: mode %d, %d panes, tabs %v; want %d, %d, %v", c.w, c.h, c.want, p.Mode, len(p.Panes), p.Tabs.H > 0, c.mode, c.panes, c.tabs)
		}
	}
}

// TestSideHidesNoPane holds that a column of words leaves as many panes as there
// are without it, on every screen that is high enough to have it below them.
func TestSideHidesNoPane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(MinWidth, 300).Draw(t, "w"), rapid.IntRange(36, 45).Draw(t, "h")
		want := Wanted{Panes: rapid.IntRange(1, 9).Draw(t, "n")}
		alone := len(Arrange(w, h, want).Panes)
		want.Side = true
		if beside := len(Arrange(w, h, want).Panes); beside < alone {
			t.Fatalf("%d×%d: %d panes of %d beside the side", w, h, beside, alone)
		}
	})
}

// TestArrangeTiles is the law of the layout: all rectangles lie on the screen,
// none overlaps another, together they fill it, and the focused pane is there.
func TestArrangeTiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(MinWidth, 300).Draw(t, "w"), rapid.IntRange(MinHeight, 120).Draw(t, "h")
		want := Wanted{Panes: rapid.IntRange(1, 9).Draw(t, "n"), Zoom: rapid.Bool().Draw(t, "zoom"), Side: rapid.Bool().Draw(t, "side"), Wide: rapid.Bool().Draw(t, "wide"), List: rapid.Bool().Draw(t, "list")}
		want.Focus = rapid.IntRange(0, want.Panes-1).Draw(t, "focus")
		p := Arrange(w, h, want)
		seen := make([]int, w*h)
		all := append([]Rect{p.Header, p.Tabs, p.Side, p.List, p.Steps, p.Expiry, p.Totals, p.Hint}, p.Panes...)
		for _, r := range append(append(all, p.Rules...), p.Bars...) {
			if r.Empty() {
				continue
			}
			if r.X < 0 || r.Y < 0 || r.X+r.W > w || r.Y+r.H > h {
				t.Fatalf("%+v is not on a screen of %d×%d", r, w, h)
			}
			for y := r.Y; y < r.Y+r.H; y++ {
				for x := r.X; x < r.X+r.W; x++ {
					seen[y*w+x]++
				}
			}
		}
		for i, n := range seen {
			if n != 1 {
				t.Fatalf("%d×%d %+v: the cell %d,%d is covered %d times", w, h, want, i%w, i/w, n)
			}
		}
		if len(p.Panes) == 0 && want.List && w < listBeside {
			return // the list alone
		}
		if at := want.Focus - p.First; at < 0 || at >= len(p.Panes) {
			t.Fatalf("the focused pane %d is not among %d from %d", want.Focus, len(p.Panes), p.First)
		}
		for _, r := range p.Panes {
			if r.H <= p.PaneHead() {
				t.Fatalf("a pane of %d rows shows nothing of the page", r.H)
			}
		}
	})
}
