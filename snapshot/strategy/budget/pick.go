package budget

import (
	"sort"
	"strings"

	"snapscope/snapshot"
	"snapscope/snapshot/ecma"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
)

// budgeter picks the lines of one page.
type budgeter struct {
	in strategy.Input
	o  *tree

	maxElements, maxTokens, estimator                            int
	interactiveOnly, viewportOnly, includeHistory, dedupe, boxes bool

	byLine  bool   // the text holds no refs: every line is an element
	keep    []bool // lines that stand in the answer
	same    []int  // by line: elements left out below it because the previous page had them; 0: none
	why     []stop // by line: what left it out
	cut     string // the beginning of the only line, when no line fits; empty: none
	batches []batch

	all       int // elements of the text
	elements  int // elements in the answer
	passed    int // elements that alone are over the budget
	spent     int // weight of the batches, by the estimator
	estimated int // what the estimator says of the answer
	room      int // tokens for the body
	stopped   stop
	deduped   int // blocks of the previous page
}

// stop says what left a line out.
type stop uint8

const (
	stopNothing stop = iota
	stopElements
	stopTokens
	stopInteractive
	stopViewport
	stopDedupe
	stopOther // no part of an element
)

// batch is what one taken element added.
type batch struct {
	lines            []int
	elements, weight int
}

func newBudget(in strategy.Input, v strategy.Values) *budgeter {
	b := &budgeter{
		in: in, o: readTree(in.Page),
		maxElements: v.Int("max_elements"), maxTokens: v.Int("max_tokens"), estimator: v.Int("estimator"),
		interactiveOnly: v.Bool("interactive_only"), viewportOnly: v.Bool("viewport_only"),
		includeHistory: v.Bool("include_history"), dedupe: v.Bool("dedupe"),
	}
	n := len(b.o.lines)
	b.keep, b.same, b.why = make([]bool, n), make([]int, n), make([]stop, n)
	b.byLine = b.o.Elements() == 0
	b.boxes = len(in.Page.Boxes) > 0
	for i := range b.o.lines {
		b.all += elements(&b.o.lines[i])
		if !b.boxes {
			_, b.boxes = b.o.box(i)
		}
	}
	if b.in.Page.Viewport == (snapshot.Size{}) {
		b.in.Page.Viewport = snapshot.Size{W: 1280, H: 720}
	}
	return b
}

// total is the number of elements the page has: the page's own count where it
// is known and covers those of the text.
func (b *budgeter) total() int {
	if b.byLine {
		n := 0
		for i := range b.o.Len() {
			if !ecma.Blank(b.o.Raw(i)) {
				n++
			}
		}
		return n
	}
	return max(b.all, b.in.Page.Elements)
}

// score is how likely an agent acts on a role: the document's table with what
// the published code has besides; 0 for a role that is not acted on.
func score(role string) int {
	switch role {
	case "button":
		return 100
	case "textbox", "searchbox":
		return 95
	case "checkbox", "radio", "switch":
		return 90
	case "combobox", "listbox", "slider", "spinbutton":
		return 85
	case "link":
		return 80
	case "tab":
		return 75
	case "option", "menuitem", "menuitemcheckbox", "menuitemradio":
		return 70
	case "treeitem":
		return 50
	}
	return 0
}

// othersScore is what every other element scores.
const othersScore = 50

// viewportBonus is added when the element's box touches the viewport.
const viewportBonus = 50

type candidate struct{ line, score int }

// candidates are the elements in the running, best first, in document order
// where they score equally. It notes why the others are not.
func (b *budgeter) candidates() []candidate {
	var out []candidate
	hidden := -1 // up to this line everything is in a block that is not repeated
	for i := range b.o.lines {
		l := &b.o.lines[i]
		if b.same[i] > 0 {
			hidden = l.end
		}
		if i < hidden {
			b.why[i] = stopDedupe
			continue
		}
		if b.byLine {
			if !ecma.Blank(b.o.Raw(i)) {
				out = append(out, candidate{i, othersScore})
			}
			continue
		}
		loose := l.kind == notation.TextLine && l.parent < 0
		if l.kind != notation.ElementLine && !loose {
			b.why[i] = stopOther
			continue
		}
		s := score(l.role)
		if b.interactiveOnly && (elements(l) == 0 || s == 0 && !l.pointer) {
			b.why[i] = stopInteractive
			continue
		}
		s = max(s, othersScore)
		if b.boxes {
			box, ok := b.box(i)
			in := ok && box.Touches(b.in.Page.Viewport)
			if b.viewportOnly && !in {
				b.why[i] = stopViewport
				continue
			}
			if in {
				s += viewportBonus
			}
		}
		out = append(out, candidate{i, s})
	}
	sort.SliceStable(out, func(x, y int) bool { return out[x].score > out[y].score })
	return out
}

// lost is the number of elements that a rule left out.
func (b *budgeter) lost(s stop) int {
	n := 0
	for i, w := range b.why {
		if w == s && !b.keep[i] {
			n += elements(&b.o.lines[i])
		}
	}
	return n
}

// elements is 1 for a line that shows an element: a node with a ref, or an
// option, which is chosen through its list and has none of its own.
func elements(l *node) int {
	if l.ref != "" || l.kind == notation.ElementLine && l.role == "option" {
		return 1
	}
	return 0
}

func (b *budgeter) box(i int) (snapshot.Box, bool) {
	if box, ok := b.in.Page.Boxes[b.o.lines[i].ref]; ok {
		return box, true
	}
	return b.o.box(i)
}

// pick takes elements while both limits hold.
func (b *budgeter) pick() {
	b.room = b.maxTokens - b.headRoom()
	b.findSame()
	list := b.candidates()
	for i, n := range b.same {
		if n > 0 {
			b.take(b.withAbove(i))
		}
	}
	for n, c := range list {
		if b.keep[c.line] && !b.adds(c.line) {
			continue
		}
		s := b.take(b.element(c.line))
		if s == stopNothing || s == stopTokens && b.never(c.line) {
			continue
		}
		b.stopped = s
		for _, rest := range list[n:] {
			b.why[rest.line] = s
		}
		break
	}
	if b.byLine && b.elements == 0 && len(list) > 0 {
		b.cutLine(list[0].line)
	}
	b.estimated = b.spent
}

// cutLine takes the beginning of a line that is too long for the budget.
func (b *budgeter) cutLine(line int) {
	text := b.o.Raw(line)
	for n := 4 * max(b.room, 1); n > 0; n /= 2 {
		b.cut = strings.ToValidUTF8(text[:min(n, len(text))], "") + "…"
		if b.weigh(b.cut) <= b.room {
			break
		}
	}
	b.keep[line], b.elements, b.spent, b.stopped = true, 1, b.weigh(b.cut), stopTokens
}

// adds reports whether taking an element that already stands as an ancestor
// would print more of it.
func (b *budgeter) adds(line int) bool {
	for _, i := range b.element(line) {
		if !b.keep[i] {
			return true
		}
	}
	return false
}

// never reports whether a line alone is over the whole budget: it must not keep
// the others out. Lines that are far too long are cut in line mode.
func (b *budgeter) never(line int) bool {
	if b.estimator != estimateExact || b.weigh(b.line(line)) <= b.room {
		return false
	}
	b.why[line] = stopTokens
	b.passed++
	return true
}

// weight is what the estimator gives for a line; those of the document and of
// its code weigh elements and nothing else.
func (b *budgeter) weight(i int) int {
	l := &b.o.lines[i]
	switch {
	case b.estimator == estimateExact:
		return b.weigh(b.line(i))
	case !b.byLine && elements(l) == 0:
		return 0
	case b.estimator == estimateSeed:
		return 5 + min((ecma.Len(l.name)+3)/4, 50) + 5
	}
	return 15
}

// take adds lines if both limits allow it.
func (b *budgeter) take(lines []int) stop {
	bt := batch{}
	for _, i := range lines {
		if b.keep[i] {
			continue
		}
		bt.lines = append(bt.lines, i)
		if b.byLine {
			bt.elements++
		} else {
			bt.elements += elements(&b.o.lines[i])
		}
		bt.weight += b.weight(i)
	}
	if b.elements+bt.elements > b.maxElements {
		return stopElements
	}
	if b.spent+bt.weight > b.limit() {
		return stopTokens
	}
	for _, i := range bt.lines {
		b.keep[i] = true
	}
	b.elements += bt.elements
	b.spent += bt.weight
	b.batches = append(b.batches, bt)
	return stopNothing
}

// limit is what the weights may come to. The published estimators know of no
// header.
func (b *budgeter) limit() int {
	if b.estimator == estimateExact {
		return b.room
	}
	return b.maxTokens
}

// undo takes the last element out again.
func (b *budgeter) undo() bool {
	n := len(b.batches) - 1
	if n < 0 {
		return false
	}
	bt := b.batches[n]
	b.batches = b.batches[:n]
	for _, i := range bt.lines {
		b.keep[i] = false
		b.why[i] = stopTokens
	}
	b.elements -= bt.elements
	b.spent -= bt.weight
	b.estimated = b.spent
	b.stopped = stopTokens
	return true
}

// line is a line as it is printed when it has children in the answer.
func (b *budgeter) line(i int) string {
	switch {
	case b.same[i] > 0:
		return b.o.key(i) + ": same as on the previous page, " + wording.Plural(b.same[i], "element") + " left out"
	case b.byLine && b.cut != "":
		return b.cut
	}
	return b.o.Raw(i)
}

// weigh counts a line with its newline: so counted, the lines of a text add up
// to the text. A line that is far over any budget is not worth counting.
func (b *budgeter) weigh(line string) int {
	if len(line) > 64*b.maxTokens {
		return len(line)
	}
	return b.in.Count(line + "\n")
}

// withAbove is a line and its ancestors.
func (b *budgeter) withAbove(line int) []int {
	if b.byLine {
		return []int{line}
	}
	out := []int{line}
	for p := b.o.lines[line].parent; p >= 0; p = b.o.lines[p].parent {
		out = append(out, p)
	}
	return out
}

// element is all that is printed of one: the line, its ancestors, its text and
// properties, and where it has no name of its own the first line below that
// names it.
func (b *budgeter) element(line int) []int {
	out := b.withAbove(line)
	if b.byLine {
		return out
	}
	l := &b.o.lines[line]
	named := l.name != "" || l.value
	for i := line + 1; i < l.end; i++ {
		below := &b.o.lines[i]
		if below.parent == line && below.kind != notation.ElementLine && !ecma.Blank(b.o.Raw(i)) {
			out = append(out, i)
			named = named || below.kind == notation.TextLine
		}
	}
	if named || score(l.role) == 0 && !l.pointer {
		return out
	}
	for i := line + 1; i < l.end; i++ {
		below := &b.o.lines[i]
		if below.kind == notation.TextLine || below.kind == notation.ElementLine && (below.name != "" || below.value) {
			for ; i != line; i = b.o.lines[i].parent {
				out = append(out, i)
			}
			return out
		}
	}
	return out
}

// findSame finds the blocks that the previous page had too.
func (b *budgeter) findSame() {
	if !b.dedupe || b.in.Prev == nil || b.byLine {
		return
	}
	had := map[string]bool{}
	prev := readTree(*b.in.Prev)
	eachBlock(prev, func(i int) { had[blockKey(prev, i)] = true })
	if len(had) == 0 {
		return
	}
	eachBlock(b.o, func(i int) {
		if n := elementsBelow(b.o, i); n > 0 && had[blockKey(b.o, i)] {
			b.same[i] = n
			b.deduped++
		}
	})
}

// eachBlock calls f for each outermost navigation, banner or contentinfo.
func eachBlock(o *tree, f func(i int)) {
	for i := 0; i < len(o.lines); i++ {
		l := &o.lines[i]
		if l.kind == notation.ElementLine && (l.role == "navigation" || l.role == "banner" || l.role == "contentinfo") {
			f(i)
			i = l.end - 1
		}
	}
}

// blockKey is role, name and text of everything in a block.
func blockKey(o *tree, i int) string {
	var k strings.Builder
	for j := i; j < o.lines[i].end; j++ {
		l := &o.lines[j]
		if l.kind == notation.OtherLine && ecma.Blank(o.Raw(j)) {
			continue
		}
		k.WriteString(l.role)
		k.WriteByte(':')
		k.WriteString(l.name)
		k.WriteByte(':')
		k.WriteString(o.value(j))
		k.WriteByte('|')
	}
	return k.String()
}

func elementsBelow(o *tree, i int) int {
	n := 0
	for j := i + 1; j < o.lines[i].end; j++ {
		n += elements(&o.lines[j])
	}
	return n
}
