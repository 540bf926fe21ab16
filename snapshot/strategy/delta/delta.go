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
// Nothing is lost: ApplyDelta gives the page back from the base, and each answer
// is checked that way before it is sent.
var Strategy = &strategy.Strategy{
	Name:   "delta",
	Title:  "exact delta",
	Source: "snapscope's own",
	Doc: "Only what changed: the shortest line diff, each change under its ancestors, with signs that are no dashes. A changed line " +
		"replaces the one with its ref, removed and moved blocks are named by ref, a move of focus is one line. The page can be put " +
		"together again from it to the byte. Full at first, in another document or tab, and when it would not save enough tokens.",
	Notation: deltaNotation,
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
	Base:  deltaBase,
	Apply: deltaApply,
}

const deltaNotation = `A delta tells, from top to bottom, how the page differs from the one shown last; what it does not name is as it was.
Refs left of → and after @ x ^ ~e4, and numbers of lines, are those of the page shown last: its gone lines count, new ones do not.
[page delta: …] names the signs that follow. [page unchanged]: nothing is different but, where a line says so, the focus.
focus e8                  [active] is now on e8 (its new ref), before its other brackets save [checked], [disabled] and [expanded], and nowhere else (focus none: nowhere)
indent e2 +2, e5..e9 -2   e2 and all below it stand 2 spaces deeper, e5 to the end of e9 less deep; this is done before all else
@e9 main > toolbar        go on inside e9, behind its line; a later sign may leave e9; the names say where e9 is, not what follows
@e9+2                     inside e9 too, but behind the first 2 lines below it, however deep these are
@after e9                 go on behind e9 and all below it, as deep as e9
@line 6                   go on behind the first 6 lines of the page, without indent
~ button "Save" [ref=e4]  this is now the line of e4, and that line only; without a ref, it is the next line
~e4 link "Save" [ref=e7]  this is now the line that was e4: another element may stand there
= e4 → e9, e5 → e10       the same lines with new refs
+ row "Ada" [ref=e30]:    new here, as deep as the line last named by = ~ x or @after (of x e6..e9: e6, of x 2: the first), or one level inside the e9 of @e9 and @e9+2
+   cell "Ada"            new, 2 spaces deeper than that; + and ^ never move this measure; deeper lines below a + without a sign belong to it
x e6 list                 e6 and all below it are gone; what + adds next stands in its place
x e6..e9, x e6*3, x 2 …   gone: from e6 to the end of e9, in the order of the page; 3 lines from e6 on, however deep; the next 2 lines, … being the first
^ e7 row, ^ e7..e9        e7 and all below it (to the end of e9) stand here now, with the spaces they had (after indent); where they stood is "x … (moved)"
A line that stays below gone ones keeps its spaces and belongs to the nearest line above it that is less deep.
The dash of a line is left out. Behind a bar (+|, ~|) stands a line as it is, with its spaces; behind a colon (+:, ~:) one without a dash.`

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
	if got, err := ApplyDelta(before, d.text); err != nil || got != after {
		return strategy.Whole(in, strategy.Said("not_exact", "full", "the delta would not give the page back to the byte → {o}"))
	}
	full, sent := in.Count(after), in.Count(d.text)
	saved, least := 1-float64(sent)/float64(max(full, 1)), v["min_savings"]
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
	w         *deltaWriter
}

func makeDelta(before, after string, v strategy.Values) deltaText {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	var focus string
	if v.Bool("ignore_focus") {
		a, b, focus = moveFocus(a, b)
	}
	w, indents := writeDelta(newDeltaPage(a), newDeltaPage(b), v.Int("ancestors"))
	d := deltaText{w: w, focusOnly: focus != "" && len(w.out) == 0 && indents == ""}
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
