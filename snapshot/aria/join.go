package aria

import (
	"maps"
	"strings"

	"snapscope/snapshot"
)

// Join nests the text of each child under the line of its iframe, children
// being keyed by the iframe's ref in main, and adds up what else they hold:
// elements, boxes and notes. A frame without a child stays a bare line, and
// frames inside a child must have been joined to it before. URL, title and
// Frames are main's.
//
// Boxes keep the coordinates they came with; those of a child are relative to
// the child's own viewport unless the caller moved them (Moved).
func Join(main Answer, children map[string]Answer) Answer {
	if len(main.Frames) == 0 || len(children) == 0 {
		return main
	}
	out := main
	out.Boxes = maps.Clone(main.Boxes)
	out.Notes = append([]string(nil), main.Notes...)
	lines := strings.Split(main.Text, "\n")
	var b strings.Builder
	next := 0
	for n, line := range lines {
		if n > 0 {
			b.WriteByte('\n')
		}
		if next == len(main.Frames) || main.Frames[next].Line != n {
			b.WriteString(line)
			continue
		}
		child, ok := children[main.Frames[next].Ref]
		next++
		if !ok || child.Text == "" {
			b.WriteString(line)
		} else {
			nest(&b, line, child.Text)
		}
		if ok {
			out.absorb(child)
		}
	}
	out.Text = b.String()
	return out
}

// nest writes an iframe's line and the text of its frame one level deeper. What
// the iframe holds itself, for readers without frames, gives way.
func nest(b *strings.Builder, line, text string) {
	key, _, _ := strings.Cut(line, "]: ")
	b.WriteString(strings.TrimSuffix(strings.TrimSuffix(key, ":"), "]"))
	b.WriteString("]:")
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))] + "  "
	for child := range strings.SplitSeq(text, "\n") {
		b.WriteByte('\n')
		b.WriteString(indent)
		b.WriteString(child)
	}
}

// absorb adds what a child holds besides its text.
func (a *Answer) absorb(child Answer) {
	a.Elements += child.Elements
	a.Notes = append(a.Notes, child.Notes...)
	if child.Boxes == nil {
		return
	}
	if a.Boxes == nil {
		a.Boxes = make(map[string]snapshot.Box, len(child.Boxes))
	}
	maps.Copy(a.Boxes, child.Boxes)
}

// Moved is the answer with every box moved by x and y CSS pixels, which takes
// the boxes of a frame to the coordinates of the page around it.
func (a Answer) Moved(x, y int) Answer {
	if a.Boxes == nil {
		return a
	}
	moved := make(map[string]snapshot.Box, len(a.Boxes))
	for ref, b := range a.Boxes {
		b.X += x
		b.Y += y
		moved[ref] = b
	}
	a.Boxes = moved
	return a
}
