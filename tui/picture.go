package tui

import (
	"bytes"
	"fmt"
	"image"
	_ "image/png" // pages come as PNG

	tea "charm.land/bubbletea/v2"
)

// picture shows the page as the browser draws it, two pixels a cell.
type picture struct {
	seq   int
	step  int // the step it was taken after
	img   image.Image
	err   string
	asked bool
	small *image.RGBA // img scaled to small's cells
}

// pictureMsg is a screenshot, decoded.
type pictureMsg struct {
	seq, step int
	img       image.Image
	err       error
}

func (p pictureMsg) apply(m *Model) tea.Cmd {
	if p.seq != m.pic.seq {
		return nil
	}
	m.pic.asked, m.pic.small = false, nil
	m.pic.step, m.pic.img, m.pic.err = p.step, p.img, ""
	if p.err != nil {
		m.pic.err = p.err.Error()
	}
	return nil
}

func (m *Model) noPicture() string {
	if m.side == sidePicture {
		return ""
	}
	if !m.shoots {
		return "this session has no browser to take a picture of"
	}
	if m.job != nil {
		return m.job.what + " is still running; esc stops it"
	}
	return ""
}

func (m *Model) doPicture() {
	m.toggleSide(sidePicture)
	if m.side == sidePicture {
		m.wants |= wantPicture
	}
}

// shoot takes a picture in a command; the browser may be slow.
func (m *Model) shoot() tea.Cmd {
	eng, ok := m.eng.(Screenshooter)
	if !ok {
		return nil
	}
	m.pic.seq++
	m.pic.asked = true
	seq, step, ctx, one := m.pic.seq, len(m.tl.Steps), m.ctx, m.one
	return func() tea.Msg {
		one.Lock()
		defer one.Unlock()
		data, err := eng.Screenshot(ctx)
		if err != nil {
			return pictureMsg{seq, step, nil, err}
		}
		img, err := decodePicture(data)
		return pictureMsg{seq, step, img, err}
	}
}

// maxPicture bounds the pixels of a picture: a page could be made to be huge.
const maxPicture = 40_000_000

// decodePicture reads a PNG of a sensible size and brings it to at most 400
// pixels a side, so that drawing it later is quick.
func decodePicture(data []byte) (image.Image, error) {
	conf, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading the picture: %w", err)
	}
	if conf.Width <= 0 || conf.Height <= 0 || conf.Width*conf.Height > maxPicture {
		return nil, fmt.Errorf("the picture is too large: %d×%d", conf.Width, conf.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading the picture: %w", err)
	}
	w, h := conf.Width, conf.Height
	if f := max(w, h); f > 400 {
		w, h = max(1, w*400/f), max(1, h*400/f)
	}
	return scale(img, w, h), nil
}

// scale averages an image down to w by h pixels.
func scale(src image.Image, w, h int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	b := src.Bounds()
	for y := range h {
		y0, y1 := b.Min.Y+y*b.Dy()/h, b.Min.Y+max((y+1)*b.Dy()/h, y*b.Dy()/h+1)
		for x := range w {
			x0, x1 := b.Min.X+x*b.Dx()/w, b.Min.X+max((x+1)*b.Dx()/w, x*b.Dx()/w+1)
			var r, g, bl, n uint32
			for sy := y0; sy < y1; sy++ {
				for sx := x0; sx < x1; sx++ {
					cr, cg, cb, _ := src.At(sx, sy).RGBA()
					r, g, bl, n = r+cr>>8, g+cg>>8, bl+cb>>8, n+1
				}
			}
			i := out.PixOffset(x, y)
			out.Pix[i], out.Pix[i+1], out.Pix[i+2], out.Pix[i+3] = uint8(r/n), uint8(g/n), uint8(bl/n), 255
		}
	}
	return out
}

func (p *picture) draw(m *Model, r rect) {
	c, th := m.cv, m.th
	x := c.put(r.x+1, r.y, r.x+r.w, "picture", th.strong)
	c.text(rect{x + 1, r.y, r.x + r.w - x - 2, 1}, p.note(m), th.dim)
	body := rect{r.x + 1, r.y + 1, r.w - 2, r.h - 1}
	if p.img == nil || body.empty() || m.th.name == "mono" {
		return
	}
	b := p.img.Bounds()
	w, h := body.w, body.w*b.Dy()/max(1, b.Dx())
	if h > body.h*2 {
		w, h = body.h*2*b.Dx()/max(1, b.Dy()), body.h*2
	}
	w, h = max(w, 1), max(h&^1, 2)
	if p.small == nil || p.small.Bounds().Dx() != w || p.small.Bounds().Dy() != h {
		p.small = scale(p.img, w, h)
	}
	at := func(x, y int) uint32 {
		i := p.small.PixOffset(x, y)
		return uint32(p.small.Pix[i])<<16 | uint32(p.small.Pix[i+1])<<8 | uint32(p.small.Pix[i+2])
	}
	for y := 0; y < h/2; y++ {
		for x := range w {
			c.put(body.x+x, body.y+y, body.x+w, "▀", both(at(x, 2*y), at(x, 2*y+1)))
		}
	}
	p.outline(m, rect{body.x, body.y, w, h / 2})
}

// outline frames the element under the cursor where its box is known.
func (p *picture) outline(m *Model, r rect) {
	if m.fr == nil || m.fr.snap < 0 || m.fr.snap >= len(m.tl.Snaps) {
		return
	}
	sn := m.tl.Snaps[m.fr.snap].Snap
	b, ok := sn.Boxes[m.cursorRef()]
	if !ok || sn.Viewport.W <= 0 || sn.Viewport.H <= 0 || !b.Touches(sn.Viewport) {
		return
	}
	col := func(x int) int { return r.x + max(0, min(x*r.w/sn.Viewport.W, r.w-1)) }
	row := func(y int) int { return r.y + max(0, min(y*r.h/sn.Viewport.H, r.h-1)) }
	x0, x1, y0, y1 := col(b.X), col(b.X+b.W), row(b.Y), row(b.Y+b.H)
	look := m.th.accent
	for x := x0; x <= x1; x++ {
		m.cv.put(x, y0, x1+1, "━", look)
		m.cv.put(x, y1, x1+1, "━", look)
	}
	for y := y0; y <= y1; y++ {
		m.cv.put(x0, y, x0+1, "┃", look)
		m.cv.put(x1, y, x1+1, "┃", look)
	}
}

// note says what the picture is of, or why there is none.
func (p *picture) note(m *Model) string {
	switch {
	case p.err != "":
		return "✗ " + p.err
	case p.asked:
		return "taking it …"
	case p.img == nil:
		return "none yet"
	case m.th.name == "mono":
		return "needs colour, and NO_COLOR is set"
	case p.step != len(m.tl.Steps):
		return fmt.Sprintf("after step %d", p.step)
	}
	return "of the page now"
}
