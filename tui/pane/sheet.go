package pane

import (
	"snapscope/tui/draw"
	"snapscope/tui/layout"
)

// Sheet clears a part of the middle of r for an overlay and answers the room
// within.
func (m *Painter) Sheet(r layout.Rect, w, h int, title, foot string) layout.Rect {
	w, h = w+4, min(h+3, r.H)
	if w > r.W-8 { // no sliver of what lies below at its sides
		w = r.W
	}
	box := layout.R(r.X+(r.W-w)/2, r.Y+(r.H-h)/2, w, h)
	c, th := m.Cv, m.Th
	c.Fill(box, " ", th.Dialog)
	if th.Dialog.Bg == 0 { // without colour a frame tells the sheet from what is below
		m.frameBox(box)
	}
	head := box.Row(0).Inset(2, 2)
	c.Text(head, title, th.Accent.With(draw.Style{Bg: th.Dialog.Bg}))
	if foot != "" {
		c.Text(box.Row(box.H-1).Inset(2, 2), foot, th.Dim.With(draw.Style{Bg: th.Dialog.Bg}))
	}
	return layout.R(box.X+2, box.Y+1, box.W-4, box.H-2)
}

func (m *Painter) frameBox(b layout.Rect) {
	c, s := m.Cv, m.Th.Faint
	c.Fill(layout.R(b.X, b.Y, b.W, 1), "─", s)
	c.Fill(layout.R(b.X, b.Y+b.H-1, b.W, 1), "─", s)
	c.Fill(layout.R(b.X, b.Y, 1, b.H), "│", s)
	c.Fill(layout.R(b.X+b.W-1, b.Y, 1, b.H), "│", s)
	for _, k := range []struct {
		x, y int
		t    string
	}{{b.X, b.Y, "┌"}, {b.X + b.W - 1, b.Y, "┐"}, {b.X, b.Y + b.H - 1, "└"}, {b.X + b.W - 1, b.Y + b.H - 1, "┘"}} {
		c.Put(k.x, k.y, k.x+1, k.t, s)
	}
}

// sheetStyle is a style on a sheet's ground.
func (m *Painter) OnSheet(s draw.Style) draw.Style {
	if m.Th.Dialog.Bg != 0 {
		s.Bg = m.Th.Dialog.Bg
	}
	return s
}
