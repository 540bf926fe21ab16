package delta

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
)

// deltaWriter writes hunks and keeps in step with what deltaReader will know
// when it gets there.
type deltaWriter struct {
	a, b  *deltaPage
	at    int // as in deltaReader
	depth int // as in deltaReader

	ancestors int
	named     map[int]bool // base lines that a place has shown
	stay      []bool       // base lines that stand elsewhere in the new text
	inside    int          // base line that the last place was inside of; -2: none yet

	used           [256]bool // signs written
	out            []string
	marks          []strategy.Line
	added, removed int
	changed, moved int
	renames        []strategy.Rename
	size           int // bytes written
}

// writeDelta writes the shortest of the accounts that the two alignments give,
// from the base as it is and as indented anew; indents is the line that says the
// latter, or "".
func writeDelta(a, b *deltaPage, ancestors int) (w *deltaWriter, indents string) {
	w = writeAligned(a, b, ancestors)
	shifts := findShifts(a, b)
	if len(shifts) == 0 {
		return w, ""
	}
	lines, err := a.shift(shifts)
	if err != nil {
		return w, ""
	}
	says := writeShifts(a, shifts)
	if len(says) >= w.size {
		return w, ""
	}
	if o := writeAligned(newDeltaPage(lines), b, ancestors); o.size+len(says) < w.size {
		return o, says
	}
	return w, ""
}

func writeAligned(a, b *deltaPage, ancestors int) *deltaWriter {
	hunks, others := deltaHunks(a, b, false), deltaHunks(a, b, true)
	w := writeHunks(a, b, hunks, ancestors)
	if !slices.EqualFunc(hunks, others, slices.Equal) {
		if o := writeHunks(a, b, others, ancestors); o.size < w.size {
			return o
		}
	}
	return w
}

func writeHunks(a, b *deltaPage, hunks [][]deltaChange, ancestors int) *deltaWriter {
	w := &deltaWriter{a: a, b: b, ancestors: ancestors, named: map[int]bool{}, stay: make([]bool, len(a.lines)), inside: -2}
	for _, h := range hunks {
		for _, c := range h {
			if c.op == '^' {
				for i := range c.b1 - c.b0 {
					w.stay[c.from+i] = true
				}
			}
		}
	}
	for _, h := range hunks {
		w.place(h[0])
		for _, c := range h {
			w.change(c)
		}
	}
	return w
}

// head explains the signs that were used, and only these.
func (w *deltaWriter) head() string {
	var says []string
	for _, s := range []string{"~ changed", "+ new", "x gone", "^ moved", "= new ref"} {
		if w.used[s[0]] {
			says = append(says, s)
		}
	}
	return deltaHead + " " + strings.Join(says, ", ") + "]"
}

func (w *deltaWriter) put(text string, m strategy.Mark, source int) {
	w.out = append(w.out, text)
	w.marks = append(w.marks, strategy.Line{Mark: m, Source: source})
	w.size += len(text) + 1
}

// finds reports a change whose own line tells the reader where it is.
func (w *deltaWriter) finds(c deltaChange) bool {
	switch c.op {
	case '~':
		i, ok := w.a.line(deltaRef(w.b.lines[c.b0]))
		return ok && i == c.a0 || w.a.unique(c.a0) != ""
	case 'x', '=':
		return w.a.unique(c.a0) != ""
	}
	return false
}

// place writes where the next hunk is, as far as the reader does not know.
func (w *deltaWriter) place(c deltaChange) {
	indent := w.a.indent[min(c.a0, len(w.a.indent)-1)]
	if c.op != 'x' && c.op != '=' {
		indent = w.b.least(c.b0, c.b1)
	}
	before := -1 // the sibling before, or the parent
	if c.a0 > 0 {
		before = w.a.solid[c.a0-1]
	}
	for before >= 0 && w.a.indent[before] > indent {
		before = w.a.parent[before]
	}
	parent := before
	for parent >= 0 && w.a.indent[parent] >= indent {
		parent = w.a.parent[parent]
	}
	known := parent
	for known >= 0 && w.a.unique(known) == "" {
		known = w.a.parent[known]
	}
	finds := w.finds(c)
	switch {
	case c.a0 == 0 && w.at == 0, finds && known < 0, finds && (parent == w.inside || w.named[parent]):
		return
	case finds:
		w.putPlace(w.a.unique(known), parent)
		w.at, w.depth = max(w.at, known+1), w.a.indent[known]+2
	case before >= 0 && before != parent && w.a.indent[before] == indent && w.a.end[before] == c.a0 && w.a.unique(before) != "":
		w.putPlace("after "+w.a.unique(before), parent)
		w.at, w.depth = c.a0, indent
	case known >= 0:
		where := w.a.unique(known)
		if n := c.a0 - known - 1; n > 0 {
			where += fmt.Sprintf("+%d", n)
		}
		w.putPlace(where, parent)
		w.at, w.depth = c.a0, w.a.indent[known]+2
	default:
		w.putPlace(fmt.Sprintf("line %d", c.a0), parent)
		w.at, w.depth = c.a0, 0
	}
	w.inside = parent
}

// putPlace writes a place with those of its ancestors that say something and
// were not shown before, the outermost first.
func (w *deltaWriter) putPlace(where string, parent int) {
	var path []string
	for i := parent; i >= 0 && !w.named[i] && len(path) < w.ancestors; i = w.a.parent[i] {
		if s := deltaLabel(w.a.lines[i], false); s != "" {
			path = append(path, s)
		}
		w.named[i] = true
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	s := "@" + where
	if len(path) > 0 {
		s += " " + strings.Join(path, " > ")
	}
	w.put(s, strategy.Message, -1)
}

// deltaDull are the roles that say nothing of where one is: a cell's name is what
// it holds.
var deltaDull = map[string]bool{
	"generic": true, "rowgroup": true, "group": true, "none": true, "presentation": true, "paragraph": true, "cell": true, "gridcell": true,
}

// deltaLabel names a line in a few words, role and shortened name; "" for what
// only groups or wraps, as long as it is not asked for.
func deltaLabel(line string, all bool) string {
	l := notation.ReadLine(line, "")
	role := firstWord(&l)
	if k := strings.IndexByte(role, '\''); k >= 0 {
		role = role[:k]
	}
	if !all && deltaDull[role] {
		return ""
	}
	name := l.NameAt.Of(line)
	switch {
	case strings.HasPrefix(name, `"`):
		return role + deltaShort(" "+name)
	case l.HasValue && !l.HasName && l.AttrsAt.Empty():
		return role + deltaShort(" "+l.ValueAt.Of(line))
	}
	return role
}

// deltaShort cuts a name that is too long for a place.
func deltaShort(name string) string {
	const most = 16
	if utf8.RuneCountInString(name) <= most {
		return name
	}
	n := 0
	for i := range name {
		if n == most-1 {
			return strings.TrimRight(name[:i], ` \`) + "…"
		}
		n++
	}
	return name
}

func (w *deltaWriter) change(c deltaChange) {
	switch c.op {
	case '~':
		w.replace(c)
	case '=':
		w.renumber(c)
	case 'x':
		w.removed += c.a1 - c.a0
		says := "x " + w.span(c.a0, c.a1)
		if slices.Contains(w.stay[c.a0:c.a1], false) {
			w.used['x'] = true
		} else {
			says += " (moved)"
		}
		w.put(says, strategy.Removed, -1)
		w.at, w.depth = c.a1, max(0, w.a.indent[c.a0])
	case '^':
		w.used['^'] = true
		w.moved += c.b1 - c.b0
		w.put("^ "+w.span(c.from, c.from+c.b1-c.b0), strategy.Named, c.b0)
	case '+':
		if w.b.least(c.b0, c.b1) < w.depth { // it stands further out than the line before
			w.place(c)
		}
		w.insert(c.b0, c.b1)
	}
}

// replace writes a changed line. Its own ref tells which line it replaces, or
// the old one's before it; with neither it replaces the next line.
func (w *deltaWriter) replace(c deltaChange) {
	line, old := w.b.lines[c.b0], ""
	if i, ok := w.a.line(deltaRef(line)); !ok || i != c.a0 {
		old = w.a.unique(c.a0)
		if ok && i >= w.at && old == "" { // the reader would take it for the change of another line
			w.change(deltaChange{op: 'x', a0: c.a0, a1: c.a1})
			w.change(deltaChange{op: '+', b0: c.b0, b1: c.b1})
			return
		}
	}
	w.used['~'] = true
	w.changed++
	w.put("~"+old+deltaFoldAt(line, max(0, w.a.indent[c.a0])), strategy.Added, c.b0)
	if w.a.unique(c.a0) != "" {
		w.depth = max(0, w.a.indent[c.a0])
	}
	w.at, w.named[c.a0] = c.a1, true
}

// renumber writes lines of which only the refs are new.
func (w *deltaWriter) renumber(c deltaChange) {
	const most = 8 // pairs in a line
	w.used['='] = true
	w.changed += c.a1 - c.a0
	for i := 0; i < c.a1-c.a0; i += most {
		var pairs []string
		for k := i; k < min(i+most, c.a1-c.a0); k++ {
			pairs = append(pairs, w.a.ref[c.a0+k]+" → "+w.b.ref[c.b0+k])
			w.renames = append(w.renames, strategy.Rename{Page: w.b.ref[c.b0+k], Base: w.a.ref[c.a0+k]})
		}
		w.put("= "+strings.Join(pairs, ", "), strategy.Named, c.b0+i)
	}
	w.at, w.depth = c.a1, max(0, w.a.indent[c.a1-1])
}

// deltaFoldAt is deltaFold for a line that has to stand at exactly this indent.
func deltaFoldAt(line string, indent int) string {
	s := deltaFold(line, indent)
	if strings.HasPrefix(s, "  ") {
		return "|" + line
	}
	return s
}

// insert writes new lines; what is deeper than the line before needs no sign.
func (w *deltaWriter) insert(b0, b1 int) {
	w.used['+'] = true
	w.added += b1 - b0
	top := -1 // indent of the last line with a sign
	for j := b0; j < b1; j++ {
		s := deltaFold(w.b.lines[j], w.depth)
		sign := "+"
		if top >= 0 && w.b.indent[j] > top && s[0] == ' ' {
			sign = " "
		} else {
			top = w.b.indent[j]
			if s[0] != ' ' {
				top = 1 << 30
			}
		}
		w.put(sign+s, strategy.Added, j)
	}
}

// span names the base's lines [from,to) as deltaPage.span reads it, with a word
// on what they are.
func (w *deltaWriter) span(from, to int) string {
	s := w.a.spanOf(from, to)
	if s == "" || s == w.a.ref[from] {
		if s == "" {
			s = fmt.Sprint(to - from)
		}
		s = strings.TrimSuffix(s+" "+deltaLabel(w.a.lines[from], true), " ")
	}
	return s
}

// spanOf names the lines [from,to) by handles; "" where the first has none.
func (p *deltaPage) spanOf(from, to int) string {
	ref := p.unique(from)
	if ref == "" || p.end[from] == to {
		return ref
	}
	last := from
	for p.end[last] < to && p.indent[p.end[last]] == p.indent[from] {
		last = p.end[last]
	}
	if end := p.unique(last); end != "" && p.end[last] == to && last != from {
		return ref + ".." + end
	}
	return fmt.Sprintf("%s*%d", ref, to-from)
}

// renamed are the elements that only got a new ref, by that ref.
func (w *deltaWriter) renamed() []strategy.Rename {
	slices.SortFunc(w.renames, func(a, b strategy.Rename) int { return strings.Compare(a.Page, b.Page) })
	return w.renames
}
