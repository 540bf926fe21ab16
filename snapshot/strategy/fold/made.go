package fold

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"snapscope/snapshot/notation"
)

// A name is often made of what stands elsewhere in the item: "Select Ada Byron"
// beside a cell "Ada Byron". Such a name is written in the pattern, as
// "Select …1" where …1 is the cell's value.

// foldPart is a piece of a made name: words, or the value of another slot.
type foldPart struct {
	words string
	slot  *foldSlot // nil: words
}

// foldCell is one value slot of a pattern with its values, one an item.
type foldCell struct {
	slot   *foldSlot
	node   *foldNode
	values []string
	weight int // bytes of all values
	order  int
}

// makeNames finds the slots of a pattern whose values are made of others. The
// shorter a slot's values, the sooner it is settled as a source, so a made name
// never rests on another.
func (p *foldNode) makeNames(items []*notation.Node) {
	var cells []*foldCell
	p.cells(items, &cells)
	for i, c := range cells {
		c.order = i
		for _, v := range c.values {
			c.weight += len(v)
		}
	}
	slices.SortFunc(cells, func(a, b *foldCell) int {
		return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(a.order, b.order))
	})
	var sources []*foldCell
	for _, c := range cells {
		if !c.make(sources) {
			sources = append(sources, c)
		}
	}
	n := 0
	p.label(&n)
	p.labelled = n > 0
}

func (p *foldNode) cells(items []*notation.Node, out *[]*foldCell) {
	add := func(s *foldSlot, value func(*notation.Node) string) {
		if s.kind != foldValue {
			return
		}
		c := &foldCell{slot: s, node: p}
		for _, n := range items {
			c.values = append(c.values, value(n))
		}
		*out = append(*out, c)
	}
	add(&p.name, func(n *notation.Node) string { return n.Name })
	add(&p.text, func(n *notation.Node) string { return n.Text })
	for k := range p.props {
		add(&p.props[k].slot, func(n *notation.Node) string { return n.Props[k].Value })
	}
	for i, c := range p.children {
		below := make([]*notation.Node, len(items))
		for k, n := range items {
			below[k] = n.Children[i]
		}
		c.cells(below, out)
	}
}

// make settles a slot as made of sources where that gives (nearly) all of its
// values; the way of making is read off one of the first items.
func (c *foldCell) make(sources []*foldCell) bool {
	share := 1.0
	if c.node.hasRef && c.slot == &c.node.name {
		share = foldShare
	}
	for i := range min(3, len(c.values)) {
		parts, from := c.guess(i, sources)
		if parts == nil {
			continue
		}
		hits := 0
		for k, v := range c.values {
			rest, fits := v, true
			for j, part := range parts {
				s := part.words
				if from[j] != nil {
					s = from[j].values[k]
				}
				if rest, fits = strings.CutPrefix(rest, s); !fits {
					break
				}
			}
			if fits && rest == "" {
				hits++
			}
		}
		if float64(hits) >= share*float64(len(c.values)) {
			c.slot.kind, c.slot.parts = foldMade, parts
			return true
		}
	}
	return false
}

// guess reads item i's value as words and the values of sources, the longest
// first; nil where there are only words.
func (c *foldCell) guess(i int, sources []*foldCell) (parts []foldPart, from []*foldCell) {
	v := c.values[i]
	if strings.Contains(v, "…") {
		return nil, nil
	}
	words, found, plain := 0, false, true
	flush := func(to int) {
		if to > words {
			if k := len(parts) - 1; k >= 0 && v[words] >= '0' && v[words] <= '9' {
				plain = false // a digit behind a label would be read as part of it
			}
			parts, from = append(parts, foldPart{words: v[words:to]}), append(from, nil)
		}
	}
	for at := 0; at < len(v); {
		best := ""
		var src *foldCell
		for _, s := range sources {
			if x := s.values[i]; len(x) > len(best) && len(x) > 1 && strings.HasPrefix(v[at:], x) && wholeWords(v, at, at+len(x)) {
				best, src = x, s
			}
		}
		if src == nil {
			_, n := utf8.DecodeRuneInString(v[at:])
			at += n
			continue
		}
		flush(at)
		parts, from = append(parts, foldPart{slot: src.slot}), append(from, src)
		at += len(best)
		words, found = at, true
	}
	if !found {
		return nil, nil
	}
	if flush(len(v)); !plain {
		return nil, nil
	}
	return parts, from
}

// wholeWords reports that no word runs across either end of s[from:to].
func wholeWords(s string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	first, _ := utf8.DecodeRuneInString(s[from:])
	last, _ := utf8.DecodeLastRuneInString(s[:to])
	after, _ := utf8.DecodeRuneInString(s[to:])
	in := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return !(in(before) && in(first)) && !(in(last) && in(after))
}

// label numbers the slots that made names rest on, in the pattern's order.
func (p *foldNode) label(n *int) {
	used := map[*foldSlot]bool{}
	p.slots(func(s *foldSlot) {
		for _, part := range s.parts {
			used[part.slot] = part.slot != nil
		}
	})
	p.slots(func(s *foldSlot) {
		if used[s] {
			*n++
			s.label = *n
		}
	})
}

// slots visits the slots of a pattern in its order.
func (p *foldNode) slots(visit func(*foldSlot)) {
	visit(&p.name)
	visit(&p.text)
	for k := range p.props {
		visit(&p.props[k].slot)
	}
	for _, c := range p.children {
		c.slots(visit)
	}
}

// made puts a made name together from the item's values.
func (s *foldSlot) made(values map[*foldSlot]string) string {
	var b strings.Builder
	for _, part := range s.parts {
		b.WriteString(part.words)
		if part.slot != nil {
			b.WriteString(values[part.slot])
		}
	}
	return b.String()
}

// madeKey writes a made name for the pattern.
func (s *foldSlot) madeKey() string {
	var b strings.Builder
	for _, part := range s.parts {
		b.WriteString(part.words)
		if part.slot != nil {
			b.WriteString("…" + strconv.Itoa(part.slot.label))
			continue
		}
	}
	return b.String()
}

// madeParts reads what madeKey wrote; the labels are resolved by resolve. ok is
// false for plain words.
func madeParts(s string) (parts []foldPart, labels []int, ok bool) {
	if !strings.Contains(s, "…") {
		return nil, nil, false
	}
	for i, piece := range strings.Split(s, "…") {
		if i > 0 {
			n := 0
			for n < len(piece) && piece[n] >= '0' && piece[n] <= '9' {
				n++
			}
			label, err := strconv.Atoi(piece[:n])
			if err != nil {
				return nil, nil, false
			}
			parts, labels = append(parts, foldPart{}), append(labels, label)
			piece = piece[n:]
		}
		if piece != "" {
			parts, labels = append(parts, foldPart{words: piece}), append(labels, 0)
		}
	}
	return parts, labels, true
}

// resolve finds the slots that the made names of a pattern rest on; false where
// one names none.
func (p *foldNode) resolve() bool {
	byLabel := map[int]*foldSlot{}
	p.slots(func(s *foldSlot) {
		if s.kind == foldValue && s.label > 0 {
			byLabel[s.label] = s
		}
	})
	ok := true
	p.slots(func(s *foldSlot) {
		for k, l := range s.labels {
			if l > 0 {
				s.parts[k].slot = byLabel[l]
				ok = ok && byLabel[l] != nil
			}
		}
	})
	return ok
}
