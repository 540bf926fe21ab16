package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy"
)

// held waits for the n-th thing to be held.
func held(t *testing.T, x *odd) proxy.Hold {
	t.Helper()
	for end := time.Now().Add(ample); time.Now().Before(end); {
		if l := x.p.Holds().List(); len(l) > 0 {
			return l[len(l)-1]
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatalf("nothing is held; logs %s", x.logs)
	return proxy.Hold{}
}

func decide(t *testing.T, x *odd, d proxy.Decision) {
	t.Helper()
	if err := x.p.Holds().Decide(held(t, x).ID, d); err != nil {
		t.Fatal(err)
	}
}

func finish(t *testing.T, x *odd) string {
	t.Helper()
	_ = x.in.Close()
	<-x.done
	if err := x.p.Close(); err != nil {
		t.Error(err)
	}
	return x.sink.text()
}

func TestAHeldCallKeepsNothingElseWaiting(t *testing.T) {
	t.Parallel()
	x := newOdd(t, "echo", Options{})
	x.greet("claude-code")
	x.p.Holds().SetRules(proxy.Rules{All: true})
	x.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":1},"_meta":{"progressToken":"p"}}}`)
	h := held(t, x)
	if h.Tool != "a" || string(h.Args) != `{"n":1}` || h.Why != "everything is held" || !h.Until.IsZero() {
		t.Errorf("held: %+v", h)
	}
	x.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if got := x.line(); !strings.Contains(got, `"id":2`) {
		t.Errorf("another request: %s", got)
	}
	decide(t, x, proxy.Decision{Do: proxy.Go})
	if got := x.line(); !strings.Contains(got, `"id":1`) || !strings.Contains(got, `{\"n\":1}`) {
		t.Errorf("the call: %s", got)
	}
	rec := finish(t, x)
	for _, want := range []string{`held: a {\"n\":1} (everything is held)`, "went on, by a person", `"tool":"a"`} {
		if !strings.Contains(rec, want) {
			t.Errorf("the recording lacks %q:\n%s", want, rec)
		}
	}
}

func TestWhatAPersonCanDo(t *testing.T) {
	t.Parallel()
	x := newOdd(t, "echo", Options{})
	x.greet("codex-mcp-client")
	x.p.Holds().StopNext("step")

	x.send(callLine(`"é"`, "a", `{"ref":"e1"}`))
	if h := held(t, x); h.Until.Sub(h.Since) != 290*time.Second {
		t.Errorf("Codex waits 300 s, so it goes after 290 s, not %v", h.Until.Sub(h.Since))
	}
	decide(t, x, proxy.Decision{Do: proxy.Go, Then: proxy.ThenResult, Args: json.RawMessage("{\n  \"ref\": \"e<2>\"\n}")})
	h := held(t, x)
	if h.What != proxy.HeldResult || !strings.Contains(string(h.Result), `e<2>`) {
		t.Errorf("the result: %+v %s", h, h.Result)
	}
	decide(t, x, proxy.Decision{Do: proxy.Go, Then: proxy.ThenStep, Result: json.RawMessage(`{"content":[{"type":"text","text":"mine"}]}`)})
	if got := x.line(); !strings.Contains(got, `"id":"é"`) || !strings.Contains(got, `"text":"mine"`) {
		t.Errorf("the edited result: %s", got)
	}

	x.send(callLine("7", "b", `{}`))
	if h := held(t, x); h.Why != "step" || h.Tool != "b" {
		t.Errorf("the step: %+v", h)
	}
	decide(t, x, proxy.Decision{Do: proxy.Answer, Result: json.RawMessage(`{"content":[{"type":"text","text":"instead"}]}`)})
	if got := x.line(); got != `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"instead"}]}}` {
		t.Errorf("the answer instead: %s", got)
	}
	rec := finish(t, x)
	for _, want := range []string{`"given":{"ref":"e1"}`, `"args":{"ref":"e<2>"}`, `"touched":"edited"`, `"touched":"answered"`, "went on with other arguments", "answered in the server's place"} {
		if !strings.Contains(rec, want) {
			t.Errorf("the recording lacks %q:\n%s", want, rec)
		}
	}
}

// A client that gives up on a held call must not find later that it happened.
func TestACallThatTheClientGaveUpIsNeverSent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	heard := filepath.Join(dir, "heard")
	x := newOdd(t, "say", Options{}, "SAYS=/dev/null", "HEARD="+heard)
	x.p.Holds().SetRules(proxy.Rules{All: true})
	x.send(callLine("1", "given_up", `{}`))
	held(t, x)
	x.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	for range 1000 {
		if len(x.p.Holds().List()) == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	x.send(callLine("2", "left", `{}`))
	held(t, x)
	rec := finish(t, x) // the client goes with the second one held
	got, err := os.ReadFile(heard)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) > 0 {
		t.Errorf("the server got %s", got)
	}
	if strings.Count(rec, `"touched":"dropped"`) != 2 || !strings.Contains(rec, "dropped, the server never had it, by the client gave up") {
		t.Errorf("the recording:\n%s", rec)
	}
}

func TestAHoldGoesByItselfBeforeTheClientGivesUp(t *testing.T) {
	t.Parallel()
	x := newOdd(t, "echo", Options{CallLimit: 300 * time.Millisecond})
	x.greet("t")
	x.p.Holds().SetRules(proxy.Rules{All: true})
	begun := time.Now()
	x.send(callLine("1", "a", `{}`))
	x.line()
	if d := time.Since(begun); d < 150*time.Millisecond || d > time.Minute {
		t.Errorf("it went after %v, want about 150 ms", d)
	}
	if rec := finish(t, x); !strings.Contains(rec, "by the client's limit is near") {
		t.Errorf("the recording:\n%s", rec)
	}
}

const leads = "### Page\n- Page URL: http://x/leads\n- Page Title: Leads\n### Snapshot\n```yaml\n- generic [ref=e1]:\n  - checkbox \"Select Ann\" [ref=e2]\n  - button \"Export\" [ref=e3]\n```"

func TestBreakpoints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "browser_snapshot"), []byte(leads), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, rule, call, why string }{
		{"verb", "before click", callLine("9", "browser_click", `{"target":"e2"}`), "before click"},
		{"readable", "before lost", callLine("9", "browser_click", `{"target":"e2"}`), ""},
		{"lost", "before lost", callLine("9", "browser_click", `{"target":"e77"}`), "e77"},
		{"the step before", "url leads", callLine("9", "browser_hover", `{"target":"e2"}`), `url holds "leads"`},
		{"text", `text Export appears`, callLine("9", "browser_hover", `{"target":"e2"}`), `text "Export" appears`},
		{"not", "before fill", callLine("9", "browser_click", `{"target":"e2"}`), ""},
		{"bad", "nonsense", callLine("9", "browser_click", `{"target":"e2"}`), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := newOdd(t, "echo", Options{}, "PAGES="+dir)
			x.greet("t")
			x.p.Holds().SetRules(proxy.Rules{Breaks: []string{c.rule}})
			x.send(callLine("1", "browser_snapshot", `{}`))
			x.line()
			x.send(c.call)
			if c.why == "" {
				if got := x.line(); !strings.Contains(got, `"id":9`) {
					t.Errorf("got %s", got)
				}
				return
			}
			if h := held(t, x); !strings.Contains(h.Why, c.why) {
				t.Errorf("held because %q, want %q", h.Why, c.why)
			}
		})
	}
}

// A recorder that is too busy to look at the breakpoints in time never lets a call go
// unseen: it is held, and goes by itself once they were looked at and none stops it.
func TestACallIsHeldThatNobodyLookedAtInTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "browser_snapshot"), []byte(leads), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, rule, target, why, stays string }{
		{"readable", "before lost", "e2", "could not tell in time whether the agent can read e2", ""},
		{"lost", "before lost", "e77", "could not tell in time whether the agent can read e77", "which the agent cannot read: e77"},
		{"another", "before fill", "e2", "could not tell in time whether the breakpoints stop here: before fill", ""},
		{"the step before", "url leads", "e2", "could not tell in time whether the breakpoints stop here: url leads", `url holds`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := newOdd(t, "echo", Options{Sync: proxy.SyncNone}, "PAGES="+dir)
			x.greet("t")
			busy := make(chan struct{})
			x.p.rec.post(0, func(*recorder) { <-busy })
			x.send(callLine("1", "browser_snapshot", `{}`))
			x.line()
			x.p.Holds().SetRules(proxy.Rules{Breaks: []string{c.rule}})
			x.send(callLine("9", "browser_click", `{"target":"`+c.target+`"}`))
			if h := held(t, x); h.Why != c.why {
				t.Errorf("held because %q, want %q", h.Why, c.why)
			}
			close(busy)
			notes := []string{"held: browser_click", c.why, "went on, by the breakpoints, which found nothing after all"}
			if c.stays != "" {
				told := "browser_click stays held: "
				for end := time.Now().Add(ample); !strings.Contains(x.sink.text(), told) && time.Now().Before(end); {
					time.Sleep(2 * time.Millisecond)
				}
				if len(x.p.Holds().List()) != 1 {
					t.Error("it is not held any more")
				}
				notes = []string{"held: browser_click", c.why, told, c.stays, "went on, by a person"}
				decide(t, x, proxy.Decision{Do: proxy.Go})
			}
			if got := x.line(); !strings.Contains(got, `"id":9`) {
				t.Errorf("got %s", got)
			}
			rec := finish(t, x)
			for _, want := range notes {
				if !strings.Contains(rec, want) {
					t.Errorf("the recording lacks %q:\n%s", want, rec)
				}
			}
		})
	}
}
