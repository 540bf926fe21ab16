package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot"
)

// seatSession is a session of a seat with one page, which went out as told.
func seatSession(t *testing.T, change func(*session.Result, string)) (*session.Timeline, string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("- list [ref=e1]:\n")
	for i := range 150 {
		fmt.Fprintf(&b, "  - listitem [ref=e%d]: row %d\n", i+2, i)
	}
	page := strings.TrimRight(b.String(), "\n")
	r := &session.Result{
		Action: "c1", OK: true, Seen: session.SeenInline,
		Snapshot: &snapshot.Snapshot{Text: page, Hash: snapshot.HashText(page), URL: "http://a/", Document: "d"},
	}
	change(r, page)
	return session.NewTimeline([]session.Event{
		{Kind: session.KindStart, Start: &session.Start{Source: "mcp-seat"}},
		{Kind: session.KindAction, Action: &session.Action{ID: "c1", Tool: "browser_navigate", Verb: session.VerbGoto}},
		{Kind: session.KindResult, Result: r},
	}), page
}

func TestThePaneOfWhatWentOut(t *testing.T) {
	rd := policy.NewRenderer(func(s string) int { return len(s) })
	for name, c := range map[string]struct {
		change func(r *session.Result, page string)
		why    string
		same   bool // the page itself
	}{
		"as it came": {func(*session.Result, string) {}, "went out as the server gave it", true},
		"compressed": {func(r *session.Result, _ string) {
			tl, _ := seatSession(t, func(*session.Result, string) {})
			p, err := policy.Find("compress", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Policy, r.Shown = "compress", rd.Render(tl, 0, p).Text
		}, "went out under compress", false},
		"cut": {func(r *session.Result, page string) {
			r.Seen, r.Shown = session.SeenCut, page[:200]+"\n…\n"+page[len(page)-200:]
		}, "405 of its 4,750 tokens reached the model", false},
		"answered": {func(r *session.Result, _ string) {
			r.Touched, r.Shown = session.TouchedAnswered, "not today"
		}, "answered by a person", false},
	} {
		tl, page := seatSession(t, c.change)
		n := strings.Count(page, "\n") + 1
		f := MakeFrame(rd, FrameAsk{View: tl, At: 0, Policies: []policy.Policy{Sent(), policy.Full()}})
		d := f.Docs[0]
		if !strings.Contains(d.Reason(), c.why) || d.Same != c.same {
			t.Errorf("%s: %q, %d lines, the page itself: %v", name, d.Reason(), len(d.Lines), d.Same)
		}
		if d.Rendered.Text != tl.Steps[0].Result.Showed() || f.Docs[1].Rendered.Text != page {
			t.Errorf("%s: the pane shows another text than went out", name)
		}
		tied := 0
		for i, l := range d.Lines {
			if l.Page >= 0 {
				tied++
				if int(d.ByPage[l.Page]) != i {
					t.Errorf("%s: line %d stands for %d, which stands at %d", name, i, l.Page, d.ByPage[l.Page])
				}
			}
		}
		if c.same && tied != n {
			t.Errorf("%s: %d of %d lines are tied to the page", name, tied, n)
		}
		if name != "answered" && tied < 5 {
			t.Errorf("%s: only %d lines are tied to the page", name, tied)
		}
		set := MakeFigures(context.Background(), FigureAsk{View: tl, Policies: []policy.Policy{Sent()}, Opt: ledger.Options{Renderer: rd}})
		if set == nil || set.Pol[0].Report.Policy.Name != ledger.AsSentName || set.Pol[0].Tokens[0] != len(tl.Steps[0].Result.Showed()) {
			t.Errorf("%s: the figures are not of what went out", name)
		}
	}
}

func TestASeatsSessionShowsWhatWentOut(t *testing.T) {
	m := NewState(nil)
	m.Panes = PanesOf(nil, nil)
	m.Focus = 1
	focused := m.Panes[1].Policy.Name
	m.Began(session.Start{Source: "browser"})
	if isSent(m.Panes[0].Policy) {
		t.Fatal("a session of another source")
	}
	m.Began(session.Start{Source: "mcp-seat"})
	m.Began(session.Start{Source: "mcp-seat"})
	var shown []string
	for _, i := range m.ShownPanes() {
		shown = append(shown, m.Panes[i].Policy.Name)
	}
	if got := strings.Join(shown, ", "); got != "as sent, passmark, compress" || len(m.Panes) > 9 || m.Panes[m.Focus].Policy.Name != focused {
		t.Errorf("shown are %s of %d, chosen is %s", got, len(m.Panes), m.Panes[m.Focus].Policy.Name)
	}
}

// A page that went out under a policy of the person's own is tied by its recipe, not by
// a name that no built-in policy has.
func TestThePaneOfWhatWentOutFollowsTheRecipe(t *testing.T) {
	rd := policy.NewRenderer(func(s string) int { return len(s) })
	delta, err := policy.Find("delta", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"delta", "tuned", "full"} {
		tl, page := seatSession(t, func(*session.Result, string) {})
		next := strings.Replace(page, "row 100", "row one hundred", 1)
		tl.Append(session.Event{Kind: session.KindAction, Action: &session.Action{ID: "c2", Tool: "browser_click", Verb: session.VerbClick}})
		tl.Append(session.Event{Kind: session.KindResult, Result: &session.Result{
			Action: "c2", OK: true, Seen: session.SeenInline,
			Snapshot: &snapshot.Snapshot{Text: next, Hash: snapshot.HashText(next), URL: "http://a/", Document: "d"},
		}})
		plan := rd.Plan(delta)
		sends := plan.Reader(nil)
		sends.Page(tl, 0, "")
		sent := sends.Page(tl, 1, "")
		r := tl.Steps[1].Result
		r.Policy, r.Shown, r.Seen, r.Recipe = name, sent.Text, session.SeenIncremental, plan.Recipe(tl, sent)
		f := MakeFrame(rd, FrameAsk{View: tl, At: 1, Policies: []policy.Policy{Sent(), delta}})
		got, want := f.Docs[0], f.Docs[1]
		if sent.Base != 0 || got.Rendered.Text != sent.Text || got.Rendered.Base != 0 {
			t.Fatalf("%s: the page before is no base: %+v", name, got.Rendered)
		}
		if !slices.Equal(got.Lines, want.Lines) || !slices.Equal(got.ByPage, want.ByPage) {
			t.Errorf("%s: the lines are tied as\n%v\nand the policy ties them as\n%v", name, got.Lines, want.Lines)
		}
	}
}
