package ab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot"
)

func count(s string) int { return len(strings.Fields(s)) }

func options() ledger.Options {
	return ledger.Options{Renderer: policy.NewRenderer(count), Prices: ledger.DefaultPrices()}
}

// text is a page of so many rows.
func text(rows, mark int) string {
	var b strings.Builder
	b.WriteString("- main [ref=e1]:\n")
	for i := range rows {
		fmt.Fprintf(&b, "  - button \"row %d of %d\" [ref=e%d]\n", i, mark, i+2)
	}
	return b.String()
}

// story is a session of calls with a page each; usage answers what the vendor
// counted of call n with its own tokens ours and parts.
func story(calls int, usage func(n, ours, parts int) *session.Usage) *session.Timeline {
	events := []session.Event{
		{Kind: session.KindStart, Start: &session.Start{Source: "api-seat", Model: "claude-sonnet-4-5"}},
		{Kind: session.KindUser, User: &session.Message{Text: "take over the leads"}},
	}
	for n := 1; n <= calls; n++ {
		id := fmt.Sprint("t", n)
		events = append(events, session.Event{Kind: session.KindCall, Call: &session.ModelCall{}},
			session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Tool: "browser_click", Verb: session.VerbClick}})
		r := &session.Result{Action: id, OK: true, Text: "clicked"}
		if n%3 != 0 {
			s := text(300+40*n, n)
			r.Snapshot, r.Seen = &snapshot.Snapshot{Text: s, Hash: snapshot.HashText(s), URL: "http://a/", Document: "d"}, session.SeenInline
		}
		events = append(events, session.Event{Kind: session.KindResult, Result: r})
	}
	t := session.NewTimeline(events)
	o := options()
	o.CountOnly = true
	sent, err := ledger.AsSent(context.Background(), t, o)
	if err != nil {
		panic(err)
	}
	n := 0
	for i := range events {
		if c := events[i].Call; c != nil {
			n++
			c.Usage = usage(n, sent.Calls[n-1].InputTokens, len(sent.Parts(n)))
		}
	}
	return session.NewTimeline(events)
}

func TestLearnFindsTheVendorsTokenizer(t *testing.T) {
	tl := story(9, func(_, ours, parts int) *session.Usage {
		return &session.Usage{Input: 3000 + int(math.Round(1.17*float64(ours))) + 6*parts}
	})
	f, ok, err := Predict(context.Background(), tl, policy.Full(), options())
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if math.Abs(f.Fit.Slope-1.17) > 0.001 || math.Abs(f.Fit.Frame-6) > 0.1 || math.Abs(f.Fit.Base-3000) > 10 || f.Fit.Off > 0.001 {
		t.Errorf("learned %s", f.Fit)
	}
	run, err := Measure(context.Background(), tl, policy.Full(), options())
	if err != nil {
		t.Fatal(err)
	}
	if d := off(f.Input, float64(run.Usage.Input)); math.Abs(d) > 1e-3 || run.Calls != 9 || run.Steps != 9 || f.Cost == nil || run.Cost == nil {
		t.Errorf("%.0f forecast, %+v measured", f.Input, run)
	}
	one, ok, err := Predict(context.Background(), story(1, func(_, ours, _ int) *session.Usage { return &session.Usage{Input: 2 * ours} }), policy.Full(), options())
	if err != nil || !ok || one.Fit.Slope != 2 || one.Fit.Base != 0 {
		t.Errorf("one call: %s, %v, %v", one.Fit, ok, err)
	}
	if _, ok, err := Predict(context.Background(), story(3, func(int, int, int) *session.Usage { return nil }), policy.Full(), options()); ok || err != nil {
		t.Errorf("without a count: %v, %v", ok, err)
	}
}

func TestCheckCacheNamesTheCause(t *testing.T) {
	last := 0
	for name, c := range map[string]struct {
		read func(n, input int) int
		want string
	}{
		"as modelled":   {func(_, _ int) int { return last }, ""},
		"never asked":   {func(_, _ int) int { return 0 }, "was not asked to cache"},
		"run dry once":  {func(n, _ int) int { return last * b2i(n != 7) }, "had run dry"},
		"marks too low": {func(_, _ int) int { return last * 8 / 10 }, "less than the longest equal prefix"},
		"more":          {func(_, input int) int { return input }, "more than the model knows of"},
	} {
		last = 0
		tl := story(9, func(n, ours, _ int) *session.Usage {
			u := &session.Usage{Input: 2000 + ours, CacheRead: c.read(n, 2000+ours)}
			last = u.Input
			return u
		})
		k, ok, err := CheckCache(context.Background(), tl, options())
		if err != nil || !ok {
			t.Fatal(name, ok, err)
		}
		if c.want == "" && (math.Abs(k.Off) > 0.001 || k.Explained != "") || !strings.Contains(k.Explained, c.want) {
			t.Errorf("%s: %+v", name, k)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A page that the server only links to did not go out, and so not astray either.
func TestALinkedPageIsNotAstray(t *testing.T) {
	p, err := policy.Find("passmark", nil)
	if err != nil {
		t.Fatal(err)
	}
	for seen, want := range map[session.Seen]int{session.SeenInline: 6, session.SeenLink: 0} {
		tl := story(9, func(_, ours, _ int) *session.Usage { return &session.Usage{Input: ours} })
		for i := range tl.Events {
			if r := tl.Events[i].Result; r != nil && r.Snapshot != nil {
				r.Seen = seen
			}
		}
		r, err := Measure(context.Background(), session.NewTimeline(tl.Events), p, options())
		if err != nil || r.Astray != want {
			t.Errorf("%s: %d pages went astray, want %d; %v", seen, r.Astray, want, err)
		}
	}
}

func runs(policy string, inputs ...int) []Run {
	var out []Run
	for i, n := range inputs {
		out = append(out, Run{
			Policy: policy, Round: i + 1, End: "DONE", OK: true, Calls: 3, Usage: session.Usage{Input: n, CacheRead: n / 2}, Lost: []string{},
			File: "/a/b|c`.jsonl", Link: "runs/x/joined.jsonl",
		})
	}
	return out
}

func TestCompare(t *testing.T) {
	all := append(runs("full", 1000, 1010, 990), append(runs("near", 995, 1020, 985), runs("delta", 300, 310, 305)...)...)
	all[8].End, all[8].OK = "exit status 1: LOST <it>\x1b[31m", false
	all[8].Lost = []string{"it was not there"}
	table := Compare([]string{"full", "near", "delta", "never"}, all, map[string][]Forecast{
		"delta": {{Input: 400, Cached: 150, Calls: 5, Fit: Fit{Slope: 1}}},
		"full":  {{Input: 1000, Cached: 500, Calls: 3, Fit: Fit{Slope: 1}}},
	})
	near, delta, never := table.Rows[1], table.Rows[2], table.Rows[3]
	if near.Against.Sure || !delta.Against.Sure || never.Against != nil || never.Runs != 0 {
		t.Errorf("near %+v, delta %+v, never %+v", near.Against, delta.Against, never)
	}
	if math.Abs(delta.Against.Input+0.695) > 1e-3 || delta.OK != 2 || delta.Ends[0] != "DONE (2 of 3)" {
		t.Errorf("delta: %+v %v", delta.Against, delta.Ends)
	}
	if d := strings.Join(delta.Drift, "; "); !strings.Contains(d, "3.0 model calls where the first policy's runs took 5") || !strings.Contains(d, "0.3 elements") {
		t.Errorf("drift: %s", d)
	}
	if len(table.Rows[0].Drift) != 0 {
		t.Errorf("full drifts: %v", table.Rows[0].Drift)
	}
	if one := Compare([]string{"a", "b"}, append(runs("a", 10), runs("b", 5)...), nil); one.Rows[1].Against.Sure || !strings.Contains(one.Rows[1].Against.Why, "not known") {
		t.Errorf("one run each: %+v", one.Rows[1].Against)
	}
	var out, markdown, html, js bytes.Buffer
	for _, err := range []error{WriteText(&out, table), WriteMarkdown(&markdown, table), WriteHTML(&html, table), WriteJSON(&js, table)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range map[string]string{"text": out.String(), "Markdown": markdown.String(), "page": html.String()} {
		if strings.Contains(s, "\x1b") || !strings.Contains(s, "larger than the spread of the runs") || !strings.Contains(s, "delta") {
			t.Errorf("%s:\n%s", name, s)
		}
	}
	if strings.Contains(html.String(), "LOST <it>") || strings.Contains(markdown.String(), "LOST <it>") {
		t.Error("the agent's words are markup")
	}
	var back Table
	if err := json.Unmarshal(js.Bytes(), &back); err != nil || len(back.Rows) != 4 {
		t.Errorf("%v, %s", err, js.Bytes())
	}
}

func TestReceipts(t *testing.T) {
	usd := func(f float64) *float64 { return &f }
	for name, c := range map[string]struct {
		out  string
		want *Receipt
	}{
		"none":        {"DONE\n", nil},
		"Claude Code": {`{"type":"result","total_cost_usd":0.25,"usage":{"input_tokens":5,"cache_read_input_tokens":90,"cache_creation_input_tokens":5,"output_tokens":7}}`, &Receipt{"Claude Code", usd(0.25), 100, 7}},
		"stream":      {"{\"type\":\"system\"}\nnot JSON\n{\"type\":\"result\",\"total_cost_usd\":0.5,\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}\n", &Receipt{"Claude Code", usd(0.5), 1, 2}},
		"Codex":       {"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":10,\"cached_input_tokens\":4,\"output_tokens\":1}}\n{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":20,\"output_tokens\":2}}", &Receipt{"Codex", nil, 30, 3}},
		"OpenCode":    {"{\"type\":\"step_finish\",\"part\":{\"cost\":0.5,\"tokens\":{\"input\":1,\"output\":2,\"cache\":{\"read\":3,\"write\":4}}}}\n{\"type\":\"step_finish\",\"part\":{\"cost\":0.25,\"tokens\":{\"input\":1,\"output\":2,\"cache\":{\"read\":3,\"write\":4}}}}", &Receipt{"OpenCode", usd(0.75), 16, 4}},
		"broken":      {`{"type":"result","total_cost_usd":`, nil},
	} {
		got := ReadReceipt([]byte(c.out))
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(c.want)
		if string(a) != string(b) {
			t.Errorf("%s: %s, want %s", name, a, b)
		}
	}
}
