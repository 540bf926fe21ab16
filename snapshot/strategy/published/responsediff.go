package published

import (
	"fmt"
	"strings"

	"snapscope/snapshot/ecma"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/textdiff"
	"snapscope/snapshot/wording"
)

// ResponseDiff answers how a tool's response differs from the last response of
// the same tool. Built as the design document says: a line diff that stands in
// the response's place, with its formats and limits.
//
// The published code is another thing: it diffs characters and not lines, stops
// after the first hunk, ignores ignore_whitespace, and appends the diff to the
// full response, so that it never saves anything.
//
// Known faults of the document, kept: a change smaller than threshold is not
// shown at all; what is beyond max_diff_lines is lost without a way to ask for
// it, also after a navigation, where everything differs.
var ResponseDiff = &strategy.Strategy{
	Name:   "response-diff",
	Title:  "response diff",
	Source: "fast-playwright-mcp, design of response diffs",
	Link:   "https://github.com/tontoko/fast-playwright-mcp",
	Read:   "the design document \"Response Diff Detection Feature\", rule by rule; its code does something else",
	Doc: "Each response is compared by line with the last one of the same tool (held in memory, 10 MB in all) and replaced by the " +
		"difference, if it is less similar than 1 − threshold; otherwise one line says how similar it is. Off by default, as documented.\n" +
		"Known faults: changes below the threshold are hidden, and what is cut at max_diff_lines is lost, even after a navigation. The " +
		"published code differs: it diffs characters, stops after the first hunk, ignores ignore_whitespace and appends the diff to the " +
		"full response, so it never saves anything.",
	Knobs: []strategy.Knob{
		{
			Key: "enabled", Label: "enabled", Doc: "Whether responses are compared at all.",
			Type: strategy.Bool, Max: 1, Step: 1,
		},
		{
			Key: "threshold", Label: "threshold", Doc: "The share of characters that must differ for a difference to be shown.",
			Type: strategy.Ratio, Min: 0, Max: 1, Step: 0.05, Default: 0.1, Sweep: []float64{0, 0.01, 0.05, 0.1, 0.25},
		},
		{
			Key: "format", Label: "format", Doc: "Hunks with context, the removed lines before the added ones, or the changed lines alone.",
			Type: strategy.Choice, Max: formatMinimal, Step: 1, Choices: []string{"unified", "split", "minimal"},
		},
		{
			Key: "max_diff_lines", Label: "diff lines", Unit: "lines", Doc: "A longer difference is cut here.",
			Type: strategy.Int, Min: 1, Max: 5000, Step: 10, Default: 50, Sweep: []float64{20, 50, 100, 500},
		},
		{
			Key: "ignore_whitespace", Label: "ignore white space", Doc: "Lines that differ in white space only, indentation included, are equal.",
			Type: strategy.Bool, Max: 1, Step: 1, Default: 1,
		},
		{
			Key: "context", Label: "context", Unit: "lines", Doc: "Unchanged lines shown on each side of a change, in the unified format.",
			Type: strategy.Int, Min: 0, Max: 20, Step: 1, Default: 3, Sweep: []float64{0, 1, 3, 5},
		},
	},
	Base:  responseBase,
	Apply: responseApply,
}

// The choices of the format knob.
const (
	formatUnified = iota
	formatSplit
	formatMinimal
)

// responseStore is what the stored responses may come to, in bytes (NFR-002 of
// the document).
const responseStore = 10 << 20

// responseBase is the last response of the same tool, if it is still in the
// store: one response a tool, the longest untouched tool goes first when the
// store is full.
func responseBase(past []strategy.Moment, now strategy.Moment, v strategy.Values) int {
	if !v.Bool("enabled") {
		return -1
	}
	stored := map[string]int{} // by tool: its place in past
	total := 0
	for i, m := range past {
		if old, ok := stored[m.Tool]; ok {
			total -= past[old].Size
			delete(stored, m.Tool)
		}
		if m.Size > responseStore {
			continue
		}
		for total+m.Size > responseStore {
			oldest := -1
			for _, k := range stored {
				if oldest < 0 || k < oldest {
					oldest = k
				}
			}
			total -= past[oldest].Size
			delete(stored, past[oldest].Tool)
		}
		stored[m.Tool] = i
		total += m.Size
	}
	if i, ok := stored[now.Tool]; ok {
		return i
	}
	return -1
}

func responseApply(in strategy.Input, v strategy.Values) strategy.Verdict {
	switch {
	case !v.Bool("enabled"):
		return strategy.Whole(in, strategy.Asked("enabled", 0, "", 0, "full", "enabled false, the documented default → {o}; set enabled=true to compare"))
	case in.Base == nil:
		return strategy.Whole(in, strategy.Said("no_base", "full", "no earlier response of this tool → {o}"))
	}
	r := newResponse(in, v)
	limit := 1 - v["threshold"]
	shown := wording.PercentAgainst(r.similarity, limit)
	facts := []strategy.Fact{
		{Label: "similarity", Value: shown},
		{Label: "shown below", Value: wording.Share(limit)},
		{Label: "lines added", Value: wording.Count(r.added)},
		{Label: "lines removed", Value: wording.Count(r.removed)},
		{Label: "lines equal", Value: wording.Count(r.equal)},
	}
	if r.similarity >= limit-1e-9 { // 1 − 0.7 is a little more than 0.3
		text := fmt.Sprintf("[no difference shown: %s similar to the last response%s, shown below %s]", shown, r.of(in), wording.Share(limit))
		return strategy.Verdict{
			Kind: strategy.KindUnchanged, Rules: []strategy.Rule{r.held(v, "≥", "nothing shown")}, Odd: strategy.Odd(in.Page),
			Text: text, Lines: []strategy.Line{{Mark: strategy.Message, Source: -1}}, Facts: facts, NeedsBase: true,
			Gone: r.hidden(fmt.Sprintf("threshold %s", wording.Share(v["threshold"])), "threshold"),
		}
	}
	r.format(v.Int("format"), v.Int("context"))
	cut := r.cut(v.Int("max_diff_lines"))
	head := fmt.Sprintf("[response diff: +%d lines, -%d lines, %d context, %d total; %s similar]", r.added, r.removed, r.context, r.added+r.removed+r.equal, shown)
	lines := append([]strategy.Line{{Mark: strategy.Message, Source: -1}}, r.lines...)
	rules := []strategy.Rule{r.held(v, "<", "difference")}
	var gone []strategy.Loss
	if cut > 0 {
		rules = append(rules, strategy.Asked("max_diff_lines", float64(cut), "", v["max_diff_lines"], "cut", ", {m line} beyond {k} {v} {o}"))
		gone = r.hidden(fmt.Sprintf("max_diff_lines %d", v.Int("max_diff_lines")), "max_diff_lines")
	}
	text := head + "\n" + strings.Join(r.text, "\n")
	full, sent := ecma.Len(in.Page.Text), ecma.Len(text)
	facts = append(
		facts, strategy.Fact{Label: "context lines", Value: wording.Count(r.context)}, strategy.Fact{Label: "full", Value: wording.Plural(full, "character")},
		strategy.Fact{Label: "difference", Value: wording.Plural(sent, "character")}, strategy.Fact{Label: "saving", Value: wording.Percent(float64(full-sent) / float64(max(full, 1)))},
	)
	return strategy.Verdict{
		Kind: strategy.KindDelta, Rules: rules, Odd: strategy.Odd(in.Page), Text: text, Lines: lines, Facts: facts, Gone: gone, NeedsBase: true,
	}
}

// response is one comparison.
type response struct {
	a, b                  []string
	edits                 []textdiff.Edit
	added, removed, equal int
	similarity            float64

	text    []string
	lines   []strategy.Line
	context int
}

func newResponse(in strategy.Input, v strategy.Values) *response {
	was, is := in.Base.Text, in.Page.Text
	if strings.HasSuffix(was, "\n") && strings.HasSuffix(is, "\n") { // a final newline ends a line and begins no other
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	r := &response{a: strings.Split(was, "\n"), b: strings.Split(is, "\n")}
	x, y := r.a, r.b
	if v.Bool("ignore_whitespace") {
		x, y = squeezed(r.a), squeezed(r.b)
	}
	r.edits = textdiff.Diff(x, y)
	r.added, r.removed, r.equal = textdiff.Counts(r.edits)
	same, all := 0, 0
	for _, e := range r.edits {
		n := 0
		switch e.Op {
		case textdiff.Delete:
			n = units(r.a[e.A0:e.A1])
		default:
			n = units(r.b[e.B0:e.B1])
		}
		all += n
		if e.Op == textdiff.Equal {
			same += n
		}
	}
	r.similarity = float64(same) / float64(max(all, 1))
	return r
}

// held is the rule that holds the similarity against 1 − threshold.
func (r *response) held(v strategy.Values, relation, outcome string) strategy.Rule {
	rule := strategy.Asked("threshold", r.similarity, relation, v["threshold"], outcome, "similarity {m%} {r} {l%} → {o}")
	rule.Limit = 1 - rule.Value
	return rule
}

// units is the length of lines with their newlines.
func units(lines []string) int {
	n := len(lines)
	for _, l := range lines {
		n += ecma.Len(l)
	}
	return n
}

// squeezed trims each line and makes every run of white space one space.
func squeezed(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = squeeze(l)
	}
	return out
}

func squeeze(l string) string {
	l = strings.TrimSpace(l)
	for i := 0; i < len(l); i++ {
		if c := l[i]; c == '\t' || c == '\r' || c == '\v' || c == '\f' || c >= 0x80 || c == ' ' && l[i-1] == ' ' {
			return strings.Join(strings.Fields(l), " ")
		}
	}
	return l
}

// of names the tool whose response it is, where it is known.
func (r *response) of(in strategy.Input) string {
	if in.Tool == "" {
		return ""
	}
	return " of " + wording.OneLine(in.Tool, 200)
}

func (r *response) put(m strategy.Mark, source int, text string) {
	r.text = append(r.text, text)
	r.lines = append(r.lines, strategy.Line{Mark: m, Source: source})
}

func (r *response) remove(e textdiff.Edit) {
	for i := e.A0; i < e.A1; i++ {
		r.put(strategy.Removed, -1, "- "+r.a[i])
	}
}

func (r *response) add(e textdiff.Edit) {
	for j := e.B0; j < e.B1; j++ {
		r.put(strategy.Added, j, "+ "+r.b[j])
	}
}

func (r *response) format(format, context int) {
	switch format {
	case formatSplit:
		r.put(strategy.Message, -1, "removed:")
		for _, e := range r.edits {
			if e.Op == textdiff.Delete {
				r.remove(e)
			}
		}
		r.put(strategy.Message, -1, "added:")
		for _, e := range r.edits {
			if e.Op == textdiff.Insert {
				r.add(e)
			}
		}
		return
	case formatMinimal:
		context = 0
	}
	for _, h := range textdiff.Hunks(r.edits, context) {
		if format == formatUnified {
			r.put(strategy.Message, -1, fmt.Sprintf("@@ -%s +%s @@", span(h.A0, h.A1), span(h.B0, h.B1)))
		}
		for _, e := range h.Edits {
			switch e.Op {
			case textdiff.Delete:
				r.remove(e)
			case textdiff.Insert:
				r.add(e)
			default:
				for j := e.B0; j < e.B1; j++ {
					r.put(strategy.Same, j, "  "+r.b[j])
				}
				r.context += e.B1 - e.B0
			}
		}
	}
}

// span writes lines as a unified diff does: 12,7, or the line before an empty
// span.
func span(from, to int) string {
	if from == to {
		return fmt.Sprintf("%d,0", from)
	}
	if to == from+1 {
		return fmt.Sprint(to)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// cut shortens the difference to n lines and says how many went.
func (r *response) cut(n int) int {
	more := len(r.text) - n
	if more <= 0 {
		return 0
	}
	r.text, r.lines = r.text[:n:n], r.lines[:n:n]
	r.put(strategy.Message, -1, fmt.Sprintf("... (%d more lines truncated)", more))
	return more
}

// hidden lists the lines that are new and that the answer does not show.
func (r *response) hidden(rule, knob string) []strategy.Loss {
	seen := map[int]bool{}
	for _, l := range r.lines {
		seen[l.Source] = true
	}
	var l strategy.Losses
	for _, e := range r.edits {
		if e.Op != textdiff.Insert {
			continue
		}
		for j := e.B0; j < e.B1; j++ {
			if !seen[j] {
				l.Add(j, rule, knob)
			}
		}
	}
	return l.Runs
}
