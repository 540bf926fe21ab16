package tui

import (
	"strings"
)

// page is the snapshot that all panes are about, taken apart once: its lines,
// who is whose parent, and what became of each line since the snapshot before.
// It is a view-model: made in a command, only read by drawing.
type page struct {
	lines  []string
	parent []int32 // line of the parent element, -1 at the root
	mark   []pageMark
	was    map[int32]string // for a changed line, the line it was
	became map[string]int32 // for such a line of before, the line that it became
	lost   map[int32]int    // lines of the snapshot before that are gone, by the line they stood before
	first  bool             // there was no snapshot before
}

// pageMark says what became of a line of the page since the snapshot before.
type pageMark uint8

const (
	markSame pageMark = iota
	markAdded
	markChanged
)

// buildPage compares a snapshot with the one before it. hasPrev is false for
// the first snapshot of a session, or where the two are not to be compared.
func buildPage(prev, now string, hasPrev bool) *page {
	p := &page{lines: splitLines(now), first: !hasPrev}
	p.parent = parents(p.lines)
	p.mark = make([]pageMark, len(p.lines))
	if !hasPrev || prev == now {
		return p
	}
	old := splitLines(prev)
	p.was, p.became, p.lost = map[int32]string{}, map[string]int32{}, map[int32]int{}
	for _, h := range diffLines(old, p.lines) {
		pairs := pairUp(old[h.a0:h.a1], p.lines[h.b0:h.b1])
		gone := h.a1 - h.a0
		for i := h.b0; i < h.b1; i++ {
			p.mark[i] = markAdded
			if from := pairs[i-h.b0]; from >= 0 {
				p.mark[i] = markChanged
				p.was[int32(i)] = old[h.a0+from]
				p.became[old[h.a0+from]] = int32(i)
				gone--
			}
		}
		if gone > 0 {
			p.lost[int32(h.b1)] += gone
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

// indentOf counts the blanks a line begins with.
func indentOf(line string) int {
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
		in := indentOf(l)
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
		if r := refOf(l); r != "" {
			byRef[r] = i
		}
	}
	used := make([]bool, len(old))
	for i, l := range now {
		out[i] = -1
		if j, ok := byRef[refOf(l)]; ok && !used[j] && roleKey(old[j]) == roleKey(l) {
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
			if !used[j] && roleKey(old[j]) == roleKey(l) && (refOf(l) == "" || refOf(old[j]) == "") {
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
	return line[:indentOf(line)] + rest
}

// refOf is the ref a line bears, without brackets; empty where it has none.
func refOf(line string) string {
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
