package notation

import (
	"slices"
	"strings"
)

// UIDText is the role of a Node that is a text of chrome-devtools-mcp's, whose line
// tells none.
const UIDText = "StaticText"

// UIDNode reads a chrome-devtools line as an element by itself: its words are Attrs,
// what it tells as key="value" are Props. ok is false for a line that AppendUID would
// not write the same.
func UIDNode(line string) (n *Node, ok bool) {
	l := ReadLine(line, UID)
	if !l.IsElement() || l.Ref == "" {
		return nil, false
	}
	n = &Node{Role: l.Role, HasName: l.HasName, Ref: l.Ref}
	if name := l.NameAt.Of(line); len(name) > 1 {
		n.Name = name[1 : len(name)-1] // quoted, without escapes
	}
	if n.Role == "" {
		n.Role = UIDText
	}
	for a := range l.Attrs() {
		key, value, has := cutAttr(line, a)
		if has {
			n.Props = append(n.Props, Prop{Key: key, Value: value.Of(line)})
		} else {
			n.Attrs = append(n.Attrs, key)
		}
	}
	n.Attrs = append(n.Attrs, RefAttr(n.Ref))
	return n, string(n.AppendUID(nil)) == line[l.Indent:]
}

// AppendUID writes an element as chrome-devtools-mcp does, without what is below it:
// what it tells of itself goes by the alphabet.
func (n *Node) AppendUID(dst []byte) []byte {
	dst = append(append(dst, uidKey...), n.Ref...)
	if n.Role != UIDText {
		dst = append(append(dst, ' '), n.Role...)
	}
	if n.HasName {
		dst = append(append(append(dst, ` "`...), n.Name...), '"')
	}
	var tells []string
	for _, a := range n.Attrs {
		if !strings.HasPrefix(a, refKey) {
			tells = append(tells, a)
		}
	}
	for _, p := range n.Props {
		tells = append(tells, p.Key+`="`+p.Value+`"`)
	}
	slices.Sort(tells)
	for _, t := range tells {
		dst = append(append(dst, ' '), t...)
	}
	return dst
}
