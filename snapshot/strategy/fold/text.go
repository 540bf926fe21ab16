package fold

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"snapscope/snapshot/notation"
)

// foldHead explains the notation; it is the first line of every folded page.
const foldHead = `[folded page: "*:" begins a pattern, each line "* …" is one item of it: refs and … values in its order, " | " after a value; = joins the names below, …1 stands for the value so marked]`

// foldMark is what the lines of a pattern begin with: *, *2, *3, …
func foldMark(number int) string {
	if number == 1 {
		return "*"
	}
	return "*" + strconv.Itoa(number)
}

// lines writes a pattern, one line an element, as aria text with holes.
func (p *foldNode) lines(out []string, indent int) []string {
	pad := strings.Repeat(" ", indent)
	key := pad + "- " + p.role + p.name.key()
	ref := ""
	if p.hasRef {
		ref = "?"
	}
	for _, a := range p.attrsWith(nil, ref) {
		key += " [" + strings.TrimSuffix(a, "=?") + "]"
	}
	switch {
	case p.text.kind != foldNone:
		key += ":" + p.text.key()
	case len(p.props)+len(p.children) > 0:
		key += ":"
	}
	out = append(out, key)
	for _, pr := range p.props {
		out = append(out, pad+"  - /"+pr.key+":"+pr.slot.key())
	}
	for _, c := range p.children {
		out = c.lines(out, indent+2)
	}
	return out
}

func (s foldSlot) key() string {
	switch s.kind {
	case foldConst:
		return " " + foldJSON(s.value)
	case foldBelow:
		return " ="
	case foldMade:
		return " " + foldJSON(s.madeKey())
	case foldValue:
		if s.label > 0 {
			return " …" + strconv.Itoa(s.label)
		}
		return " …"
	}
	return ""
}

func foldJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a string is always encodable
		return strconv.Quote(s)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// foldQuote writes a value of an item: as it is where its end can be told.
func foldQuote(s string) string {
	if s == "" || strings.ContainsRune("\"[=| ", rune(s[0])) || s[len(s)-1] == ' ' || s[len(s)-1] == '|' || strings.Contains(s, " | ") {
		return foldJSON(s)
	}
	for _, r := range s {
		if r < ' ' || r == 0x7F || r == utf8.RuneError {
			return foldJSON(s)
		}
	}
	return s
}

// foldItem writes an item's line behind its mark.
func foldItem(p *foldNode, n *notation.Node) string {
	w := foldItemWriter{values: map[*foldSlot]string{}}
	p.values(n, w.values)
	w.node(p, n)
	return w.b.String()
}

type foldItemWriter struct {
	b     strings.Builder
	value bool // the last field was a value

	values map[*foldSlot]string
}

// values collects the values of an item that made names rest on.
func (p *foldNode) values(n *notation.Node, out map[*foldSlot]string) {
	keep := func(s *foldSlot, v string) {
		if s.label > 0 {
			out[s] = v
		}
	}
	keep(&p.name, n.Name)
	keep(&p.text, n.Text)
	for k := range p.props {
		keep(&p.props[k].slot, n.Props[k].Value)
	}
	for i, c := range p.children {
		c.values(n.Children[i], out)
	}
}

func (w *foldItemWriter) field(s string, value bool) {
	switch {
	case w.b.Len() == 0:
	case w.value:
		w.b.WriteString(" | ")
	default:
		w.b.WriteByte(' ')
	}
	w.b.WriteString(s)
	w.value = value
}

func (w *foldItemWriter) node(p *foldNode, n *notation.Node) {
	if p.hasRef {
		w.field(n.Ref, false)
		for _, a := range n.Attrs {
			if foldState(a) {
				w.field("["+a+"]", false)
			}
		}
		if p.name.kind != foldNone && p.name.kind != foldValue && n.Name != p.expected(n, w.values) {
			w.field("="+foldJSON(n.Name), false)
		}
	}
	if p.name.kind == foldValue {
		w.field(foldQuote(n.Name), true)
	}
	if p.text.kind == foldValue {
		w.field(foldQuote(n.Text), true)
	}
	for i, pr := range p.props {
		if pr.slot.kind == foldValue {
			w.field(foldQuote(n.Props[i].Value), true)
		}
	}
	for i, c := range p.children {
		w.node(c, n.Children[i])
	}
}

// expected is an item's name as the pattern has it.
func (p *foldNode) expected(n *notation.Node, values map[*foldSlot]string) string {
	switch p.name.kind {
	case foldBelow:
		return namesBelow(n)
	case foldMade:
		return p.name.made(values)
	}
	return p.name.value
}

// Unfold gives back the page that the fold strategy wrote text for. A text that
// is no folded page comes back as it is. The error names the line that does not
// fit.
func Unfold(text string) (string, error) {
	lines := strings.Split(text, "\n")
	if lines[0] != foldHead {
		return text, nil
	}
	if len(lines) > 1 && lines[1] == foldHead { // a page that begins as a folded one does
		return text[len(foldHead)+1:], nil
	}
	patterns := map[string]*foldNode{}
	var out []string
	for i := 1; i < len(lines); i++ {
		indent := notation.Indent(lines[i])
		body := lines[i][indent:]
		if !strings.HasPrefix(body, "*") {
			out = append(out, lines[i])
			continue
		}
		mark, rest, item := strings.Cut(body, " ")
		if !item {
			p, n, err := readPattern(lines[i+1:], indent+2)
			if err != nil {
				return "", fmt.Errorf("folded page, line %d: %w", i+2+n, err)
			}
			patterns[strings.TrimSuffix(mark, ":")] = p
			i += n
			continue
		}
		p := patterns[mark]
		if p == nil {
			return "", fmt.Errorf("folded page, line %d: there is no pattern %q", i+1, mark)
		}
		n, err := readItem(p, rest)
		if err != nil {
			return "", fmt.Errorf("folded page, line %d: %w", i+1, err)
		}
		pad := lines[i][:indent]
		for l := range strings.SplitSeq(notation.Print(&notation.Tree{Roots: []*notation.Node{n}}), "\n") {
			out = append(out, pad+l)
		}
	}
	return strings.Join(out, "\n"), nil
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

// foldReader reads an item's line along its pattern.
type foldReader struct {
	rest   string
	values map[*foldSlot]string
	told   map[*notation.Node]bool // elements whose name the line tells
}

func readItem(p *foldNode, line string) (*notation.Node, error) {
	r := foldReader{rest: line, values: map[*foldSlot]string{}, told: map[*notation.Node]bool{}}
	n, err := r.node(p)
	if err != nil {
		return nil, err
	}
	if r.rest != "" {
		return nil, fmt.Errorf("%.40q is left over", r.rest)
	}
	r.finish(p, n)
	return n, nil
}

// node reads what the line tells; finish adds what follows from it.
func (r *foldReader) node(p *foldNode) (*notation.Node, error) {
	n := &notation.Node{Role: p.role, HasName: p.name.kind != foldNone, HasText: p.text.kind != foldNone, Name: p.name.value}
	n.Attrs = p.attrsWith(nil, "")
	if p.hasRef {
		if err := r.head(p, n); err != nil {
			return nil, err
		}
	}
	var err error
	take := func(s *foldSlot) (v string) {
		if s.kind == foldValue && err == nil {
			v, err = r.value()
			r.values[s] = v
			return v
		}
		return s.value
	}
	if !r.told[n] {
		n.Name = take(&p.name)
	}
	n.Text = take(&p.text)
	for k := range p.props {
		n.Props = append(n.Props, notation.Prop{Key: p.props[k].key, Value: take(&p.props[k].slot)})
	}
	for _, c := range p.children {
		if err != nil {
			break
		}
		var child *notation.Node
		if child, err = r.node(c); err == nil {
			n.Children = append(n.Children, child)
		}
	}
	return n, err
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
	if !r.told[n] && n.HasName && p.name.kind != foldValue {
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
	var states []string
	for strings.HasPrefix(r.rest, "[") {
		state, rest, ok := strings.Cut(r.rest[1:], "]")
		if !ok {
			return fmt.Errorf("%.40q has no end", r.rest)
		}
		states = append(states, state)
		r.rest = strings.TrimPrefix(rest, " ")
	}
	n.Attrs = p.attrsWith(states, ref)
	if !strings.HasPrefix(r.rest, `="`) {
		return nil
	}
	name, rest, err := cutJSON(r.rest[1:])
	n.Name, r.told[n] = name, true
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
