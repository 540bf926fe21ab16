package format

import (
	"testing"
	"time"

	"snapscope/session"
)

const toldPage = "### Page state\n- Page URL: http://127.0.0.1/leads\n- Page Title: Leads\n- Page Snapshot:\n```yaml\n" +
	"- main [ref=e1]:\n  - button \"Save\" [ref=e2]\n```\n"

// What is told one by one gives the events that an import of the same history
// gives.
func TestToldIsReadAsAnImportIs(t *testing.T) {
	var got []session.Event
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w := Tell(session.Start{Source: "api", Agent: "a"}, Options{}, func(e session.Event) { got = append(got, e) })
	w.User("<system-reminder>be brief</system-reminder>", at)
	w.User("save it", at)
	w.Call(session.ModelCall{Model: "m", Usage: &session.Usage{Input: 10}}, at)
	w.Action("toolu_1", "mcp__playwright__browser_navigate", []byte(`{"url":"http://127.0.0.1/leads"}`), at)
	w.Result(Answer{ID: "toolu_1", Text: toldPage, When: at.Add(1500 * time.Millisecond)})
	w.Call(session.ModelCall{}, at)
	w.Action("toolu_2", "mcp__playwright__browser_click", []byte(`{"element":"Save","ref":"e2"}`), at)
	w.Result(Answer{ID: "toolu_2", Text: `[{"type":"text","text":"Error: gone"}]`, Failed: true, When: at})
	w.Expired([]string{"toolu_1"}, at)

	kinds := []session.Kind{}
	for _, e := range got {
		kinds = append(kinds, e.Kind)
	}
	want := []session.Kind{"start", "user", "call", "action", "result", "call", "action", "result", "expiry"}
	if len(kinds) != len(want) {
		t.Fatalf("events %v, want %v", kinds, want)
	}
	for i := range want {
		if kinds[i] != want[i] {
			t.Fatalf("events %v, want %v", kinds, want)
		}
	}
	r := got[4].Result
	if r.Snapshot == nil || r.Seen != session.SeenInline || r.URL != "http://127.0.0.1/leads" || r.Millis != 1500 {
		t.Errorf("the first result is %+v", r)
	}
	if a := got[6].Action; a.Verb != session.VerbClick || a.Target == nil || a.Target.Ref != "e2" {
		t.Errorf("the click is %+v", a)
	}
	if r := got[7].Result; r.OK || r.Error != "gone" {
		t.Errorf("the failed result is %+v", r)
	}
}

func TestShowsPage(t *testing.T) {
	for _, c := range []struct {
		tool, args, text string
		want             bool
	}{
		{"mcp__playwright__browser_navigate", `{}`, toldPage, true},
		{"browser_click", `{}`, `[{"type":"text","text":"- Page Snapshot:\n` + "```yaml\\n- button \\\"Save\\\" [ref=e2]\\n```" + `"}]`, true},
		{"browser_click", `not JSON`, "### Result\nclicked", false},
		{"Bash", `{"command":"grep -n ref= file"}`, "- button [ref=e2]", false},
		{"browser_snapshot", `{}`, "[Browser snapshot expired - content cleared]", false},
		{"", ``, "", false},
		// What the agent's client left of a page is one: the ledger counts it, too.
		{"mcp__playwright__browser_click", `{}`, "Wall time: 0.5 seconds\nOutput:\n### Page state\n- Page Snapshot:\n```yaml\n- main [ref=e1]:\n  - button \"Save\" [ref=e2]\n  - but…8075 chars truncated…\n  - button \"Last\" [ref=e99]\n```", true},
		{"mcp__playwright__browser_click", `{}`, "<persisted-output>\nOutput too large (115KB). Full output saved to: /x/y.txt\n</persisted-output>", false},
	} {
		if got := ShowsPage(c.tool, []byte(c.args), c.text); got != c.want {
			t.Errorf("ShowsPage(%q, %.40q) = %v, want %v", c.tool, c.text, got, c.want)
		}
	}
}
