package main

import (
	"bytes"
	"fmt"
	"image/color"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"snapscope/tui/safetext"
)

// style is how a cell is drawn. A colour is "#rrggbb"; empty is the terminal's own.
type style struct {
	text, ground                                  string
	bold, dim, italic, underline, reverse, strike bool
}

// cell is one character with its marks, one or two columns wide.
type cell struct {
	text  string
	width int
	style style
}

// parse reads a screen as tmux captures it, with colours, into its rows of
// cells. Each row is as wide as the terminal or shorter. A style holds on over
// the end of a line until it is changed.
func parse(screen string, cols, rows int) ([][]cell, error) {
	lines := strings.Split(strings.TrimSuffix(screen, "\n"), "\n")
	if len(lines) > rows {
		return nil, fmt.Errorf("the screen has %d lines, the terminal %d rows", len(lines), rows)
	}
	out, now := make([][]cell, rows), style{}
	for i, l := range lines {
		width := 0
		left := pieces([]byte(l), func(raw []byte, p *ansi.Parser) {
			switch cmd := ansi.Cmd(p.Command()); {
			case letters(raw):
				out[i] = append(out[i], cells(string(raw), now)...)
			case csi(raw) && cmd.Final() == 'm' && cmd.Prefix() == 0:
				now = sgr(now, p.Params())
			}
		})
		if len(left) > 0 {
			return nil, fmt.Errorf("line %d ends within an escape sequence or a character: %q", i+1, left)
		}
		for _, c := range out[i] {
			width += c.width
		}
		if width > cols {
			return nil, fmt.Errorf("line %d is %d columns wide, the terminal %d", i+1, width, cols)
		}
	}
	return out, nil
}

// pieces takes a terminal's output apart into letters and control sequences, in
// order, and answers what is cut off at its end: what follows may complete it.
func pieces(b []byte, each func(raw []byte, p *ansi.Parser)) (left []byte) {
	p := ansi.NewParser()
	for len(b) > 0 {
		n := 0
		for n < len(b) && letters(b[n:]) && utf8.FullRune(b[n:]) {
			_, size := utf8.DecodeRune(b[n:])
			n += size
		}
		if n == 0 && letters(b) {
			return b
		}
		if n == 0 {
			state := byte(0)
			if _, _, n, state = ansi.DecodeSequence(b, ansi.NormalState, p); state != ansi.NormalState {
				return b
			}
		}
		each(b[:n], p)
		b = b[n:]
	}
	return nil
}

// letters tells text from control sequences.
func letters(raw []byte) bool { return raw[0] >= 0x20 && raw[0] != 0x7f }

// csi tells a control sequence with parameters: colours, cursor, modes.
func csi(raw []byte) bool { return bytes.HasPrefix(raw, []byte("\x1b[")) }

// cells takes letters apart by the program's own measure of what stands in a
// cell, which is tmux's where the program lets a character pass.
func cells(s string, st style) []cell {
	var out []cell
	for len(s) > 0 {
		p := safetext.Next(s)
		if p.Text != "" {
			out = append(out, cell{p.Text, p.Width, st})
		}
		s = s[p.Size:]
	}
	return out
}

// sgr is the style after "select graphic rendition" with these parameters (ECMA-48,
// 8.3.117). What it does not know changes nothing.
func sgr(st style, params ansi.Params) style {
	if len(params) == 0 {
		return style{}
	}
	for i := 0; i < len(params); i++ {
		n := params[i].Param(0)
		if n != 38 && n != 48 && n != 58 {
			sub := -1
			for params[i].HasMore() && i+1 < len(params) {
				i++
				sub = params[i].Param(0)
			}
			st = attribute(st, n, sub)
			continue
		}
		var c color.Color
		used := ansi.ReadStyleColor(params[i:], &c)
		i += max(used-1, 0)
		switch {
		case c == nil:
		case n == 38:
			st.text = hex(c)
		case n == 48:
			st.ground = hex(c)
		}
	}
	return st
}

// attribute is the style after one code that stands alone. sub is what follows
// it after a colon, -1 nothing: 4:0 is no underline, 4:3 a curly one.
func attribute(st style, n, sub int) style {
	switch {
	case n == 0:
		return style{}
	case n == 1:
		st.bold = true
	case n == 2:
		st.dim = true
	case n == 3:
		st.italic = true
	case n == 4:
		st.underline = sub != 0
	case n == 7:
		st.reverse = true
	case n == 9:
		st.strike = true
	case n == 22:
		st.bold, st.dim = false, false
	case n == 23:
		st.italic = false
	case n == 24:
		st.underline = false
	case n == 27:
		st.reverse = false
	case n == 29:
		st.strike = false
	case n == 39:
		st.text = ""
	case n == 49:
		st.ground = ""
	case n >= 30 && n <= 37:
		st.text = base[n-30]
	case n >= 40 && n <= 47:
		st.ground = base[n-40]
	case n >= 90 && n <= 97:
		st.text = base[n-82]
	case n >= 100 && n <= 107:
		st.ground = base[n-92]
	}
	return st
}

// base are the sixteen colours that a terminal chooses itself; ours are legible
// on both grounds.
var base = [16]string{
	"#2e3436", "#cc3b3b", "#3f9142", "#b58900", "#3b78c4", "#a2559c", "#16899a", "#bfc4c9",
	"#6b7177", "#ef5b5b", "#5fbf62", "#d7a921", "#5c9ce6", "#c678c0", "#33b0c2", "#eceff1",
}

// hex writes a colour as "#rrggbb"; the first sixteen of the palette are ours.
func hex(c color.Color) string {
	if n, ok := c.(ansi.IndexedColor); ok && n < 16 {
		return base[n]
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
