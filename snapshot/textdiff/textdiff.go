// Package textdiff compares texts by line and lines by word. It is the only
// importer of go-diff.
//
// A line diff is minimal: no other has fewer changed lines. The library finds
// minimal edit scripts, but its time grows with lines × changes, so as much as
// can be known beforehand is taken away first:
//
//	common start and end ─▶ lines that stand on one side only ─▶ go-diff
//
// A line on one side only can be in no common subsequence, so leaving it out
// loses nothing; on snapshots whose refs all changed almost nothing is left.
// What is left is sized up before the library is asked (lcs.go): a comparison
// that would take too long is split at lines that occur once on each side, and
// the answer is then correct but may be coarser. The bound counts work, not
// time, so equal inputs always give equal answers.
package textdiff

import "strings"

// Op is what an edit does.
type Op uint8

// The operations.
const (
	Equal Op = iota
	Delete
	Insert
)

// Edit is one run of an edit script. It relates lines [A0,A1) of the old text to
// lines [B0,B1) of the new; for Delete B0 == B1, for Insert A0 == A1.
type Edit struct {
	Op             Op
	A0, A1, B0, B1 int
}

// Split cuts text at each newline. A carriage return stays with its line and a
// final newline leaves an empty last line, so Join gives back the same bytes and
// texts that differ only in these differ here too.
func Split(text string) []string { return strings.Split(text, "\n") }

// Diff answers the edits that turn a into b: maximal runs, in order, that cover
// both sides, a deletion before an insertion at the same place. Where a run of
// new or gone lines could stand in several places, it starts at the least
// indented line, so that a subtree is one run. Equal inputs give one Equal run,
// two empty ones none.
func Diff(a, b []string) []Edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	s := script{}
	s.equal(head)
	s.middle(a[head:len(a)-tail], b[head:len(b)-tail])
	s.gap(len(a)-tail, len(b)-tail)
	s.equal(tail)
	slide(s.edits, a, b)
	return merge(s.edits)
}

// script collects edits from matches that come in order.
type script struct {
	edits []Edit
	a, b  int // lines of each side already written
}

// gap writes the change up to a line of each side.
func (s *script) gap(a, b int) {
	if a > s.a {
		s.edits = append(s.edits, Edit{Delete, s.a, a, s.b, s.b})
		s.a = a
	}
	if b > s.b {
		s.edits = append(s.edits, Edit{Insert, s.a, s.a, s.b, b})
		s.b = b
	}
}

func (s *script) equal(n int) {
	if n == 0 {
		return
	}
	if k := len(s.edits) - 1; k >= 0 && s.edits[k].Op == Equal {
		s.edits[k].A1 += n
		s.edits[k].B1 += n
	} else {
		s.edits = append(s.edits, Edit{Equal, s.a, s.a + n, s.b, s.b + n})
	}
	s.a += n
	s.b += n
}

// middle compares what is left between the common ends.
func (s *script) middle(a, b []string) {
	if len(a) == 0 || len(b) == 0 {
		return
	}
	base, baseB := s.a, s.b
	x, y := shared(a, b)
	for _, m := range match(x.ids, y.ids) {
		s.gap(base+x.lines[m.a], baseB+y.lines[m.b])
		s.equal(1)
	}
}

// side is one text's lines that also occur in the other, as numbers from 0.
type side struct {
	ids   []int32
	lines []int // index of each in the text
}

// shared numbers the lines that stand on both sides and leaves out the rest.
func shared(a, b []string) (side, side) {
	type entry struct {
		id   int32
		both bool
	}
	seen := make(map[string]*entry, len(a))
	inA := make([]*entry, len(a))
	block := make([]entry, 0, len(a)) // one allocation for all entries
	for i, l := range a {
		e := seen[l]
		if e == nil {
			block = append(block, entry{id: -1})
			e = &block[len(block)-1]
			seen[l] = e
		}
		inA[i] = e
	}
	var x, y side
	next := int32(0)
	for j, l := range b {
		e := seen[l]
		if e == nil {
			continue
		}
		if !e.both {
			e.both, e.id = true, next
			next++
		}
		y.ids, y.lines = append(y.ids, e.id), append(y.lines, j)
	}
	for i, e := range inA {
		if e.both {
			x.ids, x.lines = append(x.ids, e.id), append(x.lines, i)
		}
	}
	return x, y
}

// merge joins neighbours of one kind and drops empty runs.
func merge(edits []Edit) []Edit {
	out := edits[:0]
	for _, e := range edits {
		if e.A0 == e.A1 && e.B0 == e.B1 {
			continue
		}
		k := len(out) - 1
		switch {
		case k >= 0 && out[k].Op == e.Op:
			out[k].A1, out[k].B1 = e.A1, e.B1
		case k >= 1 && out[k].Op == Insert && e.Op == Delete && out[k-1].Op == Delete:
			out[k-1].A1 = e.A1
			out[k].A0, out[k].A1 = e.A1, e.A1
		case k >= 0 && out[k].Op == Insert && e.Op == Delete:
			ins := out[k]
			out[k] = Edit{Delete, e.A0, e.A1, ins.B0, ins.B0}
			out = append(out, Edit{Insert, e.A1, e.A1, ins.B0, ins.B1})
		default:
			out = append(out, e)
		}
	}
	return out
}

// slide moves each run that stands alone between equal lines to where its first
// line is least indented; of several such places the last. It keeps the number
// of changed lines.
func slide(edits []Edit, a, b []string) {
	for k := 1; k+1 < len(edits); k++ {
		e, before, after := &edits[k], &edits[k-1], &edits[k+1]
		if e.Op == Equal || before.Op != Equal || after.Op != Equal {
			continue
		}
		text, from, to := b, e.B0, e.B1
		if e.Op == Delete {
			text, from, to = a, e.A0, e.A1
		}
		up := 0
		for up < before.A1-before.A0 && text[from-up-1] == text[to-up-1] {
			up++
		}
		down := 0
		for down < after.A1-after.A0 && text[from+down] == text[to+down] {
			down++
		}
		best, least := 0, -1
		for d := -up; d <= down; d++ {
			if n := indent(text[from+d]); least < 0 || n <= least {
				best, least = d, n
			}
		}
		before.A1, before.B1 = before.A1+best, before.B1+best
		after.A0, after.B0 = after.A0+best, after.B0+best
		e.A0, e.A1, e.B0, e.B1 = e.A0+best, e.A1+best, e.B0+best, e.B1+best
	}
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
