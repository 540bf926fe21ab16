package delta

import (
	"fmt"
	"strconv"
	"strings"
)

// A page that wraps what it had (a dialog or a message beside the content makes
// the body's own element worth a line) moves every line below in by a level, and
// unwrapping moves it out again. A delta says so in one line for the whole
// subtree and goes on from the base so indented.

const deltaIndentSign = "indent "

// deltaShift moves the lines [from,to) in by some spaces, or out where by is
// negative.
type deltaShift struct {
	from, to, by int
}

// findShifts answers how the elements of both pages changed their indent, the
// outermost first; what moves along with an ancestor is not named. Neighbours
// that moved alike are one shift, with the lines between them that no handle
// places.
func findShifts(a, b *deltaPage) []deltaShift {
	var out []deltaShift
	moved := make([]int, len(a.lines)) // how far each line is moved
	last := map[int]int{}              // by parent: its last shift in out
	for i := range a.lines {
		parent := a.parent[i]
		if parent >= 0 {
			moved[i] = moved[parent]
		}
		j, ok := b.line(a.unique(i))
		if a.indent[i] < 0 || !ok {
			continue
		}
		by := b.indent[j] - a.indent[i] - moved[i]
		if by == 0 {
			delete(last, parent)
			continue
		}
		moved[i] += by
		if k, ok := last[parent]; ok && out[k].by == by && a.indent[out[k].from] == a.indent[i] {
			out = out[:k+1+widen(out[k+1:], out[k].to, by)]
			out[k].to = a.end[i]
			continue
		}
		last[parent] = len(out)
		out = append(out, deltaShift{i, a.end[i], by})
	}
	return out
}

// widen takes off the shifts from line gap on what a shift that now covers them
// gives, drops those that are left with nothing, and says how many stay.
func widen(shifts []deltaShift, gap, by int) int {
	n := 0
	for _, s := range shifts {
		if s.from >= gap {
			s.by -= by
		}
		if s.by != 0 {
			shifts[n] = s
			n++
		}
	}
	return n
}

// shift indents a page's lines; shifts that overlap add up. A line has to have
// the spaces that are taken from it.
func (p *deltaPage) shift(shifts []deltaShift) ([]string, error) {
	by := make([]int, len(p.lines)+1)
	for _, s := range shifts {
		by[s.from] += s.by
		by[s.to] -= s.by
	}
	out := make([]string, len(p.lines))
	n := 0
	for i, l := range p.lines {
		n += by[i]
		switch {
		case p.indent[i] < 0 || n == 0:
			out[i] = l
		case n > 0:
			out[i] = strings.Repeat(" ", n) + l
		case p.indent[i]+n < 0:
			return nil, fmt.Errorf("line %d of the page cannot be moved out by %d", i+1, -n)
		default:
			out[i] = l[-n:]
		}
	}
	return out, nil
}

// writeShifts names shifts as readShifts reads them: "indent e2 +2, e5..e9 -2".
func writeShifts(p *deltaPage, shifts []deltaShift) string {
	var says []string
	for _, s := range shifts {
		says = append(says, fmt.Sprintf("%s %+d", p.spanOf(s.from, s.to), s.by))
	}
	return deltaIndentSign + strings.Join(says, ", ")
}

// readShifts reads the line that writeShifts wrote.
func readShifts(p *deltaPage, line string) ([]deltaShift, error) {
	const most = 1 << 10 // spaces; no page is so deep, and a line of many shifts stays small
	var out []deltaShift
	for one := range strings.SplitSeq(strings.TrimPrefix(line, deltaIndentSign), ", ") {
		where, by, _ := strings.Cut(one, " ")
		start, end, ok := p.span(where, -1)
		n, err := strconv.Atoi(by)
		if !ok || end < start || err != nil || n < -most || n > most {
			return nil, fmt.Errorf("%.40q names nothing to indent", one)
		}
		out = append(out, deltaShift{start, end, n})
	}
	return out, nil
}
