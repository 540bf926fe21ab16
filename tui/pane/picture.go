package pane

import (
	"fmt"

	"snapscope/tui/draw"
	"snapscope/tui/layout"
	"snapscope/tui/view"
)

// drawPicture draws the page as half blocks, two pixels a cell.
func (m *Painter) drawPicture(r layout.Rect) {
	p := &m.S.Pic
	c, th := m.Cv, m.Th
	x := c.Put(r.X+1, r.Y, r.X+r.W, "picture", th.Strong)
	c.Text(layout.R(x+1, r.Y, r.X+r.W-x-2, 1), m.pictureNote(), th.Dim)
	body := layout.R(r.X+1, r.Y+1, r.W-2, r.H-1)
	if p.Img == nil || body.Empty() || m.Th.Name == "mono" {
		return
	}
	b := p.Img.Bounds()
	w, h := body.W, body.W*b.Dy()/max(1, b.Dx())
	if h > body.H*2 {
		w, h = body.H*2*b.Dx()/max(1, b.Dy()), body.H*2
	}
	w, h = max(w, 1), max(h&^1, 2)
	if m.small == nil || m.smallOf != p.Img || m.small.Bounds().Dx() != w || m.small.Bounds().Dy() != h {
		m.small, m.smallOf = view.Scale(p.Img, w, h), p.Img
	}
	at := func(x, y int) uint32 {
		i := m.small.PixOffset(x, y)
		return uint32(m.small.Pix[i])<<16 | uint32(m.small.Pix[i+1])<<8 | uint32(m.small.Pix[i+2])
	}
	for y := 0; y < h/2; y++ {
		for x := range w {
			c.Put(body.X+x, body.Y+y, body.X+w, "▀", draw.Both(at(x, 2*y), at(x, 2*y+1)))
		}
	}
	m.outline(layout.R(body.X, body.Y, w, h/2))
}

// outline frames the element under the cursor where its box is known.
func (m *Painter) outline(r layout.Rect) {
	if m.S.Fr == nil || m.S.Fr.Snap < 0 || m.S.Fr.Snap >= len(m.S.Tl.Snaps) {
		return
	}
	sn := m.S.Tl.Snaps[m.S.Fr.Snap].Snap
	b, ok := sn.Boxes[m.S.CursorRef()]
	if !ok || sn.Viewport.W <= 0 || sn.Viewport.H <= 0 || !b.Touches(sn.Viewport) {
		return
	}
	col := func(x int) int { return r.X + max(0, min(x*r.W/sn.Viewport.W, r.W-1)) }
	row := func(y int) int { return r.Y + max(0, min(y*r.H/sn.Viewport.H, r.H-1)) }
	x0, x1, y0, y1 := col(b.X), col(b.X+b.W), row(b.Y), row(b.Y+b.H)
	look := m.Th.Accent
	for x := x0; x <= x1; x++ {
		m.Cv.Put(x, y0, x1+1, "━", look)
		m.Cv.Put(x, y1, x1+1, "━", look)
	}
	for y := y0; y <= y1; y++ {
		m.Cv.Put(x0, y, x0+1, "┃", look)
		m.Cv.Put(x1, y, x1+1, "┃", look)
	}
}

// pictureNote says what the picture is of, or why there is none.
func (m *Painter) pictureNote() string {
	p := &m.S.Pic
	switch {
	case p.Err != "":
		return "✗ " + p.Err
	case p.Asked:
		return "taking it …"
	case p.Img == nil:
		return "none yet"
	case m.Th.Name == "mono":
		return "needs colour, and NO_COLOR is set"
	case p.Step != len(m.S.Tl.Steps):
		return fmt.Sprintf("after step %d", p.Step)
	}
	return "of the page now"
}
