package fold

import (
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
)

// siblings is the role of an item that is no element but several in a row: the pages of
// chrome-devtools-mcp are flat, a row's cells stand beside one another and below
// nothing.
const siblings = "siblings"

// maxRow is how many elements in a row may be one item.
const maxRow = 16

// flatLine is a line of a flat page: its element, a number for how it is built and the
// indent; number 0: it cannot be part of an item.
type flatLine struct {
	node   *notation.Node
	build  int
	indent int
}

// flatPlan finds the rows of elements that come again at once in the same order, at
// least so often, and what they have in common; items are they by their first line.
func flatPlan(lines []string, least int, every bool) (plan map[*notation.Node]*foldGroup, items map[int]*notation.Node) {
	flat := flatLines(lines)
	p := foldPlanner{least: least, shapes: map[string]string{}, of: map[*notation.Node]*foldGroup{}, groups: map[string]*foldGroup{}}
	items = map[int]*notation.Node{}
	for i := 0; i < len(flat); {
		row, times := repeats(flat[i:], least)
		if row == 0 {
			i++
			continue
		}
		for range times {
			n := &notation.Node{Role: siblings, Line: i}
			for _, l := range flat[i : i+row] {
				n.Children = append(n.Children, l.node)
			}
			p.shape, _ = foldShape(p.shape[:0], n, 0)
			p.take(p.one(p.shape), n)
			items[i] = n
			i += row
		}
	}
	p.decide(every)
	return p.of, items
}

// repeats tells how many elements in a row come again at once, and how often they are
// there: those that cover most, of these the fewest. 0: none come often enough.
func repeats(flat []flatLine, least int) (row, times int) {
	for k := 1; k <= maxRow && k*least <= len(flat) && flat[k-1].build != 0 && flat[k-1].indent == flat[0].indent; k++ {
		n := k
		for n < len(flat) && flat[n].build == flat[n-k].build && flat[n].indent == flat[0].indent {
			n++
		}
		if t := n / k; t >= least && t*k > row*times {
			row, times = k, t
		}
	}
	return row, times
}

func flatLines(lines []string) []flatLine {
	out := make([]flatLine, len(lines))
	builds := map[string]int{}
	var shape []byte
	for i, line := range lines {
		out[i].indent = notation.Indent(line)
		if i+1 < len(lines) && notation.Indent(lines[i+1]) > out[i].indent {
			continue // it has something below it
		}
		n, ok := notation.UIDNode(line)
		if !ok {
			continue
		}
		n.Line = i
		for k := range n.Props {
			n.Props[k].Line = i
		}
		if shape, ok = foldShape(shape[:0], n, 0); !ok {
			continue
		}
		if builds[string(shape)] == 0 {
			builds[string(shape)] = len(builds) + 1
		}
		out[i].node, out[i].build = n, builds[string(shape)]
	}
	return out
}

// flat writes a flat page.
func (w *foldWriter) flat(items map[int]*notation.Node) {
	for i := 0; i < len(w.page); {
		if n := items[i]; n != nil && w.plan[n] != nil {
			w.item(w.plan[n], n)
			i += len(n.Children)
			continue
		}
		w.put(w.page[i], strategy.Same, i)
		i++
	}
}
