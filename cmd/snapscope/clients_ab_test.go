//go:build live

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapscope/replay/ab"
	"snapscope/replay/ab/lab"
	"snapscope/replay/proxy/api/apitest"
	"snapscope/replay/proxy/setup"
	"snapscope/session/agents"
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
// model counted, within 2 %; in no run is an element called lost that it used. With
// -compared what was measured is kept (see comparedTable).
func TestABLive(t *testing.T) {
	for _, client := range append([]string{"gemini"}, clientNames...) {
		for _, server := range []string{playwrightVersion, playwrightInline} {
			for _, rows := range comparedPages {
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
		noFalseLoss(t, r)
	}
	full := table.Rows[0]
	cell := comparedCell{Client: clientVersions[client], Server: server, Rows: rows}
	for _, row := range table.Rows {
		cell.Policies = append(cell.Policies, comparedRow{row.Policy, int(math.Round(row.Forecast.Input)), int(math.Round(row.Input.Mean)), strings.Join(row.Ends, "; ")})
		same := slices.Equal(row.Ends, full.Ends)
		t.Logf("%s %s %d %-22s succeeded %v, input %.0f, predicted %.0f, off %+.2f %%, cached off %+.2f %%, %v", client, server, rows, row.Policy, *row.Succeeded, row.Input.Mean, row.Forecast.Input, 100*row.OffInput, 100*row.OffCached, row.Drift)
		if same && math.Abs(row.OffInput) > 0.02 {
			t.Errorf("%s ended like full, and its forecast is %+.2f %% off: %v", row.Policy, 100*row.OffInput, row.Drift)
		}
		if len(row.Drift) > 0 && same && math.Abs(row.OffInput) <= 0.02 && math.Abs(row.OffCached) <= 0.02 {
			t.Errorf("%s: causes of a drift that there is not: %v", row.Policy, row.Drift)
		}
	}
	if *keepCompared {
		keepCell(t, cell)
	}
}

// keepCompared keeps what is measured for the document's table.
var keepCompared = flag.Bool("compared", false, "keep what TestABLive measures in testdata/compared.jsonl, of which docs/attach.md makes its table")

// keepCell puts a cell into the file of cells, in the place of an older one.
func keepCell(t *testing.T, cell comparedCell) {
	t.Helper()
	cells := slices.DeleteFunc(comparedCells(t, comparedFile), func(c comparedCell) bool { return c.key() == cell.key() })
	cells = append(cells, cell)
	slices.SortFunc(cells, func(a, b comparedCell) int { return strings.Compare(a.key(), b.key()) })
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for _, c := range cells {
		if err := enc.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(comparedFile, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// noFalseLoss holds that what a run used and could read is not called lost, by the
// comparison or by a report of the recording that both seats' were joined to. An agent
// that says that it lost an element has used none.
func noFalseLoss(t *testing.T, r ab.Run) {
	t.Helper()
	root := newRoot()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(io.Discard)
	root.SetArgs([]string{"report", "--json", "--policy", "full", r.File})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	var report struct {
		AsSent struct {
			Survival struct {
				Acted int `json:"acted"`
				Lost  []struct{ Why string }
			} `json:"survival"`
		} `json:"as_sent"`
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%v in %s", err, &out)
	}
	if s := report.AsSent.Survival; len(r.Lost) > 0 || len(s.Lost) > 0 || s.Acted != r.Acted {
		t.Errorf("%s ended with %q after it used %d elements (by the report %d); called lost: %q, by the report %+v", r.Policy, r.End, r.Acted, s.Acted, r.Lost, s.Lost)
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
	case "gemini":
		pass := ""
		for _, name := range []string{lab.EnvGroup, lab.EnvPolicy, lab.EnvRecordings, lab.EnvPolicies} {
			pass += `, "` + name + `": "$` + name + `"`
		}
		server = append(seat[1:], server...)
		s.put(".gemini/settings.json", `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false},
			"mcpServers": {"playwright": {"command": `+jsonText(seat[0])+`, "args": `+jsonTexts(server)+`, "env": {`+strings.TrimPrefix(pass, ", ")+`}, "timeout": 600000, "trust": true}}}`)
		// It takes its model API's address from a variable that ab does not know, and tells
		// its model of the files around it, of which each run makes some in the home.
		return append([]string{"sh", "-c", `mkdir -p work && cd work && GOOGLE_GEMINI_BASE_URL={url} exec gemini "$@"`, "gemini"}, geminiArgs...)
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
	text = strings.TrimSuffix(text, "}") + `, "mcp": {"playwright": {"type": "local", "timeout": 600000, "command": ` + jsonTexts(append(seat, server...)) + `}}}`
	s.put("compared.json", text)
	return []string{"sh", "-c", `sed "s|MODEL|{url}|" compared.json > run.json; OPENCODE_CONFIG=$PWD/run.json exec opencode run "` + prompt + `"`}
}
