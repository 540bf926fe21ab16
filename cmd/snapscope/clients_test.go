//go:build live

package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"snapscope/replay/proxy"
	"snapscope/replay/proxy/api/apitest"
	"snapscope/replay/proxy/setup"
	"snapscope/session/agents"
)

// These tests run whole agent programs from npm against the scripted model, on
// loopback alone, with an environment of their own and keys that are none. They are
// apart (make test-live), since the programs weigh hundreds of megabytes.

// clientVersions are the packages that are tried.
var clientVersions = map[string]string{
	"claude":   "@anthropic-ai/claude-code@2.1.330",
	"codex":    "@openai/codex@0.169.0",
	"opencode": "opencode-ai@1.18.33",
	"gemini":   "@google/gemini-cli@0.61.0",
}

// clientNames are the same in the order in which they are tried. Gemini CLI is tried
// beside the tools alone: its model API has a form of its own.
var clientNames = []string{"claude", "codex", "opencode"}

// clientsDir is where the programs are: the folder of SNAPSCOPE_CLIENTS, where npm
// installed them, else one in the cache.
func clientsDir(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("SNAPSCOPE_CLIENTS"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "snapscope-test", "clients")
}

func clientProgram(t *testing.T, name string) string {
	t.Helper()
	bin := filepath.Join(clientsDir(t), "node_modules", ".bin", name)
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("%s is not there: %v; make test-live fetches it", name, err)
	}
	return bin
}

// TestFetchLive fetches what the others need: they run where there is no network.
func TestFetchLive(t *testing.T) {
	playwrightMCP(t, t.TempDir())
	playwrightMCPAt(t, t.TempDir(), playwrightInline)
	dir := clientsDir(t)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, pin := range clientVersions {
		t.Run(name, func(t *testing.T) {
			if installed(dir, pin) {
				return
			}
			cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", dir, clientVersions[name])
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("fetching %s with npm (is it installed?): %v\n%s", name, err, out)
			}
		})
	}
}

// installed reports whether a package is there in the version of its pin: one that is
// there in another version is fetched again.
func installed(dir, pin string) bool {
	i := strings.LastIndexByte(pin, '@')
	b, err := os.ReadFile(filepath.Join(dir, "node_modules", filepath.FromSlash(pin[:i]), "package.json"))
	var p struct{ Version string }
	return err == nil && json.Unmarshal(b, &p) == nil && p.Version == pin[i+1:]
}

// twoRows ticks two rows of the site, and looks at the page first: the server only
// links to it otherwise.
func twoRows(s *site, a, b int) []apitest.Step {
	return []apitest.Step{{Goto: s.URL}, {Look: true}, {Click: rowName(a)}, {Click: rowName(b)}}
}

// trial is one run of a client.
type trial struct {
	client string
	script []apitest.Step
	seat   []string      // flags of the seat before the server; nil: none
	api    []string      // flags of the seat before the model API; nil: none
	limit  time.Duration // after which the client gives up a call; 0: as the README has it
	lifted bool          // Codex: its limit of a tool's text is set high
	words  []string      // before the client's own arguments
	server string        // the version of Playwright MCP; "": the newest
	state  string        // XDG_STATE_HOME of the client and its servers; "" its home's own
	behave func(n int) apitest.Behaviour
}

// liveRun is what came of it.
type liveRun struct {
	said   string // the model's last words
	output string
	record string // of the seat before the server
	tools  bool   // the model was offered the browser's tools
	calls  []apitest.Seen
	home   string
}

const prompt = "tick two rows of the table"

// run runs the client until it ends. One that began without its tools, for on a busy
// machine their server came too late for it, has not tried anything: it is run again.
func (c trial) run(t *testing.T) liveRun {
	t.Helper()
	for n := 1; ; n++ {
		r := c.once(t)
		if r.tools || n == 3 {
			return r
		}
		t.Logf("%s began without its tools, try %d: %s", c.client, n, clip(r.output, 300))
	}
}

func (c trial) once(t *testing.T) liveRun {
	t.Helper()
	program := clientProgram(t, c.client)
	home, err := os.MkdirTemp("", "l") // short, for the sockets' paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeBusy(home) })
	bin, server := liveBinary(t), playwrightMCPAt(t, home, cmp.Or(c.server, playwrightVersion))
	r := liveRun{home: home, record: filepath.Join(home, "rec", "mcp.jsonl")}
	if err := os.Mkdir(filepath.Join(home, "rec"), 0o700); err != nil {
		t.Fatal(err)
	}
	if c.seat != nil {
		server = append(append([]string{bin, "mcp", "--record", r.record}, c.seat...), append([]string{"--"}, server...)...)
	}
	model := &apitest.Model{Script: c.script, Read: unfolded, Behave: c.behave, Think: true}
	srv := httptest.NewServer(model)
	defer srv.Close()
	base := srv.URL
	if c.api != nil {
		var end func()
		base, end = startSeat(t, home, append([]string{bin, "api", "--to", srv.URL, "--listen", "127.0.0.1:0", "--record", filepath.Join(home, "rec", "api.jsonl")}, c.api...))
		defer end()
	}
	argv, env := c.configure(t, home, base, server)
	argv = append(slices.Clip(c.words), argv...)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, argv...)
	cmd.Dir = home
	cmd.Env = append(bareEnv(home, c.state), env...)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("%s: %v", c.client, err)
	}
	r.output, r.calls = clip(string(out), 4000), model.Log()
	for _, l := range r.calls {
		if strings.Contains(string(l.Body), "browser_click") {
			r.said, r.tools = l.Said, true
		}
		if len(l.Refused) > 0 {
			t.Errorf("the model refused a request of %s: %v", c.client, l.Refused)
		}
	}
	return r
}

// bareEnv is the whole environment of a client: nothing of the person's.
func bareEnv(home, state string) []string {
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "SNAPSCOPE_GROUP=g-live"}
	if state != "" {
		env = append(env, "XDG_STATE_HOME="+state)
	}
	return env
}

// configure writes a client's configuration and answers its arguments and
// environment.
func (c trial) configure(t *testing.T, home, base string, server []string) (argv, env []string) {
	t.Helper()
	ms := func(d, other time.Duration) int64 {
		if d == 0 {
			d = other
		}
		return d.Milliseconds()
	}
	write := func(name, text string) string {
		file := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if c.client == "gemini" {
		write(".gemini/settings.json", `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false},
			"mcpServers": {"playwright": {"command": `+jsonText(server[0])+`, "args": `+jsonTexts(server[1:])+`, "env": {"SNAPSCOPE_GROUP": "g-live"}, "timeout": `+fmt.Sprint(ms(c.limit, 10*time.Minute))+`, "trust": true}}}`)
		return geminiArgs, []string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + base, "GEMINI_CLI_TRUST_WORKSPACE=true"}
	}
	ag, ok := agents.Find(c.client)
	if !ok {
		t.Fatal(c.client)
	}
	switch c.client {
	case "claude":
		conf := write("mcp.json", setup.Lines(ag, "playwright", server, nil))
		env = append(claudeEnv(base), fmt.Sprintf("MCP_TOOL_TIMEOUT=%d", ms(c.limit, 10*time.Minute)))
		return append([]string{"-p", prompt, "--mcp-config", conf, "--strict-mcp-config"}, claudeTools...), env
	case "codex":
		more := ""
		if c.lifted {
			more = "tool_output_token_limit = 200000\n"
		}
		write(".codex/config.toml", "model = \"m\"\nmodel_provider = \"scripted\"\n"+more+
			"[model_providers.scripted]\nname = \"scripted\"\nbase_url = \""+base+"/v1\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n"+
			setup.Lines(ag, "playwright", server, nil)+
			fmt.Sprintf("\nstartup_timeout_sec = 60\nrequired = true\ntool_timeout_sec = %d\nenv_vars = [\"SNAPSCOPE_GROUP\", \"XDG_STATE_HOME\"]\n", ms(c.limit, time.Hour)/1000))
		return codexArgs, []string{"OPENAI_API_KEY=dummy"}
	}
	conf := write("opencode.json", `{"model": "scripted/m", "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "`+base+`/v1", "apiKey": "dummy"}, "models": {"m": {}}}},
		"mcp": {"playwright": {"type": "local", "timeout": `+fmt.Sprint(ms(c.limit, 10*time.Minute))+`, "command": `+jsonTexts(server)+`}}}`)
	return []string{"run", prompt}, append(opencodeEnv, "OPENCODE_CONFIG="+conf)
}

// Other traffic of the clients is turned off, and the tools are allowed.
var (
	claudeTools = []string{"--allowedTools", "mcp__playwright__browser_navigate,mcp__playwright__browser_click,mcp__playwright__browser_snapshot,mcp__playwright__browser_evaluate,Agent,Task"}
	codexArgs   = []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt}
	geminiArgs  = []string{"-p", prompt, "-m", "gemini-2.5-pro", "--approval-mode", "yolo"}
	opencodeEnv = []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1"}
)

func claudeEnv(base string) []string {
	return []string{
		"ANTHROPIC_BASE_URL=" + base, "ANTHROPIC_API_KEY=sk-ant-dummy", "MCP_CONNECTION_NONBLOCKING=0",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "ENABLE_TOOL_SEARCH=false", "DISABLE_AUTOUPDATER=1",
		"MCP_TIMEOUT=120000", // a busy machine starts the server late
	}
}

// jsonTexts is a JSON list of texts, where a variable has the name of the package.
func jsonTexts(words []string) string { return string(proxy.List(words)) }

func jsonText(s string) string { return strings.Trim(string(proxy.List([]string{s})), "[]") }

// startSeat starts a seat before the model API and answers its address.
func startSeat(t *testing.T, home string, argv []string) (url string, end func()) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = bareEnv(home, "")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		end()
		t.Fatalf("the seat before the model API did not start: %v", err)
	}
	return strings.TrimSpace(line), end
}

var liveBin string

// liveBinary is the program under test, built once.
func liveBinary(t *testing.T) string {
	t.Helper()
	if liveBin == "" {
		dir, err := os.MkdirTemp("", "snapscope-live-test")
		if err != nil {
			t.Fatal(err)
		}
		liveBin = filepath.Join(dir, "snapscope")
		if out, err := exec.Command("go", "build", "-o", liveBin, ".").CombinedOutput(); err != nil {
			t.Fatalf("building: %v\n%s", err, out)
		}
	}
	return liveBin
}

// removeBusy removes a folder that a browser may still be leaving.
func removeBusy(dir string) {
	for range 20 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}

// recorded is what a recording holds.
func (r liveRun) recorded(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(r.record)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
