package sweep_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/replay/sweep"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot"
	"snapscope/snapshot/strategy/registry"
)

func words(text string) int { return len(strings.Fields(text)) }

// shop is a session on a list of n items with a button each: it takes the item
// pick.
func shop(n, pick int) *session.Timeline {
	var b strings.Builder
	b.WriteString("- list [ref=e1]:")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "\n  - listitem [ref=e%d]:\n    - button \"Buy\" [ref=e%d]", 2*i, 2*i+1)
	}
	page := b.String()
	return session.NewTimeline([]session.Event{
		{Kind: session.KindAction, Action: &session.Action{ID: "a", Verb: session.VerbGoto, Tool: "goto"}},
		{Kind: session.KindResult, Result: &session.Result{
			Action: "a", OK: true, Seen: session.SeenInline,
			Snapshot: &snapshot.Snapshot{Text: page, Hash: snapshot.HashText(page)},
		}},
		{Kind: session.KindAction, Action: &session.Action{
			ID: "b", Verb: session.VerbClick, Tool: "click", Target: &session.Target{Ref: fmt.Sprintf("e%d", 2*pick+1)},
		}},
		{Kind: session.KindResult, Result: &session.Result{Action: "b", OK: true}},
	})
}

func named(t testing.TB, name string) policy.Policy {
	t.Helper()
	p, err := policy.Find(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParseAxis(t *testing.T) {
	p := policy.Policy{Name: "p", Stages: []policy.Stage{policy.MustStage("compress", nil), policy.MustStage("passmark", nil), policy.MustStage("openclaw", nil)}}
	for _, c := range []struct {
		text string
		want []float64
		err  string
	}{
		{"compress.keep_n=20,5,10,5", []float64{5, 10, 20}, ""},
		{"keep_n=5..50/15", []float64{5, 20, 35, 50}, ""},
		{"keep_n=5..9/3,100", []float64{5, 8, 100}, ""},
		{"passmark.min_savings=0..20%/0.05", []float64{0, 0.05, 0.1, 0.15, 0.2}, ""},
		{"context=0..2", []float64{0, 1, 2}, ""},
		{"compress.scope=parent,page", []float64{0, 1}, ""},
		{"openclaw.sticky", []float64{0, 1}, ""},
		{"openclaw.tool_calls", []float64{1, 2, 3, 5, 8, 13}, ""},
		{"nothing=1", nil, `policy p has no knob "nothing"`},
		{"keep_n=a", nil, `keep_n is "a"`},
		{"keep_n=9..5", nil, "goes nowhere"},
		{"keep_n=1..9/0", nil, "goes nowhere"},
		{"keep_n=1..9/x", nil, "not a number"},
		{"keep_n=", nil, `keep_n is ""`},
		{"keep_n=0..2000", nil, "it takes 0 to 1000"},
		{"compress.fire_threshold=1..5000/1", nil, "more than 1000 values"},
		{"compress.scope=page..parent", nil, "takes single values"},
	} {
		a, err := sweep.ParseAxis(p, c.text)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.text, err, c.err)
			}
			continue
		}
		if err != nil || !cmp.Equal(a.Values, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.text, a.Values, err, c.want)
		}
	}
}

func TestEveryKnobHasUsualValuesInRange(t *testing.T) {
	for _, s := range registry.All() {
		for _, k := range s.Knobs {
			p := policy.Policy{Name: "p", Stages: []policy.Stage{{Strategy: s}}}
			a, err := sweep.ParseAxis(p, s.Name+"."+k.Key)
			if err != nil || len(a.Values) == 0 {
				t.Errorf("%s.%s: %v, %v", s.Name, k.Key, a.Values, err)
			}
			for _, v := range a.Values {
				if v < k.Min || v > k.Max || v != k.Clamp(v) {
					t.Errorf("%s.%s tries %v, outside %v to %v", s.Name, k.Key, v, k.Min, k.Max)
				}
			}
		}
	}
}

func TestFrontOfKeepN(t *testing.T) {
	recs := []recording{{"near", shop(150, 8)}, {"far", shop(150, 57)}}
	p := named(t, "compress")
	a, err := sweep.ParseAxis(p, "keep_n=5,10,30,60,100")
	if err != nil {
		t.Fatal(err)
	}
	var last [2]int
	res, err := run(context.Background(), recs, p, []sweep.Axis{a}, sweep.Options{
		Count: words, Parallel: 2, Progress: func(d, n int) { last = [2]int{d, n} },
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != [2]int{10, 10} {
		t.Errorf("progress ended at %v", last)
	}
	var got []string
	for _, pt := range res.Points {
		got = append(got, fmt.Sprintf("%s %d/%d %v", pt.Settings[0].Value, pt.Survived, pt.Acted, pt.Front))
	}
	// 30 keeps no more than 10 and carries more; 100 no more than 60.
	want := []string{"5 0/2 true", "10 1/2 true", "30 1/2 false", "60 2/2 true", "100 2/2 false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var b bytes.Buffer
	if err := sweep.WriteText(&b, res); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(b.String(), "\n"); len(lines) < 8 || !strings.HasPrefix(lines[3], "●") || strings.HasPrefix(lines[5], "●") {
		t.Errorf("the table marks the front wrongly:\n%s", b.String())
	}
	b.Reset()
	if err := sweep.WriteJSON(&b, res); err != nil {
		t.Fatal(err)
	}
	var j struct {
		Points []struct {
			Set    map[string]string `json:"set"`
			Input  int               `json:"input_tokens"`
			Pareto bool              `json:"pareto"`
		} `json:"points"`
	}
	if err := json.Unmarshal(b.Bytes(), &j); err != nil || len(j.Points) != 5 || j.Points[3].Set["compress.keep_n"] != "60" || !j.Points[3].Pareto {
		t.Errorf("json %v: %s", err, b.String())
	}
}

func TestPointsEqualTheLedger(t *testing.T) {
	tl := shop(150, 57)
	p := named(t, "compress")
	res, err := run(context.Background(), []recording{{"one", tl}}, p, sweep.Axes(p), sweep.Options{Count: words})
	if err != nil {
		t.Fatal(err)
	}
	for _, pt := range res.Points {
		r := simulate(tl, pt.Policy, ledger.Options{Renderer: policy.NewRenderer(words)})
		if r.InputTokens != pt.Input || r.Survival.Survived != pt.Survived || r.PeakTokens != pt.Peak {
			t.Errorf("%v: %d tokens, %d survived; the ledger says %d, %d", pt.Settings, pt.Input, pt.Survived, r.InputTokens, r.Survival.Survived)
		}
	}
}

func TestRunStopsAndRefuses(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	p := named(t, "compress")
	recs := []recording{{"one", shop(150, 57)}}
	_, err := run(ctx, recs, p, sweep.Axes(p), sweep.Options{Count: words, Progress: func(int, int) { stop() }})
	if err != context.Canceled {
		t.Errorf("a stopped sweep answers %v", err)
	}
	if _, err := run(context.Background(), nil, p, nil, sweep.Options{Count: words}); err == nil {
		t.Error("a sweep over nothing is no error")
	}
	many := sweep.Axis{Strategy: "compress", Knob: "keep_n"}
	for v := range 1000 {
		many.Values = append(many.Values, float64(v))
	}
	fire := sweep.Axis{Strategy: "compress", Knob: "fire_threshold", Values: many.Values[1:]}
	if _, err := sweep.Grid(p, []sweep.Axis{many, fire}); err == nil || !strings.Contains(err.Error(), "more than 10000 settings") {
		t.Errorf("a huge grid: %v", err)
	}
}

func TestAxesOfEveryPolicyMakeASmallGrid(t *testing.T) {
	for _, p := range policy.Builtin() {
		axes := sweep.Axes(p)
		points, err := sweep.Grid(p, axes)
		if err != nil || len(points) > 150 {
			t.Errorf("%s: %d points, %v", p.Name, len(points), err)
		}
		for _, a := range axes {
			if a.Strategy == "response-diff" && p.Name == "seeds" {
				t.Error("seeds has response-diff switched off, and it is swept")
			}
		}
	}
	if axes := sweep.Axes(named(t, "seeds")); len(axes) < 3 {
		t.Errorf("a sweep of seeds turns only %v", axes)
	}
}

func TestBase(t *testing.T) {
	p, err := sweep.Base([]string{"openclaw.tool_calls=1,2", "compress.keep_n", "compress.fire_threshold=10"})
	if err != nil || len(p.Stages) != 2 || p.Stages[0].Strategy.Name != "compress" || p.Stages[1].Strategy.Name != "openclaw" {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range [][]string{{"keep_n=1"}, {"nosuch.knob=1"}, {"openclaw.tool_calls=1", "keep-one.x=1"}} {
		if _, err := sweep.Base(bad); err == nil {
			t.Errorf("%v is no error", bad)
		}
	}
}

// A point is on the front exactly when no other dominates it.
func TestFrontIsParetos(t *testing.T) {
	tl := shop(150, 57)
	rapid.Check(t, func(rt *rapid.T) {
		vs := rapid.SliceOfNDistinct(rapid.IntRange(0, 120), 1, 6, rapid.ID[int]).Draw(rt, "keep_n")
		a := sweep.Axis{Strategy: "compress", Knob: "keep_n"}
		for _, v := range vs {
			a.Values = append(a.Values, float64(v))
		}
		p := named(t, "compress")
		res, err := run(context.Background(), []recording{{"one", tl}}, p, []sweep.Axis{a}, sweep.Options{Count: words})
		if err != nil {
			rt.Fatal(err)
		}
		for i, x := range res.Points {
			dominated := false
			for _, y := range res.Points {
				dominated = dominated || y.Input <= x.Input && y.Survived >= x.Survived && (y.Input < x.Input || y.Survived > x.Survived)
			}
			if x.Front == dominated {
				rt.Fatalf("point %d of %+v: front %v, dominated %v", i, res.Points, x.Front, dominated)
			}
		}
	})
}

// recording is a session at hand.
type recording struct {
	name     string
	timeline *session.Timeline
}

// run tries every combination on recordings that are at hand.
func run(ctx context.Context, recs []recording, p policy.Policy, axes []sweep.Axis, o sweep.Options) (*sweep.Result, error) {
	src := make([]sweep.Source, len(recs))
	for i, r := range recs {
		src[i] = sweep.Source{Name: r.name, Open: func(context.Context) (*session.Timeline, error) { return r.timeline, nil }}
	}
	t, err := sweep.NewTable(p, axes)
	if err != nil {
		return nil, err
	}
	if err := sweep.Stream(ctx, src, t.Points(), o, func(out sweep.Outcome) error { t.Add(out); return nil }); err != nil {
		return nil, err
	}
	return t.Result(), nil
}

// simulate is ledger.Run for a session that nobody stops.
func simulate(t *session.Timeline, p policy.Policy, o ledger.Options) *ledger.Report {
	r, err := ledger.Run(context.Background(), t, p, o)
	if err != nil {
		panic(err) // only a cancelled context fails
	}
	return r
}
