package strategy

import (
	"fmt"
	"slices"
	"strings"
)

// The mark of the focused element wanders with every click. A delta takes it off
// both texts before it compares them and names the new place in one line; the
// mark's place in a key is fixed, so putting it back is exact.

const focusMark = " [active]"

// beforeFocus are the states that stand before the mark in a key.
var beforeFocus = []string{" [checked", " [disabled", " [expanded"}

// keyOf parts a line at the end of its brackets: what stands before the first,
// the brackets, and the rest.
func keyOf(line string) (head, brackets, rest string) {
	i := strings.Index(line, "- ")
	if i < 0 {
		return line, "", ""
	}
	i += 2
	for i < len(line) && line[i] != ' ' && line[i] != ':' {
		i++
	}
	if strings.HasPrefix(line[i:], ` "`) {
		for i += 2; i < len(line) && line[i] != '"'; i++ {
			if line[i] == '\\' {
				i++
			}
		}
		i = min(i+1, len(line))
	}
	j := i
	for strings.HasPrefix(line[j:], " [") {
		end := strings.IndexByte(line[j:], ']')
		if end < 0 {
			break
		}
		j += end + 1
	}
	return line[:i], line[i:j], line[j:]
}

// unfocused takes the mark off a line; ok is false where it has none or where
// focused would not put it back.
func unfocused(line string) (string, bool) {
	if !strings.Contains(line, focusMark) {
		return line, false
	}
	head, brackets, rest := keyOf(line)
	before, after, ok := strings.Cut(brackets, focusMark)
	if !ok {
		return line, false
	}
	bare := head + before + after + rest
	return bare, focused(bare) == line
}

// focused puts the mark on a line.
func focused(line string) string {
	head, brackets, rest := keyOf(line)
	at := 0
	for {
		n := 0
		for _, s := range beforeFocus {
			if strings.HasPrefix(brackets[at:], s) {
				n = strings.IndexByte(brackets[at:], ']') + 1
			}
		}
		if n == 0 {
			break
		}
		at += n
	}
	return head + brackets[:at] + focusMark + brackets[at:] + rest
}

// withoutFocus takes the mark off all lines.
func withoutFocus(lines []string) []string {
	out := lines
	for i, l := range lines {
		if bare, ok := unfocused(l); ok {
			if &out[0] == &lines[0] {
				out = slices.Clone(lines)
			}
			out[i] = bare
		}
	}
	return out
}

// focusRefs lists the handles of the marked lines.
func focusRefs(lines []string) []string {
	var out []string
	for _, l := range lines {
		if _, ok := unfocused(l); ok {
			out = append(out, deltaRef(l))
		}
	}
	return out
}

// putFocus marks the lines of refs.
func putFocus(lines, refs []string) error {
	for _, ref := range refs {
		found := false
		for i, l := range lines {
			if strings.Contains(l, ref) && deltaRef(l) == ref {
				lines[i], found = focused(l), true
				break
			}
		}
		if !found {
			return fmt.Errorf("the page has no %q to focus", ref)
		}
	}
	return nil
}
