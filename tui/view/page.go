package view

import (
	"slices"
	"strings"

	"snapscope/session"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/textdiff"
)

// Page is the snapshot that all panes are about, read once: its lines, who is
// whose parent, and what became of each line since the snapshot before. It is a
// view-model: made in a command, only read by drawing.
type Page struct {
	Lines  []string
	Mark   []PageMark
	Was    map[int32]string // for a changed line, the line it was
	Became map[string]int32 // for such a line of before, the line that it became
	Lost   map[int32]int    // lines of the snapshot before that are gone, by the line they stood before

	text  *notation.Text
	First bool // there was no snapshot before
}

// PageMark says what became of a line of the page since the snapshot before.
type PageMark uint8

const (
	MarkSame PageMark = iota
	MarkAdded
	MarkChanged
)

// buildPage compares a snapshot with the one before it. hasPrev is false for
// the first snapshot of a session, or where the two are not to be compared.
func buildPage(prev, now string, d notation.Dialect, hasPrev bool) *Page {
	p := &Page{Lines: splitLines(now), text: notation.Read(now, d), First: !hasPrev}
	p.Mark = make([]PageMark, len(p.Lines))
	if !hasPrev || prev == now {
		return p
	}
	old, was := splitLines(prev), notation.Read(prev, d)
	p.Was, p.Became, p.Lost = map[int32]string{}, map[string]int32{}, map[int32]int{}
	for _, h := range textdiff.Hunks(textdiff.Diff(old, p.Lines), 0) {
		pairs := pairUp(was, h.A0, h.A1, p.text, h.B0, h.B1)
		gone := h.A1 - h.A0
		for i := h.B0; i < h.B1; i++ {
			p.Mark[i] = MarkAdded
			if from := pairs[i-h.B0]; from >= 0 {
				p.Mark[i] = MarkChanged
				p.Was[int32(i)] = old[from]
				p.Became[old[from]] = int32(i)
				gone--
			}
		}
		if gone > 0 {
			p.Lost[int32(h.B1)] += gone
		}
	}
	return p
}

// splitLines cuts a text into lines; an empty text has none.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return textdiff.Split(s)
}

// Dialect is the notation that the page is written in.
func (p *Page) Dialect() notation.Dialect { return p.text.Dialect() }

// Line reads a line in detail.
func (p *Page) Line(i int) notation.Line { return p.text.Line(i) }

// Ref is the ref of the element that a line shows; empty where it shows none.
func (p *Page) Ref(i int) string {
	if i < 0 || i >= len(p.Lines) {
		return ""
	}
	return p.text.Ref(i)
}

// Find is the first line that shows the element with a ref, -1 for none.
func (p *Page) Find(ref string) int {
	if len(p.Lines) == 0 || ref == "" {
		return -1
	}
	return p.text.Find(ref)
}

// ancestors lists the lines above line that it lies within, outermost first.
func (p *Page) ancestors(line int) []int {
	if line < 0 || line >= len(p.Lines) {
		return nil
	}
	var out []int
	for a := p.text.Parent(line); a >= 0; a = p.text.Parent(a) {
		out = append(out, a)
	}
	slices.Reverse(out)
	return out
}

// pairWindow is how many old lines further on a line without a ref may have been.
const pairWindow = 8

// pairUp finds for each new line of a hunk, b0 to b1, the old line that it was
// among a0 to a1: the same ref, else the same role with the same indent, in order.
// -1 where there is none.
func pairUp(old *notation.Text, a0, a1 int, now *notation.Text, b0, b1 int) []int {
	out := make([]int, b1-b0)
	if a0 == a1 {
		for i := range out {
			out[i] = -1
		}
		return out
	}
	byRef := make(map[string]int, a1-a0)
	keys := make([]lineKey, a1-a0)
	for i := a0; i < a1; i++ {
		keys[i-a0] = keyOf(old, i)
		if r := old.Ref(i); r != "" {
			byRef[r] = i
		}
	}
	used := make([]bool, a1-a0)
	next := a0
	for i := b0; i < b1; i++ {
		ref, key := now.Ref(i), keyOf(now, i)
		out[i-b0] = -1
		if j, ok := byRef[ref]; ok && ref != "" {
			if !used[j-a0] && keys[j-a0] == key {
				out[i-b0], used[j-a0] = j, true
				next = max(next, j+1)
			}
			continue
		}
		for j := next; j < min(a1, next+pairWindow); j++ {
			if !used[j-a0] && keys[j-a0] == key && (ref == "" || old.Ref(j) == "") {
				out[i-b0], used[j-a0], next = j, true, j+1
				break
			}
		}
	}
	return out
}

// lineKey is what a line must have in common with the line it was.
type lineKey struct {
	indent int
	role   string
}

func keyOf(t *notation.Text, i int) lineKey {
	l := t.Line(i)
	return lineKey{l.Indent, l.Role}
}

// firstLook is the line of the page that a person wants to see first after a step:
// the element acted on where the step changed it, else the first change that
// tells something, else the element acted on, else any change. -1: nothing
// stands out, so the page is read from its top.
func firstLook(p *Page, target *session.Target) int32 {
	if p.First {
		return -1 // another document: an old ref could name anything in it
	}
	acted := targetLine(p, target)
	if acted >= 0 && p.tells(acted) {
		return acted
	}
	any := int32(-1)
	for i := range int32(len(p.Lines)) {
		if p.Mark[i] == MarkSame && p.Lost[i] == 0 {
			continue
		}
		if p.tells(i) {
			return i
		}
		if any < 0 {
			any = i
		}
	}
	if acted >= 0 {
		return acted
	}
	return any
}

// tells reports that a line changed in more than where the focus is.
func (p *Page) tells(line int32) bool {
	if p.Lost[line] > 0 {
		return true
	}
	if was, ok := p.Was[line]; ok {
		return unfocused(was, p.Dialect()) != unfocused(p.Lines[line], p.Dialect())
	}
	return p.Mark[line] != MarkSame
}

// unfocused is a line without the mark of where the focus is.
func unfocused(line string, d notation.Dialect) string {
	l := notation.ReadLine(line, d)
	for s := range l.Attrs() {
		if s.Of(line) == "active" {
			s = bracketed(line, s)
			return strings.TrimRight(line[:s.From], " ") + line[s.To:]
		}
	}
	return line
}

// targetLine finds the element that an action names on the page; -1 where it is
// not there or was named in another way.
func targetLine(p *Page, t *session.Target) int32 {
	switch {
	case t == nil || len(p.Lines) == 0:
		return -1
	case t.Ref != "":
		return int32(p.Find(t.Ref))
	case t.Role != "":
		return int32(p.text.FindRole(t.Role, t.Name, max(t.Nth, 1)))
	}
	return -1
}
