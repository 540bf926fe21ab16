package fold

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"snapscope/snapshot/notation"
)

// Unfold gives back the lines of the page that the fold strategy wrote text for. A
// text that is no folded page comes back as it is. Where the page is known it is only
// compared, and no line is kept: same says whether text gives back just that. The
// error names the line that does not fit.
func Unfold(text string, want []string) (page []string, same bool, err error) {
	u := unfolded{want: want}
	if err := u.read(text); err != nil {
		return nil, false, err
	}
	return u.out, u.same(), nil
}

// unfolded is a page that a folded one gives back, line by line: to be had, or to be
// compared with the one that is wanted.
type unfolded struct {
	want    []string // nil: the lines are kept in out
	out     []string
	n       int // lines so far
	differs bool
	buf     []byte
}

// same reports whether the page is the one that was wanted.
func (u *unfolded) same() bool { return !u.differs && u.n == len(u.want) }

// line takes a line of the page that stands as it is.
func (u *unfolded) line(s string) {
	switch {
	case u.want == nil:
		u.out = append(u.out, s)
	case u.n >= len(u.want) || u.want[u.n] != s:
		u.differs = true
	}
	u.n++
}

// item takes the lines of an item, each behind the indent of its mark.
func (u *unfolded) item(pad string, n *notation.Node) {
	u.buf = u.buf[:0]
	if n.Role == siblings {
		for i, c := range n.Children {
			if i > 0 {
				u.buf = append(u.buf, '\n')
			}
			u.buf = c.AppendUID(u.buf)
		}
	} else {
		u.buf = n.AppendTo(u.buf)
	}
	for rest := u.buf; ; {
		line, after, more := bytes.Cut(rest, []byte{'\n'})
		switch {
		case u.want == nil:
			u.out = append(u.out, pad+string(line))
		case u.n >= len(u.want) || len(u.want[u.n]) != len(pad)+len(line) || u.want[u.n][:len(pad)] != pad || u.want[u.n][len(pad):] != string(line):
			u.differs = true
		}
		u.n++
		if !more {
			return
		}
		rest = after
	}
}

// read reads a folded page; the error names the line that does not fit.
func (u *unfolded) read(text string) error {
	lines := strings.Split(text, "\n")
	plain := lines[0] != foldHead
	if !plain && len(lines) > 1 && lines[1] == foldHead { // a page that begins as a folded one does
		lines, plain = lines[1:], true
	}
	if plain {
		for _, l := range lines {
			u.line(l)
		}
		return nil
	}
	readers := map[string]*foldReader{}
	for i := 1; i < len(lines); i++ {
		indent := notation.Indent(lines[i])
		body := lines[i][indent:]
		if !strings.HasPrefix(body, "*") {
			u.line(lines[i])
			continue
		}
		mark, rest, item := strings.Cut(body, " ")
		if !item {
			p, n, err := readPattern(lines[i+1:], indent+2)
			if err != nil {
				return fmt.Errorf("folded page, line %d: %w", i+2+n, err)
			}
			readers[strings.TrimSuffix(mark, ":")] = newFoldReader(p)
			i += n
			continue
		}
		r := readers[mark]
		if r == nil {
			return fmt.Errorf("folded page, line %d: there is no pattern %q", i+1, mark)
		}
		n, err := r.item(rest)
		if err != nil {
			return fmt.Errorf("folded page, line %d: %w", i+1, err)
		}
		u.item(lines[i][:indent], n)
	}
	return nil
}

// readPattern reads a pattern's lines; n is how many there are, or the one that
// does not fit.
func readPattern(lines []string, indent int) (p *foldNode, n int, err error) {
	var open []*foldNode
	for ; n < len(lines); n++ {
		depth := notation.Indent(lines[n]) - indent
		body, ok := strings.CutPrefix(strings.TrimLeft(lines[n], " "), "- ")
		if depth < 0 || !ok {
			break
		}
		depth /= 2
		if depth > len(open) || depth == 0 && n > 0 {
			return nil, n, fmt.Errorf("the pattern is not a tree")
		}
		if key, ok := strings.CutPrefix(body, "/"); ok {
			key, rest, _ := strings.Cut(key, ":")
			pr := foldProp{key: key}
			if rest, err = pr.slot.read(rest); err != nil || rest != "" || depth == 0 {
				return nil, n, fmt.Errorf("%q is no property of a pattern", body)
			}
			open[depth-1].props = append(open[depth-1].props, pr)
			continue
		}
		node, err := readPatternNode(body)
		if err != nil {
			return nil, n, err
		}
		if depth > 0 {
			open[depth-1].children = append(open[depth-1].children, node)
		} else {
			p = node
		}
		open = append(open[:depth], node)
	}
	if p == nil || !p.resolve() {
		return nil, 0, fmt.Errorf("a whole pattern is expected")
	}
	return p, n, nil
}

func readPatternNode(s string) (*foldNode, error) {
	end := strings.IndexAny(s, " :")
	if end < 0 {
		end = len(s)
	}
	n := &foldNode{role: s[:end]}
	s, err := n.name.read(s[end:])
	for err == nil && strings.HasPrefix(s, " [") {
		attr, rest, ok := strings.Cut(s[2:], "]")
		if !ok {
			return nil, fmt.Errorf("%q has no end", s)
		}
		if attr == "ref" {
			n.hasRef = true
		} else {
			n.attrs = append(n.attrs, attr)
		}
		s = rest
	}
	if err == nil && strings.HasPrefix(s, ":") {
		s, err = n.text.read(s[1:])
	}
	if err != nil || s != "" {
		return nil, fmt.Errorf("%q is no element of a pattern", s)
	}
	return n, nil
}

// read takes a slot off the front of s.
func (f *foldSlot) read(s string) (rest string, err error) {
	switch {
	case strings.HasPrefix(s, " …"):
		f.kind = foldValue
		s = s[len(" …"):]
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n > 0 {
			f.label, err = strconv.Atoi(s[:n])
		}
		return s[n:], err
	case strings.HasPrefix(s, " ="):
		f.kind = foldBelow
		return s[len(" ="):], nil
	case strings.HasPrefix(s, ` "`):
		f.kind = foldConst
		f.value, rest, err = cutJSON(s[1:])
		if parts, labels, ok := madeParts(f.value); ok {
			f.kind, f.value, f.parts, f.labels = foldMade, "", parts, labels
		}
		return rest, err
	}
	return s, nil
}

// cutJSON takes a JSON string off the front of s.
func cutJSON(s string) (value, rest string, err error) {
	end := 1
	for end < len(s) && s[end] != '"' {
		if s[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(s) {
		return "", "", fmt.Errorf("%.40q is no whole string", s)
	}
	err = json.Unmarshal([]byte(s[:end+1]), &value)
	return value, s[end+1:], err
}

// foldReader reads items' lines along their pattern, into one tree that each item
// writes over.
type foldReader struct {
	p      *foldNode
	n      *notation.Node
	rest   string
	values map[*foldSlot]string // of the slots that made names rest on
	told   map[*foldNode]bool   // elements whose name the line tells
	states []string
}

func newFoldReader(p *foldNode) *foldReader {
	return &foldReader{p: p, n: p.blank(), values: map[*foldSlot]string{}, told: map[*foldNode]bool{}}
}

// blank is an item of the pattern without what its line tells.
func (p *foldNode) blank() *notation.Node {
	n := &notation.Node{Role: p.role, HasName: p.name.kind != foldNone, HasText: p.text.kind != foldNone, Attrs: p.attrsWith(nil, nil, "")}
	for _, pr := range p.props {
		n.Props = append(n.Props, notation.Prop{Key: pr.key})
	}
	for _, c := range p.children {
		n.Children = append(n.Children, c.blank())
	}
	return n
}

// item reads one line; the element is good until the next one.
func (r *foldReader) item(line string) (*notation.Node, error) {
	r.rest = line
	clear(r.values)
	clear(r.told)
	if err := r.node(r.p, r.n); err != nil {
		return nil, err
	}
	if r.rest != "" {
		return nil, fmt.Errorf("%.40q is left over", r.rest)
	}
	r.finish(r.p, r.n)
	return r.n, nil
}

// node reads what the line tells; finish adds what follows from it.
func (r *foldReader) node(p *foldNode, n *notation.Node) error {
	if p.hasRef {
		if err := r.head(p, n); err != nil {
			return err
		}
	}
	var err error
	if !r.told[p] {
		n.Name, err = r.take(&p.name)
	}
	if err == nil {
		n.Text, err = r.take(&p.text)
	}
	for k := range p.props {
		if err == nil {
			n.Props[k].Value, err = r.take(&p.props[k].slot)
		}
	}
	for i, c := range p.children {
		if err == nil {
			err = r.node(c, n.Children[i])
		}
	}
	return err
}

// take is a slot's value, from the line where it stands there.
func (r *foldReader) take(s *foldSlot) (string, error) {
	if s.kind != foldValue {
		return s.value, nil
	}
	v, err := r.value()
	if s.label > 0 {
		r.values[s] = v
	}
	return v, err
}

// finish makes the names that rest on values, then those that rest on names.
func (r *foldReader) finish(p *foldNode, n *notation.Node) {
	if p.text.kind == foldMade {
		n.Text = p.text.made(r.values)
	}
	for k := range p.props {
		if s := &p.props[k].slot; s.kind == foldMade {
			n.Props[k].Value = s.made(r.values)
		}
	}
	for i, c := range p.children {
		r.finish(c, n.Children[i])
	}
	if !r.told[p] && n.HasName && p.name.kind != foldValue {
		n.Name = p.expected(n, r.values)
	}
}

// head reads an element's ref, its states and a name that is out of line.
func (r *foldReader) head(p *foldNode, n *notation.Node) error {
	ref, rest, _ := strings.Cut(r.rest, " ")
	if !foldRef(ref) {
		return fmt.Errorf("%.40q has no ref for %s", r.rest, p.role)
	}
	r.rest, n.Ref = rest, ref
	states := r.states[:0]
	for strings.HasPrefix(r.rest, "[") {
		state, rest, ok := strings.Cut(r.rest[1:], "]")
		if !ok {
			return fmt.Errorf("%.40q has no end", r.rest)
		}
		states = append(states, state)
		r.rest = strings.TrimPrefix(rest, " ")
	}
	r.states = states
	n.Attrs = p.attrsWith(n.Attrs, states, ref)
	if !strings.HasPrefix(r.rest, `="`) {
		return nil
	}
	name, rest, err := cutJSON(r.rest[1:])
	n.Name, r.told[p] = name, true
	r.rest = strings.TrimPrefix(rest, " ")
	return err
}

// value reads a value and the bar behind it.
func (r *foldReader) value() (v string, err error) {
	if strings.HasPrefix(r.rest, `"`) {
		v, r.rest, err = cutJSON(r.rest)
		r.rest = strings.TrimPrefix(r.rest, " | ")
		return v, err
	}
	if r.rest == "" {
		return "", fmt.Errorf("a value is missing")
	}
	v, r.rest, _ = strings.Cut(r.rest, " | ")
	return v, nil
}
