package fold

import (
	"encoding/json"
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
	for _, a := range p.attrsWith(nil, nil, ref) {
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
	var w foldItemWriter
	if p.labelled {
		w.values = map[*foldSlot]string{}
		p.values(n, w.values)
	}
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
		if p.name.kind != foldNone && p.name.kind != foldValue && !p.expects(n, w.values) {
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

// expects reports whether an item's name is as the pattern has it.
func (p *foldNode) expects(n *notation.Node, values map[*foldSlot]string) bool {
	if p.name.kind == foldBelow {
		return joinsBelow(n, n.Name)
	}
	return n.Name == p.expected(n, values)
}
