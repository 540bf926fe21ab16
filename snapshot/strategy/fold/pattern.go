package fold

import (
	"slices"
	"strings"

	"snapscope/snapshot/notation"
)

// foldKind says where an item's line takes one name, text or property from.
type foldKind uint8

const (
	foldNone  foldKind = iota // the element has none
	foldConst                 // the same for (nearly) all items: stands in the pattern
	foldBelow                 // the names and texts below it, joined
	foldMade                  // words and values that stand elsewhere in the item
	foldValue                 // stands in the item's line
)

// foldShare is how many of the items must agree with the pattern on a name;
// where an item has a ref, the others tell theirs behind it.
const foldShare = 0.85

// foldSlot is one name, text or property of a pattern.
type foldSlot struct {
	kind   foldKind
	value  string     // of foldConst
	parts  []foldPart // of foldMade
	labels []int      // of parts, as read from a pattern's text
	label  int        // by which made names refer to it; 0: none does
}

// foldNode is one element of a pattern.
type foldNode struct {
	labelled   bool // of the pattern itself: a made name rests on one of its slots
	role       string
	name, text foldSlot
	attrs      []string // but for the ref and the states
	hasRef     bool
	props      []foldProp
	children   []*foldNode
}

type foldProp struct {
	key  string
	slot foldSlot
}

func attrKey(attr string) string {
	key, _, _ := strings.Cut(attr, "=")
	return key
}

// foldState reports an attribute that an item's line carries itself.
func foldState(attr string) bool {
	switch attrKey(attr) {
	case "checked", "disabled", "expanded", "active", "invalid", "pressed", "selected", "box":
		return true
	}
	return false
}

// foldShape writes what two items must have in common to share a pattern behind
// b; ok is false for a subtree that could not be put together again.
func foldShape(b []byte, n *notation.Node, depth int) (shape []byte, ok bool) {
	if n.IsRaw() || depth > 20 {
		return b, false
	}
	b = append(b, n.Role...)
	if n.HasName {
		b = append(b, '"')
	}
	rank := 0
	for _, a := range n.Attrs {
		r := notation.AttrRank(a)
		if r <= rank || strings.ContainsAny(a, " []\n") {
			return b, false
		}
		rank = r
		switch {
		case attrKey(a) == "ref":
			b = append(b, '#')
		case n.Ref == "" || !foldState(a):
			b = append(append(b, '['), a...)
		}
	}
	if n.Ref != "" && !foldRef(n.Ref) {
		return b, false
	}
	if n.HasText {
		b = append(b, ':')
	}
	for _, p := range n.Props {
		b = append(append(b, '/'), p.Key...)
	}
	b = append(b, '(')
	for _, c := range n.Children {
		if b, ok = foldShape(b, c, depth+1); !ok {
			return b, false
		}
		b = append(b, ',')
	}
	return append(b, ')'), true
}

// foldRef reports a ref that can stand bare in an item's line.
func foldRef(ref string) bool {
	for _, c := range []byte(ref) {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return ref != ""
}

// makePattern finds what is alike in items of one shape.
// Unless every ref is kept, an element that cannot be acted on has none in the
// pattern, save where states hang on it.
func makePattern(items []*notation.Node, every bool) *foldNode {
	first := items[0]
	p := &foldNode{role: first.Role, hasRef: first.Ref != "" && (every || foldActs(items))}
	for _, a := range first.Attrs {
		if attrKey(a) != "ref" && (first.Ref == "" || !foldState(a)) {
			p.attrs = append(p.attrs, a)
		}
	}
	for i := range first.Children {
		below := make([]*notation.Node, len(items))
		for k, n := range items {
			below[k] = n.Children[i]
		}
		p.children = append(p.children, makePattern(below, every))
	}
	if first.HasName {
		p.name = foldName(items, p.hasRef)
	}
	if first.HasText {
		p.text = foldSame(len(items), 1, func(i int) string { return items[i].Text })
	}
	for k, pr := range first.Props {
		slot := foldSame(len(items), 1, func(i int) string { return items[i].Props[k].Value })
		p.props = append(p.props, foldProp{pr.Key, slot})
	}
	return p
}

// foldActs reports items that an agent may act on or has to tell apart by state.
func foldActs(items []*notation.Node) bool {
	switch items[0].Role {
	case "button", "link", "textbox", "searchbox", "checkbox", "radio", "switch", "combobox", "listbox", "option", "slider",
		"spinbutton", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "treeitem", "iframe":
		return true
	}
	return slices.ContainsFunc(items, func(n *notation.Node) bool {
		return n.Has("cursor") || slices.ContainsFunc(n.Attrs, foldState)
	})
}

// foldName finds where the items' names come from. With a ref before it, a name
// that is out of line can be told in the item, so a few exceptions are no bar.
func foldName(items []*notation.Node, hasRef bool) foldSlot {
	share := 1.0
	if hasRef {
		share = foldShare
	}
	if s := foldSame(len(items), share, func(i int) string { return items[i].Name }); s.kind == foldConst {
		return s
	}
	hits := 0
	for _, n := range items {
		if joinsBelow(n, n.Name) {
			hits++
		}
	}
	if hits > 0 && float64(hits) >= share*float64(len(items)) {
		return foldSlot{kind: foldBelow}
	}
	return foldSlot{kind: foldValue}
}

// foldSame answers a constant where at least the share of the values are equal
// to the most frequent one, else a value for each.
//
// The share is more than a half, so that value is the one that is left when values
// which differ are struck out in pairs.
func foldSame(n int, share float64, value func(int) string) foldSlot {
	best, left := value(0), 0
	for i := range n {
		switch v := value(i); {
		case left == 0:
			best, left = v, 1
		case v == best:
			left++
		default:
			left--
		}
	}
	times := 0
	for i := range n {
		if value(i) == best {
			times++
		}
	}
	if float64(times) >= share*float64(n) && !strings.Contains(best, "…") {
		return foldSlot{kind: foldConst, value: best}
	}
	return foldSlot{kind: foldValue}
}

// namesBelow joins what the nearest named or texted elements below n say: how
// rows and cells come by their names.
func namesBelow(n *notation.Node) string {
	var parts []string
	if n.HasText {
		parts = append(parts, n.Text)
	}
	for _, c := range n.Children {
		s := c.Name
		switch {
		case c.HasName:
		case c.HasText:
			s = c.Text
		default:
			s = namesBelow(c)
		}
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

// joinsBelow reports whether namesBelow is this text, without making it.
func joinsBelow(n *notation.Node, text string) bool {
	j := joint{rest: text, fits: true}
	if n.HasText {
		j.part(n.Text)
	}
	j.below(n)
	return j.fits && j.rest == ""
}

// joint takes parts set apart by spaces off the front of a text.
type joint struct {
	rest string
	some bool // a part was taken
	fits bool // all were there
}

func (j *joint) part(s string) {
	if j.some {
		rest, ok := strings.CutPrefix(j.rest, " ")
		j.rest, j.fits = rest, j.fits && ok
	}
	rest, ok := strings.CutPrefix(j.rest, s)
	j.rest, j.some, j.fits = rest, true, j.fits && ok
}

func (j *joint) below(n *notation.Node) {
	for _, c := range n.Children {
		if !j.fits {
			return
		}
		switch {
		case c.HasName && c.Name != "":
			j.part(c.Name)
		case c.HasName:
		case c.HasText && c.Text != "":
			j.part(c.Text)
		case c.HasText:
		default:
			j.below(c)
		}
	}
}

// foldGroup is the items of one shape with their pattern.
type foldGroup struct {
	number  int // as it is written; 0 until the first item is
	pattern *foldNode
	items   []*notation.Node // in the page's order
	lines   []string         // theirs
	next    int              // index of the item that is written next
}

// line is an item's line behind its mark, asked for in the items' order.
func (g *foldGroup) line(n *notation.Node) string {
	if g.next < len(g.lines) && g.items[g.next] == n {
		g.next++
		return g.lines[g.next-1]
	}
	return foldItem(g.pattern, n)
}

// foldPlan decides which subtrees are items: those that share their shape with
// enough others (least in all) of the same parent. Larger subtrees go first.
func foldPlan(t *notation.Tree, least int, every bool) map[*notation.Node]*foldGroup {
	p := foldPlanner{least: least, shapes: map[string]string{}, of: map[*notation.Node]*foldGroup{}, groups: map[string]*foldGroup{}}
	p.siblings(t.Roots)
	p.decide(every)
	return p.of
}

// decide makes the patterns of the groups and gives up those that do not pay.
func (p *foldPlanner) decide(every bool) {
	for _, g := range p.order {
		g.pattern = makePattern(g.items, every)
		g.pattern.makeNames(g.items)
		if !g.pays() {
			for _, n := range g.items {
				delete(p.of, n)
			}
		}
	}
}

// take makes an element an item of the group of its shape.
func (p *foldPlanner) take(shape string, n *notation.Node) {
	g := p.groups[shape]
	if g == nil {
		g = &foldGroup{}
		p.groups[shape] = g
		p.order = append(p.order, g)
	}
	g.items = append(g.items, n)
	p.of[n] = g
}

type foldPlanner struct {
	least  int
	shape  []byte // as it is written
	shapes map[string]string
	of     map[*notation.Node]*foldGroup
	groups map[string]*foldGroup
	order  []*foldGroup
}

func (p *foldPlanner) siblings(nodes []*notation.Node) {
	if len(nodes) < p.least {
		for _, n := range nodes {
			p.siblings(n.Children)
		}
		return
	}
	shapes := make([]string, len(nodes))
	count := map[string]int{}
	for i, n := range nodes {
		var ok bool
		if p.shape, ok = foldShape(p.shape[:0], n, 0); ok {
			shapes[i] = p.one(p.shape)
			count[shapes[i]]++
		}
	}
	for i, n := range nodes {
		if shapes[i] == "" || count[shapes[i]] < p.least || len(shapes[i]) < 6 {
			p.siblings(n.Children)
			continue
		}
		p.take(shapes[i], n)
	}
}

// one is a shape as a text; equal ones are one text.
func (p *foldPlanner) one(shape []byte) string {
	if s, ok := p.shapes[string(shape)]; ok {
		return s
	}
	s := string(shape)
	p.shapes[s] = s
	return s
}

// pays reports whether the items' lines and their pattern are shorter than the
// items.
func (g *foldGroup) pays() bool {
	saved := -len(strings.Join(g.pattern.lines(nil, 0), "\n")) - 4
	g.lines = make([]string, len(g.items))
	for i, n := range g.items {
		g.lines[i] = foldItem(g.pattern, n)
		saved += foldWeight(n) - len(g.lines[i]) - 3
	}
	return saved > 0
}

// foldWeight is about the bytes that a subtree takes in full, without indent.
func foldWeight(n *notation.Node) int {
	w := 0
	for m := range n.Walk() {
		if m.Role == siblings { // no line of the page
			continue
		}
		w += 4 + m.KeySize() + len(m.Text)
		for _, p := range m.Props {
			w += 6 + len(p.Key) + len(p.Value)
		}
	}
	return w
}

// attrsWith puts an item's states and ref among a pattern's attributes, written
// over what stands in out.
func (p *foldNode) attrsWith(out, states []string, ref string) []string {
	out = append(append(out[:0], p.attrs...), states...)
	if ref != "" {
		out = append(out, notation.RefAttr(ref))
	}
	if len(out) > 1 {
		slices.SortStableFunc(out, func(a, b string) int { return notation.AttrRank(a) - notation.AttrRank(b) })
	}
	return out
}
