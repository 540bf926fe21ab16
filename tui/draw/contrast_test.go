package draw

import (
	"math"
	"testing"
)

// luminance is the relative luminance of a colour, as WCAG 2.2 defines it
// (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance).
func luminance(c color) float64 {
	lin := func(v uint32) float64 {
		s := float64(v&0xff) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	v := uint32(c)
	return 0.2126*lin(v>>16) + 0.7152*lin(v>>8) + 0.0722*lin(v)
}

// ratio is the contrast of two colours, from 1 to 21.
func ratio(a, b color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// Least contrasts: 4.5 for what must be read, 3 for what only guides (WCAG 2.2,
// success criteria 1.4.3 and 1.4.11).
const (
	mustRead = 4.5
	guides   = 3.0
)

// TestContrast computes the contrast of every look of every theme with colour, on
// the grounds that it stands on: terminals that are black, dark grey, white.
func TestContrast(t *testing.T) {
	for name, grounds := range map[string][]color{
		"dark": {hex(0x000000), hex(0x1e1e1e)}, "light": {hex(0xffffff), hex(0xfafafa)}, "contrast": {hex(0x000000)},
	} {
		th := ThemeOf(name)
		read := map[string]Style{
			"text": th.Text, "strong": th.Strong, "dim": th.Dim, "accent": th.Accent, "key": th.Key,
			"role": th.Role, "label": th.Label, "state": th.State, "ref": th.Ref, "value": th.Value,
			"add": th.Add, "del": th.Del, "change": th.Change, "gap": th.Gap, "message": th.Message,
			"good": th.Good, "bad": th.Bad, "warn": th.Warn,
			"loss": th.Loss, "match": th.Match, "match now": th.MatchNow, "added word": th.AddWord, "removed word": th.DelWord, "dialog": th.Dialog,
		}
		check := func(what string, s Style, under color, least float64) {
			t.Helper()
			if s.Bg != 0 {
				under = s.Bg
			}
			if s.Fg == 0 {
				return // the terminal's own
			}
			if got := ratio(s.Fg, under); got < least {
				t.Errorf("%s: %s has a contrast of %.2f on %06x, want %.1f", name, what, got, uint32(under)&0xffffff, least)
			}
		}
		for _, g := range grounds {
			for what, s := range read {
				check(what, s, g, mustRead)
			}
			for what, s := range map[string]Style{"faint": th.Faint, "live bar": th.BarLive, "other bar": th.BarOther, "cached bar": th.BarHit, "cleared bar": th.BarOld} {
				check(what, s, g, guides)
			}
		}
		for what, ground := range map[string]Style{"the cursor": th.Cursor, "a new line": th.AddLine, "a removed line": th.DelLine, "a changed line": th.ChangeLine} {
			for part, s := range map[string]Style{"role": th.Role, "label": th.Label, "state": th.State, "ref": th.Ref, "value": th.Value, "text": th.Text, "dim": th.Dim} {
				s.Bg = ground.Bg
				check(part+" on "+what, s, 0, mustRead)
			}
		}
		for part, s := range map[string]Style{"accent": th.Accent, "key": th.Key, "dim": th.Dim, "good": th.Good, "bad": th.Bad} {
			s.Bg = th.Dialog.Bg
			check(part+" on a dialog", s, 0, mustRead)
		}
	}
}
