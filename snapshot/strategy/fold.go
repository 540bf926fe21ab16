package strategy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"snapscope/snapshot/notation"
)

// fold is our own: repeated structure is written once.
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
var fold = &Strategy{
	Name:   "fold",
	Title:  "folded structure",
	Source: "snapscope's own",
	Doc: "Tables and lists written as a pattern and one compact line an item, with every ref, state, name and link; the rest as it " +
		"is. The page can be put together again from it to the byte. Full when too little is alike. An agent has to learn the " +
		"notation from its first line; a name that joins the names below it is shown as =.",
	Knobs: []Knob{
		{
			Key: "refs", Label: "refs", Doc: "Which refs items keep: all, or only those of elements that can be acted on.",
			Type: Choice, Max: 1, Step: 1, Choices: []string{"all", "interactive"},
		},
		{
			Key: "min_items", Label: "least items", Unit: "items", Doc: "Fewer elements of one build under a parent are not folded.",
			Type: Int, Min: 2, Max: 100, Step: 1, Default: 3, Sweep: []float64{2, 3, 10},
		},
		{
			Key: "min_savings", Label: "least saving", Doc: "A folded page that saves a smaller share of the full page's tokens is not sent.",
			Type: Ratio, Min: 0, Max: 1, Step: 0.05, Default: 0.10, Sweep: []float64{0, 0.1, 0.3},
		},
	},
	Apply: foldApply,
}

func foldApply(in Input, v Values) Verdict {
	text := in.Page.Text
	lines := strings.Split(text, "\n")
	if lines[0] == foldHead {
		return Verdict{
			Kind: KindFull, Reason: "the page begins as a folded one does, so the head is put before it → full", Text: foldHead + "\n" + text,
			Lines: foldEscape(lines),
		}
	}
	tree, err := notation.Parse(text)
	if err != nil {
		return whole(in, "there is no tree to fold → full")
	}
	for _, l := range lines {
		if strings.HasPrefix(l[notation.Indent(l):], "*") {
			return whole(in, "a line of the page begins with * as an item does → full")
		}
	}
	every := v.Int("refs") == 0
	plan := foldPlan(tree, v.Int("min_items"), every)
	if len(plan) == 0 {
		return whole(in, fmt.Sprintf("no %s under one parent are built alike → full", plural(v.Int("min_items"), "element")))
	}
	w := foldWriter{page: lines, plan: plan}
	w.put(foldHead, Message, -1)
	w.nodes(tree.Roots)
	out := strings.Join(w.out, "\n")
	if back, err := Unfold(out); err != nil || every && back != text {
		return whole(in, "the folded page would not give the page back to the byte → full")
	}
	return w.verdict(in, out, v["min_savings"])
}

func foldEscape(lines []string) []Line {
	out := []Line{{Message, -1}}
	for i := range lines {
		out = append(out, Line{Same, i})
	}
	return out
}

// foldWriter writes a page with the items of a plan folded.
type foldWriter struct {
	page     []string
	plan     map[*notation.Node]*foldGroup
	out      []string
	marks    []Line
	patterns int
	items    int
	dropped  []int // lines whose ref is left out
}

func (w *foldWriter) put(text string, m Mark, source int) {
	w.out = append(w.out, text)
	w.marks = append(w.marks, Line{m, source})
}

func (w *foldWriter) nodes(nodes []*notation.Node) {
	for _, n := range nodes {
		if g := w.plan[n]; g != nil {
			w.item(g, n)
			continue
		}
		w.put(w.page[n.Line], Same, n.Line)
		for _, p := range n.Props {
			w.put(w.page[p.Line], Same, p.Line)
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
		w.put(pad+foldMark(g.number)+":", Message, -1)
		for _, l := range g.pattern.lines(nil, indent+2) {
			w.put(l, Message, -1)
		}
	}
	w.items++
	w.put(pad+foldMark(g.number)+" "+foldItem(g.pattern, n), Same, n.Line)
	w.drop(g.pattern, n)
}

// drop notes the lines whose ref the pattern does not keep.
func (w *foldWriter) drop(p *foldNode, n *notation.Node) {
	if n.Ref != "" && !p.hasRef {
		w.dropped = append(w.dropped, n.Line)
	}
	for i, c := range p.children {
		w.drop(c, n.Children[i])
	}
}

func (w *foldWriter) verdict(in Input, text string, least float64) Verdict {
	full, sent := in.Count(in.Page.Text), in.Count(text)
	saved := 1 - float64(sent)/float64(max(full, 1))
	numbers := fmt.Sprintf("%s of tokens (%s → %s)", percentAgainst(saved, least), count(full), count(sent))
	facts := []Fact{
		{"items", count(w.items)},
		{"patterns", count(w.patterns)},
		{"tokens full", count(full)},
		{"tokens folded", count(sent)},
		{"saving", percentAgainst(saved, least)},
		{"least saving", percentShort(least)},
		{"refs left out", count(len(w.dropped))},
	}
	if saved < least {
		return whole(in, fmt.Sprintf("folding would save %s < %s → full", numbers, percentShort(least)), facts...)
	}
	slices.SortFunc(w.dropped, cmp.Compare[int])
	lost := losses{rule: "refs interactive", knob: "refs"}
	for _, i := range w.dropped {
		lost.add(i)
	}
	reason := fmt.Sprintf("%s in %s saved %s ≥ %s → compressed", plural(w.items, "item"), plural(w.patterns, "pattern"), numbers, percentShort(least))
	return Verdict{Kind: KindCompressed, Reason: withOdd(reason, in.Page), Text: text, Lines: w.marks, Facts: facts, Gone: lost.runs}
}
