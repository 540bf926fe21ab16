package notation

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotAria is in the error of Parse for a text without one aria line.
var ErrNotAria = errors.New("this is not aria text")

// maxNotes is how many lines that are not aria are noted one by one.
const maxNotes = 20

// Parse reads aria text into a tree. It is tolerant and exact: a line it cannot
// read becomes a raw node where its indent puts it, with a note, and Print of
// the tree gives the same bytes for any text. The error, ErrNotAria with the
// first such line, is for a text in which no line could be read; the tree is
// usable even then.
func Parse(text string) (*Tree, error) {
	p := parser{tree: &Tree{Lines: 1 + strings.Count(text, "\n")}}
	p.slab = make([]Node, 0, p.tree.Lines)
	p.below = make([]*Node, 0, p.tree.Lines)
	aria, blank := 0, 0
	for i := range p.tree.Lines {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		switch {
		case strings.TrimSpace(line) == "":
			blank++
			p.blanks = append(p.blanks, Node{Line: i, Raw: line, raw: true})
		case p.line(line, i):
			aria++
		default:
			p.note(line, i)
			p.raw(line, i)
		}
	}
	p.finish()
	if aria == 0 && blank < p.tree.Lines {
		n := p.tree.Notes[0]
		return p.tree, fmt.Errorf("%w: line %d, column %d: %s", ErrNotAria, n.Line+1, n.Col, n.Text)
	}
	return p.tree, nil
}

// parser holds the open nodes by indent.
type parser struct {
	tree   *Tree
	open   []level
	blanks []Node // blank lines since the last entry; they go where the next one goes
	buf    []byte // what Print would write
	slab   []Node // all nodes of the tree; it never grows
	read   Line   // the line at hand

	// Children are collected on a stack until their parent is closed; what is closed
	// has its own stretch of below, which never grows, as attributes have of words.
	stack []*Node
	below []*Node
	words []string
}

type level struct {
	node   *Node
	indent int
	from   int    // where its children begin on the stack
	line   string // as it stands, for the check at the end
}

func (p *parser) note(line string, i int) {
	p.tree.Odd++
	if len(p.tree.Notes) >= maxNotes {
		return
	}
	col := Indent(line)
	text := "a line begins with \"- \""
	if strings.HasPrefix(line[col:], "- ") {
		col += 2
		text = "a role, a quoted name and brackets are expected"
	}
	p.tree.Notes = append(p.tree.Notes, Note{Line: i, Col: col + 1, Text: text})
}

// raw keeps a line as it is.
func (p *parser) raw(line string, i int) {
	n := p.add(Indent(line), line, i)
	n.Raw, n.raw = line, true
}

// line reads one aria line; false leaves nothing behind.
func (p *parser) line(line string, i int) bool {
	l := &p.read
	l.read(line, Aria)
	switch {
	case !l.Whole || l.Indent != Indent(line):
		return false
	case l.Kind == PropertyLine:
		return p.prop(l, i)
	case l.Kind != ElementLine && l.Kind != TextLine:
		return false
	}
	n := Node{Role: l.Role, Ref: l.Ref, HasName: l.HasName, HasText: l.HasValue}
	var ok bool
	if l.HasName {
		if n.Name, ok = l.name(); !ok {
			return false
		}
		n.bare = l.NameAt.Of(line)[0] == '/'
	}
	if l.HasValue {
		if n.Text, ok = l.value(); !ok {
			return false
		}
	}
	if !p.attrs(&n, l) {
		return false
	}
	at := p.add(l.Indent, line, i)
	n.Parent, n.Line = at.Parent, at.Line
	*at = n
	return true
}

// attrs fills in the attributes of a line; false for an empty one.
func (p *parser) attrs(n *Node, l *Line) bool {
	if l.AttrsAt.Empty() {
		return true
	}
	most := 1 + strings.Count(l.AttrsAt.Of(l.Raw), " [")
	if cap(p.words)-len(p.words) < most {
		p.words = make([]string, 0, max(512, most))
	}
	from := len(p.words)
	for s := l.AttrsAt.Of(l.Raw); s != ""; {
		attr, rest, _ := strings.Cut(s[1:], "]")
		if attr == "" {
			return false
		}
		p.words = append(p.words, l.plain(attr))
		s = strings.TrimPrefix(rest, " ")
	}
	n.Attrs = p.words[from:len(p.words):len(p.words)]
	return true
}

// prop reads a property line of the innermost open node. One that does not
// stand right behind its node's own line, or is written otherwise than Print
// would, is left to be raw.
func (p *parser) prop(l *Line, i int) bool {
	p.close(l.Indent)
	if len(p.open) == 0 || len(p.blanks) > 0 || !l.HasValue || l.Role == "" || strings.ContainsAny(l.Role, ` "[`) {
		return false
	}
	top := p.open[len(p.open)-1]
	n := top.node
	value, ok := l.value()
	pr := Prop{Key: l.Role, Value: value, Line: i}
	if !ok || len(p.stack) > top.from || n.Role == "" || string(pr.appendLine(p.buf[:0], len(p.open))) != l.Raw {
		return false
	}
	n.Props = append(n.Props, pr)
	return true
}

// add opens a node at an indent.
func (p *parser) add(depth int, line string, i int) *Node {
	p.close(depth)
	p.place()
	n := p.attach()
	n.Line = i
	p.open = append(p.open, level{n, depth, len(p.stack), line})
	return n
}

// place puts the blank lines seen into the innermost open node.
func (p *parser) place() {
	for _, b := range p.blanks {
		n := p.attach()
		b.Parent = n.Parent
		*n = b
	}
	p.blanks = p.blanks[:0]
}

// attach makes a node below the innermost open one.
func (p *parser) attach() *Node {
	p.slab = p.slab[:len(p.slab)+1]
	n := &p.slab[len(p.slab)-1]
	if k := len(p.open) - 1; k >= 0 {
		n.Parent = p.open[k].node
	}
	p.stack = append(p.stack, n)
	return n
}

// close ends the open nodes that a line at this indent is not below. A node
// whose own line Print would write differently is made raw now that its
// children are known.
func (p *parser) close(depth int) {
	for k := len(p.open) - 1; k >= 0 && p.open[k].indent >= depth; k-- {
		l := p.open[k]
		l.node.Children = p.taken(l.from)
		if !l.node.raw {
			p.buf = l.node.appendLine(p.buf[:0], k)
			if string(p.buf) != l.line {
				l.node.Raw, l.node.raw = l.line, true
			}
		}
		p.open = p.open[:k]
	}
}

// taken takes the nodes from a place on off the stack.
func (p *parser) taken(from int) []*Node {
	if from == len(p.stack) {
		return nil
	}
	at := len(p.below)
	p.below = append(p.below, p.stack[from:]...)
	p.stack = p.stack[:from]
	return p.below[at:len(p.below):len(p.below)]
}

func (p *parser) finish() {
	p.close(-1)
	p.place()
	p.tree.Roots = p.taken(0)
}
