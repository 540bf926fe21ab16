package dialog

import (
	"snapscope/tui/draw"
	"snapscope/tui/layout"
	"snapscope/tui/pane"
)

// drawVendor says what the vendor counted and why we count otherwise; it answers
// how many rows that took.
func (v *ContextView) drawVendor(m *pane.Painter, r layout.Rect) int {
	if v.set.Vendor == nil || r.H < 8 {
		return 0
	}
	y := 0
	for _, l := range draw.WrapWords(v.set.VendorLine(), r.W) {
		m.Cv.Text(r.Row(y), l, m.Th.Text)
		y++
	}
	for _, why := range v.set.VendorCauses() {
		for _, l := range draw.WrapCells(why, r.W, 2) {
			m.Cv.Text(r.Row(y), l, m.Th.Warn)
			y++
		}
	}
	return y + 1
}
