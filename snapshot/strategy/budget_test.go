package strategy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/snapshot"
	"snapscope/snapshot/token"
)

// homes is a page like the one seed 004 complains of: 5,538 elements, cards in
// lists under landmarks.
func homes() string {
	var b strings.Builder
	n := 0
	put := func(depth int, format string, args ...any) {
		n++
		fmt.Fprintf(&b, "%s- "+format+"\n", append([]any{strings.Repeat("  ", depth)}, args...)...)
	}
	ref := func() string { return fmt.Sprintf("[ref=e%d]", n+1) }
	put(0, "generic [active] %s:", ref())
	put(1, "banner %s:", ref())
	for _, name := range []string{"Buy", "Rent", "Sell", "Sign in"} {
		put(2, "link %q %s [cursor=pointer]:", name, ref())
		fmt.Fprintf(&b, "      - /url: /%s\n", strings.ToLower(name))
	}
	put(1, "main %s:", ref())
	put(2, "textbox \"Location\" %s: Springfield", ref())
	put(2, "list %s:", ref())
	for card := 0; n < 5538-9; card++ {
		put(3, "listitem %s:", ref())
		put(4, "heading \"%d Example Street, Springfield\" [level=3] %s", card, ref())
		put(4, "generic %s: $%d,000", ref(), 100+card)
		put(4, "generic %s: %d bds, 2 ba, 1,480 sqft - House for sale", ref(), card%5+1)
		put(4, "link \"%d Example Street\" %s [cursor=pointer]:", card, ref())
		fmt.Fprintf(&b, "          - /url: https://homes.example.com/detail/%d-example-street/%d_zpid/\n", card, 1000+card)
		put(4, "button \"Save this home\" %s [cursor=pointer]", ref())
		put(4, "img \"photo %d\" %s", card, ref())
		put(4, "combobox \"Tour\" %s", ref())
		put(4, "paragraph %s: Listing by agent number %d of the county", ref(), card)
	}
	for n < 5538 {
		put(1, "paragraph %s: The end", ref())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

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
	in := Input{Page: Page{Text: homes(), URL: "https://homes.example.com/list"}, Count: real}
	if o := readOutline(in.Page.Text); o.refs != 5538 {
		t.Fatalf("the page has %d elements", o.refs)
	}
	for _, set := range [][]string{
		nil,
		{"interactive_only=false"},
		{"max_elements=1"},
		{"max_elements=1000"},
		{"max_elements=1000", "max_tokens=50000"},
		{"max_tokens=1000", "interactive_only=false"},
		{"estimator=seed"},
		{"estimator=flat15"},
		{"estimator=seed", "max_elements=1000", "max_tokens=50000", "interactive_only=false"},
	} {
		t.Run(strings.Join(set, " "), func(t *testing.T) {
			v := apply(t, budget, in, set...)
			checkVerdict(t, in, v)
			knobs := budget.Values(nil)
			for _, s := range set {
				if err := budget.Set(knobs, s); err != nil {
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
}, in Input, v Verdict,
) {
	t.Helper()
	o := readOutline(in.Page.Text)
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
		if p := o.lines[l.Source].parent; p >= 0 && !kept[p] && o.lines[l.Source].kind != otherLine {
			t.Fatalf("line %d is kept without its parent %d", l.Source, p)
		}
		if l.Mark == Same && text[i] != o.text[l.Source] && text[i]+":" != o.text[l.Source] && text[i] != o.key(l.Source) {
			t.Fatalf("%q was %q", text[i], o.text[l.Source])
		}
	}
}

func TestBudgetHeader(t *testing.T) {
	in := Input{Page: Page{URL: "https://example.com/homes", Elements: 5538, Text: "- main [ref=e1]:\n  - text: gone\n  - heading \"Homes\" [level=1] [ref=e2]\n  - button \"Search\" [ref=e3]:\n    - img [ref=e4]"}, Count: words4}
	v := apply(t, budget, in)
	want := "# URL: https://example.com/homes\n" +
		"# Elements: 2 of 5538 (truncated, prioritized by interactivity)\n" +
		"# Tokens: ~43 (estimated)\n\n" +
		"- main [ref=e1]:\n  - button \"Search\" [ref=e3]"
	if diff := cmp.Diff(want, v.Text); diff != "" {
		t.Error(diff)
	}
	if n := words4(v.Text); n != 43 {
		t.Errorf("the text counts %d", n)
	}
	if want := "2 of 5,538 elements kept: 2 ≤ max_elements 300, 43 tokens of max_tokens 8,000; interactive_only left out 2 → truncated"; v.Reason() != want {
		t.Errorf("%q\nwant %q", v.Reason(), want)
	}
	wantGone := []Loss{{1, 3, "interactive_only true", "interactive_only"}, {4, 5, "interactive_only true", "interactive_only"}}
	if diff := cmp.Diff(wantGone, v.Gone); diff != "" {
		t.Error(diff)
	}
	wantLines := []Line{{Message, -1}, {Message, -1}, {Message, -1}, {Message, -1}, {Same, 0}, {Same, 3}}
	if diff := cmp.Diff(wantLines, v.Lines); diff != "" {
		t.Error(diff)
	}
}

func TestBudgetNothingLeftOut(t *testing.T) {
	text := "- main [ref=e1]:\n  - text: stays\n  - button \"Search\" [ref=e3]\n- text: loose\n"
	in := page(text)
	v := apply(t, budget, in, "interactive_only=false")
	if v.Kind != KindFull || v.Text != text || v.Lines != nil {
		t.Errorf("%s %q", v.Kind, v.Text)
	}
	in.Visited = []string{"Login", "Home"}
	in.Page.Title = "List\nof homes"
	v = apply(t, budget, in, "interactive_only=false")
	checkVerdict(t, in, v)
	if want := "Navigation history: Login → Home → List of homes\n\n" + text; v.Kind != KindFull || v.Text != want {
		t.Errorf("%s %q", v.Kind, v.Text)
	}
	v = apply(t, budget, page(homes()), "full=true")
	if v.Kind != KindFull || v.Text != homes() {
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
	v := apply(t, budget, page(text), "max_elements=3")
	if got := body(v); got != "- link \"a\" [ref=e1]\n- button \"b\" [ref=e2]\n- link \"c\" [ref=e3]" {
		t.Error(got)
	}
	// The viewport is worth 50: a link in it goes before a button outside.
	in := page(text)
	in.Page.Viewport = snapshot.Size{W: 100, H: 100}
	in.Page.Boxes = map[string]snapshot.Box{"e2": {X: 0, Y: 500, W: 10, H: 10}, "e3": {X: 90, Y: 90, W: 50, H: 50}, "e5": {X: 0, Y: 0, W: 1, H: 1}}
	v = apply(t, budget, in, "max_elements=1")
	if got := body(v); got != "- link \"c\" [ref=e3]" {
		t.Error(got)
	}
	v = apply(t, budget, in, "viewport_only=true")
	if got := body(v); got != "- link \"c\" [ref=e3]\n- generic [ref=e5] [cursor=pointer]: e" {
		t.Error(got)
	}
	if !strings.Contains(v.Reason(), "viewport_only left out 3") {
		t.Error(v.Reason())
	}
	v = apply(t, budget, page(text), "viewport_only=true", "max_elements=2")
	if !strings.Contains(v.Reason(), "viewport_only has no effect: no boxes are known") {
		t.Error(v.Reason())
	}
	v = apply(t, budget, page("- link \"a\" [ref=e1] [box=0,900,10,10]\n- link \"b\" [ref=e2] [box=0,0,10,10]"), "viewport_only=true")
	if got := body(v); got != "- link \"b\" [ref=e2] [box=0,0,10,10]" {
		t.Error(got)
	}
}

// body is a verdict's text without its messages.
func body(v Verdict) string {
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
	v := apply(t, budget, page(text))
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
	list := "- combobox \"Stage\" [ref=e1]:\n  - option \"All\" [selected]\n" + strings.TrimSuffix(numbered(3000, "  - option \"Stage #\"\n"), "\n")
	v := apply(t, budget, page(list))
	elements, total, _ := header(t, v.Text)
	if elements != 300 || total != 3002 || !strings.Contains(v.Text, "\n  - option \"All\" [selected]\n") {
		t.Errorf("%d of %d: %.200s", elements, total, v.Text)
	}
	if len(v.Gone) == 0 || v.Gone[0].Knob != "max_elements" {
		t.Errorf("gone: %+v", v.Gone)
	}
	v = apply(t, budget, page("- combobox \"Stage\" [ref=e1]:\n  - option \"All\" [selected]\n  - option \"Won\""))
	if v.Kind != KindFull {
		t.Errorf("%s: %q", v.Kind, v.Reason())
	}
}

// A reason's figures are those that the rule was decided by.
func TestBudgetReasonsAreTrue(t *testing.T) {
	huge := "- button \"" + strings.Repeat("word ", 3000) + "\" [ref=e1]"
	in := Input{Page: Page{Text: huge}, Count: counter(t)}
	for _, tt := range []struct{ set, want string }{
		{"estimator=seed", "1 element ≤ max_elements 300 and 60 tokens by the seed estimator (in truth 3,0"},
		{"estimator=flat15", "and 15 tokens by the flat15 estimator (in truth 3,0"},
		{"estimator=exact", "; 1 element alone over max_tokens left out → truncated"},
	} {
		if v := apply(t, budget, in, tt.set, "max_tokens=1000"); !strings.Contains(v.Reason(), tt.want) {
			t.Errorf("%s: %q", tt.set, v.Reason())
		}
	}
	in.Page.Text = "- Page URL: http://x/\n- button \"a\" [ref=e1]\n- text: b"
	v := apply(t, budget, in)
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
	in := Input{Page: Page{Text: b.String()}, Count: counter(t)}
	for set, want := range map[string]int{"estimator=flat15": 1000 / 15 / 2 * 2, "estimator=seed": 1000 / 21 * 2} {
		v := apply(t, budget, in, set, "max_elements=1000", "max_tokens=1000")
		if got, _, _ := header(t, v.Text); got != want {
			t.Errorf("%s: %d elements, want %d", set, got, want)
		}
	}
}

func TestBudgetHistory(t *testing.T) {
	in := page("- heading \"x\" [ref=e1]\n- button \"y\" [ref=e2]")
	in.Page.Title = "Here"
	in.Visited = []string{"1", "2", "2", "3", "4", "5", "6"}
	v := apply(t, budget, in)
	if !strings.Contains(v.Text, "\nNavigation history: 3 → 4 → 5 → 6 → Here\n\n- button") {
		t.Error(v.Text)
	}
	v = apply(t, budget, in, "include_history=false")
	if strings.Contains(v.Text, "history") {
		t.Error(v.Text)
	}
	in.Visited = []string{"Here"}
	v = apply(t, budget, in)
	if strings.Contains(v.Text, "history") {
		t.Error(v.Text)
	}
}

func TestBudgetDedupe(t *testing.T) {
	nav := "- navigation \"Main\" [ref=%s1]:\n  - link \"Home\" [ref=%s2]\n  - link \"Cart\" [ref=%s3]: \"%s\"\n"
	block := func(prefix, cart string) string { return fmt.Sprintf(nav, prefix, prefix, prefix, cart) }
	in := page(block("f2e", "3") + "- button \"Buy\" [ref=f2e9]")
	in.Prev = &Page{Text: block("e", "3") + "- button \"Other\" [ref=e9]"}
	v := apply(t, budget, in)
	checkVerdict(t, in, v)
	if want := "- navigation \"Main\" [ref=f2e1]: same as on the previous page, 2 elements left out\n- button \"Buy\" [ref=f2e9]"; body(v) != want {
		t.Error(v.Text)
	}
	if diff := cmp.Diff([]Loss{{1, 3, "dedupe true", "dedupe"}}, v.Gone); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(v.Reason(), "1 block of the previous page not repeated") {
		t.Error(v.Reason())
	}
	in.Prev.Text = block("e", "4") // one item more in the cart
	if v = apply(t, budget, in); strings.Contains(v.Text, "same as") {
		t.Error(v.Text)
	}
	in.Prev.Text = block("e", "3")
	if v = apply(t, budget, in, "dedupe=false"); strings.Contains(v.Text, "same as") {
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
	in := Input{Page: Page{Text: b.String()}, Count: real}
	for _, e := range []string{"seed", "flat15"} {
		v := apply(t, budget, in, "estimator="+e, "max_elements=1000")
		_, _, tokens := header(t, v.Text)
		if tokens <= 8000 || tokens != real(v.Text) || !strings.Contains(v.Reason(), "> max_tokens 8,000, which the "+e+" estimator took for ") {
			t.Errorf("%s: %d tokens, %q", e, tokens, v.Reason())
		}
	}
	v := apply(t, budget, in, "max_elements=1000")
	if _, _, tokens := header(t, v.Text); tokens > 8000 || tokens < 7800 {
		t.Errorf("exact: %d tokens, %q", tokens, v.Reason())
	}
}

func TestBudgetByLine(t *testing.T) {
	lines := numbered(5000, "line # of a log that holds no element at all\n")
	v := apply(t, budget, Input{Page: Page{Text: lines}, Count: words4})
	elements, total, tokens := header(t, v.Text)
	if elements != 300 || total != 5000 || tokens > 8000 || !strings.HasPrefix(body(v), "line 1 of a log") {
		t.Errorf("%d of %d, %d tokens", elements, total, tokens)
	}
	if !strings.Contains(v.Reason(), "300 of 5,000 lines kept: max_elements 300 reached") || !strings.Contains(v.Reason(), "the text holds no aria node: taken line by line") {
		t.Error(v.Reason())
	}
	v = apply(t, budget, page(strings.Repeat("x", 10<<20)))
	if n := words4(v.Text); n > 8000 || n < 4000 || !strings.HasSuffix(v.Text, "x…") {
		t.Errorf("one long line: %d tokens, %q", n, v.Reason())
	}
}

func TestOutline(t *testing.T) {
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
		Kind            lineKind
		Parent, End     int
		Role, Name, Ref string
		Value           string
	}
	want := []row{
		{nodeLine, -1, 9, "generic", "", "e1", ""},
		{nodeLine, 0, 3, "link", `a: 'b' \"c\"`, "f1e2", "it's"},
		{propLine, 1, 3, "/url", "", "", "https://example.com/?q=[ref=e9]"},
		{textLine, 0, 4, "text", "", "", `"[ref=e8]"`},
		{nodeLine, 0, 5, "textbox", "^a b$", "e3", `"x: y"`},
		{nodeLine, 0, 6, "checkbox", "d", "e30", ""},
		{nodeLine, 0, 9, "button", "[ref=e7]", "e4", ""},
		{otherLine, 6, 8, "", "", "", ""},
		{otherLine, 6, 9, "", "", "", ""},
		{nodeLine, -1, 10, "checkbox", "Select x", "1_21", ""},
	}
	o := readOutline(text)
	var got []row
	for i, l := range o.lines {
		got = append(got, row{l.kind, l.parent, l.end, l.role, l.name, l.ref, o.value(i)})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !o.lines[1].has("checked") || !o.lines[1].has("cursor=pointer") || o.lines[1].has("active") {
		t.Errorf("%+v", o.lines[1].attrs)
	}
}

func TestBudgetLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := page(genAria(t, "page"))
		if rapid.Bool().Draw(t, "prev") {
			in.Prev = &Page{Text: mutate(t, in.Page.Text)}
		}
		most := rapid.IntRange(1, 20).Draw(t, "max")
		v := budget.Apply(in, budget.Values(Values{
			"max_elements": float64(most), "max_tokens": 1000,
			"interactive_only": float64(rapid.IntRange(0, 1).Draw(t, "interactive")),
			"estimator":        float64(rapid.IntRange(0, 2).Draw(t, "estimator")),
		}))
		checkVerdict(t, in, v)
		checkHierarchy(t, in, v)
		if v.Kind == KindFull {
			return
		}
		o, refs := readOutline(in.Page.Text), 0
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
