package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"snapscope/replay/ab"
	"snapscope/replay/proxy/api/apitest"
	"snapscope/session/agents"
	"snapscope/snapshot/token"
)

// cuttingClients are clients by what they call themselves to a server and to a model,
// and by what they give their model of a tool's text.
var cuttingClients = map[string]struct {
	client, agent, form string
	rows                string // of a page that is too large for it
	cut                 func(text string) string
}{
	"codex": {"codex-mcp-client", "codex_exec/0.169.0 (Linux)", "openai-responses", "110", func(text string) string {
		if c, too := tooLarge("codex", text); too {
			head, tail := c.HeadAndTail(text)
			text = fmt.Sprintf("%s…%d chars truncated…%s", head, len(text)-len(head)-len(tail), tail)
		}
		return "Wall time: 0.2 seconds\nOutput:\n" + text
	}},
	"opencode": {"opencode", "opencode/1.18.33 ai-sdk/provider-utils", "openai-chat", "400", func(text string) string {
		if c, too := tooLarge("opencode", text); too {
			left := strings.TrimSuffix(c.Leaves(text), "\n")
			return fmt.Sprintf("%s\n\n...%d bytes truncated...\n\nThe tool call succeeded but the output was truncated. Full output saved to: /h/tool-output/tool_1\n"+
				"Use Grep to search the full content or Read with offset/limit to view specific sections.", left, len(text)-len(left))
		}
		return text
	}},
	"gemini": {"gemini-cli-mcp-client", "GeminiCLI-tui/0.61.0/gemini-2.5-pro (linux)", "gemini", "400", func(text string) string {
		text = "<untrusted_context>\n" + text + "\n</untrusted_context>"
		if c, too := tooLarge("gemini-cli", text); too {
			head, tail := c.HeadAndTail(text)
			return fmt.Sprintf("Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /h/tool-outputs/1.txt\n%s\n\n... [%d characters omitted] ...\n\n%s",
				head, len(text)-len(head)-len(tail), tail)
		}
		return text
	}},
}

func tooLarge(agent, text string) (agents.Cut, bool) {
	a, _ := agents.Find(agent)
	return a.Text, a.Text.Cuts(utf8.RuneCountInString(text), len(text))
}

// A client that cuts every page: what a policy saves is what is left of the page, and a
// rule that clears pages clears what was left of one, in the forecast as on the wire.
func TestABForAClientThatCuts(t *testing.T) {
	for name := range cuttingClients {
		t.Run(name, func(t *testing.T) { abCuts(t, name) })
	}
}

func abCuts(t *testing.T, name string) {
	as := cuttingClients[name]
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("SCRIPTED_MODEL", "gpt-5-codex")
	count, err := token.New("cl100k_base")
	if err != nil {
		t.Fatal(err)
	}
	steps := []apitest.Step{{Goto: "http://127.0.0.1/leads"}}
	for _, row := range []int{3, 7, 12, 5} {
		steps = append(steps, apitest.Step{Click: apitest.Name(row)})
	}
	up := httptest.NewServer(&apitest.Model{Script: steps, Count: count.Count, MinPrefix: 1024})
	defer up.Close()
	policies := []string{"full", "keep-one", "openclaw", "passmark", "compress", "clear-tool-uses"}
	args := []string{"ab", "--json", "--runs", "1", "--to", up.URL, "--out", filepath.Join(t.TempDir(), "ab")}
	for _, p := range policies {
		args = append(args, "--policy", p)
	}
	root := newRoot()
	root.SetArgs(append(args, "--", "scripted-agent", "-form", as.form, "-rows", as.rows, "-cuts", name))
	var stdout, stderr bytes.Buffer
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	if err := root.Execute(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var table ab.Table
	if err := json.Unmarshal(stdout.Bytes(), &table); err != nil {
		t.Fatal(err)
	}
	for i, r := range table.Rows {
		if !slices.Equal(r.Ends, table.Rows[0].Ends) || r.Lost.Mean != 0 {
			if r.Policy != "compress" { // it hides rows that are used
				t.Errorf("%s ended with %q, %v are lost", r.Policy, r.Ends, r.Lost.Mean)
			}
			continue
		}
		if math.Abs(r.OffInput) > 0.02 {
			t.Errorf("%s: %+.2f %% off: %.0f forecast, %.0f measured; %v", r.Policy, 100*r.OffInput, r.Forecast.Input, r.Input.Mean, r.Drift)
		}
		if saves := r.Input.Mean < 0.9*table.Rows[0].Input.Mean; saves != (i == 1 || i == 2) && r.Policy != "compress" {
			t.Errorf("%s: %.0f tokens, full %.0f", r.Policy, r.Input.Mean, table.Rows[0].Input.Mean)
		}
	}
}
