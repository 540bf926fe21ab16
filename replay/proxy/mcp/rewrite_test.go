package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy"
	"snapscope/session/policy"
)

// table is a page with n rows of which one is ticked.
func table(n, ticked int) string {
	var b strings.Builder
	b.WriteString("- generic [ref=e1]:\n  - table [ref=e2]:\n")
	for i := range n {
		fmt.Fprintf(&b, "    - row \"Row %d\" [ref=e%d]:\n      - checkbox \"Select %d\"%s [ref=e%d]\n      - cell \"Cell %d\" [ref=e%d]\n",
			i, 10*i+10, i, map[bool]string{true: " [checked]"}[i == ticked], 10*i+11, i, 10*i+12)
	}
	return strings.TrimRight(b.String(), "\n")
}

func inPage(tree string) string {
	return "### Ran Playwright code\n```js\nawait x;\n```\n### Page\n- Page URL: http://x/leads\n- Page Title: Leads\n### Snapshot\n```yaml\n" + tree + "\n```"
}

// wire is a seat with a policy before a server whose tools answer with files.
type wire struct {
	*odd
	dir string
}

func newWire(t *testing.T, pol, client string, o Options) *wire {
	t.Helper()
	w := &wire{dir: t.TempDir()}
	if pol != "" {
		p, err := policy.Find(pol, nil)
		if err != nil {
			t.Fatal(err)
		}
		if o.Policy != nil {
			p = *o.Policy
		}
		o.Policy = &p
	}
	o.Roots = []string{w.dir}
	o.OneAgent = o.Transcript == nil && client == "t"
	w.odd = newOdd(t, "echo", o, "PAGES="+w.dir)
	w.greet(client)
	return w
}

// ask has a tool answer with a text and returns what the client gets.
func (w *wire) ask(tool, text, meta string) string {
	w.t.Helper()
	args := `{"target":"e11"}`
	if tool == "browser_snapshot" { // a target would ask for an excerpt
		args = `{}`
	}
	return w.say(tool, args, text, meta)
}

// call has a tool answer with a text to some arguments.
func (w *wire) call(tool, args, text string) string { return w.say(tool, args, text, "") }

func (w *wire) say(tool, args, text, meta string) string {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, tool), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + meta + `}}`)
	var m struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(w.line()), &m); err != nil || len(m.Result.Content) != 1 {
		w.t.Fatalf("answer: %v", err)
	}
	return m.Result.Content[0].Text
}

func TestDeltaOnlyWhileTheBaseIsKnown(t *testing.T) {
	t.Parallel()
	a, b := inPage(table(200, -1)), inPage(table(200, 3))
	const click, page = "browser_click", "browser_snapshot"
	type turn struct{ tool, text, meta, want string }
	for name, c := range map[string]struct {
		client string
		turns  []turn
	}{
		"a change":  {"t", []turn{{click, a, "", "whole"}, {click, b, "", "delta"}, {click, a, "", "delta"}}},
		"asked for": {"t", []turn{{click, a, "", "whole"}, {page, b, "", "delta"}, {click, a, "", "delta"}, {page, b, "", "delta"}, {page, b, "", "whole"}, {click, a, "", "delta"}, {page, b, "", "delta"}}},
		"two agents": {"t", []turn{
			{click, inPage(table(100, 1)), `,"_meta":{"threadId":"1"}`, "whole"},
			{click, inPage(table(100, 2)), `,"_meta":{"threadId":"2"}`, "whole"},
			{click, inPage(table(100, 3)), `,"_meta":{"threadId":"1"}`, "delta"},
			{click, inPage(table(100, 4)), `,"_meta":{"threadId":"2"}`, "delta"},
		}},
		"the client cut the base": {"codex", []turn{{click, inPage(table(400, 1)), "", "whole"}, {click, inPage(table(400, 2)), "", "whole"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWire(t, "delta", c.client, Options{})
			for i, turn := range c.turns {
				got := w.ask(turn.tool, turn.text, turn.meta)
				is := "delta"
				if got == turn.text {
					is = "whole"
				}
				if is != turn.want {
					t.Errorf("turn %d: %s (%d of %d characters), want %s", i, is, len(got), len(turn.text), turn.want)
				}
				if is == "delta" && len(got) > len(turn.text)/2 {
					t.Errorf("turn %d: a delta of %d characters for a page of %d", i, len(got), len(turn.text))
				}
			}
		})
	}
}

// What pages are compared with does not grow with the session: when it is too much
// all of it is forgotten, the next page goes whole, and the texts before it go.
func TestTheBasesAreBounded(t *testing.T) {
	t.Parallel()
	delta, err := policy.Find("delta", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := New(Options{Policy: &delta, OneAgent: true})
	l := p.Link(t.Context())
	l.view.wire.Reach = 3*len(table(200, 0)) + 99
	var whole []int
	for i := range 12 {
		text := string(proxy.Quote(inPage(table(200, i))))
		l.FromClient([]byte(callLine("1", "browser_click", `{}`) + "\n"))
		raw := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + text + "}]}}\n"
		if got := l.FromServer([]byte(raw)); string(got.Forward) == raw {
			whole = append(whole, i)
		}
	}
	if fmt.Sprint(whole) != "[0 3 6 9]" {
		t.Errorf("whole went %v", whole)
	}
	_ = p.Close()
	for i, s := range l.view.wire.Snaps {
		if kept := s.Snap.Text != ""; kept != (i >= 9) {
			t.Errorf("page %d is kept: %v", i, kept)
		}
	}
}

// Where a policy can do nothing, that is said before anything runs, with what would.
func TestAPolicyThatCanDoNothingHereIsSaid(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"keep-one":      "snapscope api --policy keep-one",
		"fold+keep-one": "only the rewrites work here",
	} {
		p, err := policy.Find(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		var logs []string
		s := &sink{}
		between := New(Options{Policy: &p, Sink: s, Log: func(line string) { logs = append(logs, line) }})
		if len(logs) != 1 || !strings.Contains(logs[0], want) {
			t.Errorf("%s: said %q, want %q", name, logs, want)
		}
		l := between.Link(t.Context())
		l.FromClient([]byte(callLine("1", "browser_click", `{}`) + "\n"))
		_ = between.Close()
		if !strings.Contains(s.text(), want) {
			t.Errorf("%s: the recording does not say it", name)
		}
	}
}

// An excerpt of a page, and what a script answers, is no page: it reaches the agent as
// it came under every policy, and the page before it stays the one before.
func TestAnExcerptGoesAsItCame(t *testing.T) {
	t.Parallel()
	page, part := inPage(table(200, 1)), table(60, 2)
	for _, p := range policy.Builtin() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			w := newWire(t, "fold", "t", Options{Policy: &p})
			w.call("browser_snapshot", `{}`, page)
			before := w.call("browser_click", `{"target":"e11"}`, inPage(table(200, 3)))
			for _, c := range []struct{ tool, args, text string }{
				{"browser_find", `{"text":"Row 7"}`, "### Result\nFound 2 matches for \"Row 7\":\n\n" + part},
				{"browser_snapshot", `{"target":"e2"}`, inPage(part)},
				{"browser_snapshot", `{"depth":2}`, inPage(part)},
				{"browser_evaluate", `{"function":"() => document.body.ariaSnapshot()"}`, "### Result\n" + string(proxy.Quote(part))},
				{"browser_evaluate", `{"function":"() => 1"}`, "### Result\n" + part},
			} {
				if got := w.call(c.tool, c.args, c.text); got != c.text {
					t.Errorf("%s %s: changed to %s", c.tool, c.args, clip(got, 300))
				}
			}
			// The page after them is compared with the page before them.
			w.call("browser_click", `{"target":"e11"}`, page)
			if after := w.call("browser_click", `{"target":"e11"}`, inPage(table(200, 3))); p.Name == "delta" && len(after) > len(before) {
				t.Errorf("the delta behind excerpts has %d characters, the one before them %d", len(after), len(before))
			}
		})
	}
}

func TestFoldNeedsNoBase(t *testing.T) {
	t.Parallel()
	w := newWire(t, "fold", "t", Options{})
	a := inPage(table(40, 3))
	taught := w.ask("browser_snapshot", a, "")
	fold, err := policy.Find("fold", nil)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := strings.CutPrefix(taught, fold.Stages[0].Strategy.Notation+"\n\n")
	if !ok {
		t.Errorf("the first folded page does not tell how it is read:\n%s", clip(taught, 200))
	}
	if len(got) > len(a)*2/3 || !strings.HasPrefix(got, "### Ran Playwright code\n```js\nawait x;\n```\n### Page\n") || !strings.HasSuffix(got, "\n```") {
		t.Errorf("folded to %d of %d:\n%s", len(got), len(a), clip(got, 900))
	}
	for i := range 40 {
		if !strings.Contains(got, fmt.Sprintf("e%d", 10*i+11)) {
			t.Fatalf("the fold lost e%d", 10*i+11)
		}
	}
	rec := finish(t, w.odd)
	if !strings.Contains(rec, `"policy":"fold"`) || !strings.Contains(rec, `"shown":`) {
		t.Error("the recording does not tell what went out")
	}
}

func TestCompressLeavesAPageThatIsAskedForAgain(t *testing.T) {
	t.Parallel()
	w := newWire(t, "compress", "t", Options{})
	a := inPage(table(200, 3))
	for i, tool := range []string{"browser_snapshot", "browser_snapshot", "browser_click", "browser_snapshot"} {
		got := w.ask(tool, a, "")
		if again := i == 1; again != (got == a) || !again && len(got) > len(a)/2 {
			t.Errorf("turn %d, %s: %d of %d characters", i, tool, len(got), len(a))
		}
	}
	if rec := finish(t, w.odd); strings.Count(rec, `"whole":"asked again"`) != 1 {
		t.Error("the recording does not tell why a page went whole")
	}
}

func TestInline(t *testing.T) {
	t.Parallel()
	w := newWire(t, "delta", "t", Options{Inline: true})
	put := func(name, tree string) string {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(tree+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return "### Page\n- Page URL: http://x/\n### Snapshot\n- [Snapshot](" + name + ")\n### Events\n- x"
	}
	want := "### Page\n- Page URL: http://x/\n### Snapshot\n```yaml\n" + table(40, 1) + "\n```\n### Events\n- x"
	if got := w.ask("browser_click", put("1.yml", table(40, 1)), ""); got != want {
		t.Errorf("inlined:\n%s", clip(got, 400))
	}
	taught := w.ask("browser_click", put("2.yml", table(40, 2)), "")
	if _, got, _ := strings.Cut(taught, "### Page\n"); len(got) > len(want)/2 || !strings.Contains(got, "Select 2") {
		t.Errorf("then a delta:\n%s", clip(got, 400))
	}
	missing := "### Snapshot\n- [Snapshot](3.yml)"
	if got := w.ask("browser_click", missing, ""); got != missing {
		t.Errorf("a file that is not there: %s", got)
	}
	outside := "### Snapshot\n- [Snapshot](../../../etc/hostname)"
	if got := w.ask("browser_click", outside, ""); got != outside {
		t.Errorf("a file outside: %s", got)
	}
}

func TestKnobsTurnFromTheNextResultOn(t *testing.T) {
	t.Parallel()
	w := newWire(t, "", "t", Options{})
	a := inPage(table(40, 1))
	if got := w.ask("browser_click", a, ""); got != a {
		t.Error("without a policy the text was changed")
	}
	delta, err := policy.Find("delta", nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(delta)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.p.SetPolicy(raw); err != nil {
		t.Fatal(err)
	}
	if got := w.ask("browser_click", a, ""); got != a {
		t.Error("the first page under it has no base that is known, and was not whole")
	}
	first := w.ask("browser_click", inPage(table(40, 2)), "")
	if !strings.HasPrefix(first, strings.Split(delta.Stages[0].Strategy.Notation, "\n")[0]) {
		t.Errorf("the first delta does not tell how it is read:\n%s", clip(first, 200))
	}
	if second := w.ask("browser_click", inPage(table(40, 3)), ""); len(second) >= len(first) {
		t.Errorf("the second has %d characters, the first %d", len(second), len(first))
	}
	if err := w.p.SetPolicy(json.RawMessage("null")); err != nil {
		t.Fatal(err)
	}
	if got := w.ask("browser_click", a, ""); got != a {
		t.Error("after the policy was taken away the text was changed")
	}
	if w.p.SetPolicy(json.RawMessage(`{"name":"x","stages":[{"strategy":"nonsense"}]}`)) == nil {
		t.Error("a policy that does not exist was taken")
	}
	if rec := finish(t, w.odd); !strings.Contains(rec, "from the next result on the policy is delta") {
		t.Error("the recording does not tell of the turn")
	}
}

func TestWhatMustNotBeRewritten(t *testing.T) {
	t.Parallel()
	fold, err := policy.Find("fold", nil)
	if err != nil {
		t.Fatal(err)
	}
	text := string(proxy.Quote(inPage(table(40, 1))))
	for name, result := range map[string]string{
		"structured": `{"content":[{"type":"text","text":` + text + `}],"structuredContent":{"a":1}}`,
		"error":      `{"content":[{"type":"text","text":"### Error\nno"}],"isError":true}`,
	} {
		s := &sink{}
		p := New(Options{Policy: &fold, Sink: s})
		l := p.Link(t.Context())
		l.FromClient([]byte(callLine("1", "browser_click", `{}`) + "\n"))
		raw := `{"jsonrpc":"2.0","id":1,"result":` + result + "}\n"
		if got := l.FromServer([]byte(raw)); string(got.Forward) != raw {
			t.Errorf("%s: changed", name)
		}
		_ = p.Close()
		if name == "structured" && !strings.Contains(s.text(), "nothing is rewritten") {
			t.Error("the recording does not say why")
		}
	}
}

// A policy that takes too long or panics costs the rewrite and nothing else.
func TestAPolicyThatFails(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	for name, count := range map[string]func(string) int{
		"panics": func(string) int { panic("a policy") },
		"hangs":  func(string) int { <-hang; return 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := policy.Find("fold", nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Set("min_savings=0.4"); err != nil { // a share that sizes alone do not decide
				t.Fatal(err)
			}
			w := newWire(t, "fold", "t", Options{Count: count, Policy: &p})
			a := inPage(table(40, 1))
			begun := time.Now()
			if got := w.ask("browser_click", a, ""); got != a {
				t.Error("the original bytes should go")
			}
			if d := time.Since(begun); d > time.Minute {
				t.Errorf("after %v", d)
			}
		})
	}
}

func TestLimitsAreLifted(t *testing.T) {
	t.Parallel()
	delta, err := policy.Find("delta", nil)
	if err != nil {
		t.Fatal(err)
	}
	x := newOdd(t, "echo", Options{Policy: &delta, Lift: 200000})
	var hello struct{ Result struct{ Instructions string } }
	if err := json.Unmarshal([]byte(x.greet("claude-code")), &hello); err != nil || hello.Result.Instructions != "" {
		t.Errorf("the server's instructions were changed to %q, %v", hello.Result.Instructions, err)
	}
	x.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	want := `"tools":[{"name":"browser_click","_meta":{"anthropic/maxResultSizeChars":200000}},{"_meta":{"a":1,"anthropic/maxResultSizeChars":200000},"name":"x"}]`
	if got := x.line(); !strings.Contains(got, want) {
		t.Errorf("the tools: %s, want %s", got, want)
	}
}

func TestTheClientsCutIsShown(t *testing.T) {
	t.Parallel()
	page := inPage(table(800, 1)) // about 90,000 characters
	w := newWire(t, "", "claude-code", Options{})
	if got := w.ask("browser_snapshot", page, ""); got != page {
		t.Error("the seat changed it")
	}
	rec := finish(t, w.odd)
	if !strings.Contains(rec, `"seen":"spilled"`) || !strings.Contains(rec, "Claude Code gives its model no text this large") {
		t.Error("the recording does not show the cut")
	}
	lifted := newWire(t, "", "claude-code", Options{Lift: 200000})
	lifted.ask("browser_snapshot", page, "")
	if rec := finish(t, lifted.odd); !strings.Contains(rec, `"seen":"inline"`) {
		t.Error("a lifted limit cuts nothing")
	}
}

func TestSecretsAreNotRecorded(t *testing.T) {
	t.Parallel()
	w := newWire(t, "fold", "t", Options{})
	page := inPage("- generic [ref=e1]:\n  - textbox \"Password\" [ref=e11]: hunter2hunter2\n" + strings.TrimPrefix(table(30, 1), "- generic [ref=e1]:\n"))
	if got := w.ask("browser_snapshot", page, ""); !strings.Contains(got, "hunter2hunter2") {
		t.Error("the agent's page was changed")
	}
	w.send(callLine("5", "browser_type", `{"target":"e11","text":"opensesame1"}`))
	w.line()
	w.p.Holds().SetRules(proxy.Rules{All: true})
	w.send(callLine("6", "browser_type", `{"target":"e11","text":"opensesame1"}`))
	held(t, w.odd)
	rec := finish(t, w.odd)
	for _, secret := range []string{"hunter2", "opensesame"} {
		if strings.Contains(rec, secret) {
			t.Errorf("%s stands in the recording", secret)
		}
	}
}
