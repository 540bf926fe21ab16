package dialog

import (
	"strings"

	"snapscope/tui/view"
)

// typed is a text that is typed within an overlay, to find something by.
type typed struct {
	text []rune
	on   bool // keys are typed into it
}

// edit takes a key that changes the text; false: it does not.
func (t *typed) edit(key string) bool {
	switch r := []rune(key); {
	case key == "backspace":
		t.text = t.text[:max(0, len(t.text)-1)]
	case key == "ctrl+u":
		t.text = nil
	case key == "space":
		t.text = append(t.text, ' ')
	case len(r) == 1:
		if len(t.text) < mostTyped {
			t.text = append(t.text, r[0])
		}
	default:
		return false
	}
	return true
}

// mostTyped bounds such a text, in characters.
const mostTyped = 80

// press is edit with the keys that end the typing: enter keeps the text, esc drops it.
func (t *typed) press(key string) bool {
	switch key {
	case "enter":
		t.on = false
	case "esc", "ctrl+g":
		*t = typed{}
	default:
		return t.edit(key)
	}
	return true
}

// in reports that a text holds what was typed, in whatever case.
func (t *typed) in(text string) bool {
	return len(t.text) == 0 || view.Literal(strings.ToLower(string(t.text))).In(text)
}

// linesOf are the lines of a sheet that hold what was typed, below the headings that they
// stand under.
func (t *typed) linesOf(lines []textLine) []textLine {
	if len(t.text) == 0 {
		return lines
	}
	var out []textLine
	var head *textLine
	for i, l := range lines {
		switch {
		case l.heads():
			head = &lines[i]
		case l.live == nil && t.in(l.left+" "+l.text+" "+l.also):
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
func (t *typed) foot(foot string) string {
	switch {
	case t.on:
		return "/" + string(t.text) + "▏  enter keeps it · esc shows all again"
	case len(t.text) > 0:
		return "/" + string(t.text) + " · " + foot
	}
	return foot
}
