package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"snapscope/replay/proxy/api/apitest"
	"snapscope/session/browser"
	"snapscope/session/demo"
	"snapscope/snapshot/strategy/fold"
	"snapscope/snapshot/token"
)

// The servers that the seat is tried with: the newest, which answers an action with a
// link to the page, and one that answered with the page itself.
const (
	playwrightVersion = "0.0.83"
	playwrightInline  = "0.0.41"
)

// playwrightMCP answers the command of a real Playwright MCP with a real Chromium,
// fetched by npm into the user's cache once.
func playwrightMCP(t *testing.T, work string) []string {
	t.Helper()
	return playwrightMCPAt(t, work, playwrightVersion)
}

func playwrightMCPAt(t *testing.T, work, version string) []string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "snapscope-test", "playwright-mcp-"+version)
	cli := filepath.Join(dir, "node_modules", "@playwright", "mcp", "cli.js")
	if _, err := os.Stat(cli); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "@playwright/mcp@"+version)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("fetching Playwright MCP with npm (is it installed?): %v\n%s", err, out)
		}
	}
	chromium, err := browser.Find("")
	if err != nil {
		t.Fatal(err)
	}
	argv := []string{"node", cli, "--headless", "--isolated", "--executable-path", chromium, "--output-dir", filepath.Join(work, "out")}
	if os.Geteuid() == 0 {
		argv = append(argv, "--no-sandbox")
	}
	return argv
}

// sdkTools are a server's tools as the official Go SDK calls them. It keeps what
// the model would get.
type sdkTools struct {
	ctx  context.Context
	sess *sdk.ClientSession
	mu   sync.Mutex
	got  []string
}

func (s *sdkTools) List() ([]apitest.Tool, error) {
	l, err := s.sess.ListTools(s.ctx, nil)
	if err != nil {
		return nil, err
	}
	var out []apitest.Tool
	for _, t := range l.Tools {
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, err
		}
		out = append(out, apitest.Tool{Name: t.Name, Description: t.Description, Schema: schema})
	}
	return out, nil
}

func (s *sdkTools) Call(_, name string, args json.RawMessage) (string, bool, error) {
	res, err := s.sess.CallTool(s.ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return "", false, err
	}
	var texts []string
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	text := strings.Join(texts, "\n")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, text)
	return text, res.IsError, nil
}

// connect starts a server's command as an agent does.
func connect(t *testing.T, dir string, argv []string) *sdkTools {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME=")
	cmd.Stderr = os.Stderr
	sess, err := sdk.NewClient(&sdk.Implementation{Name: "scripted", Version: "1"}, nil).Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = sess.Close()
		cancel()
	})
	return &sdkTools{ctx: ctx, sess: sess}
}

// agentRun is one whole run of the scripted agent on the demo site.
type agentRun struct {
	said   string
	turns  int
	tokens int      // of what its tools answered
	input  int      // of the tool calls and their results in all requests to its model
	got    []string // what its tools answered
	record string
}

func runAgent(t *testing.T, bin string, script []apitest.Step, flags ...string) agentRun {
	t.Helper()
	return runAgentBehind(t, bin, script, flags, nil)
}

// runAgentBehind is runAgent with flags of a proxy before the model API, too; nil: none.
func runAgentBehind(t *testing.T, bin string, script []apitest.Step, flags, api []string) agentRun {
	t.Helper()
	dir := t.TempDir()
	argv := playwrightMCP(t, dir)
	r := agentRun{record: filepath.Join(dir, "r.jsonl")}
	if flags != nil {
		argv = append(append(append([]string{bin, "mcp", "--record", r.record}, flags...), "--"), argv...)
	}
	tools := connect(t, dir, argv)
	count, err := token.New("")
	if err != nil {
		t.Fatal(err)
	}
	model := &apitest.Model{Script: script, Read: unfolded, Count: count.Count}
	srv := httptest.NewServer(model)
	defer srv.Close()
	base := srv.URL
	if api != nil {
		var end func() (string, error)
		base, end = startCommand(t, append([]string{"api", "--to", srv.URL, "--listen", "127.0.0.1:0"}, api...)...)
		defer func() {
			if stderr, err := end(); err != nil {
				t.Errorf("the proxy before the model API: %v\n%s", err, stderr)
			}
		}()
	}
	a := apitest.Agent{Base: base, Form: "anthropic", Model: "m", Stream: true, Prompt: "take over two leads"}
	out, err := a.Run(context.Background(), tools)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range model.Log() {
		r.input += toolTokens(t, c.Body, count.Count)
	}
	for _, text := range tools.got {
		r.tokens += count.Count(text)
	}
	r.said, r.turns, r.got = out.Said, out.Turns, tools.got
	end, _, err := tools.Call("", "browser_evaluate", json.RawMessage(`{"function":"() => [...document.querySelectorAll('input:checked')].map(e => e.getAttribute('aria-label')).join()"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.said += " " + section(end)
	if err := tools.sess.Close(); err != nil {
		t.Logf("closing: %v", err)
	}
	return r
}

// toolTokens are the tokens of the calls and results in a request in Anthropic's form.
func toolTokens(t *testing.T, body []byte, count func(string) int) (n int) {
	t.Helper()
	type block struct {
		Name    string
		Input   json.RawMessage
		Text    string
		Content json.RawMessage
	}
	var q struct {
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(body, &q); err != nil {
		t.Fatal(err)
	}
	for _, m := range q.Messages {
		var blocks []block
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue // the prompt
		}
		for _, b := range blocks {
			var text string
			var texts []block
			if json.Unmarshal(b.Content, &text) != nil && json.Unmarshal(b.Content, &texts) == nil {
				for _, b := range texts {
					text += b.Text
				}
			}
			if n += count(text); b.Name != "" {
				n += count(b.Name + " " + string(b.Input))
			}
		}
	}
	return n
}

// unfolded is an answer as a model reads it that knows the fold's notation.
func unfolded(text string) string {
	before, rest, ok := strings.Cut(text, "```yaml\n")
	tree, after, closed := strings.Cut(rest, "\n```")
	if !ok || !closed {
		return text
	}
	whole, _, err := fold.Unfold(tree, nil)
	if err != nil {
		return text
	}
	return before + "```yaml\n" + strings.Join(whole, "\n") + "\n```" + after
}

// section is what a Playwright answer tells as its result.
func section(text string) string {
	_, rest, _ := strings.Cut(text, "### Result\n")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// predicted are the tokens that a policy appends to a session, as the report
// counts them from its recording.
func predicted(t *testing.T, record, policy string) int {
	t.Helper()
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs([]string{"report", record, "--policy", policy, "--json"})
	root.SetOut(&out)
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	var rep struct {
		Policies []struct {
			Appended int `json:"appended_tokens"`
		}
	}
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil || len(rep.Policies) != 1 {
		t.Fatalf("report: %v\n%s", err, &out)
	}
	return rep.Policies[0].Appended
}

// TestARealServerBehindTheSeat drives a real Playwright MCP with the official SDK's
// client and a scripted model: the seat changes nothing about how the task ends, a
// policy on the wire keeps it possible, and costs what was predicted of it.
func TestARealServerBehindTheSeat(t *testing.T) {
	t.Parallel()
	bin := build(t)
	site, stop, err := demo.Serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	script := []apitest.Step{
		{Goto: site + "/leads"}, {Click: "Select Melonie Parker"}, {Click: "Select Ingrid Solheim"}, {Eval: "() => 1"},
	}
	asking := []apitest.Step{{Goto: site + "/leads"}, {Look: true}, {Click: "Select Melonie Parker"}, {Click: "Select Ingrid Solheim"}}
	const end = "DONE"

	direct := runAgent(t, bin, asking)
	watched := runAgent(t, bin, asking, "--keep", "5")
	if direct.said != watched.said || direct.turns != watched.turns || !strings.HasPrefix(direct.said, end) || !strings.Contains(direct.said, "Melonie") {
		t.Errorf("directly %q in %d turns, through the seat %q in %d", direct.said, direct.turns, watched.said, watched.turns)
	}
	inline := runAgent(t, bin, script, "--policy", "inline")
	for _, policy := range []string{"fold", "delta"} {
		got := runAgent(t, bin, script, "--policy", policy, "--inline")
		if got.said != direct.said {
			t.Errorf("under %s it ended with %q, want %q", policy, got.said, direct.said)
		}
		want := predicted(t, inline.record, policy)
		measured := got.tokens
		t.Logf("%s: inline %d tokens, predicted %d, measured %d", policy, inline.tokens, want, measured)
		if diff := float64(measured-want) / float64(want); diff > 0.01 || diff < -0.01 {
			t.Errorf("%s: predicted %d tokens, measured %d: %.1f %% apart", policy, want, measured, 100*diff)
		}
	}
}
