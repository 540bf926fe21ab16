// Package draw is the one door to the terminal: a canvas of cells that every text
// reaches through safetext, cut at the edges of its rectangle, and the themes that
// give each meaning its look.
package draw

import (
	"strconv"
	"strings"

	"snapscope/tui/layout"
	"snapscope/tui/safetext"
)

// cell is one place of the screen. A cluster of two cells leaves the second one
// with an empty text.
type cell struct {
	text  string
	style Style
}

// Canvas is the one door to the terminal: whatever is drawn goes through
// safetext here, and is cut at the edges, so no text can break out of its
// rectangle or make a line longer or shorter than the screen.
type Canvas struct {
	w, H  int
	cells []cell
	sgr   [256]written // the styles that were written, by slot
}

func NewCanvas(w, h int) *Canvas {
	c := &Canvas{w: max(w, 0), H: max(h, 0)}
	c.cells = make([]cell, c.w*c.H)
	for i := range c.cells {
		c.cells[i].text = " "
	}
	return c
}

// Reset makes all cells blank again and keeps the memory.
func (c *Canvas) Reset(w, h int) {
	if w != c.w || h != c.H {
		*c = *NewCanvas(w, h)
		return
	}
	for i := range c.cells {
		c.cells[i] = cell{text: " "}
	}
}

// Put writes text from x on in row y, cut at the column right, and answers the
// column after it.
func (c *Canvas) Put(x, y, right int, text string, s Style) int {
	return c.PutFrom(x, y, 0, right, text, s)
}

// PutFrom is put for a text that may begin left of the column left: what stands
// there is not drawn.
func (c *Canvas) PutFrom(x, y, left, right int, text string, s Style) int {
	right, left = min(right, c.w), max(left, 0)
	if y < 0 || y >= c.H {
		return x
	}
	line := c.cells[y*c.w : (y+1)*c.w]
	for text != "" && x < right {
		if n := safetext.Plain(text); n > 0 && x >= left {
			n = min(n, right-x)
			c.letters(line, x, text[:n], s)
			text, x = text[n:], x+n
			continue
		}
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
			x += p.Width
			for i := left; i < min(x, right); i++ {
				c.set(line, i, " ", 1, s)
			}
		case x+p.Width > right:
			for i := x; i < right; i++ {
				c.set(line, i, " ", 1, s)
			}
			return right
		default:
			c.set(line, x, p.Text, p.Width, s)
			x += p.Width
		}
	}
	return min(x, max(right, 0))
}

// letters writes bytes of a cell each. Only the outermost can cut a wide cluster in
// two; they come first, so that the repair does not blank a letter.
func (c *Canvas) letters(line []cell, x int, text string, s Style) {
	last := len(text) - 1
	c.set(line, x, text[:1], 1, s)
	c.set(line, x+last, text[last:], 1, s)
	for i := 1; i < last; i++ {
		line[x+i] = cell{text[i : i+1], s}
	}
}

// set writes one cluster and repairs a wide one that it cuts in two.
func (c *Canvas) set(line []cell, x int, text string, width int, s Style) {
	if x < 0 {
		return
	}
	for i := x; i > 0 && line[i].text == ""; i-- {
		line[i].text = " "
		if line[i-1].text != "" {
			line[i-1].text = " "
			break
		}
	}
	for end := x + width; end < len(line) && line[end].text == ""; end++ {
		line[end].text = " "
	}
	line[x] = cell{text, s}
	for i := 1; i < width; i++ {
		line[x+i] = cell{"", s}
	}
}

// Text writes into the first row of r, cut with an ellipsis where it is longer.
func (c *Canvas) Text(r layout.Rect, text string, s Style) int {
	if r.Empty() {
		return r.X
	}
	if safetext.Width(text) <= r.W {
		return c.Put(r.X, r.Y, r.X+r.W, text, s)
	}
	end := c.Put(r.X, r.Y, r.X+r.W-1, text, s)
	return c.Put(end, r.Y, r.X+r.W, "…", s)
}

// Right writes at the right end of the first row of r and answers the column it
// began at.
func (c *Canvas) Right(r layout.Rect, text string, s Style) int {
	if r.Empty() {
		return r.X + r.W
	}
	x := max(r.X, r.X+r.W-safetext.Width(text))
	c.Text(layout.R(x, r.Y, r.X+r.W-x, 1), text, s)
	return x
}

// Fill gives every cell of r a text of one cell and a style.
func (c *Canvas) Fill(r layout.Rect, text string, s Style) {
	for y := max(r.Y, 0); y < min(r.Y+r.H, c.H); y++ {
		line := c.cells[y*c.w : (y+1)*c.w]
		for x := max(r.X, 0); x < min(r.X+r.W, c.w); x++ {
			c.set(line, x, text, 1, s)
		}
	}
}

// Paint lays the parts of s that are set over the style of what stands in r.
func (c *Canvas) Paint(r layout.Rect, s Style) {
	for y := max(r.Y, 0); y < min(r.Y+r.H, c.H); y++ {
		for x := max(r.X, 0); x < min(r.X+r.W, c.w); x++ {
			p := &c.cells[y*c.w+x]
			p.style = p.style.With(s)
		}
	}
}

// Under lays a ground below what stands in r, where there is no other ground
// than base.
func (c *Canvas) Under(r layout.Rect, ground, base color) {
	for y := max(r.Y, 0); y < min(r.Y+r.H, c.H); y++ {
		for x := max(r.X, 0); x < min(r.X+r.W, c.w); x++ {
			if p := &c.cells[y*c.w+x]; p.style.Bg == base || p.style.Bg == 0 {
				p.style.Bg = ground
			}
		}
	}
}

// PlainLine is row y without styles.
func (c *Canvas) PlainLine(y int) string {
	var b strings.Builder
	for _, p := range c.cells[y*c.w : (y+1)*c.w] {
		b.WriteString(p.text)
	}
	return b.String()
}

// String is the whole canvas, a line a row, styles as SGR sequences. Each line
// begins and ends without style.
func (c *Canvas) String() string {
	var b strings.Builder
	b.Grow(len(c.cells) * 3)
	for y := 0; y < c.H; y++ {
		if y > 0 {
			b.WriteByte('\n')
		}
		var last Style
		for _, p := range c.cells[y*c.w : (y+1)*c.w] {
			if p.text == " " && p.style.Bg != 0 {
				// Concealed is not seen on a blank, but it keeps the renderer from
				// erasing with the ground's colour, which some terminals and
				// multiplexers forget.
				p.style.Attr |= conceal
			}
			if p.style != last {
				b.WriteString(c.written(p.style))
				last = p.style
			}
			b.WriteString(p.text)
		}
		if last != (Style{}) {
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
	Bold attr = 1 << iota
	faint
	Italic
	Underline
	reverse
	strike
	conceal
)

// Style is how a cell looks. The zero style is the terminal's own.
type Style struct {
	Fg, Bg color
	Attr   attr
}

// With lays what o sets over s.
func (s Style) With(o Style) Style {
	if o.Fg != 0 {
		s.Fg = o.Fg
	}
	if o.Bg != 0 {
		s.Bg = o.Bg
	}
	s.Attr |= o.Attr
	return s
}

// spelled marks what safetext spelled out: it is not the page's own letters.
func (s Style) spelled() Style {
	s.Attr |= Italic
	return s
}

// written is a style's SGR sequence, made once and kept until another style needs its
// slot: a theme has some dozens.
type written struct {
	style Style
	sgr   string
}

func (c *Canvas) written(s Style) string {
	w := &c.sgr[s.slot()%uint32(len(c.sgr))]
	if w.style != s || w.sgr == "" {
		var b strings.Builder
		s.writeSGR(&b)
		*w = written{s, b.String()}
	}
	return w.sgr
}

// slot spreads the styles of a theme, which differ in a few bits.
func (s Style) slot() uint32 {
	return (uint32(s.Fg)*31 + uint32(s.Bg)*0x9e3779b1 + uint32(s.Attr)*0x85ebca6b) * 0x2c1b3c6d >> 16
}

func (s Style) writeSGR(b *strings.Builder) {
	b.WriteString("\x1b[0")
	for i, code := range [...]string{";1", ";2", ";3", ";4", ";7", ";9", ";8"} {
		if s.Attr&(1<<i) != 0 {
			b.WriteString(code)
		}
	}
	writeColor(b, ";38;2;", s.Fg)
	writeColor(b, ";48;2;", s.Bg)
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
