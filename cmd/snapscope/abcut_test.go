package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"

	"snapscope/session/ab"
	"snapscope/session/agents"
	"snapscope/session/seat/api/apitest"
	"snapscope/snapshot/token"
)

// codexCut is what Codex gives its model of a tool's text.
func codexCut(text string) string {
	codex, _ := agents.Find("codex")
	if c := codex.Text; c.Cuts(len(text), len(text)) {
		head, tail := c.HeadAndTail(text)
		text = fmt.Sprintf("%s…%d chars truncated…%s", head, len(text)-len(head)-len(tail), tail)
	}
	return "Wall time: 0.2 seconds\nOutput:\n" + text
}

// A client that cuts every page: what a policy saves is what is left of the page, and a
// rule that clears pages clears what was left of one, in the forecast as on the wire.
func TestABForAClientThatCuts(t *testing.T) {
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
	root.SetArgs(append(args, "--", "scripted-agent", "-form", "openai-responses", "-rows", "110", "-cuts"))
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
