package textdiff

import (
	"unicode"
	"unicode/utf8"
)

// Hunk is a group of changes near each other with unchanged lines around them.
type Hunk struct {
	A0, A1, B0, B1 int // the lines covered, half-open
	Edits          []Edit
}

// Hunks groups edits as unified diffs do: each change keeps up to context equal
// lines on both sides, and changes whose context meets are one hunk. No change
// gives no hunk.
func Hunks(edits []Edit, context int) []Hunk {
	context = max(context, 0)
	var out []Hunk
	open := false
	for k, e := range edits {
		switch {
		case e.Op != Equal:
			if !open {
				out = append(out, Hunk{A0: e.A0, B0: e.B0})
				open = true
				if k > 0 {
					out[len(out)-1].lead(edits[k-1], context)
				}
			}
			out[len(out)-1].add(e)
		case open:
			n := e.A1 - e.A0
			last := k == len(edits)-1
			if !last && n <= 2*context {
				out[len(out)-1].add(e)
				continue
			}
			n = min(n, context)
			out[len(out)-1].add(Edit{Equal, e.A0, e.A0 + n, e.B0, e.B0 + n})
			open = false
		}
	}
	return out
}

// lead puts the last equal lines before a hunk's first change into it.
func (h *Hunk) lead(e Edit, context int) {
	n := min(e.A1-e.A0, context)
	h.A0, h.B0 = e.A1-n, e.B1-n
	h.add(Edit{Equal, h.A0, e.A1, h.B0, e.B1})
}

func (h *Hunk) add(e Edit) {
	if e.A0 != e.A1 || e.B0 != e.B1 {
		h.Edits = append(h.Edits, e)
	}
	h.A1, h.B1 = e.A1, e.B1
}

// Counts sums up edits: lines only in the new text, only in the old, in both.
func Counts(edits []Edit) (added, removed, equal int) {
	for _, e := range edits {
		switch e.Op {
		case Insert:
			added += e.B1 - e.B0
		case Delete:
			removed += e.A1 - e.A0
		default:
			equal += e.A1 - e.A0
		}
	}
	return added, removed, equal
}

// WordEdit is one run of a word diff: bytes [A0,A1) of the old line against
// bytes [B0,B1) of the new.
type WordEdit = Edit

// Words compares two lines by word: a run of letters and digits, a run of
// spaces, or any other rune alone. The offsets are bytes of a and b.
func Words(a, b string) []WordEdit {
	x, xs := cutWords(a)
	y, ys := cutWords(b)
	edits := Diff(x, y)
	for i := range edits {
		e := &edits[i]
		e.A0, e.A1, e.B0, e.B1 = xs[e.A0], xs[e.A1], ys[e.B0], ys[e.B1]
	}
	return edits
}

// cutWords answers the words of a line and the offset of each and of the end.
func cutWords(s string) (words []string, starts []int) {
	for i := 0; i < len(s); {
		r, end := utf8.DecodeRuneInString(s[i:])
		end += i
		if kind := wordKind(r); kind != 0 {
			for end < len(s) {
				r, w := utf8.DecodeRuneInString(s[end:])
				if wordKind(r) != kind {
					break
				}
				end += w
			}
		}
		words, starts = append(words, s[i:end]), append(starts, i)
		i = end
	}
	return words, append(starts, len(s))
}

// wordKind is 1 for what words are made of, 2 for space, 0 for what stands alone.
func wordKind(r rune) int {
	switch {
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.M, r), r == '_':
		return 1
	case unicode.IsSpace(r):
		return 2
	}
	return 0
}
