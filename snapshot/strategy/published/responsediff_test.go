package published

import (
	"fmt"
	"strings"
	"testing"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/internal/strategytest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const on = "enabled=true"

// The document's own integration test: the two lines stand there with their
// signs.
func TestResponseDiffSeedExample(t *testing.T) {
	v := strategytest.Apply(t, ResponseDiff, strategytest.Against("Page loaded successfully", "Page loaded with error"), on)
	want := "[response diff: +1 lines, -1 lines, 0 context, 2 total; 0.0 % similar]\n@@ -1 +1 @@\n- Page loaded successfully\n+ Page loaded with error"
	if diff := cmp.Diff(want, v.Text); diff != "" {
		t.Error(diff)
	}
	if v.Kind != strategy.KindDelta || v.Reason() != "similarity 0.0 % < 90 % → difference (the text holds no aria node: taken line by line)" {
		t.Errorf("%s %q", v.Kind, v.Reason())
	}
}

func TestResponseDiffRules(t *testing.T) {
	long := strategytest.Numbered(40, "- listitem: Item #\n")
	other := strings.Replace(long, "Item 20", "Item twenty", 1)
	third := strings.NewReplacer("Item 1\n", "Item one\n", "Item 20\n", "Item twenty\n", "Item 21\n", "Item x\n").Replace(long)
	for _, c := range []struct {
		name   string
		in     strategy.Input
		set    []string
		kind   strategy.Kind
		reason string
	}{
		{"off by default", strategytest.Against(long, other), nil, strategy.KindFull, "enabled false, the documented default → full; set enabled=true to compare"},
		{"first response", strategytest.Page(long), []string{on}, strategy.KindFull, "no earlier response of this tool → full"},
		{"equal", strategytest.Against(long, long), []string{on}, strategy.KindUnchanged, "similarity 100.0 % ≥ 90 % → nothing shown"},
		{"too little", strategytest.Against(long, other), []string{on}, strategy.KindUnchanged, "similarity 94.6 % ≥ 90 % → nothing shown"},
		{"enough", strategytest.Against(long, third), []string{on}, strategy.KindDelta, "similarity 85.6 % < 90 % → difference"},
		{"threshold 0 shows any difference", strategytest.Against(long, other), []string{on, "threshold=0"}, strategy.KindDelta, "similarity 94.6 % < 100 % → difference"},
		{"threshold 0 with none", strategytest.Against(long, long), []string{on, "threshold=0"}, strategy.KindUnchanged, "≥ 100 %"},
		{"threshold 1 shows none", strategytest.Against(long, "x"), []string{on, "threshold=1"}, strategy.KindUnchanged, "similarity 0.0 % ≥ 0 %"},
		{"white space alone", strategytest.Against(long, strings.ReplaceAll(long, "- ", "  -   ")), []string{on}, strategy.KindUnchanged, "similarity 100.0 %"},
		{"white space counts", strategytest.Against(long, strings.ReplaceAll(long, "- ", "  -   ")), []string{on, "ignore_whitespace=false"}, strategy.KindDelta, "similarity 0.0 %"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := strategytest.Apply(t, ResponseDiff, c.in, c.set...)
			strategytest.Check(t, c.in, v)
			if v.Kind != c.kind || !strings.Contains(v.Reason(), c.reason) {
				t.Errorf("%s %q, want %s %q", v.Kind, v.Reason(), c.kind, c.reason)
			}
		})
	}
	in := strategytest.Against(long, other)
	in.Tool = "click"
	v := strategytest.Apply(t, ResponseDiff, in, on)
	if want := "[no difference shown: 94.6 % similar to the last response of click, shown below 90 %]"; v.Text != want {
		t.Errorf("%q", v.Text)
	}
	if diff := cmp.Diff([]strategy.Loss{{From: 19, To: 20, Rule: "threshold 10 %", Knob: "threshold"}}, v.Gone); diff != "" {
		t.Error(diff)
	}
}

func TestResponseDiffFormats(t *testing.T) {
	before := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj"
	after := "a\nb\nC\nd\ne\nf\ng\nh\ni\nj\nk"
	for _, c := range []struct{ set, want string }{
		{"format=unified", "[response diff: +2 lines, -1 lines, 3 context, 12 total; 75.0 % similar]\n@@ -2,3 +2,3 @@\n  b\n- c\n+ C\n  d\n@@ -10 +10,2 @@\n  j\n+ k"},
		{"format=split", "[response diff: +2 lines, -1 lines, 0 context, 12 total; 75.0 % similar]\nremoved:\n- c\nadded:\n+ C\n+ k"},
		{"format=minimal", "[response diff: +2 lines, -1 lines, 0 context, 12 total; 75.0 % similar]\n- c\n+ C\n+ k"},
	} {
		in := strategytest.Against(before, after)
		v := strategytest.Apply(t, ResponseDiff, in, on, c.set, "context=1")
		strategytest.Check(t, in, v)
		if diff := cmp.Diff(c.want, v.Text); diff != "" {
			t.Error(diff)
		}
	}
}

func TestResponseDiffTruncates(t *testing.T) {
	in := strategytest.Against(strategytest.Numbered(100, "old #\n"), strategytest.Numbered(100, "new #\n"))
	v := strategytest.Apply(t, ResponseDiff, in, on)
	strategytest.Check(t, in, v)
	lines := strings.Split(v.Text, "\n")
	if len(lines) != 52 || lines[51] != "... (151 more lines truncated)" { // 201 lines with the hunk's header
		t.Errorf("%d lines, last %q", len(lines), lines[len(lines)-1])
	}
	if !strings.Contains(v.Reason(), "151 lines beyond max_diff_lines 50 cut") {
		t.Error(v.Reason())
	}
	if diff := cmp.Diff([]strategy.Loss{{From: 0, To: 100, Rule: "max_diff_lines 50", Knob: "max_diff_lines"}}, v.Gone); diff != "" {
		t.Error(diff)
	}
	v = strategytest.Apply(t, ResponseDiff, in, on, "max_diff_lines=201")
	if strings.Contains(v.Text, "truncated") || v.Gone != nil {
		t.Error(v.Text)
	}
}

func TestResponseDiffBase(t *testing.T) {
	v := ResponseDiff.Values(strategy.Values{"enabled": 1})
	m := func(tool string, mb int) strategy.Moment { return strategy.Moment{Tool: tool, Size: mb << 20} }
	for _, c := range []struct {
		name string
		past []strategy.Moment
		now  string
		want int
	}{
		{"none", nil, "click", -1},
		{"the last of the same tool", []strategy.Moment{m("click", 1), m("click", 1), m("fill", 1)}, "click", 1},
		{"another tool", []strategy.Moment{m("click", 1)}, "fill", -1},
		{"pushed out of the store", []strategy.Moment{m("click", 4), m("fill", 4), m("press", 4)}, "click", -1},
		{"still in the store", []strategy.Moment{m("click", 4), m("fill", 4), m("press", 4)}, "fill", 1},
		{"replaced, so there is room", []strategy.Moment{m("click", 4), m("fill", 4), m("fill", 1), m("press", 4)}, "click", 0},
		{"too large to keep", []strategy.Moment{m("click", 11)}, "click", -1},
		{"too large to keep, and the one before is stale", []strategy.Moment{m("click", 1), m("click", 11)}, "click", -1},
	} {
		if got := ResponseDiff.Base(c.past, strategy.Moment{Tool: c.now}, v); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if got := ResponseDiff.Base([]strategy.Moment{m("click", 1)}, strategy.Moment{Tool: "click"}, ResponseDiff.Values(nil)); got != -1 {
		t.Errorf("off: %d", got)
	}
}

// The figures of a difference, counted by hand: equal characters of all in the
// edit script, newlines included, and no line behind the last newline.
func TestResponseDiffSimilarityByHand(t *testing.T) {
	nine := strings.Repeat("abcdefghi\n", 9)
	for _, tt := range []struct {
		name, before, after string
		set                 []string
		want                string
	}{
		{"ten lines, one changed: 90 of 110", nine + "abcdefghi\n", nine + "ABCDEFGHI\n", nil, "[response diff: +1 lines, -1 lines, 3 context, 11 total; 81.8 % similar]\n@@ -7,4 +7,4 @@\n  abcdefghi"},
		{"four lines, the last changed: 6 of 10", "a\nb\nc\nd\n", "a\nb\nc\nX\n", nil, "[response diff: +1 lines, -1 lines, 3 context, 5 total; 60.0 % similar]\n@@ -1,4 +1,4 @@\n  a\n  b\n  c\n- d\n+ X"},
		{"exactly at the threshold: 3 of 10", "aa\nb\n", "aa\ncccc\n", []string{"threshold=0.7"}, "[no difference shown: 30.0 % similar"},
		{"exactly at the threshold: 3 of 20", "aa\nb\n", "aa\n" + strings.Repeat("c", 14) + "\n", []string{"threshold=0.85"}, "[no difference shown: 15.0 % similar"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := strategytest.Apply(t, ResponseDiff, strategytest.Against(tt.before, tt.after), append(tt.set, "enabled=true")...)
			if !strings.HasPrefix(v.Text, tt.want) {
				t.Errorf("%s\n%s", v.Reason(), v.Text)
			}
		})
	}
}

// Unified hunks with white space counted rebuild the new text.
func TestResponseDiffUnifiedApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := strategytest.Aria(t, "before")
		after := strategytest.Mutate(t, before)
		in := strategytest.Against(before, after)
		v := ResponseDiff.Apply(in, ResponseDiff.Values(strategy.Values{
			"enabled": 1, "threshold": 0, "ignore_whitespace": 0, "max_diff_lines": 5000, "context": float64(rapid.IntRange(0, 4).Draw(t, "context")),
		}))
		strategytest.Check(t, in, v)
		if before == after {
			if v.Kind != strategy.KindUnchanged {
				t.Fatalf("%s for equal texts", v.Kind)
			}
			return
		}
		if strings.HasSuffix(before, "\n") && strings.HasSuffix(after, "\n") {
			before, after = before[:len(before)-1], after[:len(after)-1]
		}
		old := strings.Split(before, "\n")
		var got []string
		at := 0
		for _, l := range strings.Split(v.Text, "\n")[1:] {
			var from, n int
			switch {
			case strings.HasPrefix(l, "@@ -"):
				n = 1
				if k, _ := fmt.Sscanf(l, "@@ -%d,%d", &from, &n); k < 2 {
					n = 1
				}
				if n > 0 {
					from--
				}
				got = append(got, old[at:from]...)
				at = from
			case strings.HasPrefix(l, "+ "):
				got = append(got, l[2:])
			default:
				if strings.HasPrefix(l, "  ") {
					got = append(got, l[2:])
				}
				at++
			}
		}
		got = append(got, old[at:]...)
		if diff := cmp.Diff(after, strings.Join(got, "\n")); diff != "" {
			t.Fatal(diff, v.Text)
		}
	})
}
