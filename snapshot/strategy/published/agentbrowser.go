package published

import (
	"encoding/json"
	"fmt"
	"strings"

	"snapscope/snapshot/ecma"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
)

// AgentBrowser prints the page as agent-browser does: a bare tree in which
// only what can be acted on or told apart has a ref, with its states in the
// same brackets, and on request only what changed as one splice.
//
// Its refs stand on interactive roles, on named content roles and on what has a
// pointer cursor; ours keep the numbers of the aria snapshot, so that an action
// on them means the same element. The real tool prints a delta as JSON with
// revisions; here it is a line that says where, and the new lines as they are.
var AgentBrowser = &strategy.Strategy{
	Name:   "agent-browser",
	Title:  "bare tree",
	Source: "agent-browser, snapshot -i -c -d --delta",
	Link:   "https://github.com/vercel-labs/agent-browser/pull/1811",
	Read:   "September 2026 (the link is --delta); roles, states and limits of the command line tool",
	Doc: "A bare tree: - checkbox \"…\" [checked=false, ref=e30]. interactive (-i) keeps lines with a ref, compact (-c) drops branches " +
		"that hold none and no text, depth (-d) cuts below a level, delta sends one splice against the last snapshot: full at first, on " +
		"another URL, and when the splice is 70 % of the full text or more.\n" +
		"Known faults: one splice spans everything between the first and the last change; interactive drops the text that tells " +
		"elements apart; URLs are not printed. Its delta is JSON with revision numbers, ours says the same in lines.",
	Knobs: []strategy.Knob{
		{Key: "interactive", Label: "interactive (-i)", Doc: "Only lines with a ref.", Type: strategy.Bool, Max: 1, Step: 1, Default: 1},
		{Key: "compact", Label: "compact (-c)", Doc: "Without branches that hold neither ref nor text.", Type: strategy.Bool, Max: 1, Step: 1},
		{Key: "depth", Label: "depth (-d)", Unit: "levels", Doc: "Nothing below this level; 0: no limit.", Type: strategy.Int, Max: 100, Step: 1},
		{Key: "delta", Label: "delta", Doc: "One splice against the last snapshot of the same URL.", Type: strategy.Bool, Max: 1, Step: 1},
	},
	Base: func(past []strategy.Moment, now strategy.Moment, v strategy.Values) int {
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

func agentBrowserApply(in strategy.Input, v strategy.Values) strategy.Verdict {
	t := newBareTree(in.Page, v)
	full := t.full
	was, is := ecma.Len(in.Page.Text), ecma.Len(full)
	facts := []strategy.Fact{
		{Label: "page", Value: wording.Plural(was, "character")},
		{Label: "bare tree", Value: wording.Plural(is, "character")},
		{Label: "lines", Value: wording.Count(len(t.text))},
		{Label: "refs", Value: wording.Count(t.refs)},
	}
	tree := strategy.Said("bare_tree", "", "bare tree of {1 line} with {2 ref}: {3} of {4} characters").With(len(t.text), t.refs, is, was)
	out := strategy.Verdict{
		Kind: strategy.KindTruncated, Rules: []strategy.Rule{tree}, Odd: strategy.Odd(in.Page), Text: full, Lines: t.lines, NoRef: t.noRef, Gone: t.gone, Facts: facts,
	}
	if len(t.gone) == 0 {
		out.Kind = strategy.KindCompressed
	}
	switch {
	case !v.Bool("delta"):
		return out
	case in.Base == nil:
		out.Rules = append(out.Rules, strategy.Said("no_base", "full", "; no earlier snapshot of this URL → {o}"))
		return out
	case in.Base.URL != in.Page.URL:
		out.Rules = append(out.Rules, strategy.Said("other_url", "full", "; another URL → {o}"))
		return out
	}
	before := newBareTree(*in.Base, v)
	s := t.splice(before)
	if s.text == "" {
		return strategy.Verdict{
			Kind: strategy.KindUnchanged, Rules: []strategy.Rule{strategy.Said("same", "unchanged", "the bare tree is {o}")}, Odd: out.Odd, Text: spliceSame,
			Lines: []strategy.Line{{Mark: strategy.Message, Source: -1}}, Facts: facts, Gone: t.gone, NeedsBase: true,
		}
	}
	share := float64(len(s.text)) / float64(max(len(full), 1))
	facts = append(facts, strategy.Fact{Label: "splice", Value: wording.Plural(len(s.text), "byte")}, strategy.Fact{Label: "share of the full text", Value: wording.PercentAgainst(share, spliceLimit)})
	out.Facts = facts
	if share >= spliceLimit {
		out.Rules = append(out.Rules, spliced(share, "≥", "full", "; splice is {m%} {r} {l%} of it → {o}"))
		return out
	}
	return strategy.Verdict{
		Kind: strategy.KindDelta, Rules: []strategy.Rule{spliced(share, "<", "delta", "splice is {m%} {r} {l%} of the bare tree → {o}")}, Odd: out.Odd,
		Text: s.text, Lines: s.lines, NoRef: t.noRef, Facts: facts, Gone: t.gone, NeedsBase: true,
	}
}

// spliced is the rule that holds a splice against the full text.
func spliced(share float64, relation, outcome, form string) strategy.Rule {
	return strategy.Rule{ID: "splice", Knob: "delta", Value: 1, Measured: share, Limit: spliceLimit, Relation: relation, Outcome: outcome, Form: form}
}

// bareTree is a page printed as agent-browser prints it.
type bareTree struct {
	o     *notation.Text
	full  string
	text  []string // its lines
	lines []strategy.Line
	gone  []strategy.Loss
	noRef []int // lines whose ref is not printed
	refs  int

	// By page line, made while the page is read.
	acts []bool // it has a ref in this notation
	has  []bool // it has a ref or text of its own
	at   []int  // where its print begins in buf; the next one's is its end
	buf  []byte // every line that may be printed, without its indent
}

func newBareTree(page strategy.Page, v strategy.Values) *bareTree {
	interactive, compact, deepest := v.Bool("interactive"), v.Bool("compact"), v.Int("depth")
	t := readBare(page, interactive)
	if interactive && t.o.Elements() == 0 {
		interactive = false
		t = readBare(page, false)
	}
	t.at = append(t.at, len(t.buf))
	holds := t.holds()
	var lost strategy.Losses
	depth := make([]int, t.o.Len()) // level its children are printed at
	var full []byte
	var ends []int // of the lines of full
	for i := range t.o.Len() {
		at := 0
		if p := t.o.Parent(i); p >= 0 {
			at = depth[p]
		}
		depth[i] = at
		switch {
		case ecma.Blank(t.o.Raw(i)):
			continue
		case deepest > 0 && at >= deepest:
			lost.Add(i, fmt.Sprintf("depth %d", deepest), "depth")
			continue
		case interactive && !t.acts[i]:
			lost.Add(i, "interactive true", "interactive")
			continue
		case t.o.Kind(i) == notation.PropertyLine:
			lost.Add(i, "properties are not printed", "")
			continue
		case compact && !holds[i]:
			lost.Add(i, "compact true", "compact")
			continue
		}
		depth[i] = at + 1
		if len(ends) > 0 {
			full = append(full, '\n')
		}
		for range at {
			full = append(full, "  "...)
		}
		full = append(full, t.buf[t.at[i]:t.at[i+1]]...)
		ends = append(ends, len(full))
		t.lines = append(t.lines, strategy.Line{Mark: strategy.Same, Source: i})
		switch {
		case t.acts[i]:
			t.refs++
		case t.o.Ref(i) != "":
			t.noRef = append(t.noRef, i)
		}
	}
	if len(ends) == 0 { // Split of no text is one line
		ends, t.lines = []int{0}, []strategy.Line{{Mark: strategy.Message, Source: -1}}
	}
	t.full, t.text = string(full), make([]string, 0, len(ends))
	from := 0
	for _, end := range ends {
		t.text = append(t.text, t.full[from:end])
		from = end + 1
	}
	t.gone = lost.Runs
	return t
}

// readBare reads a page and prints its lines; only those with a ref, where no
// others will be asked for.
func readBare(page strategy.Page, interactive bool) *bareTree {
	n := 1 + strings.Count(page.Text, "\n")
	t := &bareTree{acts: make([]bool, 0, n), has: make([]bool, 0, n), at: make([]int, 0, n+1)}
	t.o = page.ReadLines(func(_ int, l *notation.Line) {
		acts, has := actable(l), false
		switch l.Kind {
		case notation.TextLine, notation.OtherLine:
			has = true
		case notation.PropertyLine:
		default:
			has = acts || says(l)
		}
		t.acts, t.has, t.at = append(t.acts, acts), append(t.has, has), append(t.at, len(t.buf))
		if acts || !interactive {
			t.buf = bare(t.buf, l, acts)
		}
	})
	return t
}

// holds says of each line whether it, or something below it, has a ref or text.
func (t *bareTree) holds() []bool {
	out := t.has
	for i := len(out) - 1; i >= 0; i-- {
		if p := t.o.Parent(i); out[i] && p >= 0 {
			out[p] = true
		}
	}
	return out
}

// contentRoles have a ref when they are named.
var contentRoles = wordSet("heading cell gridcell columnheader rowheader listitem article region main navigation")

// actable reports whether a line has a ref in this notation.
func actable(l *notation.Line) bool {
	return l.Own() != "" && (strategy.Interactive(l.Role) || l.HasAttr("cursor=pointer") || contentRoles.in[l.Role] && says(l))
}

// says reports whether an element has words of its own.
func says(l *notation.Line) bool { return l.WrittenName() != "" || !l.ValueAt.Empty() }

// bare prints one line: - role "name" [states, ref=e1]: value.
func bare(b []byte, l *notation.Line, acts bool) []byte {
	switch l.Kind {
	case notation.TextLine:
		return quoted(append(b, "- StaticText "...), l)
	case notation.OtherLine, notation.PropertyLine, notation.UnchangedLine:
		return append(b, strings.TrimSpace(l.Raw)...)
	}
	return element(b, l, acts)
}

func element(b []byte, l *notation.Line, acts bool) []byte {
	value := l.ValueAt.Of(l.Raw)
	b = append(append(b, "- "...), l.Role...)
	switch {
	case l.WrittenName() != "":
		b = quotedName(append(b, ' '), l)
	case value != "" && !holdsValue(l.Role):
		b = quoted(append(b, ' '), l)
		value = ""
	}
	between := " ["
	state := func(parts ...string) {
		b = append(b, between...)
		for _, p := range parts {
			b = append(b, p...)
		}
		between = ", "
	}
	checked := false
	for a := range l.Attrs() {
		switch key, is, _ := strings.Cut(a.Of(l.Raw), "="); {
		case key == "ref" || key == "cursor" || key == "box" || key == "active" || key == "url" || key == "value":
		case is != "":
			checked = checked || key == "checked"
			state(key, "=", is)
		default:
			checked = checked || key == "checked"
			state(key, "=true")
		}
	}
	if toggles(l.Role) && !checked {
		state("checked=false")
	}
	if acts {
		state(notation.RefAttr(l.Ref))
	}
	if between == ", " {
		b = append(b, ']')
	}
	if value != "" {
		b = append(append(b, ": "...), value...)
	}
	return b
}

// quotedName prints a name as it is written where that is a JSON string, else
// makes it one: a pattern stands without quotes, a chrome-devtools name without
// escapes.
func quotedName(b []byte, l *notation.Line) []byte {
	name, from := l.WrittenName(), len(b)
	b = append(append(append(b, '"'), name...), '"')
	if l.NameAt.Of(l.Raw)[0] == '"' && (!strings.ContainsAny(name, "\"\\") || json.Valid(b[from:])) {
		return b
	}
	return append(append(append(b[:from], '"'), quotes.Replace(name)...), '"')
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

var quotes = strings.NewReplacer(`"`, `\"`, `\`, `\\`)

// quoted prints a line's value in double quotes, its own where it has them.
func quoted(b []byte, l *notation.Line) []byte {
	s := l.ValueAt.Of(l.Raw)
	if strings.HasPrefix(s, `"`) && l.Value() != s {
		return append(b, s...)
	}
	return append(append(append(b, '"'), quotes.Replace(s)...), '"')
}

// splice is the text between the common beginning and the common end of two
// trees; empty text when they are equal.
type splice struct {
	text  string
	lines []strategy.Line
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
	s := splice{lines: []strategy.Line{{Mark: strategy.Message, Source: -1}}}
	s.text = strings.Join(append([]string{
		fmt.Sprintf("[delta: from line %d, %s replaced by %d]", head+1, wording.Plural(len(gone), "line"), len(came)),
	}, came...), "\n")
	for k := range came {
		s.lines = append(s.lines, strategy.Line{Mark: strategy.Added, Source: t.lines[head+k].Source})
	}
	return s
}
