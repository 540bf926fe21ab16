package published

import (
	"strings"
	"testing"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/internal/strategytest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestIncremental(t *testing.T) {
	ticked := strings.NewReplacer(" [active] [ref=e1]", " [ref=e1]", `"Select a" [ref=e8]`, `"Select a" [checked] [active] [ref=e8]`, "0 selected", "1 selected").Replace(strategytest.Orders)
	again := strings.NewReplacer(`[checked] [active] [ref=e8]`, `[checked] [ref=e8]`, `"Select b" [ref=e10]`, `"Select b" [checked] [active] [ref=e10]`, "1 selected", "2 selected").Replace(ticked)
	gone := strings.Replace(strategytest.Orders, "      - row \"b 2\" [ref=e9]:\n        - checkbox \"Select b\" [ref=e10]\n", "", 1)
	for _, c := range []struct{ name, before, after, want string }{
		{
			"as a server of that time answered",
			"- generic [active] [ref=e1]:\n  - heading \"Todo\" [level=1] [ref=e2]\n  - checkbox \"Buy milk\" [ref=e3]\n  - button \"Clear\" [ref=e4]",
			"- generic [ref=e1]:\n  - heading \"Todo\" [level=1] [ref=e2]\n  - checkbox \"Buy milk\" [checked] [active] [ref=e3]\n  - button \"Clear\" [ref=e4]",
			"- <changed> generic [ref=e1]:\n  - ref=e2 [unchanged]\n  - checkbox \"Buy milk\" [checked] [active] [ref=e3]\n  - ref=e4 [unchanged]",
		},
		{
			"a text outside every element", "- text: a\n- button \"x\" [ref=e1]", "- text: b\n- button \"x\" [ref=e1]",
			"- <changed> text: b\n- ref=e1 [unchanged]",
		},
		{
			"focus moves off the root", strategytest.Orders, ticked,
			`- <changed> generic [ref=e1]:
  - ref=e2 [unchanged]
  - main [ref=e4]:
    - status [ref=e5]: 1 selected
    - table [ref=e6]:
      - 'row "a: 1" [ref=e7]':
        - checkbox "Select a" [checked] [active] [ref=e8]
      - ref=e9 [unchanged]
    - text: loose`,
		},
		{
			"each changed element alone", ticked, again,
			`- <changed> status [ref=e5]: 2 selected
- <changed> checkbox "Select a" [checked] [ref=e8]
- <changed> checkbox "Select b" [checked] [active] [ref=e10]`,
		},
		{
			"a row went", strategytest.Orders, gone,
			`- <changed> table [ref=e6]:
  - ref=e7 [unchanged]`,
		},
		{
			"a loose text is its parent's", strategytest.Orders, strings.Replace(strategytest.Orders, "loose", "bound", 1),
			`- <changed> main [ref=e4]:
  - ref=e5 [unchanged]
  - ref=e6 [unchanged]
  - text: bound`,
		},
		{
			"a property is its element's", strategytest.Orders, strings.Replace(strategytest.Orders, "/url: /", "/url: /home", 1),
			`- <changed> link "Home" [ref=e3]:
  - /url: /home`,
		},
		{
			"a new row", gone, strategytest.Orders,
			`- <changed> table [ref=e6]:
  - ref=e7 [unchanged]
  - row "b 2" [ref=e9]:
    - checkbox "Select b" [ref=e10]`,
		},
		{
			"a quoted key", strategytest.Orders, strings.Replace(strategytest.Orders, `"a: 1" [ref=e7]`, `"a: 2" [ref=e7]`, 1),
			`- '<changed> row "a: 2" [ref=e7]':
  - ref=e8 [unchanged]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := strategytest.Against(c.before, c.after)
			v := strategytest.Apply(t, Incremental, in)
			strategytest.Check(t, in, v)
			if diff := cmp.Diff(c.want, v.Text); diff != "" || v.Kind != strategy.KindDelta {
				t.Error(v.Kind, diff)
			}
		})
	}
	if v := strategytest.Apply(t, Incremental, strategytest.Against(strategytest.Orders, strategytest.Orders)); v.Kind != strategy.KindUnchanged || v.Text != "" {
		t.Errorf("%s %q", v.Kind, v.Text)
	}
	if v := strategytest.Apply(t, Incremental, strategytest.Page(strategytest.Orders)); v.Kind != strategy.KindFull || v.Text != strategytest.Orders {
		t.Errorf("%s %q", v.Kind, v.Text)
	}
	if v := strategytest.Apply(t, Incremental, strategytest.Against("- text: a", "- text: b")); v.Kind != strategy.KindFull || !strings.HasPrefix(v.Reason(), "no refs") {
		t.Errorf("%s %q", v.Kind, v.Reason())
	}
}

func TestIncrementalBase(t *testing.T) {
	past := []strategy.Moment{{Tool: "goto", Document: "d1"}, {Tool: "click", Document: "d1"}}
	for now, want := range map[strategy.Moment]int{
		{Tool: "click", Document: "d1"}:               1,
		{Tool: "click", Document: "d2"}:               -1,
		{Tool: "click", Document: "d1", Tab: 1}:       -1,
		{Tool: "reload", Document: "d1"}:              -1,
		{Tool: "snapshot", Document: "d1"}:            -1,
		{Tool: "click", Document: "d1", AgentStep: 2}: 1,
	} {
		if got := Incremental.Base(past, now, nil); got != want {
			t.Errorf("%+v: %d, want %d", now, got, want)
		}
	}
	if got := Incremental.Base(nil, strategy.Moment{}, nil); got != -1 {
		t.Errorf("first: %d", got)
	}
}

func TestAgentBrowser(t *testing.T) {
	bare := []string{
		`- generic`,
		`  - navigation`,
		`    - link "Home" [ref=e3]`,
		`  - main`,
		`    - status "0 selected"`,
		`    - table`,
		`      - row "a: 1"`,
		`        - checkbox "Select a" [checked=false, ref=e8]`,
		`      - row "b 2"`,
		`        - checkbox "Select b" [checked=false, ref=e10]`,
		`    - StaticText "loose"`,
	}
	for _, c := range []struct {
		set  []string
		want []string
	}{
		{[]string{"interactive=false"}, bare},
		{nil, []string{`- link "Home" [ref=e3]`, `- checkbox "Select a" [checked=false, ref=e8]`, `- checkbox "Select b" [checked=false, ref=e10]`}},
		{[]string{"interactive=false", "depth=2"}, []string{bare[0], bare[1], bare[3]}},
	} {
		in := strategytest.Page(strategytest.Orders)
		v := strategytest.Apply(t, AgentBrowser, in, c.set...)
		strategytest.Check(t, in, v)
		if diff := cmp.Diff(strings.Join(c.want, "\n"), v.Text); diff != "" {
			t.Error(c.set, diff)
		}
	}
	text := strings.Join([]string{
		`- generic [ref=e1]:`,
		`  - generic [ref=e2]:`,
		`    - img [ref=e3]`,
		`  - textbox "Name" [ref=e4]: Ada "the" L`,
		`  - checkbox "x" [checked] [disabled] [ref=e5]`,
		`  - heading "H" [level=2] [ref=e6]`,
		`  - generic [ref=e7] [cursor=pointer]: Open`,
	}, "\n")
	v := strategytest.Apply(t, AgentBrowser, strategytest.Page(text), "interactive=false", "compact=true")
	want := strings.Join([]string{
		`- generic`,
		`  - textbox "Name" [ref=e4]: Ada "the" L`,
		`  - checkbox "x" [checked=true, disabled=true, ref=e5]`,
		`  - heading "H" [level=2, ref=e6]`,
		`  - generic "Open" [ref=e7]`,
	}, "\n")
	if diff := cmp.Diff(want, v.Text); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]strategy.Loss{{From: 1, To: 3, Rule: "compact true", Knob: "compact"}}, v.Gone); diff != "" {
		t.Error(diff)
	}
}

func TestAgentBrowserDelta(t *testing.T) {
	list := "- list [ref=e1]:\n" + strings.ReplaceAll(strategytest.Numbered(20, "  - checkbox \"c#\" [ref=r#]\n"), "=r", "=e1")
	one := strings.Replace(list, `"c7"`, `"c7" [checked]`, 1)
	in := strategytest.Against(list, one)
	v := strategytest.Apply(t, AgentBrowser, in, "delta=true")
	strategytest.Check(t, in, v)
	if want := "[delta: from line 7, 1 line replaced by 1]\n- checkbox \"c7\" [checked=true, ref=e17]"; v.Text != want || v.Kind != strategy.KindDelta {
		t.Errorf("%s %q", v.Kind, v.Text)
	}
	if diff := cmp.Diff([]strategy.Line{{Mark: strategy.Message, Source: -1}, {Mark: strategy.Added, Source: 7}}, v.Lines); diff != "" {
		t.Error(diff)
	}
	if v = strategytest.Apply(t, AgentBrowser, strategytest.Against(list, list), "delta=true"); v.Kind != strategy.KindUnchanged || v.Text != "[unchanged]" {
		t.Errorf("%s %q", v.Kind, v.Text)
	}
	// One splice from the first change to the last is nearly everything.
	ends := strings.Replace(strings.Replace(list, `"c1"`, `"c1" [checked]`, 1), `"c20"`, `"c20" [checked]`, 1)
	if v = strategytest.Apply(t, AgentBrowser, strategytest.Against(list, ends), "delta=true"); v.Kind == strategy.KindDelta || !strings.Contains(v.Reason(), "≥ 70 % of it → full") {
		t.Errorf("%s %q", v.Kind, v.Reason())
	}
	in = strategytest.Against(list, one)
	in.Page.URL = "https://example.com/other"
	if v = strategytest.Apply(t, AgentBrowser, in, "delta=true"); !strings.Contains(v.Reason(), "another URL → full") {
		t.Error(v.Reason())
	}
	past, now := []strategy.Moment{{URL: "u"}}, strategy.Moment{URL: "u"}
	if got := AgentBrowser.Base(past, now, AgentBrowser.Values(nil)); got != -1 {
		t.Errorf("delta off: base %d", got)
	}
	if got := AgentBrowser.Base(past, now, AgentBrowser.Values(strategy.Values{"delta": 1})); got != 0 {
		t.Errorf("delta on: base %d", got)
	}
}

func TestPeersLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := strategytest.Aria(t, "before")
		in := strategytest.Against(before, strategytest.Mutate(t, before))
		strategytest.Check(t, in, Incremental.Apply(in, nil))
		v := AgentBrowser.Values(nil)
		for _, k := range []string{"interactive", "compact", "delta"} {
			v[k] = float64(rapid.IntRange(0, 1).Draw(t, k))
		}
		v["depth"] = float64(rapid.IntRange(0, 3).Draw(t, "depth"))
		strategytest.Check(t, in, AgentBrowser.Apply(in, v))
	})
}
