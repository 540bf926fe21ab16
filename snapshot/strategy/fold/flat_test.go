package fold

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/internal/strategytest"
)

func flatPage(text string) strategy.Input {
	in := strategytest.Page(text)
	in.Page.Dialect = notation.UID
	return in
}

// orders is a table as chrome-devtools-mcp writes it: its cells stand in a row, below
// nothing.
func orders(n int) string {
	var b strings.Builder
	b.WriteString("uid=1_0 RootWebArea \"Orders\" url=\"http://a.test/\"\n  uid=1_1 main\n    uid=1_2 \"Order\"\n    uid=1_3 \"Customer\"\n")
	for i := range n {
		checked := ""
		if i == 4 {
			checked = " checked"
		}
		fmt.Fprintf(&b, "    uid=2_%d checkbox \"Select order %d\"%s\n    uid=2_%d \"%d\"\n    uid=2_%d \"Ada \"the\" %d | x\"\n    uid=2_%d link \"Open\" url=\"http://a.test/o/%d\"\n",
			4*i, 1000+i, checked, 4*i+1, 1000+i, 4*i+2, i, 4*i+3, i)
	}
	b.WriteString("    uid=1_4 button \"Next\" focusable focused")
	return b.String()
}

func TestFlatPages(t *testing.T) {
	text := orders(100)
	v := Strategy.Apply(flatPage(text), Strategy.Values(nil))
	if v.Kind != strategy.KindCompressed || len(v.Text) > len(text)*3/4 {
		t.Fatalf("%s, %d of %d bytes: %v", v.Kind, len(v.Text), len(text), v.Rules)
	}
	if back, err := unfold(v.Text); err != nil || back != text {
		t.Errorf("it does not give the page back: %v", err)
	}
	for _, want := range []string{
		"    *:\n      - siblings:\n        - checkbox \"Select order …1\" [ref]\n        - StaticText …1 [ref]\n",
		"    * 2_16 [checked] 2_17 1004 | 2_18 \"Ada \\\"the\\\" 4 | x\" | 2_19 http://a.test/o/4\n",
		"    uid=1_4 button \"Next\" focusable focused",
	} {
		if !strings.Contains(v.Text, want) {
			t.Errorf("%q is not in\n%s", want, v.Text)
		}
	}
	shown := map[int]int{}
	for _, l := range v.Lines {
		if l.Source >= 0 {
			shown[l.Source]++
		}
	}
	for _, in := range v.Inside {
		shown[in.Page]++
	}
	for i, line := range strings.Split(text, "\n") {
		if shown[i] != 1 {
			t.Errorf("line %d, %q, is shown %d times", i, line, shown[i])
		}
	}
	acts := Strategy.Apply(flatPage(text), Strategy.Values(strategy.Values{"refs": 1}))
	if len(acts.Text) >= len(v.Text) || !strings.Contains(acts.Text, "2_16 [checked]") || strings.Contains(acts.Text, "2_17 ") || len(acts.NoRef) < 200 {
		t.Errorf("interactive refs: %d bytes, %d without a ref", len(acts.Text), len(acts.NoRef))
	}
}

// Whatever a flat page holds, it is given back to the byte or not folded.
func TestFlatPagesAreGivenBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"", " button", " link", " StaticText", " siblings", " x y"}).Draw(t, "role") +
				rapid.SampledFrom([]string{"", ` "a"`, ` "b | c"`, ` "…1"`, ` "say "hi""`, ` "`, ` ""`, ` "=x"`}).Draw(t, "name") +
				rapid.SampledFrom([]string{"", "", " checked", ` url="http://a"`, ` checked expanded`, ` value="a" checked`, ` value="a "b""`, " focused", ` url=""`}).Draw(t, "tells")
		})
		rows := rapid.SliceOfN(line, 1, 4).Draw(t, "row")
		var b strings.Builder
		b.WriteString("uid=1_0 RootWebArea")
		for i := range rapid.IntRange(1, 12).Draw(t, "times") {
			for k, r := range rows {
				if rapid.IntRange(0, 20).Draw(t, "odd") == 0 {
					r = line.Draw(t, "other")
				}
				fmt.Fprintf(&b, "\n%suid=1_%d%s", strings.Repeat("  ", rapid.SampledFrom([]int{1, 1, 1, 1, 1, 1, 2, 0}).Draw(t, "depth")), 10*i+k+1, r)
			}
		}
		text := b.String()
		v := Strategy.Apply(flatPage(text), Strategy.Values(strategy.Values{"min_savings": 0}))
		if back, err := unfold(v.Text); err != nil || back != text {
			t.Fatalf("%v\n%s\nbecame\n%s\nand gives back\n%s", err, text, v.Text, back)
		}
	})
}
