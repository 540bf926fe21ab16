package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
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
}

type level struct {
	node   *Node
	indent int
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
	depth := Indent(line)
	body := line[depth:]
	if !strings.HasPrefix(body, "- ") {
		return false
	}
	key, value, hasValue, ok := cutKey(body[2:])
	if !ok {
		return false
	}
	if key[0] == '/' {
		return p.prop(key, value, hasValue, line, i)
	}
	var n Node
	if !n.readKey(key) {
		return false
	}
	n.Text, n.HasText = value, hasValue
	at := p.add(depth, line, i)
	n.Parent, n.Line = at.Parent, at.Line
	*at = n
	return true
}

// prop reads a property line of the innermost open node. One that does not
// stand right behind its node's own line, or is written otherwise than Print
// would, is left to be raw.
func (p *parser) prop(key, value string, hasValue bool, line string, i int) bool {
	depth := Indent(line)
	p.close(depth)
	if len(p.open) == 0 || len(p.blanks) > 0 || !hasValue || key[1:] == "" || strings.ContainsAny(key, ` "[`) {
		return false
	}
	n := p.open[len(p.open)-1].node
	pr := Prop{Key: key[1:], Value: value, Line: i}
	if len(n.Children) > 0 || n.Role == "" || string(pr.appendLine(p.buf[:0], len(p.open))) != line {
		return false
	}
	n.Props = append(n.Props, pr)
	return true
}

// add opens a node at an indent.
func (p *parser) add(depth int, line string, i int) *Node {
	p.close(depth)
	p.place()
	n := p.attach(Node{Line: i})
	p.open = append(p.open, level{n, depth, line})
	return n
}

// place puts the blank lines seen into the innermost open node.
func (p *parser) place() {
	for _, b := range p.blanks {
		p.attach(b)
	}
	p.blanks = p.blanks[:0]
}

func (p *parser) attach(node Node) *Node {
	p.slab = append(p.slab, node)
	n := &p.slab[len(p.slab)-1]
	if k := len(p.open) - 1; k >= 0 {
		n.Parent = p.open[k].node
		n.Parent.Children = append(n.Parent.Children, n)
	} else {
		p.tree.Roots = append(p.tree.Roots, n)
	}
	return n
}

// close ends the open nodes that a line at this indent is not below. A node
// whose own line Print would write differently is made raw now that its
// children are known.
func (p *parser) close(depth int) {
	for k := len(p.open) - 1; k >= 0 && p.open[k].indent >= depth; k-- {
		l := p.open[k]
		if !l.node.raw {
			p.buf = l.node.appendLine(p.buf[:0], k)
			if string(p.buf) != l.line {
				l.node.Raw, l.node.raw = l.line, true
			}
		}
		p.open = p.open[:k]
	}
}

func (p *parser) finish() {
	p.close(-1)
	p.place()
}

// cutKey parts the key of an entry from the value behind the colon and undoes
// the quoting of both.
func cutKey(s string) (key, value string, hasValue, ok bool) {
	var rest string
	if strings.HasPrefix(s, "'") {
		key, rest, ok = cutSingle(s)
	} else {
		n := keyEnd(s)
		key, rest, ok = s[:n], s[n:], true
	}
	if !ok || key == "" {
		return "", "", false, false
	}
	switch {
	case rest == "", rest == ":":
		return key, "", false, true
	case !strings.HasPrefix(rest, ": "):
		return "", "", false, false
	}
	value, ok = unquoteValue(rest[2:])
	return key, value, true, ok
}

// cutSingle reads a single-quoted key, in which a quote is doubled.
func cutSingle(s string) (key, rest string, ok bool) {
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			i++
			continue
		}
		return strings.ReplaceAll(s[1:i], "''", "'"), s[i+1:], true
	}
	return "", "", false
}

// keyEnd answers where a plain key ends: at a colon outside of its name.
func keyEnd(s string) int {
	i := 0
	for i < len(s) && s[i] != ' ' && s[i] != ':' {
		i++
	}
	switch {
	case strings.HasPrefix(s[i:], ` "`):
		i = skipString(s, i+1)
	case strings.HasPrefix(s[i:], " /"):
		if j := strings.Index(s[i:], "/ ["); j > 0 {
			i += j + 1
		} else if j := strings.LastIndex(s[i:], "/"); j > 1 {
			i += j + 1
		}
	}
	for strings.HasPrefix(s[i:], " [") {
		end := strings.IndexByte(s[i:], ']')
		if end < 0 {
			return len(s)
		}
		i += end + 1
	}
	return i
}

// readKey fills role, name, attributes and ref from an unquoted key.
func (n *Node) readKey(key string) bool {
	i := 0
	for i < len(key) && (word(key[i]) || key[i] == '-') {
		i++
	}
	n.Role = key[:i]
	if i == 0 {
		return false
	}
	switch {
	case strings.HasPrefix(key[i:], ` "`):
		end := skipString(key, i+1)
		if !unquoteJSON(key[i+1:end], &n.Name) {
			return false
		}
		n.HasName = true
		i = end
	case strings.HasPrefix(key[i:], " /"):
		end := len(key)
		if j := strings.Index(key[i:], "/ ["); j > 0 {
			end = i + j + 1
		}
		n.Name, n.HasName, n.bare = key[i+1:end], true, true
		if !bareName(n.Name) {
			return false
		}
		i = end
	}
	if k := strings.Count(key[i:], " ["); k > 0 {
		n.Attrs = make([]string, 0, k)
	}
	for strings.HasPrefix(key[i:], " [") {
		end := strings.IndexByte(key[i:], ']')
		if end < 3 {
			return false
		}
		attr := key[i+2 : i+end]
		n.Attrs = append(n.Attrs, attr)
		if ref, ok := strings.CutPrefix(attr, "ref="); ok {
			n.Ref = ref
		}
		i += end + 1
	}
	return i == len(key)
}

func unquoteJSON(s string, out *string) bool {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return false
	}
	if body := s[1 : len(s)-1]; strings.IndexByte(body, '\\') < 0 {
		*out = body
		return utf8.ValidString(body)
	}
	return json.Unmarshal([]byte(s), out) == nil
}

// unquoteValue undoes QuoteValue. A value that only looks quoted is refused.
func unquoteValue(s string) (string, bool) {
	if s == "" || s[0] != '"' {
		return s, s != "" && utf8.ValidString(s)
	}
	if len(s) < 2 || s[len(s)-1] != '"' {
		return "", false
	}
	s = s[1 : len(s)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s, utf8.ValidString(s) && strings.IndexByte(s, '"') < 0
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return "", false
		}
		if k := strings.IndexByte("\\\"bfnrt", s[i]); k >= 0 {
			b.WriteByte("\\\"\b\f\n\r\t"[k])
			continue
		}
		if s[i] != 'x' || i+2 >= len(s) {
			return "", false
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteRune(rune(c))
		i += 2
	}
	return b.String(), utf8.ValidString(b.String())
}
