package published

import (
	"strings"

	"snapscope/snapshot/ecma"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
)

// Incremental is what Playwright MCP sent from October 2025 to March 2026: the
// changed subtrees alone, each marked at its root, with one line for each
// subtree inside that stayed as it was. Read off recorded replies of those
// versions.
//
// An element is the same when the earlier snapshot has its ref; it changed when
// its own line, its text or the row of its children did. Known faults, kept: a
// moved focus changes [active] on the root too, so a click can cost a line for
// every row of a table; there is no limit, an answer can be longer than the
// snapshot; what was removed is not named.
var Incremental = &strategy.Strategy{
	Name:   "playwright-incremental",
	Title:  "changed subtrees",
	Source: "Playwright MCP 0.0.43–0.0.68, since removed",
	Link:   "https://github.com/microsoft/playwright/pull/39777",
	Read:   "October 2025 to March 2026 (the link removes it); replies of those versions, recorded from the server",
	Doc: "Changed elements as \"- <changed> role …\" with unchanged subtrees below them as \"- ref=e4 [unchanged]\"; nothing at all when " +
		"nothing changed; full at first, after a navigation and when a snapshot is asked for.\n" +
		"Known faults: a move of focus dirties the root's [active], so ticking one box on a 500-row table sends a line for each row; " +
		"there is no fallback when that costs more than the snapshot; removed elements are only missing.",
	Base: func(past []strategy.Moment, now strategy.Moment, _ strategy.Values) int {
		i := len(past) - 1
		if i < 0 || strategy.Navigates(now.Tool) || now.Tool == "snapshot" || !strategy.SameDocument(past[i], now) {
			return -1
		}
		return i
	},
	Apply: incrementalApply,
}

func incrementalApply(in strategy.Input, _ strategy.Values) strategy.Verdict {
	if in.Base == nil {
		return strategy.Whole(in, strategy.Said("no_base", "full", "no earlier snapshot of this document → {o}"))
	}
	if in.Base.Text == in.Page.Text {
		return strategy.Verdict{
			Kind: strategy.KindUnchanged, Rules: []strategy.Rule{strategy.Said("same", "nothing sent", "nothing changed → {o}")}, Odd: strategy.Odd(in.Page), Lines: []strategy.Line{{Mark: strategy.Message, Source: -1}}, NeedsBase: true,
		}
	}
	t := newTree(in.Base.Read(), in.Page.Read())
	if t.now.Elements() == 0 || t.before.Elements() == 0 {
		return strategy.Whole(in, strategy.Said("no_refs", "full", "no refs to tell elements by → {o}"))
	}
	t.compare()
	facts := []strategy.Fact{
		{Label: "changed roots", Value: wording.Count(t.changedRoots)},
		{Label: "unchanged subtrees", Value: wording.Count(t.unchanged)},
	}
	if len(t.text) == 0 {
		return strategy.Verdict{
			Kind: strategy.KindUnchanged, Rules: []strategy.Rule{strategy.Said("same", "nothing sent", "no element changed → {o}")}, Odd: strategy.Odd(in.Page), Lines: []strategy.Line{{Mark: strategy.Message, Source: -1}},
			Facts: facts, NeedsBase: true,
		}
	}
	text := strings.Join(t.text, "\n")
	full, sent := ecma.Len(in.Page.Text), ecma.Len(text)
	saved := wording.Percent(float64(full-sent) / float64(full))
	return strategy.Verdict{
		Kind: strategy.KindDelta,
		Rules: []strategy.Rule{
			strategy.Said("changed", "delta", "{1 changed subtree}, {2 unchanged one} inside left out: saved {a} → {o}").With(t.changedRoots, t.unchanged).Naming(saved),
		},
		Odd:  strategy.Odd(in.Page),
		Text: text, Lines: t.lines, Facts: append(facts, strategy.Fact{Label: "saving", Value: saved}), NeedsBase: true,
	}
}

// tree is a snapshot held against an earlier one.
type tree struct {
	before, now *notation.Text
	roots, old  []int   // lines of now and before that hang below nothing
	children    [][]int // by line of now
	oldChildren [][]int // by line of before
	changed     []bool  // a node that is new, or whose own line, text or row of children changed
	dirty       []bool  // changed, or something below it is

	text         []string
	lines        []strategy.Line
	changedRoots int
	unchanged    int
}

func newTree(before, now *notation.Text) *tree {
	t := &tree{before: before, now: now, changed: make([]bool, now.Len()), dirty: make([]bool, now.Len())}
	t.old, t.oldChildren = childrenOf(before)
	t.roots, t.children = childrenOf(now)
	var a, b strings.Builder
	for i := now.Len() - 1; i >= 0; i-- {
		if ref := now.Ref(i); ref != "" {
			j := before.Find(ref)
			ok := j >= 0
			if ok {
				a.Reset()
				b.Reset()
				own(&a, before, t.oldChildren, j)
				own(&b, now, t.children, i)
				ok = a.String() == b.String()
			}
			t.changed[i] = !ok
		}
		t.dirty[i] = t.dirty[i] || t.changed[i]
		if p := now.Parent(i); t.dirty[i] && p >= 0 {
			t.dirty[p] = true
		}
	}
	return t
}

// childrenOf lists the lines without a parent and, by line, those below it.
// Blank lines are nobody's.
func childrenOf(o *notation.Text) (roots []int, children [][]int) {
	children = make([][]int, o.Len())
	for i := range o.Len() {
		switch p := o.Parent(i); {
		case o.Kind(i) == notation.OtherLine && ecma.Blank(o.Raw(i)):
		case p < 0:
			roots = append(roots, i)
		default:
			children[p] = append(children[p], i)
		}
	}
	return roots, children
}

// own writes what makes an element what it is, without its children that have a
// ref of their own: of those only the refs.
func own(b *strings.Builder, o *notation.Text, children [][]int, i int) {
	l := o.Line(i)
	b.WriteString(strings.TrimSpace(l.Key()))
	b.WriteByte('\n')
	b.WriteString(l.ValueAt.Of(l.Raw))
	row(b, o, children, children[i])
}

// row writes a row of siblings: the refs, and of those without one all they are.
func row(b *strings.Builder, o *notation.Text, children [][]int, lines []int) {
	for _, c := range lines {
		b.WriteByte('\n')
		if ref := o.Ref(c); ref != "" {
			b.WriteString("\x00")
			b.WriteString(ref)
			continue
		}
		b.WriteString("\x01")
		own(b, o, children, c)
		b.WriteString("\x02")
	}
}

// compare prints what changed. Where the outermost row itself is another, as
// when a text outside every element changed, each of its lines is printed.
func (t *tree) compare() {
	var a, b strings.Builder
	row(&a, t.before, t.oldChildren, t.old)
	row(&b, t.now, t.children, t.roots)
	for _, i := range t.roots {
		if a.String() == b.String() {
			t.find(i)
			continue
		}
		root := t.changed[i] || t.now.Ref(i) == ""
		if root {
			t.changedRoots++
		}
		t.print(i, 0, root)
	}
}

// find looks for the outermost changed elements and prints each.
func (t *tree) find(i int) {
	switch {
	case !t.dirty[i]:
	case t.changed[i]:
		t.changedRoots++
		t.print(i, 0, true)
	default:
		for _, c := range t.children[i] {
			t.find(c)
		}
	}
}

// print writes a subtree at a depth, marked as the root of a change or not.
func (t *tree) print(i, depth int, root bool) {
	indent := strings.Repeat("  ", depth)
	if ref := t.now.Ref(i); ref != "" && !t.dirty[i] {
		t.unchanged++
		t.put(strategy.Gap, i, indent+notation.UnchangedItem(ref))
		return
	}
	line := strings.TrimSpace(t.now.Raw(i))
	if root {
		line = notation.MarkChanged(line)
	}
	m := strategy.Same
	if t.changed[i] {
		m = strategy.Added
	}
	t.put(m, i, indent+line)
	for _, c := range t.children[i] {
		t.print(c, depth+1, false)
	}
}

func (t *tree) put(m strategy.Mark, source int, text string) {
	t.text = append(t.text, text)
	t.lines = append(t.lines, strategy.Line{Mark: m, Source: source})
}
