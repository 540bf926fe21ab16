package tui

import (
	"testing"

	"pgregory.net/rapid"
)

func TestArrangeModes(t *testing.T) {
	for _, c := range []struct {
		w, h  int
		want  wanted
		mode  layoutMode
		panes int
		tabs  bool
	}{
		{79, 24, wanted{panes: 3}, layoutTooSmall, 0, false},
		{80, 23, wanted{panes: 3}, layoutTooSmall, 0, false},
		{80, 24, wanted{panes: 3}, layoutMedium, 1, true},
		{80, 24, wanted{panes: 1}, layoutMedium, 1, false},
		{100, 30, wanted{panes: 3}, layoutMedium, 2, true},
		{120, 36, wanted{panes: 3}, layoutWide, 3, false},
		{160, 45, wanted{panes: 4}, layoutWide, 4, false},
		{160, 45, wanted{panes: 3, side: true}, layoutWide, 3, false},
		{140, 45, wanted{panes: 3, side: true}, layoutWide, 3, false},
		{120, 36, wanted{panes: 3, side: true}, layoutWide, 3, false},
		{120, 36, wanted{panes: 2, side: true}, layoutWide, 2, false},
		{120, 30, wanted{panes: 3, side: true}, layoutMedium, 2, true},
		{120, 36, wanted{panes: 3, side: true, wide: true}, layoutMedium, 1, true},
		{200, 60, wanted{panes: 4}, layoutWide, 4, false},
		{90, 60, wanted{panes: 3}, layoutPortrait, 3, false},
		{90, 60, wanted{panes: 9}, layoutPortrait, 5, true},
		{160, 45, wanted{panes: 3, zoom: true}, layoutZoomed, 1, false},
	} {
		p := arrange(c.w, c.h, c.want)
		if p.mode != c.mode || len(p.panes) != c.panes || (p.tabs.h > 0) != c.tabs {
			t.Errorf("%d×%d %+v: mode %d, %d panes, tabs %v; want %d, %d, %v", c.w, c.h, c.want, p.mode, len(p.panes), p.tabs.h > 0, c.mode, c.panes, c.tabs)
		}
	}
}

// TestSideHidesNoPane holds that a column of words leaves as many panes as there
// are without it, on every screen that is high enough to have it below them.
func TestSideHidesNoPane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(minWidth, 300).Draw(t, "w"), rapid.IntRange(36, 45).Draw(t, "h")
		want := wanted{panes: rapid.IntRange(1, 9).Draw(t, "n")}
		alone := len(arrange(w, h, want).panes)
		want.side = true
		if beside := len(arrange(w, h, want).panes); beside < alone {
			t.Fatalf("%d×%d: %d panes of %d beside the side", w, h, beside, alone)
		}
	})
}

// TestArrangeTiles is the law of the layout: all rectangles lie on the screen,
// none overlaps another, together they fill it, and the focused pane is there.
func TestArrangeTiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(minWidth, 300).Draw(t, "w"), rapid.IntRange(minHeight, 120).Draw(t, "h")
		want := wanted{panes: rapid.IntRange(1, 9).Draw(t, "n"), zoom: rapid.Bool().Draw(t, "zoom"), side: rapid.Bool().Draw(t, "side"), wide: rapid.Bool().Draw(t, "wide")}
		want.focus = rapid.IntRange(0, want.panes-1).Draw(t, "focus")
		p := arrange(w, h, want)
		seen := make([]int, w*h)
		all := append([]rect{p.header, p.tabs, p.side, p.steps, p.expiry, p.totals, p.hint}, p.panes...)
		for _, r := range append(append(all, p.rules...), p.bars...) {
			if r.empty() {
				continue
			}
			if r.x < 0 || r.y < 0 || r.x+r.w > w || r.y+r.h > h {
				t.Fatalf("%+v is not on a screen of %d×%d", r, w, h)
			}
			for y := r.y; y < r.y+r.h; y++ {
				for x := r.x; x < r.x+r.w; x++ {
					seen[y*w+x]++
				}
			}
		}
		for i, n := range seen {
			if n != 1 {
				t.Fatalf("%d×%d %+v: the cell %d,%d is covered %d times", w, h, want, i%w, i/w, n)
			}
		}
		if at := want.focus - p.first; at < 0 || at >= len(p.panes) {
			t.Fatalf("the focused pane %d is not among %d from %d", want.focus, len(p.panes), p.first)
		}
		for _, r := range p.panes {
			if r.h <= p.paneHead() {
				t.Fatalf("a pane of %d rows shows nothing of the page", r.h)
			}
		}
	})
}
