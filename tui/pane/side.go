package pane

import (
	"fmt"

	"snapscope/tui/draw"
	"snapscope/tui/layout"
	"snapscope/tui/view"
)

// DrawSide draws what the side column holds.
func (m *Painter) DrawSide(r layout.Rect) {
	if r.Empty() {
		return
	}
	switch m.S.Side {
	case view.SideKnobs:
		knobs{m}.draw(r)
	case view.SideEvents:
		m.drawEvents(r)
	case view.SidePicture:
		m.drawPicture(r)
	}
}

// Look is the look of a tone.
func (m *Painter) Look(t view.Tone) draw.Style {
	th := m.Th
	return [...]draw.Style{th.Text, th.Strong, th.Dim, th.Good, th.Warn, th.Bad, th.Loss, th.Accent}[t]
}

func (m *Painter) drawEvents(r layout.Rect) {
	c, th := m.Cv, m.Th
	x := c.Put(r.X+1, r.Y, r.X+r.W, "events", th.Strong)
	if s := m.S.Step(); s != nil {
		c.Text(layout.R(x+1, r.Y, r.X+r.W-x-2, 1), fmt.Sprintf("of step %d", s.N), th.Dim)
	}
	y := 1
	for _, e := range m.S.EventLines() {
		look := m.Look(e.Tone)
		for i, l := range draw.WrapCells(e.Text, r.W-11, 6) {
			if y >= r.H {
				return
			}
			if i == 0 {
				c.Text(r.Row(y).Inset(1, 0).ClipRight(8), e.Label, th.Dim)
			}
			c.Text(r.Row(y).Inset(10, 1), l, look)
			y++
		}
	}
}
