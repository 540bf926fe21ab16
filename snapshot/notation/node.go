package notation

import (
	"iter"
	"strings"
)

// Node is one entry of an aria tree: an element, or a text between elements
// (role "text").
//
// Print writes a node from its fields, except where Raw is set.
type Node struct {
	Role    string
	Name    string   // the accessible name; "" with HasName false where none is printed
	HasName bool     // a name is printed, be it empty
	Attrs   []string // what stands in brackets, in order: checked, level=2, ref=e12, cursor=pointer
	Ref     string   // the ref among Attrs; "" where there is none
	Text    string   // the text behind the colon: an only text child
	HasText bool
	Props   []Prop // /url, /placeholder: lines of their own before the children

	Parent   *Node // nil at the top
	Children []*Node
	Line     int // 0-based line of the text it was parsed from

	// Raw is the whole line, indent included, where printing the fields would not
	// give the same bytes: text that is not aria, or not printed as the format
	// has it. Clear it after changing other fields.
	Raw  string
	raw  bool
	bare bool // the name is a pattern, /…/, written without quotes
}

// Prop is a property line of a node: "- /url: https://example.com".
type Prop struct {
	Key   string // url, placeholder; without the slash
	Value string
	Line  int
}

// IsRaw reports whether the node is printed from Raw.
func (n *Node) IsRaw() bool { return n.raw }

// Has reports a state: Has("checked") is true of [checked] and [checked=mixed].
func (n *Node) Has(key string) bool {
	_, ok := n.Attr(key)
	return ok
}

// Attr is the value of an attribute: "2" for [level=2], "" for [checked].
func (n *Node) Attr(key string) (value string, ok bool) {
	for _, a := range n.Attrs {
		if k, v, _ := strings.Cut(a, "="); k == key {
			return v, true
		}
	}
	return "", false
}

// Tree is the aria tree of one snapshot.
type Tree struct {
	Roots []*Node
	Lines int    // lines of the text
	Notes []Note // lines that are not aria, the first few
	Odd   int    // how many lines are not aria
}

// Note says what could not be read and where.
type Note struct {
	Line, Col int // 0-based line, 1-based column in bytes
	Text      string
}

// Walk visits n and everything below it, in the order of the text.
func (n *Node) Walk() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		if yield(n) {
			walk(n.Children, yield)
		}
	}
}

func walk(nodes []*Node, yield func(*Node) bool) bool {
	for _, n := range nodes {
		if !yield(n) || !walk(n.Children, yield) {
			return false
		}
	}
	return true
}
