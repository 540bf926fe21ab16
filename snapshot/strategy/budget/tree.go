package budget

import (
	"strconv"
	"strings"

	"snapscope/snapshot"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
)

// tree is a page's text with what the picking asks again and again of each line.
type tree struct {
	*notation.Text
	lines []node
}

// node is one line of a page. Its strings are parts of the text.
type node struct {
	kind        notation.Kind // a changed element is an ElementLine too
	parent, end int
	role        string
	name        string // as it is written, without the quotes
	ref         string
	attrs       string // with their brackets
	keyEnd      int    // where the key ends: a colon and the value may follow
	value       bool   // something stands behind the key
	pointer     bool   // the mouse pointer says that it can be clicked
}

func readTree(p strategy.Page) *tree {
	o := &tree{lines: make([]node, 1+strings.Count(p.Text, "\n"))}
	o.Text = p.ReadLines(func(i int, l *notation.Line) {
		n := &o.lines[i]
		n.kind, n.role, n.name, n.attrs = l.Kind, l.Role, l.WrittenName(), l.AttrsAt.Of(l.Raw)
		n.keyEnd, n.value = len(l.Key()), !l.ValueAt.Empty()
		if l.IsElement() {
			n.kind, n.ref, n.pointer = notation.ElementLine, l.Ref, l.HasAttr("cursor=pointer")
		}
	})
	for i := range o.lines {
		o.lines[i].parent, o.lines[i].end = o.Parent(i), o.End(i)
	}
	return o
}

// value is what stands behind a line's key, as it is written.
func (o *tree) value(i int) string {
	l := o.Line(i)
	return l.ValueAt.Of(l.Raw)
}

// key is a line up to the end of its key.
func (o *tree) key(i int) string { return o.Raw(i)[:o.lines[i].keyEnd] }

// box is the element's [box=x,y,w,h], where it was asked for.
func (o *tree) box(i int) (b snapshot.Box, ok bool) {
	if !strings.Contains(o.lines[i].attrs, "box=") {
		return b, false
	}
	l := o.Line(i)
	v, _ := l.Attr("box")
	parts := strings.Split(v, ",")
	if len(parts) != 4 {
		return b, false
	}
	var n [4]int
	for i, p := range parts {
		f, err := strconv.ParseFloat(p, 64)
		if err != nil {
			return b, false
		}
		n[i] = int(f)
	}
	return snapshot.Box{X: n[0], Y: n[1], W: n[2], H: n[3]}, true
}
