package dialog

import (
	"strings"

	"snapscope/tui/view"
)

// finding is a search within a sheet: only the lines that hold what was typed, below
// the headings that they stand under.
type finding struct {
	text   []rune
	typing bool
}

// press takes a key while the text is typed.
func (f *finding) press(key string) {
	switch key {
	case "enter":
		f.typing = false
	case "esc", "ctrl+g":
		f.typing, f.text = false, nil
	case "backspace":
		f.text = f.text[:max(0, len(f.text)-1)]
	case "ctrl+u":
		f.text = nil
	case "space":
		f.text = append(f.text, ' ')
	default:
		if r := []rune(key); len(r) == 1 && len(f.text) < 80 {
			f.text = append(f.text, r[0])
		}
	}
}

// of are the lines that are left of a sheet's.
func (f *finding) of(lines []textLine) []textLine {
	if f == nil || len(f.text) == 0 {
		return lines
	}
	want := strings.ToLower(string(f.text))
	var out []textLine
	var head *textLine
	for i, l := range lines {
		switch {
		case l.heads():
			head = &lines[i]
		case l.live == nil && view.Index(strings.ToLower(l.left+" "+l.text+" "+l.also), want, 0) >= 0:
			if head != nil {
				if len(out) > 0 {
					out = append(out, textLine{})
				}
				out = append(out, *head)
				head = nil
			}
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		out = append(out, textLine{text: "nothing here holds that", look: lookDim})
	}
	return out
}

// foot is what the foot of a sheet says of the search.
func (f *finding) foot(foot string) string {
	switch {
	case f == nil:
		return foot
	case f.typing:
		return "/" + string(f.text) + "▏  enter keeps it · esc shows all again"
	case len(f.text) > 0:
		return "/" + string(f.text) + " · " + foot
	}
	return foot
}
