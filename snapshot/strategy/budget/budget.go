// Package budget holds the strategy that reads a page under a number of tokens, as
// dev-browser-mcp's design describes: each element gets a score of how likely an agent
// acts on it (pick.go) over the page's lines as a tree (tree.go), the best are kept
// until the tokens are used up, and the ways to them stay readable (text.go).
package budget

import (
	"fmt"
	"slices"
	"strings"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
)

// Strategy is dev-browser-mcp's three tiers: pick elements by how likely an agent
// acts on them, hold the result to a number of tokens, and tell the way here
// instead of the pages seen. Scores and header are the document's, with what
// its published code added.
//
// An element is a node with a ref, or an option, which is chosen through its
// list. The ancestors that keep the hierarchy are elements too and count against
// both limits, so the header's figure is what stands in the text. The header's
// token figure is the count of the text it heads, whatever the estimator let in.
// The picking ends with the first element that does not fit; one that alone is
// over max_tokens is passed over.
//
// Known faults: text and headings are gone under interactive_only, so a page
// is hard to read, only to act on; the estimators of the document (formula) and of
// its code (flat15) do not weigh texts, properties and the header, nor names
// beyond 200 characters, and can let in more than max_tokens; a deduplicated
// navigation block loses its refs. Tier 3's single retention is the strategy
// keep-one.
var Strategy = &strategy.Strategy{
	Name:   "budget",
	Title:  "element and token budget",
	Source: "dev-browser-mcp, pull request #219",
	Link:   "https://github.com/accomplish-ai/coworker/pull/219",
	Read:   "25 January 2026; limits, scores and header of its design document, and the constants of its code",
	Doc: "Tier 1 takes interactive elements by score (button 100, textbox 95, … link 80, others 50, +50 in the viewport) up to " +
		"max_elements; tier 2 up to max_tokens; both print in document order with the ancestors. Tier 3 adds one line of navigation " +
		"history and replaces a navigation, banner or contentinfo block that the previous page had too. Pair it with keep-one for its " +
		"single retention.\n" +
		"Known faults: plain text and headings go under interactive_only; the estimators formula and flat15 do not weigh texts, " +
		"properties and the header, and can overrun max_tokens (exact cannot); a replaced block loses its refs. The diff of the published code (full " +
		"above 70 % of changed elements or after 30 s) is not part of the document and not rebuilt.",
	Knobs: []strategy.Knob{
		{
			Key: "max_elements", Label: "elements", Unit: "elements", Doc: "At most this many elements, ancestors included.",
			Type: strategy.Int, Min: 1, Max: 1000, Step: 25, Default: 300, Sweep: []float64{50, 100, 200, 300, 600},
		},
		{
			Key: "interactive_only", Label: "interactive only", Doc: "Only elements an agent can act on, with their ancestors.",
			Type: strategy.Bool, Max: 1, Step: 1, Default: 1,
		},
		{
			Key: "viewport_only", Label: "viewport only", Doc: "Only elements whose box touches the viewport; without known boxes it has no effect.",
			Type: strategy.Bool, Max: 1, Step: 1,
		},
		{
			Key: "max_tokens", Label: "tokens", Unit: "tokens", Doc: "At most this many tokens, header included.",
			Type: strategy.Int, Min: 1000, Max: 50_000, Step: 500, Default: 8000, Sweep: []float64{2000, 4000, 8000, 16_000},
		},
		{
			Key: "estimator", Label: "estimator", Doc: "How an element is weighed: counted exactly, by the document's formula, or 15 tokens flat as in the published code.",
			Type: strategy.Choice, Max: estimateFlat, Step: 1, Choices: []string{"exact", "formula", "flat15"}, Former: map[string]string{"seed": "formula"},
		},
		{
			Key: "include_history", Label: "history", Doc: "One line with the last five pages visited.",
			Type: strategy.Bool, Max: 1, Step: 1, Default: 1,
		},
		{
			Key: "dedupe", Label: "dedupe navigation", Doc: "A navigation, banner or contentinfo block equal to the previous page's becomes one line.",
			Type: strategy.Bool, Max: 1, Step: 1, Default: 1,
		},
		{
			Key: "full", Label: "full", Doc: "Lifts every limit: the whole snapshot.",
			Type: strategy.Bool, Max: 1, Step: 1,
		},
	},
	Apply: budgetApply,
}

// The choices of the estimator knob.
const (
	estimateExact = iota
	estimateSeed
	estimateFlat
)

func budgetApply(in strategy.Input, v strategy.Values) strategy.Verdict {
	if v.Bool("full") {
		return strategy.Whole(in, strategy.Asked("full", 1, "", 1, "full", "full lifts every limit → {o}"))
	}
	b := newBudget(in, v)
	b.pick()
	if !b.leftOut() {
		return b.everything()
	}
	text, lines, tokens := b.render()
	for tokens > b.maxTokens && b.estimator == estimateExact && b.undo() {
		text, lines, tokens = b.render()
	}
	return strategy.Verdict{
		Kind: strategy.KindTruncated, Rules: b.rules(tokens), Odd: strategy.Odd(in.Page),
		Text: text, Lines: lines, Inside: b.inside(lines), Gone: b.gone(), Facts: b.facts(tokens),
	}
}

// everything is the verdict when nothing had to go.
func (b *budgeter) everything() strategy.Verdict {
	tokens := b.in.Count(b.in.Page.Text)
	fits := strategy.Asked("max_tokens", float64(b.estimated), "≤", float64(b.maxTokens), "full", "{m token} {r} {k} {v}: nothing is left out → {o}")
	if b.estimator != estimateExact {
		fits.Form = "{m token} by the {a} estimator (in truth {1}) {r} {k} {v}: nothing is left out → {o}"
	} else {
		fits.Measured = float64(tokens)
	}
	v := strategy.Whole(b.in, strategy.Asked("max_elements", float64(b.elements), "≤", float64(b.maxElements), "full", "{m "+b.unit()+"} {r} {k} {v} and "), b.facts(tokens)...)
	v.Rules = append(v.Rules, fits.With(tokens).Naming(b.estimatorName()))
	h := b.history()
	if h == "" {
		return v
	}
	v.Text = h + "\n\n" + b.in.Page.Text
	v.Lines = []strategy.Line{{Mark: strategy.Message, Source: -1}, {Mark: strategy.Message, Source: -1}}
	for i := range b.o.Len() {
		v.Lines = append(v.Lines, strategy.Line{Mark: strategy.Same, Source: i})
	}
	v.Rules = append(v.Rules, strategy.Asked("include_history", 1, "", 1, "", ", with the navigation history"))
	return v
}

// rules say which limit ended the picking, what the other one came to, and what
// else left something out.
func (b *budgeter) rules(tokens int) []strategy.Rule {
	size := strategy.Asked("max_elements", float64(b.elements), "≤", float64(b.maxElements), truncated, "{m} {r} {k} {v}")
	weight := strategy.Asked("max_tokens", float64(tokens), "≤", float64(b.maxTokens), truncated, "{m token} of {k} {v}")
	if tokens > b.maxTokens {
		weight.Relation = ">"
		weight.Form = "{m token} {r} {k} {v}, which the {a} estimator took for {1}"
		weight = weight.With(b.estimated).Naming(b.estimatorName())
	}
	var out []strategy.Rule
	add := func(joint string, r strategy.Rule) {
		r.Form = joint + r.Form
		out = append(out, r)
	}
	kept := fmt.Sprintf("%s of %s %ss kept: ", wording.Count(b.elements), wording.Count(b.total()), b.unit())
	switch b.stopped {
	case stopElements:
		size.Relation, size.Form = "≥", "{k} {v} reached"
		add(kept, size)
		add(", ", weight)
	case stopTokens:
		full := weight
		full.Relation, full.Form = "≥", "{k} {v} reached"
		add(kept, full)
		add(", ", size)
		if tokens > b.maxTokens {
			add(", ", weight)
		}
	default:
		add(kept, size)
		add(", ", weight)
	}
	for _, r := range b.others() {
		add("; ", r)
	}
	out[len(out)-1].Form += " → {o}"
	return out
}

// truncated is the outcome of every rule that left something out.
const truncated = "truncated"

// others are the rules besides the two limits that left something out.
func (b *budgeter) others() []strategy.Rule {
	var out []strategy.Rule
	add := func(knob string, n int, form string) {
		out = append(out, strategy.Rule{ID: knob, Knob: knob, Value: 1, Measured: float64(n), Outcome: truncated, Form: form})
	}
	if b.passed > 0 {
		add("max_tokens", b.passed, "{m "+b.unit()+"} alone over {k} left out")
		out[0].Value = float64(b.maxTokens)
	}
	switch n := b.lost(stopInteractive); {
	case n > 0:
		add("interactive_only", n, "{k} left out {m}")
	case b.interactiveOnly && b.elements == b.total():
		add("interactive_only", 0, "{k} left out what is no element")
	}
	if n := b.lost(stopViewport); n > 0 {
		add("viewport_only", n, "{k} left out {m}")
	}
	if b.deduped > 0 {
		add("dedupe", b.deduped, "{m block} of the previous page not repeated")
	}
	if b.viewportOnly && !b.boxes {
		add("viewport_only", 0, "{k} has no effect: no boxes are known")
	}
	return out
}

func (b *budgeter) facts(tokens int) []strategy.Fact {
	out := []strategy.Fact{
		{Label: "elements", Value: wording.Count(b.elements)},
		{Label: "of", Value: wording.Count(b.total())},
		{Label: "tokens", Value: wording.Count(tokens)},
		{Label: "estimator", Value: b.estimatorName()},
		{Label: "estimated", Value: wording.Count(b.estimated)},
	}
	if tokens > 0 && b.estimator != estimateExact {
		out = append(out, strategy.Fact{Label: "estimate off by", Value: wording.Percent(float64(b.estimated-tokens) / float64(tokens))})
	}
	return out
}

func (b *budgeter) estimatorName() string {
	return []string{"exact", "formula", "flat15"}[b.estimator]
}

// unit names what is picked.
func (b *budgeter) unit() string {
	if b.byLine {
		return "line"
	}
	return "element"
}

// history is the line of the last five pages, this one last; empty when the
// page is the first.
func (b *budgeter) history() string {
	if !b.includeHistory || len(b.in.Visited) == 0 {
		return ""
	}
	var names []string // the newest first
	last := ""         // as it came: most neighbours are equal to the byte
	add := func(name string) {
		if name == last {
			return
		}
		last = name
		if name = wording.OneLine(name, 200); name != "" && (len(names) == 0 || names[len(names)-1] != name) {
			names = append(names, name)
		}
	}
	add(pageName(b.in.Page))
	visited := b.in.Visited[max(0, len(b.in.Visited)-historySeen):]
	for i := len(visited) - 1; i >= 0 && len(names) < historyShown; i-- {
		add(visited[i])
	}
	if len(names) < 2 {
		return ""
	}
	slices.Reverse(names)
	return "Navigation history: " + strings.Join(names, " → ")
}

// historyShown is how many pages the history line names, historySeen how many
// documents it looks back for them: a session that loads one page again and again
// must not be walked for each of its snapshots.
const (
	historyShown = 5
	historySeen  = 1000
)

func pageName(p strategy.Page) string {
	if p.Title != "" {
		return p.Title
	}
	return p.URL
}
