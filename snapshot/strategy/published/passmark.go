package published

import (
	"fmt"
	"strings"

	"snapscope/snapshot/ecma"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
)

const passmarkUnchanged = "[snapshot unchanged — action may not have had a visible DOM effect]"

// Passmark answers what changed since the snapshot before, as plain diff lines
// under a one-line header: to the byte what its published proposal answers
// (TestEqualToThePublishedCode).
//
// Known faults, kept: the diff is greedy and not the shortest (knob algorithm);
// "+ " and "- " stand before lines that themselves begin with "- "; a click
// that navigates, and a tab switch, are diffed against another page (knob
// reset).
var Passmark = &strategy.Strategy{
	Name:   "passmark",
	Title:  "delta snapshot",
	Source: "passmark, pull request #51",
	Link:   "https://github.com/bug0inc/passmark/pull/51",
	Read:   "17 May 2026; 312 answers of src/utils/snapshot-diff.ts at 309ed7a, equal to the byte",
	Doc: "Only the lines that changed since the last snapshot, with two lines of context; full at first, after a navigation " +
		"tool, at each new user message and when the diff would save too little.\n" +
		"Known faults: the published diff takes the nearest match and is not the shortest one (algorithm lcs is); a click that " +
		"navigates and a tab switch are compared with the page before (reset document is not); a moved block is sent twice; the " +
		"signs - and + stand before lines that begin with a dash themselves. The published code is also full on an explicit snapshot " +
		"and after a failed action, which its document does not say (reset published).",
	Knobs: []strategy.Knob{
		{
			Key: "min_savings", Label: "least saving", Doc: "A diff that saves a smaller share of the full text's characters is not sent.",
			Type: strategy.Ratio, Min: 0, Max: 1, Step: 0.05, Default: 0.20, Sweep: []float64{0, 0.1, 0.2, 0.4, 0.6},
		},
		{
			Key: "context", Label: "context", Unit: "lines", Doc: "Unchanged lines shown on each side of a change.",
			Type: strategy.Int, Min: 0, Max: 20, Step: 1, Default: 2, Sweep: []float64{0, 1, 2, 5},
		},
		{
			Key: "algorithm", Label: "line diff", Doc: "The published greedy nearest match, or a longest common subsequence.",
			Type: strategy.Choice, Max: algorithmLCS, Step: 1, Choices: []string{"greedy", "lcs"},
		},
		{
			Key: "reset", Label: "baseline reset", Doc: "What makes a snapshot full besides a new user message: the navigation tools, as documented; any change of " +
				"document or tab; or, as in the published code, the navigation tools, an explicit snapshot and every failed action.",
			Type: strategy.Choice, Max: resetPublished, Step: 1, Choices: []string{"tools", "document", "published"},
		},
	},
	Base: passmarkBase,
	Compose: func(p strategy.Page) string {
		return "url: " + p.URL + "\n\n" + p.Text
	},
	Apply: passmarkApply,
}

// The choices of the reset knob.
const (
	_ = iota // tools
	resetDocument
	resetPublished
)

// The choices of the algorithm knob.
const (
	_ = iota // greedy
	algorithmLCS
)

// passmarkBase is the snapshot before, unless the way to this one resets it.
func passmarkBase(past []strategy.Moment, now strategy.Moment, v strategy.Values) int {
	i := len(past) - 1
	if i < 0 || past[i].AgentStep != now.AgentStep {
		return -1
	}
	full := strategy.Navigates(now.Tool)
	switch v.Int("reset") {
	case resetDocument:
		full = !strategy.SameDocument(past[i], now)
	case resetPublished:
		full = full || now.Failed || now.Tool == "snapshot"
	}
	if full {
		return -1
	}
	return i
}

func passmarkApply(in strategy.Input, v strategy.Values) strategy.Verdict {
	if in.Base == nil {
		return strategy.Whole(in, strategy.Said("no_base", "full", "no baseline → {o}"))
	}
	after := in.Page.Text
	if ecma.Trim(in.Base.Text) == ecma.Trim(after) {
		return strategy.Verdict{
			Kind: strategy.KindUnchanged, Rules: []strategy.Rule{strategy.Said("same", "unchanged", "equal to the baseline → {o}")}, Odd: strategy.Odd(in.Page),
			Text: passmarkUnchanged, Lines: []strategy.Line{{Mark: strategy.Message, Source: -1}}, NeedsBase: true,
			Facts: []strategy.Fact{{Label: "characters", Value: wording.Count(ecma.Len(after))}},
		}
	}
	a, b := strings.Split(in.Base.Text, "\n"), strings.Split(after, "\n")
	diff := nearestDiff
	if v.Int("algorithm") == algorithmLCS {
		diff = shortestDiff
	}
	d := passmarkRender(diff(a, b), a, b, v.Int("context"))
	full, sent := ecma.Len(after), ecma.Len(d.text)
	least := v["min_savings"]
	saved := float64(full-sent) / float64(full)
	facts := []strategy.Fact{
		{Label: "full", Value: wording.Plural(full, "character")},
		{Label: "diff", Value: wording.Plural(sent, "character")},
		{Label: "lines added", Value: wording.Count(d.added)},
		{Label: "lines removed", Value: wording.Count(d.removed)},
		{Label: "saving", Value: wording.PercentAgainst(saved, least)},
		{Label: "least saving", Value: wording.Share(least)},
	}
	if saved < least {
		return strategy.Whole(in, strategy.Asked("min_savings", saved, "<", least, "full", "diff would save {m%} {r} {l%} → {o}"), facts...)
	}
	return strategy.Verdict{
		Kind:  strategy.KindDelta,
		Rules: []strategy.Rule{strategy.Asked("min_savings", saved, "≥", least, "delta", "saved {m%} {r} {l%} → {o}")},
		Odd:   strategy.Odd(in.Page), Text: d.text, Lines: d.lines, Facts: facts, NeedsBase: true,
	}
}

type passmarkDelta struct {
	text           string
	lines          []strategy.Line
	added, removed int
}

// passmarkRender writes the header, a blank line and every change with its
// context; each run of lines left out is one line "...".
func passmarkRender(edits []edit, a, b []string, context int) passmarkDelta {
	var d passmarkDelta
	var body strings.Builder
	lines := []strategy.Line{{Mark: strategy.Message, Source: -1}, {Mark: strategy.Message, Source: -1}}
	put := func(sign, text string, l strategy.Line) {
		if len(lines) > 2 {
			body.WriteByte('\n')
		}
		body.WriteString(sign)
		body.WriteString(text)
		lines = append(lines, l)
	}
	gap := false
	for i, show := range nearChange(edits, context) {
		if !show {
			if !gap {
				put("", "...", strategy.Line{Mark: strategy.Gap, Source: -1})
			}
			gap = true
			continue
		}
		gap = false
		switch e := edits[i]; e.mark {
		case strategy.Added:
			d.added++
			put("+ ", b[e.b], strategy.Line{Mark: strategy.Added, Source: e.b})
		case strategy.Removed:
			d.removed++
			put("- ", a[e.a], strategy.Line{Mark: strategy.Removed, Source: -1})
		default:
			put("  ", b[e.b], strategy.Line{Mark: strategy.Same, Source: e.b})
		}
	}
	d.text = fmt.Sprintf("[delta snapshot: +%d lines added, -%d lines removed]\n\n", d.added, d.removed) + body.String()
	d.lines = lines
	return d
}

// nearChange marks the entries that are a change or within n entries of one.
func nearChange(edits []edit, n int) []bool {
	show := make([]bool, len(edits))
	last := -1 // everything before it is already decided
	for i, e := range edits {
		if e.mark == strategy.Same {
			continue
		}
		for k := max(last+1, i-n); k <= min(len(edits)-1, i+n); k++ {
			show[k] = true
			last = k
		}
	}
	return show
}
