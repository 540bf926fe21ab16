package delta

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/internal/strategytest"
	"snapscope/snapshot/strategy/published"
	"snapscope/snapshot/token"
)

const deltaBefore = `- generic [active] [ref=e1]:
  - main [ref=e2]:
    - status [ref=e3]: 0 selected
    - button "Delete" [disabled] [ref=e4]
    - paragraph:
      - text: Ten leads
      - link "Help" [ref=e5] [cursor=pointer]:
        - /url: /help
    - table "Leads" [ref=e6]:
      - row "Ada Byron Won" [ref=e7]:
        - checkbox "Select Ada Byron" [ref=e8]
        - cell "Ada Byron" [ref=e9]
      - row "Ben Okri Open" [ref=e10]:
        - checkbox "Select Ben Okri" [ref=e11]
        - cell "Ben Okri" [ref=e12]
      - row "Cy Young Lost" [ref=e13]:
        - checkbox "Select Cy Young" [ref=e14]
        - cell "Cy Young" [ref=e15]
      - row "Di Prima Open" [ref=e16]:
        - checkbox "Select Di Prima" [ref=e17]
        - cell "Di Prima" [ref=e18]
  - contentinfo [ref=e19]: v1`

const deltaAfter = `- generic [ref=e1]:
  - main [ref=e2]:
    - status [ref=e3]: 1 selected
    - button "Delete" [ref=e4]
    - paragraph:
      - text: Four leads
      - link "Help" [ref=e5] [cursor=pointer]:
        - /url: /help#leads
    - table "Leads" [ref=e6]:
      - row "Di Prima Open" [ref=e16]:
        - checkbox "Select Di Prima" [ref=e17]
        - cell "Di Prima" [ref=e18]
      - row "Ada Byron Won" [ref=e7]:
        - checkbox "Select Ada Byron" [checked] [active] [ref=e8]
        - cell "Ada Byron Lovelace" [ref=e9]
      - row "Eve Babitz New" [ref=e21]:
        - checkbox "Select Eve Babitz" [ref=e22]
        - cell "Eve Babitz" [ref=e23]
      - row "Cy Young Lost" [ref=e13]:
        - checkbox "Select Cy Young" [ref=e24]
        - cell "Cy Young" [ref=e25]
  - contentinfo [ref=e19]: v1`

const deltaWant = `[page delta: ~ changed, ^ moved, = new ref]
focus e8
@e2 main
~ status [ref=e3]: 1 selected
~ button "Delete" [ref=e4]
@e2+3
~ text: Four leads
@e5 link "Help"
~ /url: /help#leads
@e6 table "Leads"
^ e16 row "Di Prima Open"
@e7 row "Ada Byron Won"
~ checkbox "Select Ada Byron" [checked] [ref=e8]
~ cell "Ada Byron Lovelace" [ref=e9]
~e10 row "Eve Babitz New" [ref=e21]:
~e11 checkbox "Select Eve Babitz" [ref=e22]
~e12 cell "Eve Babitz" [ref=e23]
@e13 row "Cy Young Lost"
= e14 → e24, e15 → e25
x e16 row "Di Prima Open" (moved)`

func TestDeltaReads(t *testing.T) {
	d := makeDelta(deltaBefore, deltaAfter, Strategy.Values(nil))
	if diff := cmp.Diff(deltaWant, d.text); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
	if got, err := applyDelta(deltaBefore, d.text); err != nil || got != deltaAfter {
		t.Errorf("%v\n%s", err, cmp.Diff(deltaAfter, got))
	}
}

// Every form that the notation tells of, written by hand, does what it says.
func TestDeltaNotation(t *testing.T) {
	page := strings.Join([]string{
		`- main [ref=e1]:`, `  - button "Go" [active] [ref=e2]`, `  - list [ref=e3]:`, `    - item [ref=e4]: a`, `    - item [ref=e5]: b`,
		`    - text: c`, `    - item [ref=e6]: d`, `  - link "Home" [ref=e7]:`, `    - /url: /`, `  - text: end`, `loose`,
	}, "\n")
	for _, tt := range []struct{ delta, want string }{
		{"focus e7", strings.NewReplacer(" [active]", "", `"Home"`, `"Home" [active]`).Replace(page)},
		{"focus none", strings.Replace(page, " [active]", "", 1)},
		{"indent e3 +2", strings.NewReplacer("  - list", "    - list", "    - item", "      - item", "    - text: c", "      - text: c").Replace(page)},
		{"indent e4..e5 -2", strings.NewReplacer("    - item [ref=e4]", "  - item [ref=e4]", "    - item [ref=e5]", "  - item [ref=e5]").Replace(page)},
		{"@e3 list\n+ item [ref=e8]: z", strings.Replace(page, "    - item [ref=e4]", "    - item [ref=e8]: z\n    - item [ref=e4]", 1)},
		{"@e3+2\n+ item [ref=e8]:\n    text: y", strings.Replace(page, "    - text: c", "    - item [ref=e8]:\n      - text: y\n    - text: c", 1)},
		{"@after e3\n+ text: more", strings.Replace(page, "  - link", "  - text: more\n  - link", 1)},
		{"@line 10\n+:very\n+|  quite", strings.Replace(page, "loose", "very\n  quite\nloose", 1)},
		{"~ button \"Stop\" [ref=e2]", strings.Replace(page, `"Go" [active]`, `"Stop"`, 1)},
		{"@after e7\n~ text: the end", strings.Replace(page, "text: end", "text: the end", 1)},
		{"~e5 item [ref=e9]: b", strings.Replace(page, "e5", "e9", 1)},
		{"= e4 → e8, e5 → e9", strings.NewReplacer("e4", "e8", "e5", "e9").Replace(page)},
		{"x e4..e5\n+ item [ref=e8]: z", strings.Replace(page, "    - item [ref=e4]: a\n    - item [ref=e5]: b", "    - item [ref=e8]: z", 1)},
		{"@e3 list\n+   group [ref=e8]:\n      text: deep\n+ item [ref=e9]: z", strings.Replace(page, "    - item [ref=e4]", "      - group [ref=e8]:\n        - text: deep\n    - item [ref=e9]: z\n    - item [ref=e4]", 1)},
		{"= e4 → e8, e5 → e9\n+ text: as deep as e5", strings.Replace(strings.NewReplacer("e4", "e8", "e5", "e9").Replace(page), "    - text: c", "    - text: as deep as e5\n    - text: c", 1)},
		{"~ list \"L\" [ref=e3]:\n+ text: as deep as e3", strings.Replace(page, "  - list [ref=e3]:", "  - list \"L\" [ref=e3]:\n  - text: as deep as e3", 1)},
		{"x e4..e5 (moved)\n@after e3\n^ e4..e5", strings.Replace(strings.Replace(page, "    - item [ref=e4]: a\n    - item [ref=e5]: b\n", "", 1), "  - link", "    - item [ref=e4]: a\n    - item [ref=e5]: b\n  - link", 1)},
		{"x e4*3", strings.Replace(page, "    - item [ref=e4]: a\n    - item [ref=e5]: b\n    - text: c\n", "", 1)},
		{"@e3+2\nx 1 text: c", strings.Replace(page, "    - text: c\n", "", 1)},
		{"@e3 list\n^ e6 item: d\nx e6 item: d (moved)", strings.Replace(strings.Replace(page, "    - item [ref=e6]: d\n", "", 1), "    - item [ref=e4]", "    - item [ref=e6]: d\n    - item [ref=e4]", 1)},
	} {
		got, err := applyDelta(page, deltaHead+"]\n"+tt.delta)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", tt.delta, err, diff)
		}
		for line := range strings.SplitSeq(tt.delta, "\n") {
			if sign := strings.TrimRight(line[:1], " "); !strings.Contains(grammar, "\n"+sign) {
				t.Errorf("the notation does not tell of %q", line)
			}
		}
	}
}

// A message beside the content makes the element that holds both worth a line,
// and all lines stand deeper; gone again, they stand as before.
func TestDeltaSaysThatThePageMovedIn(t *testing.T) {
	inner := strings.Split(deltaBefore, "\n")
	wrapped := []string{"- generic [active] [ref=w1]:"}
	for _, l := range withoutFocus(inner) {
		wrapped = append(wrapped, "  "+l)
	}
	wrapped = append(wrapped, "  - alert [ref=w2]: Saved")
	plain, moved := strings.Join(inner, "\n"), strings.Join(wrapped, "\n")
	for _, tt := range []struct{ name, before, after, want string }{
		{"in", plain, moved, "[page delta: + new]\nfocus w1\nindent e1 +2\n+ generic [ref=w1]:\n@after e1\n+ alert [ref=w2]: Saved"},
		{"out", moved, plain, "[page delta: x gone]\nfocus e1\nindent e1 -2\nx w1 generic\n@e1\nx w2 alert"},
		{
			"in, and the siblings between", "- list [ref=e1]:\n  - item [ref=e2]:\n    - link [ref=e3]\n  - text: and\n  - item [ref=e4]: a\n  - item [ref=e5]: b\n  - item [ref=e6]: c",
			"- list [ref=e1]:\n  - group [ref=e7]:\n    - item [ref=e2]:\n      - link [ref=e3]\n    - text: and\n    - item [ref=e4]: a\n    - item [ref=e5]: b\n  - item [ref=e6]: c",
			"[page delta: + new]\nindent e2..e5 +2\n@e1 list\n+ group [ref=e7]:",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := makeDelta(tt.before, tt.after, Strategy.Values(nil))
			if diff := cmp.Diff(tt.want, d.text); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
			if got, err := applyDelta(tt.before, d.text); err != nil || got != tt.after {
				t.Errorf("%v\n%s", err, cmp.Diff(tt.after, got))
			}
		})
	}
}

func TestDeltaGivesThePageBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := strategytest.Aria(t, "before")
		after := strategytest.Mutate(t, before)
		if rapid.IntRange(0, 9).Draw(t, "unrelated") == 0 {
			after = strategytest.Aria(t, "after")
		}
		v := Strategy.Values(strategy.Values{
			"min_savings": 0, "ignore_focus": float64(rapid.IntRange(0, 1).Draw(t, "focus")), "ancestors": float64(rapid.IntRange(0, 4).Draw(t, "ancestors")),
		})
		d := makeDelta(before, after, v)
		got, err := applyDelta(before, d.text)
		if err != nil || got != after {
			t.Fatalf("%v\ngot:\n%s\nwant:\n%s\ndelta:\n%s\nbefore:\n%s", err, got, after, d.text, before)
		}
	})
}

// subtreeEnd is the line behind what is indented deeper than line i; blank lines
// belong to what they stand in.
func subtreeEnd(lines []string, i int) int {
	end := i + 1
	for j := i + 1; j < len(lines); j++ {
		d := notation.Indent(lines[j])
		if d == len(lines[j]) {
			continue
		}
		if d <= notation.Indent(lines[i]) {
			break
		}
		end = j + 1
	}
	return end
}

// What pages do: subtrees go, come, move and get new refs, states change, focus
// moves, wrappers come and go.
func TestDeltaOnLivingTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := strategytest.Rows(t)
		lines := strings.Split(before, "\n")
		for step := range rapid.IntRange(1, 6).Draw(t, "steps") {
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			end := subtreeEnd(lines, i)
			tree := slices.Clone(lines[i:end])
			ref := notation.Own(lines[i], "")
			switch rapid.IntRange(0, 7).Draw(t, "what") {
			case 0:
				lines = slices.Delete(slices.Clone(lines), i, end)
			case 1, 2: // moved, or come anew
				if step%2 == 0 {
					lines = slices.Delete(slices.Clone(lines), i, end)
				} else {
					for k := range tree {
						tree[k] = strings.Replace(tree[k], "[ref=e", "[ref=f"+string(rune('a'+step)), 1)
					}
				}
				at := rapid.IntRange(0, len(lines)).Draw(t, "to")
				lines = slices.Insert(slices.Clone(lines), at, tree...)
			case 3:
				for k := i; k < end; k++ {
					lines[k] = strings.Replace(lines[k], "[ref=e", "[ref=g"+string(rune('a'+step)), 1)
				}
			case 4:
				lines[i] = strings.Replace(lines[i], " [ref=", " [checked] [ref=", 1)
			case 5:
				lines = withoutFocus(lines)
				if ref != "" {
					lines = slices.Clone(lines)
					lines[i] = focused(lines[i])
				}
			case 6: // a wrapper around some siblings
				for range rapid.IntRange(0, 2).Draw(t, "siblings") {
					if end < len(lines) && notation.Indent(lines[end]) == notation.Indent(lines[i]) {
						end = subtreeEnd(lines, end)
					}
				}
				in := []string{strings.Repeat(" ", notation.Indent(lines[i])) + "- generic [ref=w" + string(rune('a'+step)) + "]:"}
				for _, l := range lines[i:end] {
					in = append(in, "  "+l)
				}
				lines = slices.Replace(slices.Clone(lines), i, end, in...)
			case 7: // what a line held stands alone
				var out []string
				for _, l := range lines[i+1 : end] {
					out = append(out, strings.TrimPrefix(l, "  "))
				}
				lines = slices.Replace(slices.Clone(lines), i, end, out...)
			}
			if len(lines) == 0 {
				lines = []string{""}
			}
		}
		after := strings.Join(lines, "\n")
		d := makeDelta(before, after, Strategy.Values(strategy.Values{"ignore_focus": float64(rapid.IntRange(0, 1).Draw(t, "focus"))}))
		got, err := applyDelta(before, d.text)
		if err != nil || got != after {
			t.Fatalf("%v\ngot:\n%s\nwant:\n%s\ndelta:\n%s\nbefore:\n%s", err, got, after, d.text, before)
		}
	})
}

// recorded are pairs of snapshots as a session makes them.
func recorded(t testing.TB) map[string][2]string {
	t.Helper()
	s := strategytest.Snapshots(t)
	table := s["table500.aria"]
	lines := strings.Split(table, "\n")
	rows := func(from, to int) string { // the table filtered to some of its rows
		head, body := lines[:24], lines[24:]
		return strings.Join(append(append([]string(nil), head...), body[9*from:9*to]...), "\n")
	}
	tick := strings.NewReplacer(
		"- generic [active] [ref=e1]", "- generic [ref=e1]", "[ref=e11]: 0 selected", "[ref=e11]: 1 selected",
		`"Select order 1003" [ref=e42]`, `"Select order 1003" [checked] [active] [ref=e42]`,
	)
	return map[string][2]string{
		"save a lead":     {s["leads-before.aria"], s["leads-after.aria"]},
		"form errors":     {s["form.aria"], s["form-errors.aria"]},
		"tick a row":      {table, tick.Replace(table)},
		"untick a row":    {tick.Replace(table), table},
		"filter a table":  {table, rows(40, 45)},
		"another filter":  {rows(40, 45), rows(44, 60)},
		"filter away":     {rows(40, 45), table},
		"another page":    {s["form.aria"], s["widgets.aria"]},
		"a tree of uids":  {s["table.uid"], strings.Replace(s["table.uid"], "uid=1_20", "uid=1_900", 1)},
		"a hostile page":  {s["hostile.txt"], strings.Replace(s["hostile.txt"], "e", "E", 5)},
		"nothing happens": {table, table},
	}
}

func TestDeltaOnRecordedPairs(t *testing.T) {
	counter, err := token.New("")
	if err != nil {
		t.Fatal(err)
	}
	total := map[string]int{}
	for name, pair := range recorded(t) {
		in := strategytest.Against(pair[0], pair[1])
		in.Count = counter.Count
		v := Strategy.Apply(in, Strategy.Values(nil))
		strategytest.Check(t, in, v)
		if got, err := applyDelta(pair[0], v.Text); err != nil || got != pair[1] {
			t.Errorf("%s: %v\n%s", name, err, v.Text)
		}
		total["delta"] += counter.Count(v.Text)
		for _, s := range []*strategy.Strategy{published.Passmark, published.ResponseDiff, published.Incremental} {
			v := s.Apply(in, s.Values(nil))
			total[s.Name] += counter.Count(v.Text)
		}
	}
	for name, n := range total {
		if name != "delta" && n <= total["delta"] {
			t.Errorf("%s takes %d tokens, delta %d", name, n, total["delta"])
		}
	}
}

func TestDeltaVerdicts(t *testing.T) {
	focusMoved := strings.Replace(strings.Replace(deltaBefore, "generic [active]", "generic", 1), `Okri" [ref=e11]`, `Okri" [active] [ref=e11]`, 1)
	for _, tt := range []struct {
		name, before, after string
		set                 []string
		kind                strategy.Kind
		reason              string
	}{
		{"same", deltaBefore, deltaBefore, nil, strategy.KindUnchanged, "equal to the snapshot before → unchanged"},
		{"focus", deltaBefore, focusMoved, nil, strategy.KindUnchanged, "only the focus moved, ignore_focus is on → unchanged"},
		{"focus counts", deltaBefore, focusMoved, []string{"ignore_focus=false"}, strategy.KindDelta, "saved"},
		{"changes", deltaBefore, deltaAfter, nil, strategy.KindDelta, "≥ 5 % → delta"},
		{"saves too little", deltaBefore, deltaAfter, []string{"min_savings=0.9"}, strategy.KindFull, "< 90 % → full"},
		{"other page", "- main:\n  - text: a", deltaAfter, nil, strategy.KindFull, "a delta would save −"},
		{"page like a delta", deltaBefore, "[page delta: x]\nfoo", nil, strategy.KindDelta, "the page begins as a delta does"},
		{"page like unchanged", deltaSame, deltaSame, nil, strategy.KindDelta, "the page begins as a delta does"},
		{"no aria", "<p>\n" + strings.Repeat("<b>x</b>\n", 40), "<p>\n" + strings.Repeat("<b>x</b>\n", 39) + "<i>y</i>\n", nil, strategy.KindDelta, "taken line by line"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := strategytest.Against(tt.before, tt.after)
			v := strategytest.Apply(t, Strategy, in, tt.set...)
			strategytest.Check(t, in, v)
			if v.Kind != tt.kind || !strings.Contains(v.Reason(), tt.reason) {
				t.Errorf("%s: %s", v.Kind, v.Reason())
			}
			if got, err := applyDelta(tt.before, v.Text); err != nil || got != tt.after {
				t.Errorf("%v\n%s", err, v.Text)
			}
		})
	}
	if v := strategytest.Apply(t, Strategy, strategytest.Page(deltaAfter)); v.Kind != strategy.KindFull || v.Reason() != "no snapshot of this document before → full" || v.Text != deltaAfter {
		t.Errorf("with no base: %+v", v)
	}
}

func TestDeltaOnBadInput(t *testing.T) {
	texts := strategytest.Bad()
	for a, before := range texts {
		for b, after := range texts {
			in := strategytest.Against(before, after)
			v := strategytest.Apply(t, Strategy, in, "min_savings=0")
			strategytest.Check(t, in, v)
			if got, err := applyDelta(before, v.Text); err != nil || got != after {
				t.Errorf("%s → %s: %v", a, b, err)
			}
		}
	}
}

func TestDeltaBase(t *testing.T) {
	past := []strategy.Moment{
		{Tab: 0, Document: "a", URL: "http://x/1"},
		{Tab: 1, Document: "b", URL: "http://x/2"},
		{Tab: 0, Document: "c", URL: "http://x/3"},
	}
	unknown := []strategy.Moment{{URL: "http://x/1#top"}}
	for _, tt := range []struct {
		name string
		past []strategy.Moment
		now  strategy.Moment
		want int
	}{
		{"first", nil, strategy.Moment{Document: "a"}, -1},
		{"same document", past, strategy.Moment{Tab: 0, Document: "c", AgentStep: 4}, 2},
		{"another document in the tab", past, strategy.Moment{Tab: 0, Document: "a"}, -1},
		{"back in the other tab", past, strategy.Moment{Tab: 1, Document: "b"}, 1},
		{"new tab", past, strategy.Moment{Tab: 2, Document: "b"}, -1},
		{"documents unknown, same page", unknown, strategy.Moment{URL: "http://x/1#end", Tool: "click"}, 0},
		{"documents unknown, reload", unknown, strategy.Moment{URL: "http://x/1", Tool: "reload"}, -1},
		{"documents unknown, another page", unknown, strategy.Moment{URL: "http://x/2", Tool: "click"}, -1},
	} {
		if got := deltaBase(tt.past, tt.now, nil); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestPatchErrors(t *testing.T) {
	for _, tt := range []struct{ delta, want string }{
		{"[page delta: ]\n? what", `delta line 2: "? what" has no sign`},
		{"[page delta: ]\n@e99 main", `delta line 2: the page has no "e99"`},
		{"[page delta: ]\n@line 99", `delta line 2: "line 99" is behind the page's end`},
		{"[page delta: ]\n@e1+x", `delta line 2: "x" is no number of lines`},
		{"[page delta: ]\nx e99", `delta line 2: "x e99" names nothing to remove`},
		{"[page delta: ]\nx 9999999999999999999", `names nothing to remove`},
		{"[page delta: ]\n^ 3", `names nothing to move`},
		{"[page delta: ]\n~e99 button", `has no "e99" here to change`},
		{"[page delta: ]\n~button", `has no space behind its sign`},
		{"[page delta: ]\n= e1-e2", `gives no element here a new ref`},
		{"[page delta: ]\nfocus e99", `delta line 2: the page has no "e99" to focus`},
		{"[page delta: ]\nindent e99 +2", `delta line 2: "e99 +2" names nothing to indent`},
		{"[page delta: ]\nindent e1 2x", `delta line 2: "e1 2x" names nothing to indent`},
		{"[page delta: ]\nfocus e1\nindent e2 -4", `delta line 3: line 2 of the page cannot be moved out by 4`},
		{"[page delta: ]\n+x", `has no space behind its sign`},
	} {
		_, err := applyDelta(deltaBefore, tt.delta)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v", tt.delta, err)
		}
	}
}

func TestFocusMark(t *testing.T) {
	for _, line := range []string{
		`- generic [active] [ref=e1]:`, `  - checkbox "a [active] b" [checked=mixed] [disabled] [expanded] [active] [invalid] [ref=e1]`,
		`- 'link "x: y" [active] [ref=e2] [cursor=pointer]':`,
	} {
		bare, ok := unfocused(line)
		if !ok || focused(bare) != line || strings.Count(bare, "[active]") != strings.Count(line, "[active]")-1 {
			t.Errorf("%s became %s, %v", line, bare, ok)
		}
	}
	for _, line := range []string{"- text: an [active] word", "- heading [level=2] [active] [ref=e1]", "", "[active]"} {
		if bare, ok := unfocused(line); ok {
			t.Errorf("%s became %s", line, bare)
		}
	}
}

func FuzzDelta(f *testing.F) {
	f.Add(deltaBefore, deltaAfter, uint8(0))
	for _, text := range strategytest.Bad() {
		if len(text) < 4096 {
			f.Add(text, deltaAfter, uint8(1))
			f.Add(deltaAfter, text, uint8(2))
		}
	}
	f.Fuzz(func(t *testing.T, before, after string, n uint8) {
		v := Strategy.Values(strategy.Values{"min_savings": 0, "ignore_focus": float64(n % 2), "ancestors": float64(n / 2 % 8)})
		d := makeDelta(before, after, v)
		if got, err := applyDelta(before, d.text); err != nil || got != after {
			t.Fatalf("%v\ngot  %q\nwant %q\n%s", err, got, after, d.text)
		}
		in := strategytest.Against(before, after)
		strategytest.Check(t, in, Strategy.Apply(in, v))
	})
}

func FuzzPatch(f *testing.F) {
	f.Add(deltaBefore, deltaWant)
	f.Add(deltaBefore, "[page delta: ]\nindent e2 +2, e4..e6 -2\n+ x")
	f.Add("- a [ref=e1]", "[page delta: ]\n@after e1+2\n+| x\n  y\nx e1*2\nx e1..e1\n^ e1")
	f.Fuzz(func(t *testing.T, before, d string) {
		after, err := applyDelta(before, d)
		if err == nil && !isDelta(d) && after != d {
			t.Fatalf("a full page became %q", after)
		}
	})
}

// applyDelta gives a page back from its base; a text that is no delta is one.
func applyDelta(before, delta string) (string, error) {
	if !isDelta(delta) {
		return delta, nil
	}
	return patch(strings.Split(before, "\n"), nil, delta)
}
