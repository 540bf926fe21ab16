package strategy

import (
	"iter"
	"slices"
	"sort"
	"strings"

	"snapscope/snapshot/notation"
)

// Mark says what a line of a verdict's text is to the page.
type Mark uint8

// The marks of a line.
const (
	Same    Mark = iota // stands in the page as it is
	Added               // stands in the page, not in the base
	Removed             // stood in the base
	Gap                 // stands for lines left out
	Message             // a header or note of the strategy's own
	Named               // names elements of the page that it does not show: moved, or with a new ref
)

// Line relates one line of a verdict's text to the page it was made from.
type Line struct {
	Mark   Mark
	Source int // 0-based line of Input.Page.Text; -1 where there is none
}

// Shown is one line of the page that a line of a verdict's text shows.
type Shown struct {
	Text, Page int // 0-based lines of Verdict.Text and of Input.Page.Text
}

// Rename is an element that the text calls by a new ref without showing it: its
// line is the base's but for the ref.
type Rename struct {
	Page, Base string // its ref on the page, and in the base
}

// Elements are the page lines that a reader of Text alone can find, each with
// the line of Text that shows it, in the order of Text. A line that only names
// an element (moved, unchanged, gone) does not show it.
//
// Page lines are those of Input.Page.Text; where a session composed that text
// (Strategy.Compose), lines of its own stand before the page's.
func (v *Verdict) Elements() iter.Seq2[int, int] {
	return func(yield func(text, page int) bool) {
		if v.Lines == nil {
			for i := range strings.Count(v.Text, "\n") + 1 {
				if !yield(i, i) {
					return
				}
			}
			return
		}
		inside := v.Inside
		for i, l := range v.Lines {
			if l.Source >= 0 && (l.Mark == Same || l.Mark == Added) && !yield(i, l.Source) {
				return
			}
			for ; len(inside) > 0 && inside[0].Text <= i; inside = inside[1:] {
				if !yield(inside[0].Text, inside[0].Page) {
					return
				}
			}
		}
	}
}

// Refs are the refs that a reader of Text alone can find, each with the line of
// Text that shows its element. page is Input.Page.Text as it is read; names
// and texts of the page have no part in it.
func (v *Verdict) Refs(page *notation.Text) iter.Seq2[string, int] {
	return func(yield func(ref string, text int) bool) {
		for text, line := range v.Elements() {
			if line >= page.Len() {
				continue
			}
			if ref := page.Ref(line); ref != "" && !v.refless(line) && !yield(ref, text) {
				return
			}
		}
	}
}

// ShowsRef reports whether Elements' page line is shown with its ref.
func (v *Verdict) ShowsRef(line int) bool { return !v.refless(line) }

func (v *Verdict) refless(line int) bool {
	_, found := slices.BinarySearch(v.NoRef, line)
	return found
}

// BaseRef is the ref under which the base knows an element of the page.
func (v *Verdict) BaseRef(ref string) string {
	i := sort.Search(len(v.Renames), func(i int) bool { return v.Renames[i].Page >= ref })
	if i < len(v.Renames) && v.Renames[i].Page == ref {
		return v.Renames[i].Base
	}
	return ref
}
