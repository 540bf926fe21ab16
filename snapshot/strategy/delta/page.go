package delta

import (
	"strings"

	"snapscope/snapshot/notation"
	"snapscope/snapshot/textdiff"
)

// deltaPage is a text as both ends of a delta see it: lines with their indent,
// what they hang below, and handles that name one line only. The writer and the
// reader of a delta build it from the same base, so a place that one names the
// other finds.
type deltaPage struct {
	lines  []string
	indent []int          // leading spaces; -1 for a blank line
	parent []int          // the nearest line above that is less indented; -1: none
	solid  []int          // the last line up to this one that is not blank; -1: none
	end    []int          // behind the last line below
	ref    []string       // the line's handle; "" where it has none
	word   []string       // the line's first word: its role, or a property's key
	at     map[string]int // line of each handle; -1 where several lines have it
}

func newDeltaPage(lines []string) *deltaPage {
	p := &deltaPage{
		lines: lines, indent: make([]int, len(lines)), parent: make([]int, len(lines)), end: make([]int, len(lines)),
		solid: make([]int, len(lines)), ref: make([]string, len(lines)), word: make([]string, len(lines)), at: make(map[string]int, len(lines)),
	}
	var open []int
	solid := -1
	for i, l := range lines {
		p.parent[i], p.end[i], p.solid[i] = -1, i+1, solid
		n := notation.Indent(l)
		if strings.TrimSpace(l) == "" {
			p.indent[i] = -1
			if len(open) > 0 {
				p.parent[i] = open[len(open)-1]
			}
			continue
		}
		p.indent[i], p.solid[i], solid = n, i, i
		for len(open) > 0 && p.indent[open[len(open)-1]] >= n {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			p.parent[i] = open[len(open)-1]
		}
		open = append(open, i)
		read := notation.ReadLine(l, "")
		p.word[i] = firstWord(&read)
		p.name(i, handleOf(&read))
	}
	for i := len(lines) - 1; i >= 0; i-- { // a subtree ends where its last line that is not blank does
		if q := p.parent[i]; q >= 0 && p.indent[i] >= 0 && p.end[i] > p.end[q] {
			p.end[q] = p.end[i]
		}
	}
	return p
}

func (p *deltaPage) name(i int, ref string) {
	if ref == "" {
		return
	}
	p.ref[i] = ref
	if _, ok := p.at[ref]; ok {
		p.at[ref] = -1
	} else {
		p.at[ref] = i
	}
}

// least is the smallest indent of the lines [from,to) that are not blank.
func (p *deltaPage) least(from, to int) int {
	n := -1
	for _, d := range p.indent[from:to] {
		if d >= 0 && (n < 0 || d < n) {
			n = d
		}
	}
	return max(n, 0)
}

// line is where a handle stands; ok is false unless exactly one line has it.
func (p *deltaPage) line(ref string) (i int, ok bool) {
	i, ok = p.at[ref]
	return i, ok && i >= 0 && ref != ""
}

// unique is line i's handle if it names no other line.
func (p *deltaPage) unique(i int) string {
	if i < 0 || p.ref[i] == "" || p.at[p.ref[i]] != i {
		return ""
	}
	return p.ref[i]
}

// deltaRef is the handle of a line, of aria text or of a chrome-devtools tree.
// One that could be read as something else in a delta is none.
func deltaRef(line string) string {
	l := notation.ReadLine(line, "")
	return handleOf(&l)
}

func handleOf(l *notation.Line) string {
	ref := l.Own()
	if ref == "after" || ref == "line" || ref == "none" || len(ref) > 24 {
		return ""
	}
	digits := true
	for _, c := range []byte(ref) {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return ""
		}
		digits = digits && c >= '0' && c <= '9'
	}
	if digits {
		return "" // a bare number counts lines
	}
	return ref
}

// deltaBody is a line without its indent and its dash; ok is false for one that
// begins otherwise.
func deltaBody(line string) (body string, ok bool) {
	return strings.CutPrefix(line[notation.Indent(line):], "- ")
}

// deltaChange is one step of a delta over the base's lines [a0,a1) and the new
// text's lines [b0,b1): replace a line '~' or its ref '=', insert '+', remove 'x', or insert
// lines that stand elsewhere in the base '^', from line from.
type deltaChange struct {
	op             byte
	a0, a1, b0, b1 int
	from           int
}

// deltaHunks groups the changes between two texts: a hunk has no unchanged line
// in it. The texts are aligned by their lines; or, with byRef, by the elements
// that both have, which serves better where many lines changed in place.
func deltaHunks(a, b *deltaPage, byRef bool) [][]deltaChange {
	x, y := a.lines, b.lines
	if byRef {
		x, y = deltaElements(a, b), deltaElements(b, a)
	}
	h := deltaHunker{a: a, b: b}
	edits := textdiff.Diff(x, y)
	for k := 0; k < len(edits); k++ {
		e := edits[k]
		if e.Op == textdiff.Equal {
			h.same(e)
			continue
		}
		if e.Op == textdiff.Delete && k+1 < len(edits) && edits[k+1].Op == textdiff.Insert {
			k++
			e.B1 = edits[k].B1
		}
		h.add(deltaRegion(a, b, e))
	}
	return h.out
}

// deltaElements answers what each line of p shows: an element of both texts with
// its role and depth, or just itself.
func deltaElements(p, other *deltaPage) []string {
	out := make([]string, len(p.lines))
	for i, l := range p.lines {
		out[i] = l
		if r := p.unique(i); r != "" {
			if _, ok := other.line(r); ok {
				out[i] = r + " " + p.kind(i)
			}
		}
	}
	return out
}

type deltaHunker struct {
	a, b *deltaPage
	out  [][]deltaChange
	open bool // the last hunk reaches to here
}

func (h *deltaHunker) add(changes []deltaChange) {
	if !h.open {
		h.out = append(h.out, nil)
	}
	h.out[len(h.out)-1] = append(h.out[len(h.out)-1], changes...)
	h.open = true
}

// same goes through lines that were aligned: those that differ are changes.
func (h *deltaHunker) same(e textdiff.Edit) {
	for i := range e.A1 - e.A0 {
		if h.a.lines[e.A0+i] == h.b.lines[e.B0+i] {
			h.open = false
			continue
		}
		h.add(deltaReplace(nil, h.a, h.b, e.A0+i, e.B0+i))
	}
}

// deltaRegion accounts for one region in which no line is common: by pairs of
// old and new lines that are the same element or the same kind of text, or, where
// that is longer, by adding all and removing all.
func deltaRegion(a, b *deltaPage, e textdiff.Edit) []deltaChange {
	pairs := deltaPairs(a, b, e)
	if e.A0 == e.A1 || e.B0 == e.B1 {
		return pairs
	}
	all := deltaInserts(nil, a, b, e.A0, e.B0, e.B1)
	all = append(all, deltaChange{op: 'x', a0: e.A0, a1: e.A1, b0: e.B1, b1: e.B1})
	if deltaSize(all, a, b) < deltaSize(pairs, a, b) {
		return all
	}
	return pairs
}

// deltaSize is about the bytes that an account takes. Handles count half as much
// again: they run at fewer characters a token than words do.
func deltaSize(changes []deltaChange, a, b *deltaPage) int {
	const few = 12 // a sign, a ref or two and a word
	n := 0
	for _, c := range changes {
		switch c.op {
		case '~':
			n += 2 + len(b.lines[c.b0]) - max(0, b.indent[c.b0])
			if old := a.unique(c.a0); old != "" && old != b.ref[c.b0] {
				n += len(old) * 3 / 2
			}
		case '+':
			for j := c.b0; j < c.b1; j++ {
				n += 2 + len(b.lines[j]) - max(0, b.indent[j])
			}
		case '=':
			for i := range c.a1 - c.a0 {
				n += (len(a.ref[c.a0+i])+len(b.ref[c.b0+i]))*3/2 + len(" → , ")
			}
		default:
			n += few
		}
	}
	return n
}

func deltaPairs(a, b *deltaPage, e textdiff.Edit) []deltaChange {
	var out []deltaChange
	for _, p := range textdiff.Diff(deltaKeys(a, b, e.A0, e.A1), deltaKeys(b, a, e.B0, e.B1)) {
		switch p.Op {
		case textdiff.Delete:
			out = append(out, deltaChange{op: 'x', a0: e.A0 + p.A0, a1: e.A0 + p.A1, b0: e.B0 + p.B0, b1: e.B0 + p.B0})
		case textdiff.Insert:
			out = deltaInserts(out, a, b, e.A0+p.A0, e.B0+p.B0, e.B0+p.B1)
		default:
			for i := range p.A1 - p.A0 {
				out = deltaReplace(out, a, b, e.A0+p.A0+i, e.B0+p.B0+i)
			}
		}
	}
	return out
}

// deltaReplace adds new line j for base line i: as a new ref only where nothing
// else of the line changed.
func deltaReplace(out []deltaChange, a, b *deltaPage, i, j int) []deltaChange {
	old, now := a.unique(i), b.ref[j]
	op := byte('~')
	if old != "" && now != "" && notation.WithRef(a.lines[i], now, notation.Aria) == b.lines[j] {
		op = '='
		if k := len(out) - 1; k >= 0 && out[k].op == '=' && out[k].a1 == i && out[k].b1 == j {
			out[k].a1++
			out[k].b1++
			return out
		}
	}
	return append(out, deltaChange{op: op, a0: i, a1: i + 1, b0: j, b1: j + 1})
}

// deltaKeys says of each line of p what it is: its element where the other text
// knows it too, else its place and its first word.
func deltaKeys(p, other *deltaPage, from, to int) []string {
	out := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		kind := "line "
		if r := p.unique(i); r != "" {
			kind = "new " // an element of one side only replaces one of its kind
			if _, ok := other.line(r); ok {
				kind = r + " "
			}
		}
		out = append(out, kind+p.kind(i))
	}
	return out
}

// kind is a line's indent and first word: its role, or a property's key.
func (p *deltaPage) kind(i int) string {
	return p.lines[i][:max(0, p.indent[i])] + p.word[i]
}

// firstWord is a line's role, a property's key with its slash, or what any other
// line begins with behind its dash.
func firstWord(l *notation.Line) string {
	switch l.Kind {
	case notation.OtherLine, notation.UnchangedLine:
		word, _ := deltaBody(l.Raw)
		if k := strings.IndexAny(word, " :"); k >= 0 {
			word = word[:k]
		}
		return strings.TrimPrefix(word, "'")
	case notation.PropertyLine:
		return l.Raw[l.RoleAt.From-1 : l.RoleAt.To]
	}
	return l.Role
}

// deltaInserts adds the new lines [b0,b1) at base line a0, as moves where whole
// subtrees of the base come again.
func deltaInserts(out []deltaChange, a, b *deltaPage, a0, b0, b1 int) []deltaChange {
	for j := b0; j < b1; {
		from, n := deltaMoved(a, b, j, b1)
		k := len(out) - 1
		switch {
		case n == 0:
			if k >= 0 && out[k].op == '+' && out[k].b1 == j {
				out[k].b1++
			} else {
				out = append(out, deltaChange{op: '+', a0: a0, a1: a0, b0: j, b1: j + 1})
			}
			j++
		case k >= 0 && out[k].op == '^' && out[k].b1 == j && a.end[out[k].from]-out[k].from == out[k].b1-out[k].b0 &&
			out[k].from+out[k].b1-out[k].b0 == from && a.indent[from] == a.indent[out[k].from]:
			out[k].b1 += n
			j += n
		default:
			out = append(out, deltaChange{op: '^', a0: a0, a1: a0, b0: j, b1: j + n, from: from})
			j += n
		}
	}
	return out
}

// deltaMoved answers the base subtree that the new lines from j repeat.
func deltaMoved(a, b *deltaPage, j, b1 int) (from, n int) {
	from, ok := a.line(b.ref[j])
	if !ok {
		return 0, 0
	}
	n = a.end[from] - from
	if j+n > b1 {
		return 0, 0
	}
	for i := range n {
		if a.lines[from+i] != b.lines[j+i] {
			return 0, 0
		}
	}
	return from, n
}
