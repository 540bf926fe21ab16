package strategy

import (
	"fmt"
	"strings"

	"snapscope/snapshot/wording"
)

// agentBrowser prints the page as agent-browser does: a bare tree in which
// only what can be acted on or told apart has a ref, with its states in the
// same brackets, and on request only what changed as one splice.
//
// Its refs stand on interactive roles, on named content roles and on what has a
// pointer cursor; ours keep the numbers of the aria snapshot, so that an action
// on them means the same element. The real tool prints a delta as JSON with
// revisions; here it is a line that says where, and the new lines as they are.
var agentBrowser = &Strategy{
	Name:   "agent-browser",
	Title:  "bare tree",
	Source: "agent-browser snapshot -i -c -d --delta",
	Doc: "A bare tree: - checkbox \"…\" [checked=false, ref=e30]. interactive (-i) keeps lines with a ref, compact (-c) drops branches " +
		"that hold none and no text, depth (-d) cuts below a level, delta sends one splice against the last snapshot: full at first, on " +
		"another URL, and when the splice is 70 % of the full text or more.\n" +
		"Known faults: one splice spans everything between the first and the last change; interactive drops the text that tells " +
		"elements apart; URLs are not printed. Its delta is JSON with revision numbers, ours says the same in lines.",
	Knobs: []Knob{
		{Key: "interactive", Label: "interactive (-i)", Doc: "Only lines with a ref.", Type: Bool, Max: 1, Step: 1, Default: 1},
		{Key: "compact", Label: "compact (-c)", Doc: "Without branches that hold neither ref nor text.", Type: Bool, Max: 1, Step: 1},
		{Key: "depth", Label: "depth (-d)", Unit: "levels", Doc: "Nothing below this level; 0: no limit.", Type: Int, Max: 100, Step: 1},
		{Key: "delta", Label: "delta", Doc: "One splice against the last snapshot of the same URL.", Type: Bool, Max: 1, Step: 1},
	},
	Base: func(past []Moment, now Moment, v Values) int {
		i := len(past) - 1
		if i < 0 || !v.Bool("delta") || past[i].Tab != now.Tab || past[i].URL != now.URL {
			return -1
		}
		return i
	},
	Apply: agentBrowserApply,
}

// spliceLimit is the share of the full text from which on a splice is not sent.
const spliceLimit = 0.70

// spliceSame stands for a tree that did not change.
const spliceSame = "[unchanged]"

func agentBrowserApply(in Input, v Values) Verdict {
	t := newBareTree(in.Page.Text, v)
	full := strings.Join(t.text, "\n")
	was, is := jsLen(in.Page.Text), jsLen(full)
	facts := []Fact{
		{"page", wording.Plural(was, "character")},
		{"bare tree", wording.Plural(is, "character")},
		{"lines", wording.Count(len(t.text))},
		{"refs", wording.Count(t.refs)},
	}
	tree := Said("bare_tree", "", "bare tree of {1 line} with {2 ref}: {3} of {4} characters").With(len(t.text), t.refs, is, was)
	out := Verdict{
		Kind: KindTruncated, Rules: []Rule{tree}, Odd: Odd(in.Page), Text: full, Lines: t.lines, NoRef: t.noRef, Gone: t.gone, Facts: facts,
	}
	if len(t.gone) == 0 {
		out.Kind = KindCompressed
	}
	switch {
	case !v.Bool("delta"):
		return out
	case in.Base == nil:
		out.Rules = append(out.Rules, Said("no_base", "full", "; no earlier snapshot of this URL → {o}"))
		return out
	case in.Base.URL != in.Page.URL:
		out.Rules = append(out.Rules, Said("other_url", "full", "; another URL → {o}"))
		return out
	}
	before := newBareTree(in.Base.Text, v)
	s := t.splice(before)
	if s.text == "" {
		return Verdict{
			Kind: KindUnchanged, Rules: []Rule{Said("same", "unchanged", "the bare tree is {o}")}, Odd: out.Odd, Text: spliceSame,
			Lines: []Line{{Message, -1}}, Facts: facts, Gone: t.gone, NeedsBase: true,
		}
	}
	share := float64(len(s.text)) / float64(max(len(full), 1))
	facts = append(facts, Fact{"splice", wording.Plural(len(s.text), "byte")}, Fact{"share of the full text", wording.PercentAgainst(share, spliceLimit)})
	out.Facts = facts
	if share >= spliceLimit {
		out.Rules = append(out.Rules, spliced(share, "≥", "full", "; splice is {m%} {r} {l%} of it → {o}"))
		return out
	}
	return Verdict{
		Kind: KindDelta, Rules: []Rule{spliced(share, "<", "delta", "splice is {m%} {r} {l%} of the bare tree → {o}")}, Odd: out.Odd,
		Text: s.text, Lines: s.lines, NoRef: t.noRef, Facts: facts, Gone: t.gone, NeedsBase: true,
	}
}

// spliced is the rule that holds a splice against the full text.
func spliced(share float64, relation, outcome, form string) Rule {
	return Rule{ID: "splice", Knob: "delta", Value: 1, Measured: share, Limit: spliceLimit, Relation: relation, Outcome: outcome, Form: form}
}

// bareTree is a page printed as agent-browser prints it.
type bareTree struct {
	o     *outline
	text  []string
	lines []Line
	gone  []Loss
	noRef []int // lines whose ref is not printed
	refs  int
}

func newBareTree(page string, v Values) *bareTree {
	t := &bareTree{o: readOutline(page)}
	interactive, compact, deepest := v.Bool("interactive") && t.o.refs > 0, v.Bool("compact"), v.Int("depth")
	holds := t.holds()
	var lost Losses
	depth := make([]int, len(t.o.lines)) // level its children are printed at
	for i := range t.o.lines {
		l := &t.o.lines[i]
		at := 0
		if l.parent >= 0 {
			at = depth[l.parent]
		}
		depth[i] = at
		switch {
		case jsBlank(t.o.text[i]):
			continue
		case deepest > 0 && at >= deepest:
			lost.Add(i, fmt.Sprintf("depth %d", deepest), "depth")
			continue
		case interactive && !t.actable(i):
			lost.Add(i, "interactive true", "interactive")
			continue
		case l.kind == propLine:
			lost.Add(i, "properties are not printed", "")
			continue
		case compact && !holds[i]:
			lost.Add(i, "compact true", "compact")
			continue
		}
		depth[i] = at + 1
		t.text = append(t.text, strings.Repeat("  ", at)+t.bare(i))
		t.lines = append(t.lines, Line{Same, i})
		switch {
		case t.actable(i):
			t.refs++
		case l.ref != "":
			t.noRef = append(t.noRef, i)
		}
	}
	if len(t.text) == 0 { // Split of no text is one line
		t.text, t.lines = []string{""}, []Line{{Message, -1}}
	}
	t.gone = lost.Runs
	return t
}

// holds says of each line whether it, or something below it, has a ref or text.
func (t *bareTree) holds() []bool {
	out := make([]bool, len(t.o.lines))
	for i := len(out) - 1; i >= 0; i-- {
		l := &t.o.lines[i]
		if l.kind == textLine || l.kind == otherLine || t.actable(i) || l.kind == nodeLine && (l.name != "" || t.o.value(i) != "") {
			out[i] = true
		}
		if out[i] && l.parent >= 0 {
			out[l.parent] = true
		}
	}
	return out
}

// contentRoles have a ref when they are named.
var contentRoles = wordSet("heading cell gridcell columnheader rowheader listitem article region main navigation")

// actable reports whether a line has a ref in this notation.
func (t *bareTree) actable(i int) bool {
	l := &t.o.lines[i]
	if l.kind != nodeLine || l.ref == "" {
		return false
	}
	return score(l.role) > 0 || l.has("cursor=pointer") || contentRoles.in[l.role] && (l.name != "" || t.o.value(i) != "")
}

// bare prints one line: - role "name" [states, ref=e1]: value.
func (t *bareTree) bare(i int) string {
	l := &t.o.lines[i]
	switch l.kind {
	case textLine:
		return "- StaticText " + quoted(t.o.value(i))
	case otherLine:
		return strings.TrimSpace(t.o.text[i])
	}
	var b strings.Builder
	b.WriteString("- ")
	b.WriteString(l.role)
	value := t.o.value(i)
	switch {
	case l.name != "":
		b.WriteString(` "` + l.name + `"`)
	case value != "" && !holdsValue(l.role):
		b.WriteString(" " + quoted(value))
		value = ""
	}
	states := make([]string, 0, len(l.attrs)+2)
	for _, a := range l.attrs {
		switch {
		case strings.HasPrefix(a, "cursor=") || strings.HasPrefix(a, "box=") || a == "active":
		case strings.Contains(a, "="):
			states = append(states, a)
		default:
			states = append(states, a+"=true")
		}
	}
	if toggles(l.role) && !hasState(l.attrs, "checked") {
		states = append(states, "checked=false")
	}
	if t.actable(i) {
		states = append(states, "ref="+l.ref)
	}
	if len(states) > 0 {
		b.WriteString(" [" + strings.Join(states, ", ") + "]")
	}
	if value != "" {
		b.WriteString(": " + value)
	}
	return b.String()
}

func hasState(attrs []string, state string) bool {
	for _, a := range attrs {
		if a == state || strings.HasPrefix(a, state+"=") {
			return true
		}
	}
	return false
}

// toggles reports whether a role always says if it is checked.
func toggles(role string) bool {
	switch role {
	case "checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio":
		return true
	}
	return false
}

// holdsValue reports whether a role's text is a value and not its content.
func holdsValue(role string) bool {
	switch role {
	case "textbox", "searchbox", "combobox", "slider", "spinbutton", "progressbar", "meter", "scrollbar":
		return true
	}
	return false
}

// quoted puts a value into double quotes unless it already is.
func quoted(s string) string {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
}

// splice is the text between the common beginning and the common end of two
// trees; empty text when they are equal.
type splice struct {
	text  string
	lines []Line
}

func (t *bareTree) splice(before *bareTree) splice {
	a, b := before.text, t.text
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	gone, came := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(gone) == 0 && len(came) == 0 {
		return splice{}
	}
	s := splice{lines: []Line{{Message, -1}}}
	s.text = strings.Join(append([]string{
		fmt.Sprintf("[delta: from line %d, %s replaced by %d]", head+1, wording.Plural(len(gone), "line"), len(came)),
	}, came...), "\n")
	for k := range came {
		s.lines = append(s.lines, Line{Added, t.lines[head+k].Source})
	}
	return s
}
