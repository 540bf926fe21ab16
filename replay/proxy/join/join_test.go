package join

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot"
)

func at(n int) time.Time { return time.Unix(int64(n), 0).UTC() }

func action(id, tool, ref string, n int) session.Event {
	return session.Event{Kind: session.KindAction, Time: at(n), Action: &session.Action{ID: id, Tool: tool, Args: map[string]any{"ref": ref}}}
}

func result(r session.Result, n int) session.Event {
	r.OK = true
	return session.Event{Kind: session.KindResult, Time: at(n), Result: &r}
}

func page(text string) *snapshot.Snapshot { return &snapshot.Snapshot{Text: text, URL: "http://a/"} }

const full = "- main [ref=e1]:\n  - button \"Save\" [ref=e2]"

// recordings are those of both seats of one agent.
func recordings() (api, mcp []session.Event) {
	api = []session.Event{
		{Kind: session.KindStart, Start: &session.Start{Source: "api-seat", Model: "m"}},
		{Kind: session.KindUser, Time: at(1), User: &session.Message{Text: "go"}},
		{Kind: session.KindCall, Time: at(2), Call: &session.ModelCall{Usage: &session.Usage{Input: 10}}},
		action("toolu_1", "mcp__playwright__browser_click", "e2", 3),
		action("toolu_x", "Bash", "ls", 3),
		result(session.Result{Action: "toolu_1", Text: "### Page state\n\n", Seen: session.SeenInline, Snapshot: page(full), At: 15}, 6),
		result(session.Result{Action: "toolu_x", Text: "files"}, 6),
		{Kind: session.KindCall, Time: at(7), Call: &session.ModelCall{}},
		action("toolu_2", "mcp__playwright__browser_click", "e2", 8),
		result(session.Result{Action: "toolu_2", Text: "Output too large. Preview: - main", Seen: ""}, 10),
		{Kind: session.KindCall, Time: at(11), Call: &session.ModelCall{}},
		action("toolu_3", "mcp__playwright__browser_click", "e2", 12),
		result(session.Result{Action: "toolu_3", Text: "### Page state\n\n[snapshot unchanged]\n"}, 13),
	}
	mcp = []session.Event{
		{Kind: session.KindStart, Start: &session.Start{Source: "mcp-seat"}},
		action("c1", "browser_click", "e2", 4),
		result(session.Result{Action: "c1", Text: "### Page state\n\n", Seen: session.SeenInline, Snapshot: page(full), At: 15, Millis: 120, URL: "http://a/"}, 5),
		{Kind: session.KindNote, Time: at(8), Note: &session.Note{Text: "held"}},
		action("c2", "browser_click", "e2", 9),
		result(session.Result{Action: "c2", Text: "### Page state\n\n", Seen: session.SeenInline, Snapshot: page(full)}, 9),
		action("c3", "browser_click", "e2", 12),
		result(session.Result{Action: "c3", Text: "### Page state\n\n", Seen: session.SeenIncremental, Snapshot: page(full), Shown: "[snapshot unchanged]", At: 15}, 12),
		action("c4", "browser_snapshot", "", 14),
	}
	return api, mcp
}

func TestJoin(t *testing.T) {
	api, mcp := recordings()
	got := Join(api, mcp)
	if got.Pairs != 3 || got.Lone != 1 {
		t.Errorf("%d pairs, %d alone", got.Pairs, got.Lone)
	}
	tl := session.NewTimeline(got.Events)
	if tl.Start.Model != "m" || len(tl.Steps) != 4 || len(tl.Calls()) != 3 || tl.Orphans != 0 {
		t.Fatalf("start %+v, %d steps, %d calls", tl.Start, len(tl.Steps), len(tl.Calls()))
	}
	type seen struct {
		Seen  session.Seen
		Shown string
		Page  bool
		Ms    int64
	}
	var list []seen
	for _, s := range tl.Steps {
		r := s.Result
		list = append(list, seen{r.Seen, r.Shown, r.Snapshot != nil, r.Millis})
	}
	want := []seen{
		{session.SeenInline, "", true, 120},
		{"", "", false, 0},
		{session.SeenCut, "Output too large. Preview: - main", true, 0},
		{session.SeenIncremental, "[snapshot unchanged]", true, 0},
	}
	if d := cmp.Diff(want, list); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	notes := 0
	for i, e := range got.Events {
		if e.Seq != i+1 {
			t.Errorf("event %d bears the number %d", i+1, e.Seq)
		}
		if e.Note != nil {
			notes++
			if got.Events[i+1].Action == nil && got.Events[i+1].Result == nil {
				t.Errorf("the note stands before %+v", got.Events[i+1])
			}
		}
	}
	if notes != 1 {
		t.Errorf("%d notes", notes)
	}
	if api[5].Result.Millis != 0 {
		t.Error("the recording that was joined is changed")
	}
}

// What a client puts around an answer is not a cut, whatever notation the answer is in.
func TestWhatIsPutAroundAnAnswerIsNoCut(t *testing.T) {
	const reminder = "\n\n<system-reminder>\n<total_tokens>14968355 tokens left</total_tokens>\n</system-reminder>"
	server := session.Result{OK: true, Text: "### Snapshot\n```yaml\n\n```", At: 21, Shown: "- main [ref=e1]: × 2", Seen: session.SeenInline, Reader: session.Stranger, Snapshot: page(full), Policy: "fold"}
	sent := server.Whole()
	for name, c := range map[string]struct {
		got  session.Result
		text string // around the page
		cut  bool
	}{
		"as it was":            {session.Result{Text: sent}, server.Text, false},
		"a reminder behind":    {session.Result{Text: sent + reminder}, server.Text + reminder, false},
		"a lesson before":      {session.Result{Text: "× n says n of a kind\n\n" + sent + reminder}, "× n says n of a kind\n\n" + server.Text + reminder, false},
		"other space":          {session.Result{Text: strings.ReplaceAll(sent, "\n", "\r\n") + reminder}, "", false},
		"taken for a page":     {session.Result{Text: server.Text + reminder, At: 21, Seen: session.SeenInline, Snapshot: page(server.Shown)}, server.Text + reminder, false},
		"cut":                  {session.Result{Text: sent[:30] + "…9 chars truncated…" + sent[40:] + reminder}, "", true},
		"nothing but a notice": {session.Result{Text: "Output too large" + reminder}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			got := both(&c.got, &side{result: &server})
			if is := got.Seen == session.SeenCut; is != c.cut || got.Snapshot != server.Snapshot || got.Reader != session.Stranger {
				t.Fatalf("seen %q: %+v", got.Seen, got)
			}
			if !c.cut && (got.Seen != session.SeenInline || got.Showed() != server.Shown) {
				t.Errorf("seen %q: %q", got.Seen, got.Showed())
			}
			if c.text != "" && (got.Text != c.text || got.Whole() != c.got.Whole()) {
				t.Errorf("the text is %q, whole %q", got.Text, got.Whole())
			}
		})
	}
}

func buttons(from, to int) string {
	var b strings.Builder
	b.WriteString("- main [ref=e1]:\n")
	for n := from; n <= to; n++ {
		fmt.Fprintf(&b, "  - button \"Row %d\" [ref=e%d]\n", n, n)
	}
	return b.String()
}

// under is the recording of both seats where pages went out as delta makes them, under
// the name of a policy that is not built in.
func under(t *testing.T, r *policy.Renderer) (api, mcp []session.Event) {
	t.Helper()
	p, err := policy.Find("delta", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, page := range []string{buttons(2, 200), buttons(3, 201), buttons(4, 202)} {
		a := &session.Action{ID: fmt.Sprint("c", i+1), Tool: "browser_click", Verb: session.VerbClick}
		if i > 0 {
			a.Target = &session.Target{Ref: fmt.Sprint("e", 200+i-1)} // the last row of the page before
		}
		mcp = append(mcp, session.Event{Kind: session.KindAction, Action: a}, session.Event{Kind: session.KindResult, Result: &session.Result{
			Action: a.ID, OK: true, Text: "### Page\n```yaml\n\n```", At: 17, Seen: session.SeenInline,
			Snapshot: &snapshot.Snapshot{Text: page, Hash: snapshot.HashText(page), URL: "http://a/", Document: "d"},
		}})
	}
	tl, plan := session.NewTimeline(mcp), r.Plan(p)
	sends := plan.Reader(nil)
	for i := range tl.Snaps {
		sent, res := sends.Page(tl, i, ""), tl.Steps[i].Result
		if res.Recipe = plan.Recipe(tl, sent); sent.Text != res.Snapshot.Text {
			res.Shown, res.Policy = sent.Text, "tuned"
		}
		if sent.Base >= 0 {
			res.Seen = session.SeenIncremental
		}
		id := fmt.Sprint("toolu_", i+1)
		a := *tl.Steps[i].Action
		a.ID, a.Tool = id, "mcp__playwright__browser_click"
		got := session.Result{Action: id, OK: true, Text: res.Recipe.Grammar + res.Whole()}
		api = append(api, session.Event{Kind: session.KindCall, Call: &session.ModelCall{}}, session.Event{Kind: session.KindAction, Action: &a}, session.Event{Kind: session.KindResult, Result: &got})
	}
	return api, mcp
}

// How a page was made goes into the joined session with it: what could be read there is
// what could be read by the recording of the tools' side, whatever the policy is called,
// and the grammar of its notation is weighed once.
func TestTheJoinedSessionIsReadByItsRecipes(t *testing.T) {
	o := ledger.Options{Renderer: policy.NewRenderer(func(s string) int { return len(strings.Fields(s)) })}
	api, mcp := under(t, o.Renderer)
	j := Join(api, mcp)
	if j.Pairs != 3 {
		t.Fatalf("%d pairs", j.Pairs)
	}
	joined := session.NewTimeline(j.Events)
	var reports []*ledger.Report
	for _, tl := range []*session.Timeline{session.NewTimeline(mcp), joined} {
		r, err := ledger.AsSent(t.Context(), tl, o)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	tools, both := reports[0], reports[1]
	if both.Survival.Acted != 2 || both.Survival.Survived != 2 || both.Survival.Survived != tools.Survival.Survived {
		t.Errorf("joined %d of %d can be read, by the tools' side %d: %+v", both.Survival.Survived, both.Survival.Acted, tools.Survival.Survived, both.Survival.Lost)
	}
	if both.AppendedTokens != tools.AppendedTokens {
		t.Errorf("the answers weigh %d tokens joined, %d by the tools' side", both.AppendedTokens, tools.AppendedTokens)
	}
	taught := 0
	for _, s := range joined.Steps {
		taught += len(s.Result.Recipe.Grammar)
	}
	if r := joined.Steps[1].Result; taught == 0 || r.Recipe.Since != "toolu_1" || r.Seen != session.SeenIncremental {
		t.Errorf("%d bytes of grammar; step 2 is %q with %+v", taught, r.Seen, r.Recipe)
	}
	if mcp[3].Result.Recipe.Since != "c1" {
		t.Error("the recording that was joined is changed")
	}
}
