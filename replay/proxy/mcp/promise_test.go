package mcp

import (
	"fmt"
	"strconv"
	"testing"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// linked drives a server whose actions answer with a link and whose pages are asked
// for, and answers the recording's timeline.
func linked(t *testing.T, p *policy.Policy, one bool) *session.Timeline {
	t.Helper()
	s := &sink{}
	seat := New(Options{Policy: p, Sink: s, OneAgent: one})
	l := seat.Link(t.Context())
	ask := func(n int, tool, text string) {
		id := strconv.Itoa(n)
		l.FromClient([]byte(callLine(id, tool, `{}`) + "\n"))
		l.FromServer([]byte(textAnswer(id, text) + "\n"))
	}
	for i := range 8 {
		ask(3*i+1, "browser_click", "### Page\n- Page URL: http://x/leads\n### Snapshot\n- [Snapshot](nowhere.yml)")
		ask(3*i+2, "browser_snapshot", inPage(table(150, i)))
		if i%3 == 2 { // what was asked for again goes whole
			ask(3*i+3, "browser_snapshot", inPage(table(150, i)))
		}
	}
	if err := seat.Close(); err != nil {
		t.Fatal(err)
	}
	return session.NewTimeline(s.events)
}

// Pages come only when they are asked for: what is promised from a recording without
// a policy is what the recording under the policy says was sent.
func TestThePromiseHoldsWherePagesAreAskedFor(t *testing.T) {
	t.Parallel()
	t.Run("one agent", func(t *testing.T) { promised(t, true) })
	t.Run("a client that does not tell who reads", func(t *testing.T) { promised(t, false) })
}

func promised(t *testing.T, one bool) {
	plain := linked(t, nil, one)
	o := ledger.Options{Renderer: policy.NewRenderer(func(s string) int { return (len(s) + 3) / 4 }), CountOnly: true}
	for _, p := range policy.Builtin() {
		if _, retains := p.Retention(); retains || !p.Rewrites() {
			continue
		}
		want, err := ledger.Run(t.Context(), plain, p, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ledger.AsSent(t.Context(), linked(t, &p, one), o)
		if err != nil {
			t.Fatal(err)
		}
		off := float64(got.InputTokens-want.InputTokens) / float64(want.InputTokens)
		say := fmt.Sprintf("%s: promised %d, sent %d", p.Name, want.InputTokens, got.InputTokens)
		if off > 0.02 || off < -0.02 {
			t.Error(say)
		}
		if p.Name == "delta" && one != (got.InputTokens < 200_000) {
			t.Errorf("%s: pages are compared with those before where one agent reads, and only there", say)
		}
		t.Log(say)
	}
}
