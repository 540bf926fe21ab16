package breakpoint

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot"
	"snapscope/snapshot/strategy/registry"
)

// breakScene is three steps: a page, the same page with a dialog, a failure.
func breakScene() Scene {
	t := &session.Timeline{}
	add := func(id string, a session.Action, r session.Result, text string) {
		a.ID, r.Action = id, id
		if text != "" {
			r.Snapshot = &snapshot.Snapshot{URL: r.URL, Title: r.Title, Text: text, Hash: snapshot.HashText(text), Document: "d1"}
			r.Seen = session.SeenInline
		}
		t.Append(session.Event{Kind: session.KindAction, Action: &a})
		t.Append(session.Event{Kind: session.KindResult, Result: &r})
	}
	rows := strings.Repeat("  - listitem [ref=e2]: entry\n", 200)
	page := "- main [ref=e1]:\n" + rows + "  - button \"Go\" [ref=e3]"
	add("a", session.Action{Verb: session.VerbGoto, Tool: "goto"}, session.Result{OK: true, URL: "http://x/leads", Title: "Leads"}, page)
	add("b", session.Action{Verb: session.VerbClick, Tool: "browser_click"}, session.Result{OK: true, URL: "http://x/leads", Title: "Leads", Console: []string{"TypeError: no"}}, page+"\n- dialog \"Sure?\" [ref=e4]:\n  - text: Saved")
	add("c", session.Action{Verb: session.VerbClick, Tool: "browser_click"}, session.Result{Error: "gone"}, "")
	var policies []policy.Policy
	for _, n := range []string{"passmark", "compress"} {
		s, err := registry.Get(n)
		if err == nil {
			policies = append(policies, policy.Single(s))
		}
	}
	return Scene{
		Timeline: t, Policies: policies, Renderer: policy.NewRenderer(func(s string) int { return len(s) / 4 }),
		Lost: func(step int) []string {
			if step == 2 {
				return []string{"e9 under compress"}
			}
			return nil
		},
	}
}

func TestBreakpoints(t *testing.T) {
	for _, c := range []struct {
		text  string
		steps string // the steps it holds at
	}{
		{"step 2", "2"},
		{"url leads", "1 2"},
		{"url deals", ""},
		{`title "Leads"`, "1 2"},
		{"action click", "2 3"},
		{"action browser_click", "2 3"},
		{`text "Saved" appears`, "2"},
		{`text Saved`, "2"},
		{`text "Saved" vanishes`, ""},
		{"text Go appears", "1"},
		{"role dialog appears", "2"},
		{"role dial appears", ""},
		{"role main", "1"},
		{"tokens > 1000", "1 2"},
		{"tokens > 1,000,000", ""},
		{"tokens passmark < 1000", "2"},
		{"rule passmark=delta", "2"},
		{"rule compress", "1 2"},
		{"rule compress=full", ""},
		{"survival lost", "2"},
		{"console TypeError", "2"},
		{"error", "3"},
	} {
		b, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var got []string
		s := breakScene()
		for i := range s.Timeline.Steps {
			s.Step = i
			if why, ok := b.Hit(s); ok {
				got = append(got, fmt.Sprint(i+1))
				if why == "" {
					t.Errorf("%s holds at step %d without a reason", c.text, i+1)
				}
			}
		}
		if g := strings.Join(got, " "); g != c.steps {
			t.Errorf("%s holds at steps %q, want %q", c.text, g, c.steps)
		}
	}
}

func TestBreakpointErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "a breakpoint needs a condition"},
		{"  ", "a breakpoint needs a condition"},
		{"tokens", "write it like tokens > 5000"},
		{"tokens > many", "write it like tokens > 5000"},
		{"tokens > -5", "write it like tokens > 5000"},
		{"step 0", "write it like step 12"},
		{"step x", "write it like step 12"},
		{"text", "write it like text"},
		{"text Saved comes", "write it like text"},
		{"survival", "write it like survival lost"},
		{"error now", "write it like error"},
		{"rule =delta", "write it like rule passmark=delta"},
		{"when 5", `no condition "when"`},
		{`text "open`, "is not closed"},
	} {
		_, err := Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q) = %v, want %q", c.text, err, c.want)
		}
	}
}

// TestForms: every usage in the table is read.
func TestForms(t *testing.T) {
	for _, f := range Forms {
		if _, err := Parse(f.Usage); err != nil {
			t.Errorf("%s: %v", f.Usage, err)
		}
	}
}

// TestBreakpointRoundTrip: what String writes is read back as the same.
func TestBreakpointRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		needle := rapid.StringN(1, 20, 40).Draw(t, "needle")
		if strings.ContainsAny(needle, "\n\t") {
			return
		}
		for _, b := range []string{"text %s appears", "url %s", "title %s", "console %s"} {
			first, err := Parse(fmt.Sprintf(b, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(needle)+`"`))
			if err != nil {
				t.Fatalf("%q: %v", needle, err)
			}
			again, err := Parse(first.String())
			if err != nil || again.String() != first.String() {
				t.Fatalf("%q reads back as %q, %v", first, again, err)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, form := range Forms {
		f.Add(form.Usage)
	}
	f.Add(`text "a\"b" vanishes`)
	s := breakScene()
	f.Fuzz(func(t *testing.T, text string) {
		b, err := Parse(text)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error says nothing")
			}
			return
		}
		again, err := Parse(b.String())
		if err != nil || again.String() != b.String() {
			t.Fatalf("%q is written %q and read back as %q, %v", text, b, again, err)
		}
		for i := range s.Timeline.Steps {
			at := s
			at.Step = i
			b.Hit(at)
		}
	})
}

// TestBreakTokensGroupsThousands holds that both numbers of the message are
// written as people read them.
func TestBreakTokensGroupsThousands(t *testing.T) {
	s := breakScene()
	b, err := Parse("tokens > 1000")
	if err != nil {
		t.Fatal(err)
	}
	n, _ := s.tokens("full")
	if n < 1000 || n >= 1_000_000 {
		t.Fatalf("the scene has %d tokens", n)
	}
	want := fmt.Sprintf("%d,%03d tokens under full > 1,000", n/1000, n%1000)
	if why, ok := b.Hit(s); !ok || why != want {
		t.Errorf("%q, %v; want %q", why, ok, want)
	}
}

// Where it cannot be told what the agent can read, the call is not let go.
func TestBeforeLostHoldsWhereItCannotBeTold(t *testing.T) {
	c, err := Parse("before lost")
	if err != nil {
		t.Fatal(err)
	}
	next := &session.Action{Verb: session.VerbClick, Target: &session.Target{Ref: "e5"}}
	why, ok := c.Hit(Scene{Step: -1, Next: next, LostNext: func() ([]string, error) { return nil, errors.New("no page") }})
	if want := "before click e5: could not tell whether the agent can read it: no page"; !ok || why != want {
		t.Errorf("%v, %q, want %q", ok, why, want)
	}
}
