package tui

import (
	"strconv"
	"strings"

	"snapscope/tui/safetext"
)

// cell is one place of the screen. A cluster of two cells leaves the second one
// with an empty text.
type cell struct {
	text  string
	style style
}

// rect is a part of the screen in cells.
type rect struct{ x, y, w, h int }

// empty reports that nothing can be drawn in r.
func (r rect) empty() bool { return r.w <= 0 || r.h <= 0 }

// holds reports whether the place x, y lies in r.
func (r rect) holds(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// row is the n-th line of r as a rectangle of height 1; empty outside.
func (r rect) row(n int) rect {
	if n < 0 || n >= r.h {
		return rect{}
	}
	return rect{r.x, r.y + n, r.w, 1}
}

// inset takes cells off the left and right.
func (r rect) inset(left, right int) rect {
	r.x += left
	r.w -= left + right
	return r
}

// canvas is the one door to the terminal: whatever is drawn goes through
// safetext here, and is cut at the edges, so no text can break out of its
// rectangle or make a line longer or shorter than the screen.
type canvas struct {
	w, h  int
	cells []cell
}

func newCanvas(w, h int) *canvas {
	c := &canvas{w: max(w, 0), h: max(h, 0)}
	c.cells = make([]cell, c.w*c.h)
	for i := range c.cells {
		c.cells[i].text = " "
	}
	return c
}

// reset makes all cells blank again and keeps the memory.
func (c *canvas) reset(w, h int) {
	if w != c.w || h != c.h {
		*c = *newCanvas(w, h)
		return
	}
	for i := range c.cells {
		c.cells[i] = cell{text: " "}
	}
}

// put writes text from x on in row y, cut at the column right, and answers the
// column after it.
func (c *canvas) put(x, y, right int, text string, s style) int {
	return c.putFrom(x, y, 0, right, text, s)
}

// putFrom is put for a text that may begin left of the column left: what stands
// there is not drawn.
func (c *canvas) putFrom(x, y, left, right int, text string, s style) int {
	right, left = min(right, c.w), max(left, 0)
	if y < 0 || y >= c.h {
		return x
	}
	line := c.cells[y*c.w : (y+1)*c.w]
	for text != "" && x < right {
		p := safetext.Next(text)
		text = text[p.Size:]
		switch {
		case p.Width == 0:
		case p.Spelled:
			for _, r := range p.Text {
				if x >= left && x < right {
					c.set(line, x, string(r), 1, s.spelled())
				}
				x++
			}
		case x < left: // a wide one may be cut in two by the edge
			if x += p.Width; x > left && x <= right {
				c.set(line, left, " ", 1, s)
			}
		case x+p.Width > right:
			c.set(line, x, " ", 1, s)
			return right
		default:
			c.set(line, x, p.Text, p.Width, s)
			x += p.Width
		}
	}
	return min(x, max(right, 0))
}

// set writes one cluster and mends a wide one that it cuts in two.
func (c *canvas) set(line []cell, x int, text string, width int, s style) {
	if x < 0 {
		return
	}
	if line[x].text == "" && x > 0 {
		line[x-1].text = " "
	}
	if end := x + width; end < len(line) && line[end].text == "" {
		line[end].text = " "
	}
	line[x] = cell{text, s}
	if width == 2 {
		line[x+1] = cell{"", s}
	}
}

// text writes into the first row of r, cut with an ellipsis where it is longer.
func (c *canvas) text(r rect, text string, s style) int {
	if r.empty() {
		return r.x
	}
	if safetext.Width(text) <= r.w {
		return c.put(r.x, r.y, r.x+r.w, text, s)
	}
	end := c.put(r.x, r.y, r.x+r.w-1, text, s)
	return c.put(end, r.y, r.x+r.w, "…", s)
}

// right writes at the right end of the first row of r and answers the column it
// began at.
func (c *canvas) right(r rect, text string, s style) int {
	if r.empty() {
		return r.x + r.w
	}
	x := max(r.x, r.x+r.w-safetext.Width(text))
	c.text(rect{x, r.y, r.x + r.w - x, 1}, text, s)
	return x
}

// fill gives every cell of r a text of one cell and a style.
func (c *canvas) fill(r rect, text string, s style) {
	for y := max(r.y, 0); y < min(r.y+r.h, c.h); y++ {
		line := c.cells[y*c.w : (y+1)*c.w]
		for x := max(r.x, 0); x < min(r.x+r.w, c.w); x++ {
			c.set(line, x, text, 1, s)
		}
	}
}

// paint lays the parts of s that are set over the style of what stands in r.
func (c *canvas) paint(r rect, s style) {
	for y := max(r.y, 0); y < min(r.y+r.h, c.h); y++ {
		for x := max(r.x, 0); x < min(r.x+r.w, c.w); x++ {
			p := &c.cells[y*c.w+x]
			p.style = p.style.with(s)
		}
	}
}

// under lays a ground below what stands in r, where there is no other ground
// than base.
func (c *canvas) under(r rect, ground, base color) {
	for y := max(r.y, 0); y < min(r.y+r.h, c.h); y++ {
		for x := max(r.x, 0); x < min(r.x+r.w, c.w); x++ {
			if p := &c.cells[y*c.w+x]; p.style.bg == base || p.style.bg == 0 {
				p.style.bg = ground
			}
		}
	}
}

// plainLine is row y without styles.
func (c *canvas) plainLine(y int) string {
	var b strings.Builder
	for _, p := range c.cells[y*c.w : (y+1)*c.w] {
		b.WriteString(p.text)
	}
	return b.String()
}

// String is the whole canvas, a line a row, styles as SGR sequences. Each line
// begins and ends without style.
func (c *canvas) String() string {
	var b strings.Builder
	b.Grow(len(c.cells) * 3)
	for y := 0; y < c.h; y++ {
		if y > 0 {
			b.WriteByte('\n')
		}
		var last style
		for _, p := range c.cells[y*c.w : (y+1)*c.w] {
			if p.text == " " && p.style.bg != 0 {
				// Concealed is not seen on a blank, but it keeps the renderer from
				// erasing with the ground's colour, which some terminals and
				// multiplexers forget.
				p.style.attr |= conceal
			}
			if p.style != last {
				p.style.writeSGR(&b)
				last = p.style
			}
			b.WriteString(p.text)
		}
		if last != (style{}) {
			b.WriteString("\x1b[m")
		}
	}
	return b.String()
}

// color is a colour of 24 bits with a mark that it is set; zero is the
// terminal's own.
type color uint32

const colorSet color = 1 << 24

// hex reads 0xrrggbb.
func hex(rgb uint32) color { return colorSet | color(rgb) }

// attr is a set of text attributes.
type attr uint8

const (
	bold attr = 1 << iota
	faint
	italic
	underline
	reverse
	strike
	conceal
)

// style is how a cell looks. The zero style is the terminal's own.
type style struct {
	fg, bg color
	attr   attr
}

// with lays what o sets over s.
func (s style) with(o style) style {
	if o.fg != 0 {
		s.fg = o.fg
	}
	if o.bg != 0 {
		s.bg = o.bg
	}
	s.attr |= o.attr
	return s
}

// spelled marks what safetext spelled out: it is not the page's own letters.
func (s style) spelled() style {
	s.attr |= italic
	return s
}

func (s style) writeSGR(b *strings.Builder) {
	b.WriteString("\x1b[0")
	for i, code := range [...]string{";1", ";2", ";3", ";4", ";7", ";9", ";8"} {
		if s.attr&(1<<i) != 0 {
			b.WriteString(code)
		}
	}
	writeColor(b, ";38;2;", s.fg)
	writeColor(b, ";48;2;", s.bg)
	b.WriteByte('m')
}

func writeColor(b *strings.Builder, intro string, c color) {
	if c == 0 {
		return
	}
	b.WriteString(intro)
	var buf [3]byte
	for i, v := range [...]color{c >> 16 & 0xff, c >> 8 & 0xff, c & 0xff} {
		if i > 0 {
			b.WriteByte(';')
		}
		b.Write(strconv.AppendUint(buf[:0], uint64(v), 10))
	}
}
