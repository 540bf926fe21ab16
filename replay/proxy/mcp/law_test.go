package mcp

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

// anyRewrite is up to three rewrites in a row, some of their knobs turned.
func anyRewrite(t *rapid.T) policy.Policy {
	var names []string
	for _, s := range registry.All() {
		if s.Apply != nil && s.Name != "full" {
			names = append(names, s.Name)
		}
	}
	p := policy.Policy{Name: "delta"} // a name that says nothing true
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 3, rapid.ID[string]).Draw(t, "stages") {
		st := policy.MustStage(name, strategy.Values{})
		for _, k := range st.Strategy.Knobs {
			if rapid.IntRange(0, 2).Draw(t, "turn") == 0 {
				st.Knobs[k.Key] = k.Clamp(rapid.Float64Range(k.Min, k.Max).Draw(t, k.Key))
			}
		}
		p.Stages = append(p.Stages, st)
	}
	return p
}

// What the recording says was shown is what went over the wire, and its recipe makes
// it again, under any policy, whoever reads and whatever happens between.
func TestTheRecordingHoldsWhatAReaderOfTheBytesFinds(t *testing.T) {
	rewritten := 0
	rapid.Check(t, func(rt *rapid.T) {
		for range 5 {
			rewritten += oneSession(rt, anyRewrite(rt))
		}
	})
	if rewritten < 100 {
		t.Errorf("%d pages were rewritten: nothing is tested", rewritten)
	}
}

// oneSession sends pages through a seat and reads its recording; it answers how many
// were rewritten.
func oneSession(t *rapid.T, p policy.Policy) (rewritten int) {
	s := &sink{}
	seat := New(Options{Policy: &p, Sink: s, OneAgent: true})
	l := seat.Link(t.Context())
	went := map[string]string{}
	for i := range rapid.IntRange(2, 6).Draw(t, "pages") {
		id, tool := strconv.Itoa(i+1), rapid.SampledFrom([]string{"browser_click", "browser_click", "browser_snapshot"}).Draw(t, "tool")
		who := rapid.SampledFrom([]string{"", `,"_meta":{"threadId":"a"}`, `,"_meta":{"threadId":"b"}`}).Draw(t, "who")
		if rapid.IntRange(0, 9).Draw(t, "compacted") == 0 {
			seat.rec.post(0, func(*recorder) { l.view.compacted() })
		}
		l.FromClient([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}` + who + `}}` + "\n"))
		page := table(rapid.IntRange(1, 120).Draw(t, "rows"), rapid.IntRange(0, 9).Draw(t, "ticked"))
		var m struct {
			Result struct{ Content []struct{ Text string } }
		}
		got := l.FromServer([]byte(textAnswer(id, inPage(page)) + "\n"))
		if err := json.Unmarshal(got.Forward, &m); err != nil || len(m.Result.Content) != 1 {
			t.Fatalf("%s: %v", got.Forward, err)
		}
		went["c"+id] = m.Result.Content[0].Text
	}
	if err := seat.Close(); err != nil {
		t.Fatal(err)
	}
	tl := session.NewTimeline(s.events)
	at := map[string]int{}
	for i, sn := range tl.Snaps {
		res := tl.Steps[sn.Step].Result
		at[res.Action] = i
		text := went[res.Action]
		if res.Recipe == nil || !strings.HasPrefix(text, res.Recipe.Grammar) || !strings.Contains(text, res.Showed()) && res.Shown != "" {
			t.Fatalf("%s: the recording tells of another answer than went out: %+v\n%s", res.Action, res.Recipe, text)
		}
		if res.Shown == "" && !res.Recipe.Nothing {
			if !strings.Contains(text, res.Snapshot.Text) {
				t.Fatalf("%s: the page is said to have gone whole: %s", res.Action, text)
			}
			continue
		}
		rewritten++
		again, err := policy.NewRenderer(func(s string) int { return (len(s) + 3) / 4 }).Follow(tl, i, at[res.Recipe.Since], res.Recipe)
		if err != nil || again.Text != res.Shown {
			t.Fatalf("%s: by its recipe %+v (%v) it is\n%s\nand it went out as\n%s", res.Action, res.Recipe, err, again.Text, res.Shown)
		}
	}
	return rewritten
}
