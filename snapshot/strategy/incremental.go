package strategy

import (
	"strings"

	"snapscope/snapshot/wording"
)

// incremental is what Playwright MCP sent from October 2025 to March 2026: the
// changed subtrees alone, each marked at its root, with one line for each
// subtree inside that stayed as it was. Read off recorded replies of those
// versions.
//
// An element is the same when the earlier snapshot has its ref; it changed when
// its own line, its text or the row of its children did. Known faults, kept: a
// moved focus changes [active] on the root too, so a click can cost a line for
// every row of a table; there is no limit, an answer can be longer than the
// snapshot; what was removed is not named.
var incremental = &Strategy{
	Name:   "playwright-incremental",
	Title:  "changed subtrees",
	Source: "Playwright MCP 0.0.43–0.0.68, since removed",
	Doc: "Changed elements as \"- <changed> role …\" with unchanged subtrees below them as \"- ref=e4 [unchanged]\"; nothing at all when " +
		"nothing changed; full at first, after a navigation and when a snapshot is asked for.\n" +
		"Known faults: a move of focus dirties the root's [active], so ticking one box on a 500-row table sends a line for each row; " +
		"there is no fallback when that costs more than the snapshot; removed elements are only missing.",
	Base: func(past []Moment, now Moment, _ Values) int {
		i := len(past) - 1
		if i < 0 || navigates(now.Tool) || now.Tool == "snapshot" || !sameDocument(past[i], now) {
			return -1
		}
		return i
	},
	Apply: incrementalApply,
}

func incrementalApply(in Input, _ Values) Verdict {
	if in.Base == nil {
		return Whole(in, Said("no_base", "full", "no earlier snapshot of this document → {o}"))
	}
	if in.Base.Text == in.Page.Text {
		return Verdict{
			Kind: KindUnchanged, Rules: []Rule{Said("same", "nothing sent", "nothing changed → {o}")}, Odd: Odd(in.Page), Lines: []Line{{Message, -1}}, NeedsBase: true,
		}
	}
	t := newTree(readOutline(in.Base.Text), readOutline(in.Page.Text))
	if t.now.refs == 0 || t.before.refs == 0 {
		return Whole(in, Said("no_refs", "full", "no refs to tell elements by → {o}"))
	}
	t.compare()
	facts := []Fact{
		{"changed roots", wording.Count(t.changedRoots)},
		{"unchanged subtrees", wording.Count(t.unchanged)},
	}
	if len(t.text) == 0 {
		return Verdict{
			Kind: KindUnchanged, Rules: []Rule{Said("same", "nothing sent", "no element changed → {o}")}, Odd: Odd(in.Page), Lines: []Line{{Message, -1}},
			Facts: facts, NeedsBase: true,
		}
	}
	text := strings.Join(t.text, "\n")
	full, sent := jsLen(in.Page.Text), jsLen(text)
	saved := wording.Percent(float64(full-sent) / float64(full))
	return Verdict{
		Kind: KindDelta,
		Rules: []Rule{
			Said("changed", "delta", "{1 changed subtree}, {2 unchanged one} inside left out: saved {a} → {o}").With(t.changedRoots, t.unchanged).Naming(saved),
		},
		Odd:  Odd(in.Page),
		Text: text, Lines: t.lines, Facts: append(facts, Fact{"saving", saved}), NeedsBase: true,
	}
}

// tree is a snapshot held against an earlier one.
type tree struct {
	before, now *outline
	roots, old  []int   // lines of now and before that hang below nothing
	children    [][]int // by line of now
	oldChildren [][]int // by line of before
	changed     []bool  // a node that is new, or whose own line, text or row of children changed
	dirty       []bool  // changed, or something below it is

	text         []string
	lines        []Line
	changedRoots int
	unchanged    int
}

func newTree(before, now *outline) *tree {
	t := &tree{before: before, now: now, changed: make([]bool, len(now.lines)), dirty: make([]bool, len(now.lines))}
	t.old, t.oldChildren = childrenOf(before)
	t.roots, t.children = childrenOf(now)
	was := map[string]int{}
	for i := range before.lines {
		if r := before.lines[i].ref; r != "" {
			was[r] = i
		}
	}
	var a, b strings.Builder
	for i := len(now.lines) - 1; i >= 0; i-- {
		l := &now.lines[i]
		if l.kind == nodeLine && l.ref != "" {
			j, ok := was[l.ref]
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
		if t.dirty[i] && l.parent >= 0 {
			t.dirty[l.parent] = true
		}
	}
	return t
}

// childrenOf lists the lines without a parent and, by line, those below it.
// Blank lines are nobody's.
func childrenOf(o *outline) (roots []int, children [][]int) {
	children = make([][]int, len(o.lines))
	for i := range o.lines {
		l := &o.lines[i]
		switch {
		case l.kind == otherLine && jsBlank(o.text[i]):
		case l.parent < 0:
			roots = append(roots, i)
		default:
			children[l.parent] = append(children[l.parent], i)
		}
	}
	return roots, children
}

// own writes what makes an element what it is, without its children that have a
// ref of their own: of those only the refs.
func own(b *strings.Builder, o *outline, children [][]int, i int) {
	b.WriteString(strings.TrimSpace(o.key(i)))
	b.WriteByte('\n')
	b.WriteString(o.value(i))
	row(b, o, children, children[i])
}

// row writes a row of siblings: the refs, and of those without one all they are.
func row(b *strings.Builder, o *outline, children [][]int, lines []int) {
	for _, c := range lines {
		b.WriteByte('\n')
		if l := &o.lines[c]; l.ref != "" {
			b.WriteString("\x00")
			b.WriteString(l.ref)
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
		mark := ""
		if t.changed[i] || t.now.lines[i].ref == "" {
			mark = "<changed> "
			t.changedRoots++
		}
		t.print(i, 0, mark)
	}
}

// find looks for the outermost changed elements and prints each.
func (t *tree) find(i int) {
	switch {
	case !t.dirty[i]:
	case t.changed[i]:
		t.changedRoots++
		t.print(i, 0, "<changed> ")
	default:
		for _, c := range t.children[i] {
			t.find(c)
		}
	}
}

// print writes a subtree at a depth; a mark stands before its role.
func (t *tree) print(i, depth int, mark string) {
	l := &t.now.lines[i]
	indent := strings.Repeat("  ", depth)
	if l.ref != "" && !t.dirty[i] {
		t.unchanged++
		t.put(Gap, i, indent+"- ref="+l.ref+" [unchanged]")
		return
	}
	line := strings.TrimSpace(t.now.text[i])
	if rest, ok := strings.CutPrefix(line, "- '"); ok && mark != "" {
		line = "- '" + mark + rest
	} else if rest, ok := strings.CutPrefix(line, "- "); ok {
		line = "- " + mark + rest
	}
	m := Same
	if t.changed[i] {
		m = Added
	}
	t.put(m, i, indent+line)
	for _, c := range t.children[i] {
		t.print(c, depth+1, "")
	}
}

func (t *tree) put(m Mark, source int, text string) {
	t.text = append(t.text, text)
	t.lines = append(t.lines, Line{m, source})
}
