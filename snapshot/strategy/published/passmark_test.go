package published

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"snapscope/snapshot/ecma"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/internal/strategytest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The worked example of the proposal, with rows around it so that the saving is
// enough. The document shows no refs and indents "..." for the eye.
func TestPassmarkSeedExample(t *testing.T) {
	leads := func(state string) string {
		return strings.Join([]string{
			"url: https://example.com/leads", "", "- table:",
			`  - row: "Melonie Parker, Vice President, Google"`,
			`      cell: "Melonie Parker, Vice President, Google"`,
			"      cells:",
			"    checkbox [" + state + `] "Select Melonie Parker"`,
			"      cell: Parker", "      cell: Google",
			`  - row: "Thomas Kurian, CEO, Google"`,
			"      cell: Kurian " + strings.Repeat("x", 400),
		}, "\n")
	}
	got := strategytest.Apply(t, Passmark, strategytest.Against(leads("unchecked"), leads("checked")))
	want := strings.Join([]string{
		"[delta snapshot: +1 lines added, -1 lines removed]", "",
		"...",
		`        cell: "Melonie Parker, Vice President, Google"`,
		"        cells:",
		`-     checkbox [unchecked] "Select Melonie Parker"`,
		`+     checkbox [checked] "Select Melonie Parker"`,
		"        cell: Parker",
		"        cell: Google",
		"...",
	}, "\n")
	if diff := cmp.Diff(want, got.Text); diff != "" {
		t.Error(diff)
	}
	if got.Kind != strategy.KindDelta || !got.NeedsBase || !strings.Contains(got.Reason(), "≥ 20 % → delta") {
		t.Errorf("kind %s, reason %q", got.Kind, got.Reason())
	}
	wantLines := []strategy.Line{
		{Mark: strategy.Message, Source: -1}, {Mark: strategy.Message, Source: -1}, {Mark: strategy.Gap, Source: -1}, {Mark: strategy.Same, Source: 4}, {Mark: strategy.Same, Source: 5}, {Mark: strategy.Removed, Source: -1}, {Mark: strategy.Added, Source: 6}, {Mark: strategy.Same, Source: 7}, {Mark: strategy.Same, Source: 8}, {Mark: strategy.Gap, Source: -1},
	}
	if diff := cmp.Diff(wantLines, got.Lines); diff != "" {
		t.Error(diff)
	}
}

func TestPassmarkOrderOfRules(t *testing.T) {
	long := strings.Repeat("- listitem: same\n", 40)
	for _, c := range []struct {
		name   string
		in     strategy.Input
		set    []string
		kind   strategy.Kind
		reason string
	}{
		{"no baseline", strategytest.Page(long), nil, strategy.KindFull, "no baseline → full"},
		{"equal", strategytest.Against(long, long), nil, strategy.KindUnchanged, "equal to the baseline → unchanged"},
		{"equal but for the ends", strategytest.Against("\ufeff\n "+long, long+"\r\n\u00a0"), nil, strategy.KindUnchanged, "equal to the baseline → unchanged"},
		{"next line is no white space to JavaScript", strategytest.Against(long, long+"\u0085"), nil, strategy.KindDelta, "→ delta"},
		{"small", strategytest.Against("- a\n- b", "- a\n- c"), nil, strategy.KindFull, "diff would save −885.7 % < 20 % → full"},
		{"nothing asked", strategytest.Against(long, long+"- x"), []string{"min_savings=0"}, strategy.KindDelta, "≥ 0 % → delta"},
		{"page emptied", strategytest.Against(long, ""), nil, strategy.KindFull, "diff would save −∞ % < 20 % → full"},
		{"both blank", strategytest.Against("\n", " "), nil, strategy.KindUnchanged, "unchanged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := strategytest.Apply(t, Passmark, c.in, c.set...)
			if v.Kind != c.kind || !strings.Contains(v.Reason(), c.reason) {
				t.Errorf("%s, %q; want %s, %q", v.Kind, v.Reason(), c.kind, c.reason)
			}
			switch v.Kind {
			case strategy.KindFull:
				if v.Text != c.in.Page.Text {
					t.Errorf("full text is %q", v.Text)
				}
			case strategy.KindUnchanged:
				if v.Text != "[snapshot unchanged — action may not have had a visible DOM effect]" {
					t.Errorf("text is %q", v.Text)
				}
			}
		})
	}
}

// A saving of exactly the least saving is a delta; one character less is not.
func TestPassmarkExactThreshold(t *testing.T) {
	// Ten lines, the last one changed: the diff holds the header, "...", two
	// lines of context, the old and the new line.
	text := func(fill int, last string) string {
		return strings.Repeat("- x\n", 6) + "- " + strings.Repeat("é", fill) + "\n- x\n- x\n" + last
	}
	sawEqual := false
	for n := range 600 {
		fill, last := n/4, "- new"+strings.Repeat("w", n%4)
		v := strategytest.Apply(t, Passmark, strategytest.Against(text(fill, "- old"), text(fill, last)))
		full := ecma.Len(text(fill, last))
		sent := ecma.Len("[delta snapshot: +1 lines added, -1 lines removed]\n\n...\n  - x\n  - x\n- - old\n+ " + last)
		want := strategy.KindDelta
		if 5*(full-sent) < full { // saving < 1/5, in whole numbers
			want = strategy.KindFull
		}
		sawEqual = sawEqual || 5*(full-sent) == full
		if v.Kind != want {
			t.Fatalf("fill %d: full %d, diff %d: %s, want %s (%s)", fill, full, sent, v.Kind, want, v.Reason())
		}
	}
	if !sawEqual {
		t.Error("no pair saved exactly 20 %")
	}
}

func TestPassmarkLengthsAreUTF16(t *testing.T) {
	before := strings.Repeat("- 😀\n", 50) + "- old"
	after := strings.Repeat("- 😀\n", 50) + "- new"
	v := strategytest.Apply(t, Passmark, strategytest.Against(before, after))
	want := strategy.Fact{Label: "full", Value: "255 characters"}
	if v.Facts[0] != want {
		t.Errorf("%+v, want %+v", v.Facts[0], want)
	}
}

func TestPassmarkGreedyIsNotShortest(t *testing.T) {
	// "x" stands far down in the new text: the nearest later place of it is taken
	// although the lines between are mostly the old ones.
	for _, c := range []struct{ before, after, want string }{
		{"a b c", "a c", "=a -b =c"},
		{"a c", "a b c", "=a +b =c"},
		{"x y", "y x", "+y =x -y"}, // a tie adds
		{"a b", "c d", "-a +c -b +d"},
		{"a", "b a", "+b =a"},
		{"a b c d", "b c d a", "-a =b =c =d +a"},
		{"a p q", "q p r a", "-a -p =q +p +r +a"},
		{"", "a", "- +a"},
	} {
		a, b := strings.Split(c.before, " "), strings.Split(c.after, " ")
		var got []string
		for _, e := range nearestDiff(a, b) {
			switch e.mark {
			case strategy.Same:
				got = append(got, "="+a[e.a])
			case strategy.Added:
				got = append(got, "+"+b[e.b])
			default:
				got = append(got, "-"+a[e.a])
			}
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%q → %q: %s, want %s", c.before, c.after, g, c.want)
		}
	}
}

// The knob algorithm=lcs gives the shortest diff where the greedy walk does not.
func TestPassmarkAlgorithm(t *testing.T) {
	tail := strings.Repeat("\n- row: the same as ever", 40)
	before := "- a\n- b\n- c\n- d\n- e" + tail
	after := "- b\n- c\n- a\n- d\n- e" + tail
	greedy := strategytest.Apply(t, Passmark, strategytest.Against(before, after), "context=0")
	lcs := strategytest.Apply(t, Passmark, strategytest.Against(before, after), "context=0", "algorithm=lcs")
	if want := "[delta snapshot: +1 lines added, -1 lines removed]\n\n- - a\n...\n+ - a\n..."; lcs.Text != want {
		t.Errorf("lcs: %q", lcs.Text)
	}
	if want := "[delta snapshot: +1 lines added, -1 lines removed]\n\n- - a\n...\n+ - a\n..."; greedy.Text != want {
		t.Errorf("greedy: %q", greedy.Text)
	}
	before, after = "- a\n- x\n- b\n- c"+tail, "- q\n- r\n- b\n- c\n- a"+tail
	greedy = strategytest.Apply(t, Passmark, strategytest.Against(before, after), "context=0")
	lcs = strategytest.Apply(t, Passmark, strategytest.Against(before, after), "context=0", "algorithm=lcs")
	if !strings.HasPrefix(greedy.Text, "[delta snapshot: +4 lines added, -3 lines removed]") || !strings.HasPrefix(lcs.Text, "[delta snapshot: +3 lines added, -2 lines removed]") {
		t.Errorf("greedy %.60q, lcs %.60q", greedy.Text, lcs.Text)
	}
}

func TestPassmarkBase(t *testing.T) {
	m := func(tool string, tab int, doc string, agent int) strategy.Moment {
		return strategy.Moment{Tool: tool, Tab: tab, Document: doc, AgentStep: agent}
	}
	for _, c := range []struct {
		name                       string
		past                       []strategy.Moment
		now                        strategy.Moment
		tools, document, published int
	}{
		{"first", nil, m("click", 0, "d1", 1), -1, -1, -1},
		{"click", []strategy.Moment{m("goto", 0, "d1", 1), m("click", 0, "d1", 1)}, m("click", 0, "d1", 1), 1, 1, 1},
		{"goto", []strategy.Moment{m("click", 0, "d1", 1)}, m("goto", 0, "d2", 1), -1, -1, -1},
		{"goto within the document", []strategy.Moment{m("click", 0, "d1", 1)}, m("goto", 0, "d1", 1), -1, 0, -1},
		{"reload", []strategy.Moment{m("click", 0, "d1", 1)}, m("reload", 0, "d2", 1), -1, -1, -1},
		{"back", []strategy.Moment{m("click", 0, "d1", 1)}, m("back", 0, "d2", 1), -1, -1, -1},
		{"forward", []strategy.Moment{m("click", 0, "d1", 1)}, m("forward", 0, "d2", 1), -1, -1, -1},
		{"a click that navigates", []strategy.Moment{m("click", 0, "d1", 1)}, m("click", 0, "d2", 1), 0, -1, 0},
		{"tab switch", []strategy.Moment{m("click", 0, "d1", 1)}, m("tab", 1, "d1", 1), 0, -1, 0},
		{"new agent step", []strategy.Moment{m("click", 0, "d1", 1)}, m("click", 0, "d1", 2), -1, -1, -1},
		{"after a navigation", []strategy.Moment{m("goto", 0, "d1", 1)}, m("click", 0, "d1", 1), 0, 0, 0},
		{"asked for", []strategy.Moment{m("goto", 0, "d1", 1)}, m("snapshot", 0, "d1", 1), 0, 0, -1},
		{"failed", []strategy.Moment{m("goto", 0, "d1", 1)}, strategy.Moment{Tool: "click", Document: "d1", AgentStep: 1, Failed: true}, 0, 0, -1},
	} {
		for mode, want := range map[string]int{"tools": c.tools, "document": c.document, "published": c.published} {
			v := Passmark.Values(nil)
			if err := Passmark.Set(v, "reset="+mode); err != nil {
				t.Fatal(err)
			}
			if got := Passmark.Base(c.past, c.now, v); got != want {
				t.Errorf("%s, reset %s: base %d, want %d", c.name, mode, got, want)
			}
		}
	}
}

func TestPassmarkBaseWithoutDocuments(t *testing.T) {
	v := Passmark.Values(strategy.Values{"reset": resetDocument})
	past := []strategy.Moment{{URL: "https://a/x#top"}}
	if got := Passmark.Base(past, strategy.Moment{URL: "https://a/x#end"}, v); got != 0 {
		t.Errorf("another fragment: base %d, want 0", got)
	}
	if got := Passmark.Base(past, strategy.Moment{URL: "https://a/y"}, v); got != -1 {
		t.Errorf("another page: base %d, want -1", got)
	}
}

func TestPassmarkCompose(t *testing.T) {
	got := Passmark.Compose(strategy.Page{URL: "https://example.com/", Text: "- main [ref=e1]"})
	if want := "url: https://example.com/\n\n- main [ref=e1]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// byRule is the walk as the strategies page states it, one rule a call, on what
// is left of both texts from a and b on.
func byRule(before, after []string, a, b int) []edit {
	rest := func(i, j int, e ...edit) []edit { return append(e, byRule(before, after, i, j)...) }
	switch {
	case a == len(before) && b == len(after):
		return nil
	case a == len(before):
		return rest(a, b+1, edit{strategy.Added, -1, b})
	case b == len(after):
		return rest(a+1, b, edit{strategy.Removed, a, -1})
	case before[a] == after[b]:
		return rest(a+1, b+1, edit{strategy.Same, a, b})
	}
	add, remove := slices.Index(after[b:], before[a]), slices.Index(before[a:], after[b])
	switch {
	case add < 0 && remove < 0:
		return rest(a+1, b+1, edit{strategy.Removed, a, -1}, edit{strategy.Added, -1, b})
	case remove < 0 || add >= 0 && add <= remove:
		return append(byRule(nil, after[:b+add], 0, b), rest(a, b+add)...)
	}
	return append(byRule(before[:a+remove], nil, a, 0), rest(a+remove, b)...)
}

func TestNearestDiffEqualsSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) []string {
			return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g"}), 0, 30).Draw(t, label)
		}
		a, b := draw("a"), draw("b")
		got := nearestDiff(a, b)
		if diff := cmp.Diff(fmt.Sprint(byRule(a, b, 0, 0)), fmt.Sprint(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// The output is what an element-by-element rendering gives.
func TestPassmarkRenderEqualsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := strategytest.Aria(t, "before")
		after := strategytest.Mutate(t, before)
		context := rapid.IntRange(0, 3).Draw(t, "context")
		in := strategytest.Against(before, after)
		v := Passmark.Apply(in, Passmark.Values(strategy.Values{"context": float64(context), "min_savings": 0}))
		strategytest.Check(t, in, v)
		if v.Kind != strategy.KindDelta {
			return
		}
		a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
		edits := byRule(a, b, 0, 0)
		var body []string
		added, removed := 0, 0
		for i, e := range edits {
			near := false
			for k := i - context; k <= i+context; k++ {
				near = near || k >= 0 && k < len(edits) && edits[k].mark != strategy.Same
			}
			switch {
			case !near && len(body) > 0 && body[len(body)-1] == "...":
			case !near:
				body = append(body, "...")
			case e.mark == strategy.Added:
				body, added = append(body, "+ "+b[e.b]), added+1
			case e.mark == strategy.Removed:
				body, removed = append(body, "- "+a[e.a]), removed+1
			default:
				body = append(body, "  "+b[e.b])
			}
		}
		want := fmt.Sprintf("[delta snapshot: +%d lines added, -%d lines removed]\n\n", added, removed) + strings.Join(body, "\n")
		if diff := cmp.Diff(want, v.Text); diff != "" {
			t.Fatal(diff)
		}
	})
}
