// Package delta holds our own account of what changed on a page: exact, so that a
// reader who has the page before can write the page after, to the byte.
//
//	page before, page after ─▶ write.go ─▶ a delta ─▶ apply.go ─▶ page after
//
// grammar.go is what an agent's prompt says of the notation. The strategy applies every
// delta before it answers with it, and shows the whole page where the two differ.
package delta

import (
	"slices"
	"strings"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
)

// Strategy is our own: the shortest exact account of what changed that an agent
// can read.
//
//	[page delta: ~ changed, + new, x gone]
//	focus e47
//	@e9 main > toolbar
//	~ button "Delete" [ref=e14]
//	@e45 table "Leads" > row "Melonie Parker…
//	~ checkbox "Select Melonie Parker" [checked] [ref=e47]
//	@after e50
//	+ row "Ada Byron" [ref=e90]:
//	    cell "Ada Byron" [ref=e91]
//	x e60..e78
//
// The signs ~ + x ^ cannot be taken for the dash of a line, which is left out. A
// line "@" tells where: inside of an element, or after it, with the ancestors
// that were not named yet. A changed line stands for the old line of the same
// ref; a line without one for the next line at the place. What is gone is named
// by refs with all below it; what moved is named where it stands now. A line
// "indent e2 +2" comes first where e2 and all below it stand deeper than before.
//
// Nothing is lost: the page can be put together again from its base, and each
// answer is checked that way before it is sent.
var Strategy = &strategy.Strategy{
	Name:   "delta",
	Title:  "exact delta",
	Source: "snapscope's own",
	Doc: "Only what changed: the shortest line diff, each change under its ancestors, with signs that are no dashes. A changed line " +
		"replaces the one with its ref, removed and moved blocks are named by ref, a move of focus is one line. The page can be put " +
		"together again from it to the byte. Full at first, in another document or tab, and when it would not save enough tokens.",
	Notation: grammar,
	Knobs: []strategy.Knob{
		{
			Key: "min_savings", Label: "least saving", Doc: "A delta that saves a smaller share of the full page's tokens is not sent.",
			Type: strategy.Ratio, Min: 0, Max: 1, Step: 0.05, Default: 0.05, Sweep: []float64{0, 0.05, 0.3, 0.5},
		},
		{
			Key: "ignore_focus", Label: "ignore focus", Doc: "A move of focus alone is no change, and beside others takes one line.",
			Type: strategy.Bool, Max: 1, Step: 1, Default: 1,
		},
		{
			Key: "ancestors", Label: "ancestors", Unit: "names", Doc: "The most ancestors that are named where a change stands.",
			Type: strategy.Int, Max: 12, Step: 1, Default: 3, Sweep: []float64{1, 3, 6},
		},
	},
	Exact: func(strategy.Values) bool { return true },
	Base:  deltaBase,
	Apply: deltaApply,
}

// deltaBase is the last snapshot of the same tab and document.
func deltaBase(past []strategy.Moment, now strategy.Moment, _ strategy.Values) int {
	for i := len(past) - 1; i >= 0; i-- {
		if past[i].Tab != now.Tab {
			continue
		}
		if strategy.SameDocument(past[i], now) && (now.Document != "" || !strategy.Navigates(now.Tool)) {
			return i
		}
		return -1
	}
	return -1
}

func deltaApply(in strategy.Input, v strategy.Values) strategy.Verdict {
	if in.Base == nil {
		return strategy.Whole(in, strategy.Said("no_base", "full", "no snapshot of this document before → {o}"))
	}
	before, after := in.Base.Text, in.Page.Text
	if before == after && !isDelta(before) {
		return strategy.Verdict{
			Kind: strategy.KindUnchanged, Rules: []strategy.Rule{strategy.Said("same", "unchanged", "equal to the snapshot before → {o}")}, Odd: strategy.Odd(in.Page), Text: deltaSame,
			Lines: []strategy.Line{{Mark: strategy.Message, Source: -1}}, NeedsBase: true, Facts: []strategy.Fact{{Label: "tokens full", Value: wording.Count(in.Count(after))}},
		}
	}
	d := makeDelta(before, after, v)
	if got, err := patch(strings.Split(before, "\n"), d.base, d.text); err != nil || got != after {
		return strategy.Whole(in, strategy.Said("not_exact", "full", "the delta would not give the page back to the byte → {o}"))
	}
	least := v["min_savings"]
	full, sent := in.Weigh(after, d.text, least)
	saved := 1 - float64(sent)/float64(max(full, 1))
	facts := append(d.facts(), strategy.Fact{Label: "tokens full", Value: wording.Count(full)}, strategy.Fact{Label: "tokens delta", Value: wording.Count(sent)},
		strategy.Fact{Label: "saving", Value: wording.PercentAgainst(saved, least)}, strategy.Fact{Label: "least saving", Value: wording.Share(least)})
	out := strategy.Verdict{Kind: strategy.KindDelta, Odd: strategy.Odd(in.Page), Text: d.text, Lines: d.lines, Renames: d.w.renamed(), Facts: facts, NeedsBase: true}
	held := func(relation, outcome, form string) strategy.Rule {
		return strategy.Asked("min_savings", saved, relation, least, outcome, form+" {m%} of tokens ({1} → {2}) {r} {l%} → {o}").With(full, sent)
	}
	switch {
	case d.focusOnly:
		out.Kind = strategy.KindUnchanged
		out.Rules = []strategy.Rule{strategy.Asked("ignore_focus", 1, "", 1, "unchanged", "only the focus moved, {k} is on → {o}")}
	case isDelta(after):
		out.Rules = []strategy.Rule{
			strategy.Said("looks_like_delta", "delta", "the page begins as a delta does, so only a delta is plain: it costs {1} instead of {2} tokens → {o}").With(sent, full),
		}
	case saved < least:
		return strategy.Whole(in, held("<", "full", "a delta would save"), facts...)
	default:
		out.Rules = []strategy.Rule{held("≥", "delta", "saved")}
	}
	return out
}

// deltaText is a delta with what is told of it.
type deltaText struct {
	text      string
	lines     []strategy.Line
	focusOnly bool
	base      *deltaPage // the page compared with, as patch takes it
	w         *deltaWriter
}

func makeDelta(before, after string, v strategy.Values) deltaText {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	var focus string
	if v.Bool("ignore_focus") {
		a, b, focus = moveFocus(a, b)
	}
	base := newDeltaPage(a)
	w, indents := writeDelta(base, newDeltaPage(b), v.Int("ancestors"))
	d := deltaText{w: w, base: base, focusOnly: focus != "" && len(w.out) == 0 && indents == ""}
	head := []string{w.head()}
	if len(w.out) == 0 && indents == "" {
		head[0] = deltaSame
	}
	for _, s := range []string{focus, indents} {
		if s != "" {
			head = append(head, s)
		}
	}
	for range head {
		d.lines = append(d.lines, strategy.Line{Mark: strategy.Message, Source: -1})
	}
	d.lines = append(d.lines, w.marks...)
	d.text = strings.Join(append(head, w.out...), "\n")
	return d
}

// moveFocus takes the focus mark off both texts and says where it went; where
// that cannot be said exactly, or it did not move, the texts stay as they are.
func moveFocus(a, b []string) (a2, b2 []string, says string) {
	from, to := focusRefs(a), focusRefs(b)
	if slices.Equal(from, to) || slices.Contains(from, "") || slices.Contains(to, "") {
		return a, b, ""
	}
	b2 = withoutFocus(b)
	again := slices.Clone(b2)
	if err := putFocus(again, to); err != nil || !slices.Equal(again, b) {
		return a, b, ""
	}
	says = "focus none"
	if len(to) > 0 {
		says = "focus " + strings.Join(to, " ")
	}
	return withoutFocus(a), b2, says
}

func (d deltaText) facts() []strategy.Fact {
	return []strategy.Fact{
		{Label: "lines changed", Value: wording.Count(d.w.changed)},
		{Label: "lines added", Value: wording.Count(d.w.added)},
		{Label: "lines removed", Value: wording.Count(d.w.removed)},
		{Label: "lines moved", Value: wording.Count(d.w.moved)},
	}
}
