package draw

import (
	"strings"

	"snapscope/tui/safetext"
)

// WrapWords breaks a sentence into lines of at most width cells.
func WrapWords(text string, width int) []string {
	if width <= 0 {
		return nil
	}
	var out []string
	for _, para := range strings.Split(text, "\n") {
		line := ""
		for _, w := range strings.Fields(para) {
			switch {
			case line == "":
				line = w
			case safetext.Width(line)+1+safetext.Width(w) <= width:
				line += " " + w
			default:
				out = append(out, line)
				line = w
			}
		}
		out = append(out, line)
	}
	return out
}

// FirstFitting is the first of some texts that fits into width cells, else the
// last.
func FirstFitting(texts []string, width int) string {
	for _, t := range texts {
		if safetext.Width(t) <= width {
			return t
		}
	}
	return texts[len(texts)-1]
}

// WrapCells breaks a text into lines of at most width cells, words or not, and
// cuts it after most lines.
func WrapCells(text string, width, most int) []string {
	if width <= 0 {
		return nil
	}
	var out []string
	for _, para := range strings.Split(text, "\n") {
		for {
			if len(out) == most {
				out[most-1] = safetext.Cut(strings.TrimRight(out[most-1], " ")+" …", width)
				return out
			}
			if safetext.Width(para) <= width {
				out = append(out, para)
				break
			}
			n := cellsPrefix(para, width)
			if i := strings.LastIndexByte(para[:n], ' '); i > width/2 {
				n = i + 1
			}
			out = append(out, para[:n])
			para = para[n:]
		}
	}
	return out
}

// cellsPrefix is how many bytes of s fit into width cells, at least one piece.
func cellsPrefix(s string, width int) int {
	n, w := 0, 0
	for n < len(s) {
		p := safetext.Next(s[n:])
		if w += p.Width; w > width && n > 0 {
			break
		}
		n += p.Size
	}
	return n
}
