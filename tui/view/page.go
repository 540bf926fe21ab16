package view

import (
	"strings"

	"snapscope/session"
)

// page is the snapshot that all panes are about, taken apart once: its lines,
// who is whose parent, and what became of each line since the snapshot before.
// It is a view-model: made in a command, only read by drawing.
type page struct {
	Lines  []string
	parent []int32 // line of the parent element, -1 at the root
	Mark   []pageMark
	Was    map[int32]string // for a changed line, the line it was
	Became map[string]int32 // for such a line of before, the line that it became
	Lost   map[int32]int    // lines of the snapshot before that are gone, by the line they stood before
	first  bool             // there was no snapshot before
}

// pageMark says what became of a line of the page since the snapshot before.
type pageMark uint8

const (
	MarkSame pageMark = iota
	MarkAdded
	MarkChanged
)

// buildPage compares a snapshot with the one before it. hasPrev is false for
// the first snapshot of a session, or where the two are not to be compared.
func buildPage(prev, now string, hasPrev bool) *page {
	p := &page{Lines: splitLines(now), first: !hasPrev}
	p.parent = parents(p.Lines)
	p.Mark = make([]pageMark, len(p.Lines))
	if !hasPrev || prev == now {
		return p
	}
	old := splitLines(prev)
	p.Was, p.Became, p.Lost = map[int32]string{}, map[string]int32{}, map[int32]int{}
	for _, h := range diffLines(old, p.Lines) {
		pairs := pairUp(old[h.a0:h.a1], p.Lines[h.b0:h.b1])
		gone := h.a1 - h.a0
		for i := h.b0; i < h.b1; i++ {
			p.Mark[i] = MarkAdded
			if from := pairs[i-h.b0]; from >= 0 {
				p.Mark[i] = MarkChanged
				p.Was[int32(i)] = old[h.a0+from]
				p.Became[old[h.a0+from]] = int32(i)
				gone--
			}
		}
		if gone > 0 {
			p.Lost[int32(h.b1)] += gone
		}
	}
	return p
}

// splitLines cuts a text into lines; an empty text has none.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// IndentOf counts the blanks a line begins with.
func IndentOf(line string) int {
	i := 0
	for i < len(line) && line[i] == ' ' {
		i++
	}
	return i
}

// parents finds each line's parent by its indent.
func parents(lines []string) []int32 {
	out := make([]int32, len(lines))
	type open struct{ indent, line int }
	var stack []open
	for i, l := range lines {
		in := IndentOf(l)
		for len(stack) > 0 && stack[len(stack)-1].indent >= in {
			stack = stack[:len(stack)-1]
		}
		out[i] = -1
		if len(stack) > 0 {
			out[i] = int32(stack[len(stack)-1].line)
		}
		if strings.TrimSpace(l) != "" {
			stack = append(stack, open{in, i})
		}
	}
	return out
}

// ancestors lists the lines above line that it lies within, outermost first.
func (p *page) ancestors(line int) []int {
	var out []int
	if line < 0 || line >= len(p.parent) {
		return nil
	}
	for a := p.parent[line]; a >= 0; a = p.parent[a] {
		out = append(out, int(a))
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// pairUp finds for each new line of a hunk the old line that it was: the same
// ref, else the same role with the same indent, in order. -1 where there is
// none.
func pairUp(old, now []string) []int {
	out := make([]int, len(now))
	byRef := make(map[string]int, len(old))
	for i, l := range old {
		if r := RefOf(l); r != "" {
			byRef[r] = i
		}
	}
	used := make([]bool, len(old))
	for i, l := range now {
		out[i] = -1
		if j, ok := byRef[RefOf(l)]; ok && !used[j] && roleKey(old[j]) == roleKey(l) {
			out[i], used[j] = j, true
		}
	}
	next := 0
	for i, l := range now {
		if out[i] >= 0 {
			next = max(next, out[i]+1)
			continue
		}
		for j := next; j < len(old) && j < next+8; j++ {
			if !used[j] && roleKey(old[j]) == roleKey(l) && (RefOf(l) == "" || RefOf(old[j]) == "") {
				out[i], used[j], next = j, true, j+1
				break
			}
		}
	}
	return out
}

// roleKey is a line's indent and role.
func roleKey(line string) string {
	rest := strings.TrimLeft(line, " ")
	rest = strings.TrimPrefix(rest, "- ")
	if i := strings.IndexAny(rest, " :"); i >= 0 {
		rest = rest[:i]
	}
	return line[:IndentOf(line)] + rest
}

// RefOf is the ref a line bears, without brackets; empty where it has none.
func RefOf(line string) string {
	i := strings.LastIndex(line, "[ref=")
	if i < 0 {
		i = strings.LastIndex(line, ", ref=")
		if i < 0 {
			return ""
		}
		i++
	}
	rest := line[i+5:]
	j := strings.IndexAny(rest, "],")
	if j <= 0 {
		return ""
	}
	return rest[:j]
}

// firstLook is the line of the page that a person wants to see first after a step:
// the element acted on where the step changed it, else the first change that
// tells something, else the element acted on, else any change. -1: nothing
// stands out, so the page is read from its top.
func firstLook(p *page, target *session.Target) int32 {
	if p.first {
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
func (p *page) tells(line int32) bool {
	if p.Lost[line] > 0 {
		return true
	}
	if was, ok := p.Was[line]; ok {
		return unfocused(was) != unfocused(p.Lines[line])
	}
	return p.Mark[line] != MarkSame
}

func unfocused(line string) string { return strings.Replace(line, " [active]", "", 1) }

// targetLine finds the element that an action names on the page; -1 where it is
// not there or was named in another way.
func targetLine(p *page, t *session.Target) int32 {
	if t == nil || t.Ref == "" && t.Role == "" {
		return -1
	}
	left := max(t.Nth, 1)
	for i, l := range p.Lines {
		switch {
		case t.Ref != "":
			if !strings.Contains(l, t.Ref) || RefOf(l) != t.Ref {
				continue
			}
		case !strings.Contains(l, t.Role) || RoleOf(l) != t.Role || t.Name != "" && NameOf(l) != t.Name:
			continue
		}
		if left--; left == 0 {
			return int32(i)
		}
	}
	return -1
}
