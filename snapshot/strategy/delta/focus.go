package delta

import (
	"fmt"
	"slices"
	"strings"

	"snapscope/snapshot/notation"
)

// The mark of the focused element wanders with every click. A delta takes it off
// both texts before it compares them and names the new place in one line; the
// mark's place in a key is fixed, so putting it back is exact.

const focusAttr = "active"

// unfocused takes the mark off a line; ok is false where it has none or where
// focused would not put it back.
func unfocused(line string) (string, bool) {
	bare, ok := notation.DropAttr(line, focusAttr)
	return bare, ok && focused(bare) == line
}

// focused puts the mark on a line.
func focused(line string) string { return notation.AddAttr(line, focusAttr) }

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
