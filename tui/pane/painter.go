// Package pane draws the state of the screen: the snapshot panes, the strips
// below them and the side column. It changes nothing of it, and tells where on the
// screen a click means something.
//
//	view.State ──▶ Painter ──▶ draw.Canvas ──▶ terminal
//	                  └─▶ Hits ──▶ mouse
package pane

import (
	"image"
	"slices"

	"snapscope/tui/draw"
	"snapscope/tui/layout"
	"snapscope/tui/view"
)

// Painter draws a state on a canvas in a theme.
type Painter struct {
	S    *view.State
	Cv   *draw.Canvas
	Th   *draw.Theme
	Hits []Place // of what was drawn last, what lies above later

	parts   []view.Part // reused while drawing
	small   *image.RGBA // the picture as it was scaled last
	smallOf image.Image
}

// Place is a place that a click means something at.
type Place struct {
	layout.Rect
	What HitKind
	N    int // which of them
}

// HitKind says what a click means.
type HitKind uint8

// The kinds of a place: a step, by its index; the heading of a column, by its key; a
// row of a list; a knob, by its row.
const (
	HitStep HitKind = iota
	HitHead
	HitRow
	HitKnob
)

// Hit notes a place that a click means something at.
func (m *Painter) Hit(r layout.Rect, what HitKind, n int) {
	m.Hits = append(m.Hits, Place{r, what, n})
}

// At is what a click at a place means; false: nothing.
func (m *Painter) At(x, y int) (Place, bool) {
	for _, h := range slices.Backward(m.Hits) {
		if h.Holds(x, y) {
			return h, true
		}
	}
	return Place{}, false
}
