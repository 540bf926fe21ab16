// Package strategytest holds what every strategy is tested with and held to:
// texts of all kinds, ways to ask a strategy, and the laws of a verdict. The tests
// of every room of strategies import it; no program can.
package strategytest

import (
	"fmt"
	"strings"

	"snapscope/snapshot/strategy"

	"pgregory.net/rapid"
)

// words are what generated names and texts are made of: plain ones, protected
// ones, and what JavaScript sees otherwise than Go.
var words = []string{
	"Item", "Main", "office", "Search", "a1", "12", "3.5", "_7", "é5", "it's", "say \\\"hi\\\"", "x: y", "\U0001F600", "\U0001F601", "K",
	"\u00a0", "\ufeff", "\u0085", "\u2028", "[ref=e9]", "tab", "row", "\r", "menu-item", "STATUS", "http://h/p?q=1", "{\"a\": 1}", "'", "''",
}

var genRoles = []string{
	"generic", "list", "listitem", "row", "cell", "button", "link", "text", "paragraph", "heading", "combobox", "switch", "checkbox",
	"navigation", "banner", "img", "textbox", "tab", "menuitem", "option",
}

// Aria draws an aria-like text: mostly well formed, sometimes not.
func Aria(t *rapid.T, label string) string {
	n := rapid.IntRange(0, 60).Draw(t, label+" lines")
	var b strings.Builder
	depth := 0
	for i := range n {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch rapid.IntRange(0, 30).Draw(t, "odd") {
		case 0:
			continue
		case 1:
			b.WriteString(rapid.SampledFrom([]string{" ", "\t", "\r", "\u00a0", "\ufeff  "}).Draw(t, "blank"))
			continue
		case 2:
			b.WriteString(rapid.StringN(0, 12, -1).Draw(t, "junk"))
			continue
		}
		depth = max(0, depth+rapid.IntRange(-2, 1).Draw(t, "step"))
		b.WriteString(strings.Repeat("  ", depth))
		b.WriteString(Line(t, i))
	}
	b.WriteString(rapid.SampledFrom([]string{"", "", "", "\n", "\r\n", "\n\n"}).Draw(t, "end"))
	return b.String()
}

// Line draws one line of such a text.
func Line(t *rapid.T, i int) string {
	role := rapid.SampledFrom(genRoles).Draw(t, "role")
	if role == "text" {
		return "- text: " + genText(t)
	}
	key := role
	if rapid.Bool().Draw(t, "named") {
		key += ` "` + genText(t) + `"`
	}
	key += rapid.SampledFrom([]string{"", "", " [checked]", " [level=2]", " [active]"}).Draw(t, "state")
	if rapid.IntRange(0, 4).Draw(t, "ref") > 0 {
		key += fmt.Sprintf(" [ref=e%d]", i+1)
	}
	if rapid.IntRange(0, 4).Draw(t, "quoted") == 0 {
		key = "'" + strings.ReplaceAll(key, "'", "''") + "'"
	}
	return "- " + key + rapid.SampledFrom([]string{"", ":", ":", ": " + genText(t)}).Draw(t, "tail")
}

func genText(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom(words), 1, 3).Draw(t, "words")
	s := strings.Join(parts, " ")
	if rapid.IntRange(0, 20).Draw(t, "long") == 0 {
		s += "'" + strings.Repeat("\U0001F600", 100) + "'"
	}
	return s
}

// Mutate changes some lines of a text: dropped, doubled, altered, moved.
func Mutate(t *rapid.T, text string) string {
	lines := strings.Split(text, "\n")
	for range rapid.IntRange(0, 5).Draw(t, "edits") {
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "edit") {
		case 0:
			lines = append(lines[:i:i], lines[i+1:]...)
			if len(lines) == 0 {
				lines = []string{""}
			}
		case 1:
			lines = append(lines[:i+1:i+1], lines[i:]...)
		case 2:
			lines[i] += "!"
		case 3:
			j := rapid.IntRange(0, len(lines)-1).Draw(t, "to")
			lines[i], lines[j] = lines[j], lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// Bad are texts that are not aria text; every strategy answers to each.
func Bad() map[string]string {
	return map[string]string{
		"empty":         "",
		"newline":       "\n",
		"white space":   " \t\r\n\ufeff\u00a0",
		"html":          "<!doctype html>\n<html><body><button id=e1>Go</button></body></html>",
		"json":          `{"kind":"status","tabs":[{"id":1,"url":"https://example.com"}]}`,
		"uid":           "uid=1_0 RootWebArea \"Leads\"\n  uid=1_1 checkbox \"Select\" checked\n  uid=1_2 button \"Go\"",
		"agent-browser": "- heading \"Leads\" [level=1, ref=e1]\n- checkbox \"Select\" [checked=false, ref=e2]\n- button \"Go\" [ref=e3]",
		"binary":        "\x00\x01\x02\xff\xfe- \x00[ref=e1]\n\xc3\x28",
		"invalid utf-8": "- button \"\xff\xfe\" [ref=e1]\n- link \"\xc3\" [ref=e2]:\n  - /url: \xed\xa0\x80",
		"unclosed":      "- button \"never [ref=e1\n- 'row \"a: b [ref=e2]:\n- [ref=",
		"deep":          deep(400),
		"tabs":          "\t- button \"A\" [ref=e1]\n\t\t- text: b",
		"one line":      strings.Repeat("- button 'x' \"y\" [ref=e1] 12 ", 2000),
	}
}

func deep(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s- generic [ref=e%d]:\n", strings.Repeat("  ", i), i+1)
	}
	return b.String()
}

// Words4 counts a text the way a coarse tokenizer would; tests need no exact
// one.
func Words4(s string) int { return (len(s) + 3) / 4 }

// Page makes an input of a text alone.
func Page(text string) strategy.Input {
	return strategy.Input{Page: strategy.Page{Text: text}, Count: Words4}
}

// Against makes an input that compares with an earlier text.
func Against(before, after string) strategy.Input {
	in := Page(after)
	in.Base = &strategy.Page{Text: before}
	return in
}

// Apply runs a strategy with knob settings over its defaults.
func Apply(t interface {
	Helper()
	Fatal(...any)
}, s *strategy.Strategy, in strategy.Input, set ...string,
) strategy.Verdict {
	t.Helper()
	v := s.Values(nil)
	for _, a := range set {
		if err := s.Set(v, a); err != nil {
			t.Fatal(err)
		}
	}
	return s.Apply(in, v)
}

// Check holds what every verdict must keep to, whatever the text.
func Check(t interface {
	Helper()
	Fatalf(string, ...any)
}, in strategy.Input, v strategy.Verdict,
) {
	t.Helper()
	if v.Reason() == "" || v.Kind == "" {
		t.Fatalf("no reason or kind: %+v", v)
	}
	pageLines := strings.Split(in.Page.Text, "\n")
	if v.Lines == nil {
		if v.Text != in.Page.Text {
			t.Fatalf("no lines, but the text is not the page's")
		}
	} else {
		text := strings.Split(v.Text, "\n")
		if len(text) != len(v.Lines) {
			t.Fatalf("%d lines of text, %d described\n%s", len(text), len(v.Lines), v.Text)
		}
		for i, l := range v.Lines {
			if l.Source >= len(pageLines) || l.Source < -1 {
				t.Fatalf("line %d comes from line %d of %d", i, l.Source, len(pageLines))
			}
		}
	}
	last := 0
	for _, g := range v.Gone {
		if g.From < last || g.To <= g.From || g.To > len(pageLines) || g.Rule == "" {
			t.Fatalf("loss %+v after line %d of %d", g, last, len(pageLines))
		}
		last = g.To
	}
	if v.NeedsBase && in.Base == nil {
		t.Fatalf("needs a base where there is none")
	}
}

// Settings are the knob settings the general tests try: the defaults, and each
// choice and switch turned by itself.
func Settings(s *strategy.Strategy) []strategy.Values {
	on := s.Values(nil)
	if _, ok := s.Knob("enabled"); ok {
		on["enabled"] = 1
	}
	out := []strategy.Values{on}
	for _, k := range s.Knobs {
		if k.Type != strategy.Choice && k.Type != strategy.Bool {
			continue
		}
		for x := k.Min; x <= k.Max; x++ {
			if x != on[k.Key] {
				v := strategy.Values{}
				for key, val := range on {
					v[key] = val
				}
				v[k.Key] = x
				out = append(out, v)
			}
		}
	}
	return out
}
