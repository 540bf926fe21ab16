package main

import (
	"fmt"
	"strconv"
	"strings"

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
		for b := []byte(l); len(b) > 0; {
			p, rest, ok := next(b)
			if !ok {
				return nil, fmt.Errorf("line %d ends within an escape sequence or a character: %q", i+1, b)
			}
			b = rest
			switch {
			case p.kind == plain:
				out[i] = append(out[i], cells(string(p.raw), now)...)
			case p.kind == csi && p.final == 'm' && !p.private():
				now = sgr(now, string(p.params))
			}
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
// 8.3.117; colours as ISO 8613-6 and xterm have them, sub-parameters after : or ;).
// What it does not know changes nothing.
func sgr(st style, params string) style {
	args := strings.Split(params, ";")
	for i := 0; i < len(args); i++ {
		code, sub, _ := strings.Cut(args[i], ":")
		n, err := strconv.Atoi(code)
		if err != nil && code != "" {
			continue
		}
		if n != 38 && n != 48 && n != 58 {
			st = attribute(st, n, sub)
			continue
		}
		colour, used := "", 0
		if sub != "" {
			colour, _ = extended(strings.Split(sub, ":"))
		} else {
			colour, used = extended(args[i+1:])
		}
		i += used
		switch {
		case colour == "":
		case n == 38:
			st.text = colour
		case n == 48:
			st.ground = colour
		}
	}
	return st
}

// attribute is the style after one code that stands alone. sub is what follows
// it after a colon: 4:0 is no underline, 4:3 a curly one.
func attribute(st style, n int, sub string) style {
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
		st.underline = sub != "0"
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
		st.text = palette(n - 30)
	case n >= 40 && n <= 47:
		st.ground = palette(n - 40)
	case n >= 90 && n <= 97:
		st.text = palette(n - 82)
	case n >= 100 && n <= 107:
		st.ground = palette(n - 92)
	}
	return st
}

// extended reads a colour after 38, 48 or 58: 5;N of the palette or 2;R;G;B. It
// answers how many parameters it took; an empty colour where it is none.
func extended(args []string) (colour string, used int) {
	var v []int
	for _, a := range args {
		n, err := strconv.Atoi(a)
		if err != nil && a != "" || n < 0 || n > 255 {
			break
		}
		v = append(v, n)
	}
	switch {
	case len(v) >= 2 && v[0] == 5:
		return palette(v[1]), 2
	case len(v) == 5 && v[0] == 2 && args[1] == "": // 2::R:G:B, with a colour space left out
		return hex(v[2], v[3], v[4]), 5
	case len(v) >= 4 && v[0] == 2:
		return hex(v[1], v[2], v[3]), 4
	}
	return "", len(v)
}

// base are the sixteen colours that a terminal chooses itself; ours are legible
// on both grounds.
var base = [16]string{
	"#2e3436", "#cc3b3b", "#3f9142", "#b58900", "#3b78c4", "#a2559c", "#16899a", "#bfc4c9",
	"#6b7177", "#ef5b5b", "#5fbf62", "#d7a921", "#5c9ce6", "#c678c0", "#33b0c2", "#eceff1",
}

// palette is colour n of xterm's 256: sixteen of the terminal's, a cube of six
// levels, and 24 greys.
func palette(n int) string {
	switch {
	case n < 16:
		return base[n]
	case n >= 232:
		v := 8 + (n-232)*10
		return hex(v, v, v)
	}
	level := func(x int) int {
		if x == 0 {
			return 0
		}
		return 55 + 40*x
	}
	n -= 16
	return hex(level(n/36), level(n/6%6), level(n%6))
}

func hex(r, g, b int) string { return fmt.Sprintf("#%02x%02x%02x", r, g, b) }
