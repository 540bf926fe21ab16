//go:build live

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapscope/replay"
	"snapscope/replay/proxy/api/apitest"
	"snapscope/session/ledger"
)

func rowName(n int) string { return fmt.Sprintf("Select row %03d", n) }

// asksForPages acts on elements of a server whose actions answer with a link: it asks
// for the page before each.
func asksForPages(url string, names ...string) []apitest.Step {
	steps := []apitest.Step{{Goto: url}}
	for _, name := range names {
		steps = append(steps, apitest.Step{Look: true}, apitest.Step{Click: name})
	}
	return append(steps, apitest.Step{Look: true})
}

// promises are what the commands say that a policy saves of a recording.
func promises(t *testing.T, bin, record, file string) map[string]float64 {
	t.Helper()
	var checked struct {
		Net float64 `json:"net_saved_ratio"`
	}
	var report struct {
		Policies []struct {
			OfSent float64 `json:"net_saved_of_sent_ratio"`
		}
	}
	for command, to := range map[string]any{"check": &checked, "report": &report} {
		out, err := exec.Command(bin, command, record, "--policy", file, "--json").Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		if err := json.Unmarshal(out, to); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	if len(report.Policies) != 1 {
		t.Fatalf("report: %+v", report)
	}
	return map[string]float64{"check": checked.Net, "report": report.Policies[0].OfSent}
}

// advised runs the command of a policy as a person would who follows it: an agent's two
// proxies where it is for the whole agent, else the one before its tool server. A run in
// which a busy machine kept a proxy from rewriting in its time is made again.
func advised(t *testing.T, bin string, script []apitest.Step, command string) agentRun {
	t.Helper()
	flags, _, _ := strings.Cut(command, " -- ")
	args := words(flags)
	for range 10 {
		var files []string
		var got agentRun
		switch {
		case len(args) > 3 && args[0] == "snapscope" && args[1] == "mcp":
			got = runAgent(t, bin, script, args[2:]...)
		case len(args) > 3 && args[0] == "snapscope" && args[1] == "live":
			files = []string{filepath.Join(t.TempDir(), "api.jsonl")}
			api := slices.DeleteFunc(slices.Clone(args[2:]), func(w string) bool { return w == oneAgent })
			got = runAgentBehind(t, bin, script, args[2:], append(api, "--record", files[0]))
		default:
			t.Fatalf("advised is %q", command)
		}
		late := false
		for _, file := range append(files, got.record) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			late = late || bytes.Contains(b, []byte("took more than")) ||
				// of an answer that was late at the very end not even that is in the recording
				file == got.record && bytes.Count(b, []byte(`"kind":"result"`)) < len(got.got)
		}
		if !late {
			return got
		}
		t.Logf("a proxy was late: %q is run again", command)
	}
	t.Fatal("a proxy was late in ten runs")
	return agentRun{}
}

// pagesOf tells of each page of a recording how long it was and how it went.
func pagesOf(t *testing.T, record string) string {
	t.Helper()
	rec, err := replay.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range rec.Events {
		switch {
		case e.Result != nil:
			fmt.Fprintf(&b, "%s: %d bytes, %s, %+v\n", e.Result.Action, len(e.Result.Text), e.Result.Seen, e.Result.Recipe)
		case e.Note != nil:
			fmt.Fprintf(&b, "%+v\n", *e.Note)
		}
	}
	return b.String()
}

const oneAgent = "--one-agent"

// TestWhatTuneFindsComesTrueLive records a session whose pages are asked for,
// tunes on it, and runs the same again with the very command that tune advises: the wire
// saves what check and report promise of it, within two points: under a policy that
// rewrites pages, under one that clears the history too, and under one that compares
// pages, which takes that one agent reads them.
func TestWhatTuneFindsComesTrueLive(t *testing.T) {
	t.Parallel()
	bin := build(t)
	s := bigTable(t, 120)
	script := asksForPages(s.URL, rowName(3), rowName(60), rowName(117), rowName(4))
	for _, c := range []struct {
		policy, command string
		record          []string
		least           float64
	}{
		{"fold", "mcp", []string{"--keep", "5"}, 0.3},
		{"fold+openclaw", "live", []string{"--keep", "5"}, 0.8},
		{"delta", "mcp", []string{oneAgent}, 0.3},
	} {
		t.Run(c.policy, func(t *testing.T) {
			plain := runAgent(t, bin, script, c.record...)
			file := filepath.Join(t.TempDir(), "tuned.toml")
			said, err := exec.Command(bin, "tune", plain.record, "-o", file, "--policy", c.policy).CombinedOutput()
			if err != nil {
				t.Fatalf("tune: %v\n%s", err, said)
			}
			_, command, _ := strings.Cut(string(said), "run it with: ")
			command, _, _ = strings.Cut(command, "\n")
			if !strings.HasPrefix(command, "snapscope "+c.command+" --policy "+ledger.Word(file)) || strings.Contains(command, oneAgent) != slices.Contains(c.record, oneAgent) {
				t.Fatalf("tune says\n%s", said)
			}
			tuned := advised(t, bin, script, command)
			if tuned.turns != plain.turns {
				t.Errorf("%d turns, under %q %d", plain.turns, command, tuned.turns)
			}
			if tuned.said != plain.said || !strings.HasPrefix(plain.said, "DONE") {
				t.Errorf("it ended with %q, under %q with %q", plain.said, command, tuned.said)
			}
			saved := 1 - float64(tuned.input)/float64(plain.input)
			for command, want := range promises(t, bin, plain.record, file) {
				t.Logf("%s promises %.1f %%, the wire saved %.1f %% of %d tokens", command, 100*want, 100*saved, plain.input)
				if off := saved - want; off > 0.02 || off < -0.02 || saved < c.least {
					t.Errorf("%s promises %.1f %%, the wire saved %.1f %%:\n%s\n%s", command, 100*want, 100*saved, said, pagesOf(t, tuned.record))
				}
			}
		})
	}
}
