package ab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
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
	d, ok, err := CheckDrift(context.Background(), tl, options())
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if math.Abs(d.Fit.Slope-1.17) > 0.001 || math.Abs(d.Fit.Frame-6) > 0.1 || math.Abs(d.Fit.Base-3000) > 10 || d.Fit.Off > 0.001 {
		t.Errorf("learned %s", d.Fit)
	}
	f, ok, err := Predict(context.Background(), tl, policy.Full(), options())
	if err != nil || !ok || math.Abs(f.Factor-1.17) > 0.02 {
		t.Fatalf("%+v, %v, %v", f, ok, err)
	}
	run, err := Measure(context.Background(), tl, policy.Full(), options())
	if err != nil {
		t.Fatal(err)
	}
	if d := off(f.Input, float64(run.Usage.Input)); math.Abs(d) > 1e-3 || run.Calls != 9 || run.Steps != 9 || f.Cost == nil || run.Cost == nil {
		t.Errorf("%.0f forecast, %+v measured", f.Input, run)
	}
	one, ok, err := CheckDrift(context.Background(), story(1, func(_, ours, _ int) *session.Usage { return &session.Usage{Input: 2 * ours} }), options())
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
		"delta": {{Input: 400, Cached: 150, Calls: 5}},
		"full":  {{Input: 1000, Cached: 500, Calls: 3}},
	})
	near, delta, never := table.Rows[1], table.Rows[2], table.Rows[3]
	if near.Against.Sure || !delta.Against.Sure || never.Against != nil || never.Runs != 0 {
		t.Errorf("near %+v, delta %+v, never %+v", near.Against, delta.Against, never)
	}
	if math.Abs(delta.Against.Input+0.695) > 1e-3 || delta.OK != 2 || delta.Ends[0] != "DONE (2 of 3)" {
		t.Errorf("delta: %+v %v", delta.Against, delta.Ends)
	}
	if d := strings.Join(delta.Drift, "; "); !strings.Contains(d, "the agent made 3 model calls, 5 were predicted") || !strings.Contains(d, "0.3 elements") {
		t.Errorf("drift: %s", d)
	}
	if len(table.Rows[0].Drift) != 0 {
		t.Errorf("full drifts: %v", table.Rows[0].Drift)
	}
	if one := Compare([]string{"a", "b"}, append(runs("a", 10), runs("b", 5)...), nil); one.Rows[1].Against.Sure || one.Rows[1].Against.Why != "one run each: no spread" {
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

// A session that was resumed tells of calls before the run: they were paid then, and
// are in no forecast of it.
func TestAResumedPastIsNotCountedAgain(t *testing.T) {
	tl := story(9, func(n, ours, _ int) *session.Usage {
		if n <= 4 {
			return nil
		}
		return &session.Usage{Input: 3000 + ours}
	})
	run, err := Measure(context.Background(), tl, policy.Full(), options())
	if err != nil {
		t.Fatal(err)
	}
	f, ok, err := Predict(context.Background(), tl, policy.Full(), options())
	if err != nil || !ok || f.Calls != 5 || f.Input != float64(run.Usage.Input) {
		t.Errorf("%d calls and %.0f tokens forecast, %d and %d measured; %v", f.Calls, f.Input, run.Calls, run.Usage.Input, err)
	}
}

// Pictures of unknown size and thoughts are in each call's receipt, so they are in
// the forecast of every policy.
func TestWhatNoFileHoldsIsForecast(t *testing.T) {
	pictures := 0
	real := func(n, ours int) int {
		if n == 1 {
			pictures = 0
		}
		pictures += 1500 * b2i(n%2 == 0)
		return 3000 + ours + pictures
	}
	tl := story(12, func(n, ours, _ int) *session.Usage { return &session.Usage{Input: real(n, ours)} })
	p, err := policy.Find("keep-one", nil)
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.CountOnly = true
	kept, err := ledger.Run(context.Background(), tl, p, o)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for i, c := range kept.Calls {
		want += real(i+1, c.InputTokens)
	}
	f, ok, err := Predict(context.Background(), tl, p, options())
	if err != nil || !ok || math.Abs(off(f.Input, float64(want))) > 0.02 {
		t.Errorf("%.0f forecast, %d would be counted: %+.2f %%", f.Input, want, 100*off(f.Input, float64(want)))
	}
}

// Calls beside the session, of subagents and for titles, are in what was measured, in
// the forecast and in both costs, at their own models' prices.
func TestCallsBesideTheSessionAreIn(t *testing.T) {
	tl := story(6, func(_, ours, _ int) *session.Usage { return &session.Usage{Input: 2000 + ours} })
	o := options()
	r, err := Measure(context.Background(), tl, policy.Full(), o)
	if err != nil {
		t.Fatal(err)
	}
	alone := *r.Cost
	r.Policy, r.BesideOf = "full", map[string]session.Usage{"claude-haiku-4-5": {Input: 700, CacheRead: 100, Output: 10}, "claude-sonnet-4-5": {Input: 5000, CacheRead: 1000, Output: 100}}
	for _, u := range r.BesideOf {
		r.Beside.Add(u)
	}
	r.AddBeside(o.Prices)
	if want := alone + (600*1+100*0.1+10*5)/1e6 + (4000*3+1000*0.3+100*15)/1e6; math.Abs(*r.Cost-want) > 1e-9 {
		t.Errorf("cost %v, want %v", *r.Cost, want)
	}
	f, ok, err := Predict(context.Background(), tl, policy.Full(), o)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	f.Add(r, o.Prices)
	row := Compare([]string{"full"}, []Run{r}, map[string][]Forecast{"full": {f}}).Rows[0]
	if row.Input.Mean != float64(r.Usage.Input+5700) || math.Abs(row.OffInput) > 1e-9 || math.Abs(row.OffCached) > 1e-9 || math.Abs(*row.OffCost) > 1e-9 {
		t.Errorf("measured %v, off %v, %v, %v", row.Input.Mean, row.OffInput, row.OffCached, *row.OffCost)
	}
	r.BesideOf["nobody-knows"] = session.Usage{Input: 5}
	if r.AddBeside(o.Prices); r.Cost != nil {
		t.Error("a call of a model without a price is paid with nothing")
	}
}

// A cause is named where the recordings show it and its weight moves the input the way
// the forecast is wrong; what is only there as well is not blamed.
func TestOnlyWhatMovesTheInputIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		turn func(r *Run)
		want string // the causes by a word each
	}{
		"pages went out otherwise": {func(r *Run) { r.Usage.Input += 5000; r.Astray, r.AstrayTokens, r.Asked = 3, 5000, 7 }, "sent otherwise"},
		"asked for, not the cause": {func(r *Run) { r.Usage.Input += 5000; r.Asked, r.First.Input = 7, 1500 }, "the first call"},
		"astray the other way":     {func(r *Run) { r.Usage.Input += 5000; r.Astray, r.AstrayTokens = 3, -4000 }, "no cause"},
		"another way":              {func(r *Run) { r.Usage.Input += 20000; r.Calls = 20; r.Lost = []string{"gone"} }, "the agent made 20"},
		"it ended early":           {func(r *Run) { r.Usage.Input = 1500; r.Calls, r.End = 2, "LOST" }, `it ended with "LOST"`},
		"a helper":                 {func(r *Run) { r.Beside.Input = 6000; r.Others = 2 }, "beside the session"},
		"nothing is known":         {func(r *Run) { r.Usage.Input += 5000; r.Lone = 2 }, "no cause"},
		"as predicted":             {func(r *Run) { r.Asked, r.Lone, r.Astray = 7, 1, 1 }, ""},
	} {
		base := Run{Policy: "full", OK: true, Calls: 10, Usage: session.Usage{Input: 20000}, First: session.Usage{Input: 1000}}
		other := base
		other.Policy = "fold"
		c.turn(&other)
		got := Compare([]string{"full", "fold"}, []Run{base, other}, map[string][]Forecast{"fold": {{Input: 20000, Calls: 10}}}).Rows[1].Drift
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: %q, want one with %q", name, got, c.want)
		}
	}
}

// What a client cuts of a long answer is cut in the forecast, too: under full most of
// the page never reaches the model, under a policy that makes it fit all of it does. What
// a client cut that the table does not know stays cut where the policy changes nothing.
func TestAClientsCutIsForecast(t *testing.T) {
	for _, agent := range []string{"claude-cli/2.1.330 (external, cli)", "opencode/1.18.33", "someone/1.0"} {
		t.Run(agent, func(t *testing.T) { cutIsForecast(t, agent) })
	}
}

func cutIsForecast(t *testing.T, agent string) {
	page := "- main [ref=e1]:\n" + strings.Repeat("  - text: a long row of the very same words\n", 2000) + "  - button \"Save\" [ref=e2]\n"
	events := []session.Event{
		{Kind: session.KindStart, Start: &session.Start{Source: "api-seat", Agent: agent, Model: "claude-sonnet-4-5"}},
		{Kind: session.KindUser, User: &session.Message{Text: "save it"}},
	}
	left := page[:1500] // not what the table says: what was measured counts
	for n := range 6 {
		id := fmt.Sprint("t", n)
		events = append(events, session.Event{Kind: session.KindCall, Call: &session.ModelCall{Usage: &session.Usage{Input: 3000 + n*count(left)}}},
			session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Tool: "browser_click", Verb: session.VerbClick, Target: &session.Target{Ref: "e2"}}},
			session.Event{Kind: session.KindResult, Result: &session.Result{Action: id, OK: true, Seen: session.SeenCut, Shown: left, Snapshot: &snapshot.Snapshot{Text: page, Hash: snapshot.HashText(page), URL: "http://a/", Document: "d"}}})
	}
	tl := session.NewTimeline(events)
	full, ok, err := Predict(context.Background(), tl, policy.Full(), options())
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	run, err := Measure(context.Background(), tl, policy.Full(), options())
	if err != nil {
		t.Fatal(err)
	}
	if d := off(full.Input, float64(run.Usage.Input)); math.Abs(d) > 1e-9 || full.Lost != len(run.Lost) || full.Lost == 0 {
		t.Errorf("full: %.0f tokens and %d lost are forecast, %d and %d were measured", full.Input, full.Lost, run.Usage.Input, len(run.Lost))
	}
	p, err := policy.Find("fold", nil)
	if err != nil {
		t.Fatal(err)
	}
	fold, _, err := Predict(context.Background(), tl, p, options())
	if err != nil || fold.Lost >= full.Lost {
		t.Errorf("fold makes it fit and loses %d, full %d; %v", fold.Lost, full.Lost, err)
	}
	// An answer that came through whole though it is longer shows a limit that is lifted.
	whole := slices.Clone(events)
	for i := range whole {
		if r := whole[i].Result; r != nil {
			x := *r
			x.Seen, x.Shown = session.SeenInline, ""
			whole[i].Result = &x
		}
	}
	lifted, _, err := Predict(context.Background(), session.NewTimeline(whole), policy.Full(), options())
	if err != nil || lifted.Lost > 1 {
		t.Errorf("with the limit lifted %d are lost; %v", lifted.Lost, err)
	}
}

// Where nothing tells who reads, a proxy compares a page with none before: what is
// forecast is what its reader does.
func TestNothingIsComparedForAStranger(t *testing.T) {
	delta, err := policy.Find("delta", nil)
	if err != nil {
		t.Fatal(err)
	}
	forecast := func(who string, p policy.Policy) (in float64, bytes int) {
		tl := story(9, func(n, _, _ int) *session.Usage { return &session.Usage{Input: 10_000 * n} })
		for i := range tl.Events {
			if r := tl.Events[i].Result; r != nil {
				r.Reader = who
				if r.Snapshot != nil { // one row changes
					s := text(300, 1) + fmt.Sprintf("  - text: step %d\n", i)
					r.Snapshot = &snapshot.Snapshot{Text: s, Hash: snapshot.HashText(s), URL: "http://a/", Document: "d"}
				}
			}
		}
		tl = session.NewTimeline(tl.Events)
		f, ok, err := Predict(context.Background(), tl, p, options())
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		sends := ledger.Sends(tl, p, options().Renderer)
		for i := range tl.Snaps {
			bytes += len(sends.Page(tl, i, "clicked").Text)
		}
		return f.Input, bytes
	}
	full, whole := forecast(session.Stranger, policy.Full())
	if in, sent := forecast(session.Stranger, delta); in != full || sent != whole {
		t.Errorf("a stranger: %.0f tokens are forecast and %d bytes sent; full %.0f and %d", in, sent, full, whole)
	}
	if in, sent := forecast("", delta); in >= full || sent >= whole {
		t.Errorf("one agent: %.0f tokens are forecast and %d bytes sent; full %.0f and %d", in, sent, full, whole)
	}
}
