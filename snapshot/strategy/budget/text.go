package budget

import (
	"fmt"
	"strings"

	"snapscope/snapshot/ecma"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
)

// leftOut reports whether anything of the page is missing from the answer.
func (b *budgeter) leftOut() bool {
	for i := range b.o.lines {
		if b.same[i] > 0 || !b.keep[i] && b.counts(i) {
			return true
		}
	}
	return b.cut != ""
}

// counts reports whether a line is missed when it is gone: blank lines are not,
// nor is what no element owns.
func (b *budgeter) counts(i int) bool {
	if b.byLine {
		return !ecma.Blank(b.o.Raw(i))
	}
	return b.o.lines[i].kind != notation.OtherLine
}

// head is the header for a token figure, with the history line.
func (b *budgeter) head(elements, tokens int) string {
	lines := []string{
		"# URL: " + b.url(),
		fmt.Sprintf("# Elements: %d of %d (truncated, prioritized by interactivity)", elements, b.total()),
		fmt.Sprintf("# Tokens: ~%s (estimated)", wording.Count(tokens)),
	}
	if h := b.history(); h != "" {
		lines = append(lines, h)
	}
	return strings.Join(lines, "\n")
}

// url is the page's URL: as it is known, as the text itself says in its first
// line, or not known.
func (b *budgeter) url() string {
	if u := wording.OneLine(b.in.Page.URL, 200); u != "" {
		return u
	}
	if u := wording.OneLine(strategy.TextURL(b.in.Page.Text), 200); u != "" {
		return u
	}
	return "unknown"
}

// headRoom is what the header can weigh at most.
func (b *budgeter) headRoom() int {
	return b.in.Count(b.head(b.maxElements, b.maxTokens)+"\n\n") + 2
}

// render prints the answer and counts it. The header's figure is the count of
// the text that holds it, so it is found by trying: each try names the count of
// the one before.
func (b *budgeter) render() (text string, lines []strategy.Line, tokens int) {
	body, from := b.body()
	figure := b.spent + b.maxTokens - b.room
	for range 6 {
		head := b.head(b.elements, figure)
		text = head
		if len(from) > 0 {
			text += "\n\n" + body
		}
		if tokens = b.in.Count(text); tokens == figure {
			break
		}
		figure = tokens
	}
	n := strings.Count(text, "\n") + 1 - len(from)
	lines = make([]strategy.Line, 0, n+len(from))
	for range n {
		lines = append(lines, strategy.Line{Mark: strategy.Message, Source: -1})
	}
	for _, i := range from {
		m := strategy.Same
		if b.same[i] > 0 || b.cut != "" {
			m = strategy.Message
		}
		lines = append(lines, strategy.Line{Mark: m, Source: i})
	}
	return text, lines, tokens
}

// inside are the elements that stand in the answer although their line says
// something else: a block of the previous page.
func (b *budgeter) inside(lines []strategy.Line) []strategy.Shown {
	if b.deduped == 0 {
		return nil
	}
	var out []strategy.Shown
	for i, l := range lines {
		if l.Mark == strategy.Message && l.Source >= 0 && b.same[l.Source] > 0 {
			out = append(out, strategy.Shown{Text: i, Page: l.Source})
		}
	}
	return out
}

// body prints the kept lines in document order. A node whose children are gone
// loses its colon.
func (b *budgeter) body() (string, []int) {
	parent := make([]bool, len(b.keep)) // has a child in the answer
	var from []int
	for i, k := range b.keep {
		if !k {
			continue
		}
		from = append(from, i)
		if p := b.o.lines[i].parent; p >= 0 {
			parent[p] = true
		}
	}
	var out strings.Builder
	for n, i := range from {
		if n > 0 {
			out.WriteByte('\n')
		}
		l := b.line(i)
		if b.o.lines[i].kind == notation.ElementLine && !parent[i] && b.same[i] == 0 && b.cut == "" && strings.TrimSpace(l[b.o.lines[i].keyEnd:]) == ":" {
			l = b.o.key(i)
		}
		out.WriteString(l)
	}
	return out.String(), from
}

// gone lists what the answer does not show, with the rule that took it.
func (b *budgeter) gone() []strategy.Loss {
	var l strategy.Losses
	for i := range b.o.Len() {
		if b.keep[i] || ecma.Blank(b.o.Raw(i)) {
			continue
		}
		rule, knob := b.rule(b.cause(i))
		l.Add(i, rule, knob)
	}
	return l.Runs
}

// cause is what left a line out: for text and properties, what left out the
// node they belong to.
func (b *budgeter) cause(i int) stop {
	for ; i >= 0; i = b.o.lines[i].parent {
		if w := b.why[i]; w != stopNothing && w != stopOther {
			return w
		}
	}
	return stopOther
}

func (b *budgeter) rule(s stop) (rule, knob string) {
	switch s {
	case stopElements:
		return fmt.Sprintf("max_elements %d", b.maxElements), "max_elements"
	case stopTokens:
		return fmt.Sprintf("max_tokens %d", b.maxTokens), "max_tokens"
	case stopInteractive:
		return "interactive_only true", "interactive_only"
	case stopViewport:
		return "viewport_only true", "viewport_only"
	case stopDedupe:
		return "dedupe true", "dedupe"
	}
	return "no part of an element", ""
}
