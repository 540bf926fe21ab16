//go:build live

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapscope/session/ab"
	"snapscope/session/agents"
	"snapscope/session/seat/api/apitest"
	"snapscope/session/seat/setup"
	"snapscope/snapshot/token"
)

// comparedPolicies are those of TestABLive; the first is what the others are predicted
// from.
var comparedPolicies = []string{
	"full", "delta", "fold", "compress", "keep-one", "openclaw", "clear-tool-uses", "passmark", "playwright-incremental", "combined",
}

// TestABLive compares ten policies on whole agents, whose servers are behind a seat in
// their own configuration: with both servers, a small page, one of 50 KB and one of
// 118 KB. Where a run ended as under the first policy, what was predicted is what the
// model counted, within 2 %.
func TestABLive(t *testing.T) {
	for _, client := range []string{"claude", "codex", "opencode"} {
		for _, server := range []string{playwrightVersion, playwrightInline} {
			for _, rows := range []int{60, 180, 420} {
				t.Run(fmt.Sprintf("%s %s %d rows", client, server, rows), func(t *testing.T) { compareLive(t, client, server, rows) })
			}
		}
	}
}

func compareLive(t *testing.T, client, server string, rows int) {
	s := bigTable(t, rows)
	count, err := token.New("cl100k_base") // another than ours, as a vendor's is
	if err != nil {
		t.Fatal(err)
	}
	model := &apitest.Model{Script: twoRows(s, 3, 17), Read: unfolded, MinPrefix: 1024, Count: count.Count}
	srv := httptest.NewServer(model)
	defer srv.Close()
	sh := newShell(t, client, srv.URL)
	sh.npx(playwrightMCPAt(t, sh.home, server))
	args := []string{"ab", "--runs", "1", "--to", srv.URL, "--expect", "DONE", "--json"}
	for _, p := range comparedPolicies {
		args = append(args, "--policy", p)
	}
	cmd := exec.Command("snapscope", append(append(args, "--"), sh.compared(client, srv.URL)...)...)
	cmd.Path = filepath.Join(sh.home, "bin", "snapscope")
	cmd.Dir, cmd.Env, cmd.Stderr = sh.home, sh.env, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var table ab.Table
	if err := json.Unmarshal(out, &table); err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Runs {
		t.Logf("%s: %s, %d steps, %d calls, %+v, %d joined, %d lost, %d astray", r.Policy, r.End, r.Steps, r.Calls, r.Usage, r.Pairs, len(r.Lost), r.Astray)
		if !r.OK || r.Pairs != r.Steps {
			t.Errorf("%s: %+v", r.Policy, r)
		}
		if strings.HasPrefix(r.End, "DONE") && len(r.Lost) > 0 {
			t.Errorf("%s: it ended well, and %q is told to be lost", r.Policy, r.Lost)
		}
	}
	full := table.Rows[0]
	for _, row := range table.Rows {
		same := slices.Equal(row.Ends, full.Ends)
		t.Logf("%s %s %d %-22s succeeded %v, input %.0f, predicted %.0f, off %+.2f %%, cached off %+.2f %%, %v", client, server, rows, row.Policy, *row.Succeeded, row.Input.Mean, row.Forecast.Input, 100*row.OffInput, 100*row.OffCached, row.Drift)
		if same && math.Abs(row.OffInput) > 0.02 {
			t.Errorf("%s ended like full, and its forecast is %+.2f %% off: %v", row.Policy, 100*row.OffInput, row.Drift)
		}
		if len(row.Drift) > 0 && same && math.Abs(row.OffInput) <= 0.02 && math.Abs(row.OffCached) <= 0.02 {
			t.Errorf("%s: causes of a drift that there is not: %v", row.Policy, row.Drift)
		}
	}
}

// npx makes npx start a server.
func (s *shell) npx(server []string) {
	s.t.Helper()
	text := "#!/bin/sh\nshift\nexec '" + strings.Join(server, "' '") + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(s.home, "bin", "npx"), []byte(text), 0o700); err != nil {
		s.t.Fatal(err)
	}
}

// compared is a client's command for ab, its server behind a seat.
func (s *shell) compared(client, model string) []string {
	s.t.Helper()
	seat, server := []string{filepath.Join(s.home, "bin", "snapscope"), "mcp", "--"}, []string{"npx", "@playwright/mcp"}
	switch client {
	case "claude":
		ag, ok := agents.Find(client)
		if !ok {
			s.t.Fatal(client)
		}
		return []string{"claude", "--mcp-config", s.put("mcp.json", setup.Lines(ag, "playwright", seat, server)), "-p", prompt, "--allowedTools", "mcp__playwright"}
	case "codex":
		s.run(readmeLines(s.t, "codex")[0])
		s.run("snapscope mcp install codex")
		return append([]string{"codex"}, codexArgs...)
	}
	// OpenCode has its model's address in a file: the shell puts the proxy's into a copy.
	conf, err := os.ReadFile(filepath.Join(s.home, "model.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	text := strings.Replace(string(conf), model, "MODEL", 1)
	text = strings.TrimSuffix(text, "}") + `, "mcp": {"playwright": {"type": "local", "timeout": 600000, "command": ` + jsonList(append(seat, server...)) + `}}}`
	s.put("compared.json", text)
	return []string{"sh", "-c", `sed "s|MODEL|{url}|" compared.json > run.json; OPENCODE_CONFIG=$PWD/run.json exec opencode run "` + prompt + `"`}
}
