package budget

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/snapshot"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/internal/strategytest"
	"snapscope/snapshot/token"
)

func counter(t *testing.T) func(string) int {
	t.Helper()
	c, err := token.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	return c.Count
}

var (
	headElements = regexp.MustCompile(`(?m)^# Elements: (\d+) of (\d+) \(truncated, prioritized by interactivity\)$`)
	headTokens   = regexp.MustCompile(`(?m)^# Tokens: ~([\d,]+) \(estimated\)$`)
)

// header reads the two figures of a header.
func header(t *testing.T, text string) (elements, total, tokens int) {
	t.Helper()
	e, k := headElements.FindStringSubmatch(text), headTokens.FindStringSubmatch(text)
	if e == nil || k == nil {
		t.Fatalf("no header: %.200s", text)
	}
	elements, _ = strconv.Atoi(e[1])
	total, _ = strconv.Atoi(e[2])
	tokens, _ = strconv.Atoi(strings.ReplaceAll(k[1], ",", ""))
	return elements, total, tokens
}

func TestBudgetHoldsItsLimits(t *testing.T) {
	real := counter(t)
	in := strategy.Input{Page: strategy.Page{Text: strategytest.Homes(), URL: "https://homes.example.com/list"}, Count: real}
	if o := readTree(in.Page); o.Elements() != 5538 {
		t.Fatalf("the page has %d elements", o.Elements())
	}
	for _, set := range [][]string{
		nil,
		{"interactive_only=false"},
		{"max_elements=1"},
		{"max_elements=1000"},
		{"max_elements=1000", "max_tokens=50000"},
		{"max_tokens=1000", "interactive_only=false"},
		{"estimator=formula"},
		{"estimator=flat15"},
		{"estimator=formula", "max_elements=1000", "max_tokens=50000", "interactive_only=false"},
	} {
		t.Run(strings.Join(set, " "), func(t *testing.T) {
			v := strategytest.Apply(t, Strategy, in, set...)
			strategytest.Check(t, in, v)
			knobs := Strategy.Values(nil)
			for _, s := range set {
				if err := Strategy.Set(knobs, s); err != nil {
					t.Fatal(err)
				}
			}
			elements, total, tokens := header(t, v.Text)
			if refs := strings.Count(v.Text, "[ref="); refs != elements || refs > knobs.Int("max_elements") || total != 5538 {
				t.Errorf("%d refs, header says %d of %d", refs, elements, total)
			}
			if n := real(v.Text); n != tokens || n > knobs.Int("max_tokens") {
				t.Errorf("%d tokens, header says %d, limit %d", n, tokens, knobs.Int("max_tokens"))
			}
			checkHierarchy(t, in, v)
		})
	}
}

// checkHierarchy holds that the kept lines stand in document order, each with
// the ancestors it has on the page and nothing else above it.
func checkHierarchy(t interface {
	Helper()
	Fatalf(string, ...any)
}, in strategy.Input, v strategy.Verdict,
) {
	t.Helper()
	o := readTree(in.Page)
	text := strings.Split(v.Text, "\n")
	kept := map[int]bool{}
	last := -1
	for i, l := range v.Lines {
		if l.Source < 0 {
			continue
		}
		if l.Source <= last {
			t.Fatalf("line %d of the page after line %d", l.Source, last)
		}
		last = l.Source
		kept[l.Source] = true
		if p := o.lines[l.Source].parent; p >= 0 && !kept[p] && o.lines[l.Source].kind != notation.OtherLine {
			t.Fatalf("line %d is kept without its parent %d", l.Source, p)
		}
		if l.Mark == strategy.Same && text[i] != o.Raw(l.Source) && text[i]+":" != o.Raw(l.Source) && text[i] != o.key(l.Source) {
			t.Fatalf("%q was %q", text[i], o.Raw(l.Source))
		}
	}
}

func TestBudgetHeader(t *testing.T) {
	in := strategy.Input{Page: strategy.Page{URL: "https://example.com/homes", Elements: 5538, Text: "- main [ref=e1]:\n  - text: gone\n  - heading \"Homes\" [level=1] [ref=e2]\n  - button \"Search\" [ref=e3]:\n    - img [ref=e4]"}, Count: strategytest.Words4}
	v := strategytest.Apply(t, Strategy, in)
	want := "# URL: https://example.com/homes\n" +
		"# Elements: 2 of 5538 (truncated, prioritized by interactivity)\n" +
		"# Tokens: ~43 (estimated)\n\n" +
		"- main [ref=e1]:\n  - button \"Search\" [ref=e3]"
	if diff := cmp.Diff(want, v.Text); diff != "" {
		t.Error(diff)
	}
	if n := strategytest.Words4(v.Text); n != 43 {
		t.Errorf("the text counts %d", n)
	}
	if want := "2 of 5,538 elements kept: 2 ≤ max_elements 300, 43 tokens of max_tokens 8,000; interactive_only left out 2 → truncated"; v.Reason() != want {
		t.Errorf("%q\nwant %q", v.Reason(), want)
	}
	wantGone := []strategy.Loss{{From: 1, To: 3, Rule: "interactive_only true", Knob: "interactive_only"}, {From: 4, To: 5, Rule: "interactive_only true", Knob: "interactive_only"}}
	if diff := cmp.Diff(wantGone, v.Gone); diff != "" {
		t.Error(diff)
	}
	wantLines := []strategy.Line{{Mark: strategy.Message, Source: -1}, {Mark: strategy.Message, Source: -1}, {Mark: strategy.Message, Source: -1}, {Mark: strategy.Message, Source: -1}, {Mark: strategy.Same, Source: 0}, {Mark: strategy.Same, Source: 3}}
	if diff := cmp.Diff(wantLines, v.Lines); diff != "" {
		t.Error(diff)
	}
}

func TestBudgetNothingLeftOut(t *testing.T) {
	text := "- main [ref=e1]:\n  - text: stays\n  - button \"Search\" [ref=e3]\n- text: loose\n"
	in := strategytest.Page(text)
	v := strategytest.Apply(t, Strategy, in, "interactive_only=false")
	if v.Kind != strategy.KindFull || v.Text != text || v.Lines != nil {
		t.Errorf("%s %q", v.Kind, v.Text)
	}
	in.Visited = []string{"Login", "Home"}
	in.Page.Title = "List\nof homes"
	v = strategytest.Apply(t, Strategy, in, "interactive_only=false")
	strategytest.Check(t, in, v)
	if want := "Navigation history: Login → Home → List of homes\n\n" + text; v.Kind != strategy.KindFull || v.Text != want {
		t.Errorf("%s %q", v.Kind, v.Text)
	}
	v = strategytest.Apply(t, Strategy, strategytest.Page(strategytest.Homes()), "full=true")
	if v.Kind != strategy.KindFull || v.Text != strategytest.Homes() {
		t.Errorf("full: %s", v.Reason())
	}
}

func TestBudgetScores(t *testing.T) {
	for role, want := range map[string]int{
		"button": 100, "textbox": 95, "searchbox": 95, "checkbox": 90, "radio": 90, "switch": 90, "combobox": 85, "listbox": 85,
		"slider": 85, "spinbutton": 85, "link": 80, "tab": 75, "option": 70, "menuitem": 70, "menuitemcheckbox": 70, "menuitemradio": 70,
		"heading": 0, "generic": 0,
	} {
		if got := score(role); got != want {
			t.Errorf("%s: %d, want %d", role, got, want)
		}
	}
	// Best score first, then document order; printed in document order.
	text := "- link \"a\" [ref=e1]\n- button \"b\" [ref=e2]\n- link \"c\" [ref=e3]\n- tab \"d\" [ref=e4]\n- generic [ref=e5] [cursor=pointer]: e"
	v := strategytest.Apply(t, Strategy, strategytest.Page(text), "max_elements=3")
	if got := body(v); got != "- link \"a\" [ref=e1]\n- button \"b\" [ref=e2]\n- link \"c\" [ref=e3]" {
		t.Error(got)
	}
	// The viewport is worth 50: a link in it goes before a button outside.
	in := strategytest.Page(text)
	in.Page.Viewport = snapshot.Size{W: 100, H: 100}
	in.Page.Boxes = map[string]snapshot.Box{"e2": {X: 0, Y: 500, W: 10, H: 10}, "e3": {X: 90, Y: 90, W: 50, H: 50}, "e5": {X: 0, Y: 0, W: 1, H: 1}}
	v = strategytest.Apply(t, Strategy, in, "max_elements=1")
	if got := body(v); got != "- link \"c\" [ref=e3]" {
		t.Error(got)
	}
	v = strategytest.Apply(t, Strategy, in, "viewport_only=true")
	if got := body(v); got != "- link \"c\" [ref=e3]\n- generic [ref=e5] [cursor=pointer]: e" {
		t.Error(got)
	}
	if !strings.Contains(v.Reason(), "viewport_only left out 3") {
		t.Error(v.Reason())
	}
	v = strategytest.Apply(t, Strategy, strategytest.Page(text), "viewport_only=true", "max_elements=2")
	if !strings.Contains(v.Reason(), "viewport_only has no effect: no boxes are known") {
		t.Error(v.Reason())
	}
	v = strategytest.Apply(t, Strategy, strategytest.Page("- link \"a\" [ref=e1] [box=0,900,10,10]\n- link \"b\" [ref=e2] [box=0,0,10,10]"), "viewport_only=true")
	if got := body(v); got != "- link \"b\" [ref=e2] [box=0,0,10,10]" {
		t.Error(got)
	}
}

// body is a verdict's text without its messages.
func body(v strategy.Verdict) string {
	var out []string
	for i, l := range strings.Split(v.Text, "\n") {
		if v.Lines == nil || v.Lines[i].Source >= 0 {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// An element without a name brings what names it; properties and text stay with
// theirs.
func TestBudgetElementsStayReadable(t *testing.T) {
	text := strings.Join([]string{
		`- list [ref=e1]:`,
		`  - listitem [ref=e2]:`,
		`    - link [ref=e3] [cursor=pointer]:`,
		`      - /url: /a`,
		`      - generic [ref=e4]:`,
		`        - img "Logo" [ref=e5]`,
		`      - generic [ref=e6]: more`,
		`  - listitem [ref=e7]:`,
		`    - button "Go" [ref=e8]:`,
		`      - img "arrow" [ref=e9]`,
		`  - listitem [ref=e10]:`,
		`    - textbox [ref=e11]:`,
		`      - /placeholder: Name`,
		`      - text: Ada`,
		`      - generic [ref=e12]: hint`,
	}, "\n")
	v := strategytest.Apply(t, Strategy, strategytest.Page(text))
	want := strings.Join([]string{
		`- list [ref=e1]:`,
		`  - listitem [ref=e2]:`,
		`    - link [ref=e3] [cursor=pointer]:`,
		`      - /url: /a`,
		`      - generic [ref=e4]:`,
		`        - img "Logo" [ref=e5]`,
		`  - listitem [ref=e7]:`,
		`    - button "Go" [ref=e8]`,
		`  - listitem [ref=e10]:`,
		`    - textbox [ref=e11]:`,
		`      - /placeholder: Name`,
		`      - text: Ada`,
	}, "\n")
	if diff := cmp.Diff(want, body(v)); diff != "" {
		t.Error(diff)
	}
}

// The options of a select have no refs of their own; they are elements all the
// same, so none of them goes unsaid.
func TestBudgetCountsOptions(t *testing.T) {
	list := "- combobox \"Stage\" [ref=e1]:\n  - option \"All\" [selected]\n" + strings.TrimSuffix(strategytest.Numbered(3000, "  - option \"Stage #\"\n"), "\n")
	v := strategytest.Apply(t, Strategy, strategytest.Page(list))
	elements, total, _ := header(t, v.Text)
	if elements != 300 || total != 3002 || !strings.Contains(v.Text, "\n  - option \"All\" [selected]\n") {
		t.Errorf("%d of %d: %.200s", elements, total, v.Text)
	}
	if len(v.Gone) == 0 || v.Gone[0].Knob != "max_elements" {
		t.Errorf("gone: %+v", v.Gone)
	}
	v = strategytest.Apply(t, Strategy, strategytest.Page("- combobox \"Stage\" [ref=e1]:\n  - option \"All\" [selected]\n  - option \"Won\""))
	if v.Kind != strategy.KindFull {
		t.Errorf("%s: %q", v.Kind, v.Reason())
	}
}

// A reason's figures are those that the rule was decided by.
func TestBudgetReasonsAreTrue(t *testing.T) {
	huge := "- button \"" + strings.Repeat("word ", 3000) + "\" [ref=e1]"
	in := strategy.Input{Page: strategy.Page{Text: huge}, Count: counter(t)}
	for _, tt := range []struct{ set, want string }{
		{"estimator=formula", "1 element ≤ max_elements 300 and 60 tokens by the formula estimator (in truth 3,0"},
		{"estimator=flat15", "and 15 tokens by the flat15 estimator (in truth 3,0"},
		{"estimator=exact", "; 1 element alone over max_tokens left out → truncated"},
	} {
		if v := strategytest.Apply(t, Strategy, in, tt.set, "max_tokens=1000"); !strings.Contains(v.Reason(), tt.want) {
			t.Errorf("%s: %q", tt.set, v.Reason())
		}
	}
	in.Page.Text = "- Page URL: http://x/\n- button \"a\" [ref=e1]\n- text: b"
	v := strategytest.Apply(t, Strategy, in)
	if !strings.HasPrefix(v.Text, "# URL: http://x/\n# Elements: 1 of 1 ") || !strings.Contains(v.Reason(), "interactive_only left out what is no element") {
		t.Errorf("%q\n%s", v.Reason(), v.Text)
	}
}

// The document's estimators weigh every element that is printed, ancestors too.
func TestBudgetEstimatesAncestors(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "- group [ref=g%d]:\n  - button \"%d\" [ref=e%d]\n", i, i, i)
	}
	in := strategy.Input{Page: strategy.Page{Text: b.String()}, Count: counter(t)}
	for set, want := range map[string]int{"estimator=flat15": 1000 / 15 / 2 * 2, "estimator=formula": 1000 / 21 * 2} {
		v := strategytest.Apply(t, Strategy, in, set, "max_elements=1000", "max_tokens=1000")
		if got, _, _ := header(t, v.Text); got != want {
			t.Errorf("%s: %d elements, want %d", set, got, want)
		}
	}
}

func TestBudgetHistory(t *testing.T) {
	in := strategytest.Page("- heading \"x\" [ref=e1]\n- button \"y\" [ref=e2]")
	in.Page.Title = "Here"
	in.Visited = []string{"1", "2", "2", "3", "4", "5", "6"}
	v := strategytest.Apply(t, Strategy, in)
	if !strings.Contains(v.Text, "\nNavigation history: 3 → 4 → 5 → 6 → Here\n\n- button") {
		t.Error(v.Text)
	}
	v = strategytest.Apply(t, Strategy, in, "include_history=false")
	if strings.Contains(v.Text, "history") {
		t.Error(v.Text)
	}
	in.Visited = []string{"Here"}
	v = strategytest.Apply(t, Strategy, in)
	if strings.Contains(v.Text, "history") {
		t.Error(v.Text)
	}
}

func TestBudgetDedupe(t *testing.T) {
	nav := "- navigation \"Main\" [ref=%s1]:\n  - link \"Home\" [ref=%s2]\n  - link \"Cart\" [ref=%s3]: \"%s\"\n"
	block := func(prefix, cart string) string { return fmt.Sprintf(nav, prefix, prefix, prefix, cart) }
	in := strategytest.Page(block("f2e", "3") + "- button \"Buy\" [ref=f2e9]")
	in.Prev = &strategy.Page{Text: block("e", "3") + "- button \"Other\" [ref=e9]"}
	v := strategytest.Apply(t, Strategy, in)
	strategytest.Check(t, in, v)
	if want := "- navigation \"Main\" [ref=f2e1]: same as on the previous page, 2 elements left out\n- button \"Buy\" [ref=f2e9]"; body(v) != want {
		t.Error(v.Text)
	}
	if diff := cmp.Diff([]strategy.Loss{{From: 1, To: 3, Rule: "dedupe true", Knob: "dedupe"}}, v.Gone); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(v.Reason(), "1 block of the previous page not repeated") {
		t.Error(v.Reason())
	}
	in.Prev.Text = block("e", "4") // one item more in the cart
	if v = strategytest.Apply(t, Strategy, in); strings.Contains(v.Text, "same as") {
		t.Error(v.Text)
	}
	in.Prev.Text = block("e", "3")
	if v = strategytest.Apply(t, Strategy, in, "dedupe=false"); strings.Contains(v.Text, "same as") {
		t.Error(v.Text)
	}
}

// The estimators of the document and of its code can overrun the limit, and the
// reason says so; exact never does.
func TestBudgetEstimatorsAreShownUp(t *testing.T) {
	real := counter(t)
	var b strings.Builder
	for i := range 900 {
		fmt.Fprintf(&b, "- link \"x\" [ref=e%d]:\n  - /url: https://example.com/%d/%d/%d/a-long-way-down\n", i, i*7919, i*104729, i*1299709)
	}
	in := strategy.Input{Page: strategy.Page{Text: b.String()}, Count: real}
	for _, e := range []string{"formula", "flat15"} {
		v := strategytest.Apply(t, Strategy, in, "estimator="+e, "max_elements=1000")
		_, _, tokens := header(t, v.Text)
		if tokens <= 8000 || tokens != real(v.Text) || !strings.Contains(v.Reason(), "> max_tokens 8,000, which the "+e+" estimator took for ") {
			t.Errorf("%s: %d tokens, %q", e, tokens, v.Reason())
		}
	}
	v := strategytest.Apply(t, Strategy, in, "max_elements=1000")
	if _, _, tokens := header(t, v.Text); tokens > 8000 || tokens < 7800 {
		t.Errorf("exact: %d tokens, %q", tokens, v.Reason())
	}
}

func TestBudgetByLine(t *testing.T) {
	lines := strategytest.Numbered(5000, "line # of a log that holds no element at all\n")
	v := strategytest.Apply(t, Strategy, strategy.Input{Page: strategy.Page{Text: lines}, Count: strategytest.Words4})
	elements, total, tokens := header(t, v.Text)
	if elements != 300 || total != 5000 || tokens > 8000 || !strings.HasPrefix(body(v), "line 1 of a log") {
		t.Errorf("%d of %d, %d tokens", elements, total, tokens)
	}
	if !strings.Contains(v.Reason(), "300 of 5,000 lines kept: max_elements 300 reached") || !strings.Contains(v.Reason(), "the text holds no aria node: taken line by line") {
		t.Error(v.Reason())
	}
	v = strategytest.Apply(t, Strategy, strategytest.Page(strings.Repeat("x", 10<<20)))
	if n := strategytest.Words4(v.Text); n > 8000 || n < 4000 || !strings.HasSuffix(v.Text, "x…") {
		t.Errorf("one long line: %d tokens, %q", n, v.Reason())
	}
}

// A page of one element that is longer than the budget is cut, wherever its name, its
// ref and its colon stand.
func TestBudgetCutsALongElement(t *testing.T) {
	long := strings.Repeat("word ", 40_000)
	for _, line := range []string{
		`- button "` + long + `"`, `- button "` + long + `":`, `- button "x" [level=` + long + `]:`,
		"- main:\n  - button \"" + long + "\":", `- link "x" [ref=e` + strings.Repeat("1", 1<<16) + `]:`,
	} {
		v := strategytest.Apply(t, Strategy, strategy.Input{Page: strategy.Page{Text: line}, Count: counter(t)})
		if n := counter(t)(v.Text); n > 8000 {
			t.Errorf("%.30s… comes out as %d tokens", line, n)
		}
	}
}

func TestTree(t *testing.T) {
	text := strings.Join([]string{
		`- generic [active] [ref=e1]:`,
		`  - 'link "a: ''b'' \"c\"" [checked] [ref=f1e2] [cursor=pointer]': it's`,
		`    - /url: https://example.com/?q=[ref=e9]`,
		`  - text: "[ref=e8]"`,
		`  - textbox /^a b$/ [ref=e3]: "x: y"`,
		`  - checkbox "d" [checked=false, ref=e30]`,
		`  - button "[ref=e7]" [ref=e4]`,
		``,
		`<p>`,
		`uid=1_21 checkbox "Select x" checked`,
	}, "\n")
	type row struct {
		Kind            notation.Kind
		Parent, End     int
		Role, Name, Ref string
		Value           string
	}
	want := []row{
		{notation.ElementLine, -1, 9, "generic", "", "e1", ""},
		{notation.ElementLine, 0, 3, "link", `a: 'b' \"c\"`, "f1e2", "it's"},
		{notation.PropertyLine, 1, 3, "url", "", "", "https://example.com/?q=[ref=e9]"},
		{notation.TextLine, 0, 4, "text", "", "", `"[ref=e8]"`},
		{notation.ElementLine, 0, 5, "textbox", "^a b$", "e3", `"x: y"`},
		{notation.ElementLine, 0, 6, "checkbox", "d", "e30", ""},
		{notation.ElementLine, 0, 9, "button", "[ref=e7]", "e4", ""},
		{notation.OtherLine, 6, 8, "", "", "", ""},
		{notation.OtherLine, 6, 9, "", "", "", ""},
		{notation.ElementLine, -1, 10, "checkbox", "Select x", "1_21", ""},
	}
	o := readTree(strategy.Page{Text: text})
	var got []row
	for i, l := range o.lines {
		got = append(got, row{l.kind, l.parent, l.end, l.role, l.name, l.ref, o.value(i)})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !o.lines[1].pointer || o.lines[0].pointer {
		t.Errorf("%+v", o.lines[1])
	}
}

func TestBudgetLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := strategytest.Page(strategytest.Aria(t, "page"))
		if rapid.Bool().Draw(t, "prev") {
			in.Prev = &strategy.Page{Text: strategytest.Mutate(t, in.Page.Text)}
		}
		most := rapid.IntRange(1, 20).Draw(t, "max")
		v := Strategy.Apply(in, Strategy.Values(strategy.Values{
			"max_elements": float64(most), "max_tokens": 1000,
			"interactive_only": float64(rapid.IntRange(0, 1).Draw(t, "interactive")),
			"estimator":        float64(rapid.IntRange(0, 2).Draw(t, "estimator")),
		}))
		strategytest.Check(t, in, v)
		checkHierarchy(t, in, v)
		if v.Kind == strategy.KindFull {
			return
		}
		o, refs := readTree(in.Page), 0
		for _, l := range v.Lines {
			if l.Source >= 0 && o.lines[l.Source].ref != "" {
				refs++
			}
		}
		if refs > most {
			t.Fatalf("%d elements, at most %d", refs, most)
		}
	})
}

// A session that loads one page again and again is not walked for each snapshot.
func TestHistoryLooksBackSoFar(t *testing.T) {
	visited := slices.Repeat([]string{"Here"}, 200_000)
	visited[0], visited[len(visited)-600] = "First", "Far"
	b := &budgeter{includeHistory: true, in: strategy.Input{Visited: visited, Page: strategy.Page{Title: "Now"}}}
	begun := time.Now()
	for range 2000 {
		if got := b.history(); got != "Navigation history: Here → Far → Here → Now" {
			t.Fatal(got)
		}
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("2,000 lines of history took %s", took)
	}
}
