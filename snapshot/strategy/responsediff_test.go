package strategy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const on = "enabled=true"

// The document's own integration test: the two lines stand there with their
// signs.
func TestResponseDiffSeedExample(t *testing.T) {
	v := apply(t, responseDiff, against("Page loaded successfully", "Page loaded with error"), on)
	want := "[response diff: +1 lines, -1 lines, 0 context, 2 total; 0.0 % similar]\n@@ -1 +1 @@\n- Page loaded successfully\n+ Page loaded with error"
	if diff := cmp.Diff(want, v.Text); diff != "" {
		t.Error(diff)
	}
	if v.Kind != KindDelta || v.Reason() != "similarity 0.0 % < 90 % → difference (the text holds no aria node: taken line by line)" {
		t.Errorf("%s %q", v.Kind, v.Reason())
	}
}

func TestResponseDiffRules(t *testing.T) {
	long := numbered(40, "- listitem: Item #\n")
	other := strings.Replace(long, "Item 20", "Item twenty", 1)
	third := strings.NewReplacer("Item 1\n", "Item one\n", "Item 20\n", "Item twenty\n", "Item 21\n", "Item x\n").Replace(long)
	for _, c := range []struct {
		name   string
		in     Input
		set    []string
		kind   Kind
		reason string
	}{
		{"off by default", against(long, other), nil, KindFull, "enabled false, the documented default → full; set enabled=true to compare"},
		{"first response", page(long), []string{on}, KindFull, "no earlier response of this tool → full"},
		{"equal", against(long, long), []string{on}, KindUnchanged, "similarity 100.0 % ≥ 90 % → nothing shown"},
		{"too little", against(long, other), []string{on}, KindUnchanged, "similarity 94.6 % ≥ 90 % → nothing shown"},
		{"enough", against(long, third), []string{on}, KindDelta, "similarity 85.6 % < 90 % → difference"},
		{"threshold 0 shows any difference", against(long, other), []string{on, "threshold=0"}, KindDelta, "similarity 94.6 % < 100 % → difference"},
		{"threshold 0 with none", against(long, long), []string{on, "threshold=0"}, KindUnchanged, "≥ 100 %"},
		{"threshold 1 shows none", against(long, "x"), []string{on, "threshold=1"}, KindUnchanged, "similarity 0.0 % ≥ 0 %"},
		{"white space alone", against(long, strings.ReplaceAll(long, "- ", "  -   ")), []string{on}, KindUnchanged, "similarity 100.0 %"},
		{"white space counts", against(long, strings.ReplaceAll(long, "- ", "  -   ")), []string{on, "ignore_whitespace=false"}, KindDelta, "similarity 0.0 %"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := apply(t, responseDiff, c.in, c.set...)
			checkVerdict(t, c.in, v)
			if v.Kind != c.kind || !strings.Contains(v.Reason(), c.reason) {
				t.Errorf("%s %q, want %s %q", v.Kind, v.Reason(), c.kind, c.reason)
			}
		})
	}
	in := against(long, other)
	in.Tool = "click"
	v := apply(t, responseDiff, in, on)
	if want := "[no difference shown: 94.6 % similar to the last response of click, shown below 90 %]"; v.Text != want {
		t.Errorf("%q", v.Text)
	}
	if diff := cmp.Diff([]Loss{{19, 20, "threshold 10 %", "threshold"}}, v.Gone); diff != "" {
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
		in := against(before, after)
		v := apply(t, responseDiff, in, on, c.set, "context=1")
		checkVerdict(t, in, v)
		if diff := cmp.Diff(c.want, v.Text); diff != "" {
			t.Error(diff)
		}
	}
}

func TestResponseDiffTruncates(t *testing.T) {
	in := against(numbered(100, "old #\n"), numbered(100, "new #\n"))
	v := apply(t, responseDiff, in, on)
	checkVerdict(t, in, v)
	lines := strings.Split(v.Text, "\n")
	if len(lines) != 52 || lines[51] != "... (151 more lines truncated)" { // 201 lines with the hunk's header
		t.Errorf("%d lines, last %q", len(lines), lines[len(lines)-1])
	}
	if !strings.Contains(v.Reason(), "151 lines beyond max_diff_lines 50 cut") {
		t.Error(v.Reason())
	}
	if diff := cmp.Diff([]Loss{{0, 100, "max_diff_lines 50", "max_diff_lines"}}, v.Gone); diff != "" {
		t.Error(diff)
	}
	v = apply(t, responseDiff, in, on, "max_diff_lines=201")
	if strings.Contains(v.Text, "truncated") || v.Gone != nil {
		t.Error(v.Text)
	}
}

func TestResponseDiffBase(t *testing.T) {
	v := responseDiff.Values(Values{"enabled": 1})
	m := func(tool string, mb int) Moment { return Moment{Tool: tool, Size: mb << 20} }
	for _, c := range []struct {
		name string
		past []Moment
		now  string
		want int
	}{
		{"none", nil, "click", -1},
		{"the last of the same tool", []Moment{m("click", 1), m("click", 1), m("fill", 1)}, "click", 1},
		{"another tool", []Moment{m("click", 1)}, "fill", -1},
		{"pushed out of the store", []Moment{m("click", 4), m("fill", 4), m("press", 4)}, "click", -1},
		{"still in the store", []Moment{m("click", 4), m("fill", 4), m("press", 4)}, "fill", 1},
		{"replaced, so there is room", []Moment{m("click", 4), m("fill", 4), m("fill", 1), m("press", 4)}, "click", 0},
		{"too large to keep", []Moment{m("click", 11)}, "click", -1},
		{"too large to keep, and the one before is stale", []Moment{m("click", 1), m("click", 11)}, "click", -1},
	} {
		if got := responseDiff.Base(c.past, Moment{Tool: c.now}, v); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if got := responseDiff.Base([]Moment{m("click", 1)}, Moment{Tool: "click"}, responseDiff.Values(nil)); got != -1 {
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
			v := apply(t, responseDiff, against(tt.before, tt.after), append(tt.set, "enabled=true")...)
			if !strings.HasPrefix(v.Text, tt.want) {
				t.Errorf("%s\n%s", v.Reason(), v.Text)
			}
		})
	}
}

// Unified hunks with white space counted rebuild the new text.
func TestResponseDiffUnifiedApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := genAria(t, "before")
		after := mutate(t, before)
		in := against(before, after)
		v := responseDiff.Apply(in, responseDiff.Values(Values{
			"enabled": 1, "threshold": 0, "ignore_whitespace": 0, "max_diff_lines": 5000, "context": float64(rapid.IntRange(0, 4).Draw(t, "context")),
		}))
		checkVerdict(t, in, v)
		if before == after {
			if v.Kind != KindUnchanged {
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
