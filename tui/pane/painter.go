// Package pane draws the state of the screen: the snapshot panes, the strips
// below them and the side column. It changes nothing but where things were drawn.
//
//	view.State ──▶ Painter ──▶ draw.Canvas ──▶ terminal
package pane

import (
	"snapscope/tui/draw"
	"snapscope/tui/view"
)

// Painter draws a state on a canvas in a theme.
type Painter struct {
	S  *view.State
	Cv *draw.Canvas
	Th *draw.Theme

	parts   []view.Part // reused while drawing
	lostRef string      // what the pane being drawn lost in this step
}
