// Package fold holds our own way to write a page whose elements repeat: what rows and
// cards have in common is said once, and each of them by what differs. It needs no
// page before.
//
//	page ─▶ pattern.go, flat.go ─▶ a plan ─▶ fold.go ─▶ folded page ─▶ unfold.go ─▶ page
//
// Every folded page is unfolded before it is shown; one that would not give its page
// back to the byte is not used, unless refs were left out on purpose. grammar.go is
// what an agent's prompt says of it.
package fold

import (
	"cmp"
	"slices"
	"strings"

	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
)

// Strategy is our own: repeated structure is written once.
//
//	[folded page: …]
//	- rowgroup [ref=e21]:
//	  *:
//	    - row = [ref]:
//	      - cell = [ref]:
//	        - checkbox … [ref]
//	      - cell … [ref]
//	  * e22 e23 e24 Select order 1001 | e25 Boris Hale
//	  * e26 e27 e28 [checked] Select order 1002 | e29 Chen Evans
//
// Elements under one parent that are built alike become items: the pattern holds
// what all have in common, an item's line every ref, state, name, text and link
// of its own, in the pattern's order. A name that only joins what stands below
// it (a row's) is not said again. What is built otherwise stays as it is, so
// nothing is dropped, and Unfold gives the page back to the byte; each answer is
// checked that way.
//
// With refs=interactive the refs of what cannot be acted on (cells, rows,
// plain items) go, and the page cannot be put together again.
var Strategy = &strategy.Strategy{
	Name:   "fold",
	Title:  "folded structure",
	Source: "snapscope's own",
	Doc: "Tables and lists written as a pattern and one compact line an item, with every ref, state, name and link; the rest as it " +
		"is. The page can be put together again from it to the byte. Full when too little is alike. An agent has to learn the " +
		"notation, of which the first line is a short form; a name that joins the names below it is shown as =. On chrome-devtools-mcp's " +
		"flat pages an item is a row of elements that comes again (siblings).",
	Notation: grammar,
	Knobs: []strategy.Knob{
		{
			Key: "refs", Label: "refs", Doc: "Which refs items keep: all, or only those of elements that can be acted on.",
			Type: strategy.Choice, Max: 1, Step: 1, Choices: []string{"all", "interactive"},
		},
		{
			Key: "min_items", Label: "least items", Unit: "items", Doc: "Fewer elements of one build under a parent are not folded.",
			Type: strategy.Int, Min: 2, Max: 100, Step: 1, Default: 3, Sweep: []float64{2, 3, 10},
		},
		{
			Key: "min_savings", Label: "least saving", Doc: "A folded page that saves a smaller share of the full page's tokens is not sent.",
			Type: strategy.Ratio, Min: 0, Max: 1, Step: 0.05, Default: 0.10, Sweep: []float64{0, 0.1, 0.3},
		},
	},
	Exact: func(v strategy.Values) bool { return v.Int("refs") == 0 },
	Apply: foldApply,
}

func foldApply(in strategy.Input, v strategy.Values) strategy.Verdict {
	text := in.Page.Text
	lines := strings.Split(text, "\n")
	if lines[0] == foldHead {
		return strategy.Verdict{
			Kind: strategy.KindFull, Rules: []strategy.Rule{strategy.Said("looks_folded", "full", "the page begins as a folded one does, so the head is put before it → {o}")}, Text: foldHead + "\n" + text,
			Lines: foldEscape(lines),
		}
	}
	for _, l := range lines {
		if strings.HasPrefix(l[notation.Indent(l):], "*") {
			return strategy.Whole(in, strategy.Said("looks_like_item", "full", "a line of the page begins with * as an item does → {o}"))
		}
	}
	every := v.Int("refs") == 0
	var plan map[*notation.Node]*foldGroup
	var write func(w *foldWriter)
	if in.Page.Dialect == notation.UID {
		var items map[int]*notation.Node
		plan, items = flatPlan(lines, v.Int("min_items"), every)
		write = func(w *foldWriter) { w.flat(items) }
	} else {
		tree, err := notation.Parse(text)
		if err != nil {
			return strategy.Whole(in, strategy.Said("no_tree", "full", "there is no tree to fold → {o}"))
		}
		plan = foldPlan(tree, v.Int("min_items"), every)
		write = func(w *foldWriter) { w.nodes(tree.Roots) }
	}
	if len(plan) == 0 {
		return strategy.Whole(in, strategy.Asked("min_items", 0, "", v["min_items"], "full", "no {v element} under one parent are built alike → {o}"))
	}
	w := foldWriter{page: lines, plan: plan, out: make([]string, 0, len(lines)), marks: make([]strategy.Line, 0, len(lines))}
	w.put(foldHead, strategy.Message, -1)
	write(&w)
	out := strings.Join(w.out, "\n")
	var want []string
	if every {
		want = lines
	}
	if _, same, err := Unfold(out, want); err != nil || every && !same {
		return strategy.Whole(in, strategy.Said("not_exact", "full", "the folded page would not give the page back to the byte → {o}"))
	}
	return w.verdict(in, out, v["min_savings"])
}

func foldEscape(lines []string) []strategy.Line {
	out := []strategy.Line{{Mark: strategy.Message, Source: -1}}
	for i := range lines {
		out = append(out, strategy.Line{Mark: strategy.Same, Source: i})
	}
	return out
}

// foldWriter writes a page with the items of a plan folded.
type foldWriter struct {
	page     []string
	plan     map[*notation.Node]*foldGroup
	out      []string
	marks    []strategy.Line
	patterns int
	items    int
	dropped  []int // lines whose ref is left out
	inside   []strategy.Shown
}

func (w *foldWriter) put(text string, m strategy.Mark, source int) {
	w.out = append(w.out, text)
	w.marks = append(w.marks, strategy.Line{Mark: m, Source: source})
}

func (w *foldWriter) nodes(nodes []*notation.Node) {
	for _, n := range nodes {
		if g := w.plan[n]; g != nil {
			w.item(g, n)
			continue
		}
		w.put(w.page[n.Line], strategy.Same, n.Line)
		for _, p := range n.Props {
			w.put(w.page[p.Line], strategy.Same, p.Line)
		}
		w.nodes(n.Children)
	}
}

func (w *foldWriter) item(g *foldGroup, n *notation.Node) {
	indent := notation.Indent(w.page[n.Line])
	pad := w.page[n.Line][:indent]
	if g.number == 0 {
		w.patterns++
		g.number = w.patterns
		w.put(pad+foldMark(g.number)+":", strategy.Message, -1)
		for _, l := range g.pattern.lines(nil, indent+2) {
			w.put(l, strategy.Message, -1)
		}
	}
	w.items++
	w.put(pad+foldMark(g.number)+" "+g.line(n), strategy.Same, n.Line)
	w.shows(g.pattern, n, false)
}

// shows notes the page lines that the item written last stands for, and those
// of them whose ref the pattern does not keep.
func (w *foldWriter) shows(p *foldNode, n *notation.Node, below bool) {
	if n.Ref != "" && !p.hasRef {
		w.dropped = append(w.dropped, n.Line)
	}
	last := len(w.out) - 1
	if below && n.Line != w.marks[last].Source {
		w.inside = append(w.inside, strategy.Shown{Text: last, Page: n.Line})
	}
	for _, p := range n.Props {
		if p.Line == n.Line { // on the element's own line, in a flat page
			continue
		}
		w.inside = append(w.inside, strategy.Shown{Text: len(w.out) - 1, Page: p.Line})
	}
	for i, c := range p.children {
		w.shows(c, n.Children[i], true)
	}
}

func (w *foldWriter) verdict(in strategy.Input, text string, least float64) strategy.Verdict {
	full, sent := in.Weigh(in.Page.Text, text, least)
	saved := 1 - float64(sent)/float64(max(full, 1))
	held := func(relation, outcome, form string) strategy.Rule {
		return strategy.Asked("min_savings", saved, relation, least, outcome, form+" {m%} of tokens ({1} → {2}) {r} {l%} → {o}").With(full, sent, w.items, w.patterns)
	}
	facts := []strategy.Fact{
		{Label: "items", Value: wording.Count(w.items)},
		{Label: "patterns", Value: wording.Count(w.patterns)},
		{Label: "tokens full", Value: wording.Count(full)},
		{Label: "tokens folded", Value: wording.Count(sent)},
		{Label: "saving", Value: wording.PercentAgainst(saved, least)},
		{Label: "least saving", Value: wording.Share(least)},
		{Label: "refs left out", Value: wording.Count(len(w.dropped))},
	}
	if saved < least {
		return strategy.Whole(in, held("<", "full", "folding would save"), facts...)
	}
	slices.SortFunc(w.dropped, cmp.Compare[int])
	var lost strategy.Losses
	for _, i := range w.dropped {
		lost.Add(i, "refs interactive", "refs")
	}
	return strategy.Verdict{
		Kind: strategy.KindCompressed, Rules: []strategy.Rule{held("≥", "compressed", "{3 item} in {4 pattern} saved")}, Odd: strategy.Odd(in.Page),
		Text: text, Lines: w.marks, Inside: w.inside, NoRef: w.dropped, Facts: facts, Gone: lost.Runs,
	}
}
