//go:build live

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"snapscope/session/seat"
	"snapscope/session/seat/api/scripted"
	"snapscope/session/seat/control"
	"snapscope/session/seat/setup"
)

// These tests run whole agent programs from npm against the scripted model, on
// loopback alone, with an environment of their own and keys that are none. They are
// apart (make test-live), since the programs weigh hundreds of megabytes.

// clientVersions are the packages that are tried.
var clientVersions = map[string]string{
	"claude":   "@anthropic-ai/claude-code@2.1.197",
	"codex":    "@openai/codex@0.169.0",
	"opencode": "opencode-ai@1.18.33",
}

// clientProgram is a client's program: that of SNAPSCOPE_CLIENTS, a folder where
// npm installed it, else one that is fetched into the cache.
func clientProgram(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("SNAPSCOPE_CLIENTS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Join(cache, "snapscope-test", "clients")
	}
	bin := filepath.Join(dir, "node_modules", ".bin", name)
	if _, err := os.Stat(bin); err == nil {
		return bin
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("SNAPSCOPE_CLIENTS") != "" {
		t.Skipf("%s is not among the clients in %s", name, dir)
	}
	cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", dir, clientVersions[name])
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%s cannot be fetched: %v\n%s", name, err, out)
	}
	return bin
}

// TestFetchLive fetches what the others need: they run where there is no network.
func TestFetchLive(t *testing.T) {
	playwrightMCP(t, t.TempDir())
	for name := range clientVersions {
		t.Run(name, func(t *testing.T) { clientProgram(t, name) })
	}
}

// ticked counts the clicks that the pages of bigTable have seen.
var ticked atomic.Int32

// bigTable serves a page of n rows; click tells which boxes are ticked.
func bigTable(n int) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/ticked") {
			ticked.Add(1)
			return
		}
		fmt.Fprint(w, "<!doctype html><title>Table</title><table>")
		for i := range n {
			fmt.Fprintf(w, `<tr><td><input type=checkbox onclick="fetch('/ticked')" aria-label="Select row %03d"></td><td>Company %03d Incorporated</td><td>Vice President of Sales</td><td>$%d,000</td></tr>`, i, i, i)
		}
		fmt.Fprint(w, "</table>")
	}))
}

// liveRun is one run of a client.
type liveRun struct {
	said   string // the model's last words
	output string
	record string
}

func runClaude(t *testing.T, script []scripted.Step, seatArgs []string, env ...string) liveRun {
	t.Helper()
	bin := build(t)
	home := t.TempDir()
	server := playwrightMCP(t, home)
	r := liveRun{record: filepath.Join(home, "r.jsonl")}
	if seatArgs != nil {
		server = append(append([]string{bin, "mcp", "--record", r.record}, seatArgs...), append([]string{"--"}, server...)...)
	}
	ag, err := setup.Find("claude")
	if err != nil {
		t.Fatal(err)
	}
	conf := filepath.Join(home, "mcp.json")
	if err := os.WriteFile(conf, []byte(ag.Lines("playwright", server, nil)), 0o600); err != nil {
		t.Fatal(err)
	}
	model := &scripted.Model{Script: script, Read: unfolded}
	srv := httptest.NewServer(model)
	defer srv.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, clientProgram(t, "claude"), "-p", "tick two rows of the table", "--mcp-config", conf, "--strict-mcp-config",
		"--allowedTools", "mcp__playwright__browser_navigate,mcp__playwright__browser_click,mcp__playwright__browser_snapshot,mcp__playwright__browser_evaluate")
	cmd.Dir = home
	cmd.Env = []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "ANTHROPIC_BASE_URL=" + srv.URL, "ANTHROPIC_API_KEY=sk-ant-dummy",
		"MCP_CONNECTION_NONBLOCKING=0", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "ENABLE_TOOL_SEARCH=false", "DISABLE_AUTOUPDATER=1",
	}
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("claude: %v", err)
	}
	r.output = string(out)
	for _, c := range model.Log() {
		if strings.Contains(string(c.Body), "browser_click") {
			r.said = c.Said
		}
	}
	return r
}

// otherClient is Codex or OpenCode: its configuration and its command line.
type otherClient struct {
	name string
	conf func(home, api string, server []string) (file, text string)
	args []string
	env  func(home string) []string
}

var otherClients = []otherClient{
	{"codex", func(home, api string, server []string) (string, string) {
		ag, _ := setup.Find("codex")
		return filepath.Join(home, ".codex", "config.toml"), "model = \"m\"\nmodel_provider = \"scripted\"\n" +
			"[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"" + api + "/v1\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n" +
			ag.Lines("playwright", server, nil) + "\nstartup_timeout_sec = 60\nrequired = true\ntool_timeout_sec = 3600\n"
	}, []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "tick two rows of the table"}, func(home string) []string {
		return []string{"OPENAI_API_KEY=dummy"}
	}},
	{"opencode", func(home, api string, server []string) (string, string) {
		return filepath.Join(home, "opencode.json"), `{"model": "scripted/m", "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "` + api + `/v1", "apiKey": "dummy"}, "models": {"m": {}}}},
			"mcp": {"playwright": {"type": "local", "timeout": 600000, "command": ` + jsonList(server) + `}}}`
	}, []string{"run", "tick two rows of the table"}, func(home string) []string {
		return []string{"OPENCODE_CONFIG=" + filepath.Join(home, "opencode.json"), "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1"}
	}},
}

func (c otherClient) run(t *testing.T, script []scripted.Step, seatArgs []string) liveRun {
	t.Helper()
	program := clientProgram(t, c.name)
	home := t.TempDir()
	server := playwrightMCP(t, home)
	r := liveRun{record: filepath.Join(home, "r.jsonl")}
	if seatArgs != nil {
		server = append(append([]string{build(t), "mcp", "--record", r.record}, seatArgs...), append([]string{"--"}, server...)...)
	}
	model := &scripted.Model{Script: script, Read: unfolded}
	srv := httptest.NewServer(model)
	defer srv.Close()
	file, text := c.conf(home, srv.URL, server)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, c.args...)
	cmd.Dir = home
	cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=dumb"}, c.env(home)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("%s: %v", c.name, err)
	}
	r.output = string(out)
	for _, l := range model.Log() {
		if strings.Contains(string(l.Body), "browser_click") {
			r.said = l.Said
		}
	}
	return r
}

func TestOtherClientsLive(t *testing.T) {
	site := bigTable(20)
	defer site.Close()
	script := []scripted.Step{{Goto: site.URL}, {Look: true}, {Click: "Select row 003"}, {Click: "Select row 017"}}
	for _, c := range otherClients {
		t.Run(c.name, func(t *testing.T) {
			direct := c.run(t, script, nil)
			seated := c.run(t, script, []string{"--keep", "5"})
			if direct.said != "DONE" || seated.said != direct.said {
				t.Errorf("directly %q, through the seat %q\n%s\n%s", direct.said, seated.said, direct.output, seated.output)
			}
		})
	}
}

func TestClaudeCodeLive(t *testing.T) {
	small, big := bigTable(20), bigTable(420)
	defer small.Close()
	defer big.Close()
	steps := func(site string) []scripted.Step {
		return []scripted.Step{{Goto: site}, {Look: true}, {Click: "Select row 003"}, {Click: "Select row 017"}}
	}
	direct := runClaude(t, steps(small.URL), nil)
	seated := runClaude(t, steps(small.URL), []string{"--keep", "5"})
	if direct.said != "DONE" || seated.said != direct.said {
		t.Errorf("directly %q, through the seat %q\n%s\n%s", direct.said, seated.said, direct.output, seated.output)
	}
	lost := runClaude(t, steps(big.URL), []string{"--keep", "5"})
	if !strings.HasPrefix(lost.said, "LOST") {
		t.Errorf("a page over the client's limit: %q\n%s", lost.said, lost.output)
	}
	rec, err := os.ReadFile(lost.record)
	if err != nil || !strings.Contains(string(rec), "Claude Code gives its model no text this large") {
		t.Errorf("the recording does not name the cut: %v", err)
	}
	for name, flags := range map[string][]string{"fold": {"--policy", "fold"}, "lift": {"--lift", "200000"}} {
		if got := runClaude(t, steps(big.URL), flags); got.said != "DONE" {
			t.Errorf("the same under %s: %q\n%s", name, got.said, got.output)
		}
	}
}

// steer holds every click of the seat that appears under a state folder, for as
// long as told; 0: until the test ends.
func steer(t *testing.T, state string, most time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		folder := seat.FindFolder(func(k string) string { return map[string]string{"XDG_STATE_HOME": state}[k] })
		folder.Runs = folder.Runs[:1]
		var k *control.Console
		for k == nil && ctx.Err() == nil {
			time.Sleep(50 * time.Millisecond)
			for _, path := range folder.Sockets() {
				if got, err := control.OpenConsole(ctx, path, false, nil); err == nil {
					k = got
				}
			}
		}
		if k == nil {
			return
		}
		defer k.Close()
		_, _ = k.Do(ctx, "break before click")
		for ctx.Err() == nil && k.Beat(ctx) == nil {
			for _, h := range k.State().Holds {
				if most > 0 && time.Since(h.Since) > most {
					_, _ = k.Do(ctx, "run")
				}
			}
			time.Sleep(control.Renew / 2)
		}
	}()
}

func TestClaudeCodeHeldLive(t *testing.T) {
	site := bigTable(20)
	defer site.Close()
	script := []scripted.Step{{Goto: site.URL}, {Look: true}, {Click: "Select row 003"}}
	for _, c := range []struct {
		name   string
		hold   time.Duration
		env    string
		clicks int32
	}{
		{"held 70 s", 70 * time.Second, "MCP_TOOL_TIMEOUT=300000", 1},
		{"held past its limit", 0, "MCP_TOOL_TIMEOUT=6000", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			state, err := os.MkdirTemp("", "l")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(state)
			steer(t, state, c.hold)
			before := ticked.Load()
			got := runClaude(t, script, []string{"--keep", "5"}, "XDG_STATE_HOME="+state, c.env)
			time.Sleep(2 * time.Second) // what is late would come now
			if n := ticked.Load() - before; n != c.clicks {
				t.Errorf("the page saw %d clicks, want %d; it ended with %q\n%s", n, c.clicks, got.said, got.output)
			}
			rec, err := os.ReadFile(got.record)
			if err != nil || !strings.Contains(string(rec), "held: browser_click") {
				t.Errorf("the recording does not tell of the hold: %v", err)
			}
		})
	}
}
