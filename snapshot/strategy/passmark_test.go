package strategy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The worked example of seed 000, with rows around it so that the saving is
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
	got := apply(t, passmark, against(leads("unchecked"), leads("checked")))
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
	if got.Kind != KindDelta || !got.NeedsBase || !strings.Contains(got.Reason(), "≥ 20 % → delta") {
		t.Errorf("kind %s, reason %q", got.Kind, got.Reason())
	}
	wantLines := []Line{
		{Message, -1}, {Message, -1}, {Gap, -1}, {Same, 4}, {Same, 5}, {Removed, -1}, {Added, 6}, {Same, 7}, {Same, 8}, {Gap, -1},
	}
	if diff := cmp.Diff(wantLines, got.Lines); diff != "" {
		t.Error(diff)
	}
}

func TestPassmarkOrderOfRules(t *testing.T) {
	long := strings.Repeat("- listitem: same\n", 40)
	for _, c := range []struct {
		name   string
		in     Input
		set    []string
		kind   Kind
		reason string
	}{
		{"no baseline", page(long), nil, KindFull, "no baseline → full"},
		{"equal", against(long, long), nil, KindUnchanged, "equal to the baseline → unchanged"},
		{"equal but for the ends", against("\ufeff\n "+long, long+"\r\n\u00a0"), nil, KindUnchanged, "equal to the baseline → unchanged"},
		{"next line is no white space to JavaScript", against(long, long+"\u0085"), nil, KindDelta, "→ delta"},
		{"small", against("- a\n- b", "- a\n- c"), nil, KindFull, "diff would save −885.7 % < 20 % → full"},
		{"nothing asked", against(long, long+"- x"), []string{"min_savings=0"}, KindDelta, "≥ 0 % → delta"},
		{"page emptied", against(long, ""), nil, KindFull, "diff would save −∞ % < 20 % → full"},
		{"both blank", against("\n", " "), nil, KindUnchanged, "unchanged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := apply(t, passmark, c.in, c.set...)
			if v.Kind != c.kind || !strings.Contains(v.Reason(), c.reason) {
				t.Errorf("%s, %q; want %s, %q", v.Kind, v.Reason(), c.kind, c.reason)
			}
			switch v.Kind {
			case KindFull:
				if v.Text != c.in.Page.Text {
					t.Errorf("full text is %q", v.Text)
				}
			case KindUnchanged:
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
		v := apply(t, passmark, against(text(fill, "- old"), text(fill, last)))
		full := jsLen(text(fill, last))
		sent := jsLen("[delta snapshot: +1 lines added, -1 lines removed]\n\n...\n  - x\n  - x\n- - old\n+ " + last)
		want := KindDelta
		if 5*(full-sent) < full { // saving < 1/5, in whole numbers
			want = KindFull
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
	v := apply(t, passmark, against(before, after))
	want := Fact{"full", "255 characters"}
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
			case Same:
				got = append(got, "="+a[e.a])
			case Added:
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
	greedy := apply(t, passmark, against(before, after), "context=0")
	lcs := apply(t, passmark, against(before, after), "context=0", "algorithm=lcs")
	if want := "[delta snapshot: +1 lines added, -1 lines removed]\n\n- - a\n...\n+ - a\n..."; lcs.Text != want {
		t.Errorf("lcs: %q", lcs.Text)
	}
	if want := "[delta snapshot: +1 lines added, -1 lines removed]\n\n- - a\n...\n+ - a\n..."; greedy.Text != want {
		t.Errorf("greedy: %q", greedy.Text)
	}
	before, after = "- a\n- x\n- b\n- c"+tail, "- q\n- r\n- b\n- c\n- a"+tail
	greedy = apply(t, passmark, against(before, after), "context=0")
	lcs = apply(t, passmark, against(before, after), "context=0", "algorithm=lcs")
	if !strings.HasPrefix(greedy.Text, "[delta snapshot: +4 lines added, -3 lines removed]") || !strings.HasPrefix(lcs.Text, "[delta snapshot: +3 lines added, -2 lines removed]") {
		t.Errorf("greedy %.60q, lcs %.60q", greedy.Text, lcs.Text)
	}
}

func TestPassmarkBase(t *testing.T) {
	m := func(tool string, tab int, doc string, agent int) Moment {
		return Moment{Tool: tool, Tab: tab, Document: doc, AgentStep: agent}
	}
	for _, c := range []struct {
		name                       string
		past                       []Moment
		now                        Moment
		tools, document, published int
	}{
		{"first", nil, m("click", 0, "d1", 1), -1, -1, -1},
		{"click", []Moment{m("goto", 0, "d1", 1), m("click", 0, "d1", 1)}, m("click", 0, "d1", 1), 1, 1, 1},
		{"goto", []Moment{m("click", 0, "d1", 1)}, m("goto", 0, "d2", 1), -1, -1, -1},
		{"goto within the document", []Moment{m("click", 0, "d1", 1)}, m("goto", 0, "d1", 1), -1, 0, -1},
		{"reload", []Moment{m("click", 0, "d1", 1)}, m("reload", 0, "d2", 1), -1, -1, -1},
		{"back", []Moment{m("click", 0, "d1", 1)}, m("back", 0, "d2", 1), -1, -1, -1},
		{"forward", []Moment{m("click", 0, "d1", 1)}, m("forward", 0, "d2", 1), -1, -1, -1},
		{"a click that navigates", []Moment{m("click", 0, "d1", 1)}, m("click", 0, "d2", 1), 0, -1, 0},
		{"tab switch", []Moment{m("click", 0, "d1", 1)}, m("tab", 1, "d1", 1), 0, -1, 0},
		{"new agent step", []Moment{m("click", 0, "d1", 1)}, m("click", 0, "d1", 2), -1, -1, -1},
		{"after a navigation", []Moment{m("goto", 0, "d1", 1)}, m("click", 0, "d1", 1), 0, 0, 0},
		{"asked for", []Moment{m("goto", 0, "d1", 1)}, m("snapshot", 0, "d1", 1), 0, 0, -1},
		{"failed", []Moment{m("goto", 0, "d1", 1)}, Moment{Tool: "click", Document: "d1", AgentStep: 1, Failed: true}, 0, 0, -1},
	} {
		for mode, want := range map[string]int{"tools": c.tools, "document": c.document, "published": c.published} {
			v := passmark.Values(nil)
			if err := passmark.Set(v, "reset="+mode); err != nil {
				t.Fatal(err)
			}
			if got := passmark.Base(c.past, c.now, v); got != want {
				t.Errorf("%s, reset %s: base %d, want %d", c.name, mode, got, want)
			}
		}
	}
}

func TestPassmarkBaseWithoutDocuments(t *testing.T) {
	v := passmark.Values(Values{"reset": resetDocument})
	past := []Moment{{URL: "https://a/x#top"}}
	if got := passmark.Base(past, Moment{URL: "https://a/x#end"}, v); got != 0 {
		t.Errorf("another fragment: base %d, want 0", got)
	}
	if got := passmark.Base(past, Moment{URL: "https://a/y"}, v); got != -1 {
		t.Errorf("another page: base %d, want -1", got)
	}
}

func TestPassmarkCompose(t *testing.T) {
	got := passmark.Compose(Page{URL: "https://example.com/", Text: "- main [ref=e1]"})
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
		return rest(a, b+1, edit{Added, -1, b})
	case b == len(after):
		return rest(a+1, b, edit{Removed, a, -1})
	case before[a] == after[b]:
		return rest(a+1, b+1, edit{Same, a, b})
	}
	add, remove := slices.Index(after[b:], before[a]), slices.Index(before[a:], after[b])
	switch {
	case add < 0 && remove < 0:
		return rest(a+1, b+1, edit{Removed, a, -1}, edit{Added, -1, b})
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
		before := genAria(t, "before")
		after := mutate(t, before)
		context := rapid.IntRange(0, 3).Draw(t, "context")
		in := against(before, after)
		v := passmark.Apply(in, passmark.Values(Values{"context": float64(context), "min_savings": 0}))
		checkVerdict(t, in, v)
		if v.Kind != KindDelta {
			return
		}
		a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
		edits := byRule(a, b, 0, 0)
		var body []string
		added, removed := 0, 0
		for i, e := range edits {
			near := false
			for k := i - context; k <= i+context; k++ {
				near = near || k >= 0 && k < len(edits) && edits[k].mark != Same
			}
			switch {
			case !near && len(body) > 0 && body[len(body)-1] == "...":
			case !near:
				body = append(body, "...")
			case e.mark == Added:
				body, added = append(body, "+ "+b[e.b]), added+1
			case e.mark == Removed:
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
