//go:build !race

package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/agents"
	"snapscope/session/ledger"
)

// advisedCommands are the commands that a report of everything in testdata advises, each
// with a file that it was advised for. Of the sessions that were recorded several times,
// which take longest, it is the first alone, unless SNAPSCOPE_TEST_ALL is set.
func advisedCommands(t *testing.T) map[string]string {
	t.Helper()
	var files []string
	err := filepath.WalkDir("../../testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || again.MatchString(path) && os.Getenv("SNAPSCOPE_TEST_ALL") == "" {
			return err
		}
		if im, err := transcript.Read(t.Context(), path, transcript.Options{}); err == nil && len(im.Events) > 1 {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const demo = "../../session/demo/recordings/leads.jsonl.zst"
	out := map[string]string{}
	reports := 0
	for line := range strings.Lines(string(answer(t, append([]string{"report", "--json", demo}, files...)...))) {
		var got struct {
			Recording string
			Advice    struct{ Text, Command string }
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		reports++
		if got.Advice.Command != "" {
			out[got.Advice.Command] = got.Recording
			if !strings.Contains(got.Advice.Text, got.Advice.Command) {
				t.Errorf("%s: %q is not in the first line: %s", got.Recording, got.Advice.Command, got.Advice.Text)
			}
		}
	}
	for _, names := range []string{"openclaw", "compress+openclaw"} { // where nothing else is known: a command of each kind
		out[onlyKnown(t, demo, names)] = demo
	}
	if reports < 120 || len(out) < 4 {
		t.Fatalf("%d reports with %d commands are too few to say anything: %v", reports, len(out), out)
	}
	return out
}

// again are the recordings of a session but the first.
var again = regexp.MustCompile(`(forms|pages|widgets)-[2-9]\.jsonl\.zst$`)

// onlyKnown is the command that is advised where one policy is known: at settings that
// keep what the demo's agent acts on.
func onlyKnown(t *testing.T, file, names string) string {
	t.Helper()
	im, err := transcript.Read(t.Context(), file, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := &app{}
	pf := policyFlags{names: []string{names}, sets: []string{"openclaw.tool_calls=4"}}
	if strings.Contains(names, "compress") {
		pf.sets = append(pf.sets, "compress.keep_n=274")
	}
	ps, err := a.choose(pf)
	if err != nil {
		t.Fatal(err)
	}
	o, err := a.ledger(ledgerFlags{})
	if err != nil {
		t.Fatal(err)
	}
	o.Named = a.naming(pf)
	s, err := ledger.Study(t.Context(), session.NewTimeline(im.Events), nil, ps, o)
	if err != nil {
		t.Fatal(err)
	}
	if s.Advice.Command == "" {
		t.Fatalf("%s is not advised: %s", names, s.Advice.Text)
	}
	return s.Advice.Command
}

// TestEveryAdvisedCommandRuns runs the command in the first line of every report in
// testdata: with a server that says nothing, and an agent that ends at once.
func TestEveryAdvisedCommandRuns(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	agent := filepath.Join(dir, "claude")
	if err := os.WriteFile(agent, []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for command, file := range advisedCommands(t) {
		args := words(strings.TrimPrefix(command, "snapscope "))
		kinds[args[0]]++
		if a, ok := agents.Program(args[0]); ok && !strings.HasPrefix(command, "snapscope ") { // its own setting; the client itself is tried by make test-live
			if _, words, ok := strings.Cut(command, " "); !ok || !strings.HasPrefix(words, strings.Split(a.Text.Words, "%")[0]) {
				t.Errorf("%s (advised for %s) is no command of %s that lifts its limit", command, file, a.Title)
			}
			continue
		}
		switch at := slices.Index(args, "--"); {
		case args[0] == "api":
			_, end := startCommand(t, append(args, "--listen", "127.0.0.1:0", "--record", "none")...)
			if stderr, err := end(); err != nil || strings.Contains(stderr, "as it came") {
				t.Errorf("%s (advised for %s): %v\n%s", command, file, err, stderr)
			}
			continue
		case at < 0:
			t.Fatalf("%s (advised for %s) starts nothing", command, file)
		case args[0] == "live":
			args = append(args[:at+1], agent)
		default:
			args = append(args[:at+1], "cat")
		}
		cmd := exec.Command(bin, args...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir+"/state", "XDG_CONFIG_HOME="+dir+"/config", "TMUX=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s (advised for %s): %v\n%s", command, file, err, out)
		}
	}
	if kinds["mcp"] == 0 || kinds["api"] == 0 || kinds["live"] == 0 {
		t.Errorf("commands of these kinds were advised: %v", kinds)
	}
}

// TestLiveGivesItsPolicyToBothSeats starts an agent that shows its configuration: the
// seat before the server has the policy, also one from a file beside the person.
func TestLiveGivesItsPolicyToBothSeats(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	agent := filepath.Join(dir, "claude")
	if err := os.WriteFile(agent, []byte("#!/bin/sh\ncat \"$2\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.toml"), []byte("[[policy]]\nname = \"mine\"\n\n[[policy.stage]]\nstrategy = \"fold\"\n\n[[policy.stage]]\nstrategy = \"openclaw\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command(bin, append([]string{"live", "--no-tmux"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir+"/state", "XDG_CONFIG_HOME="+dir+"/config", "TMUX=")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--", agent}, `["mcp", "--", "npx"`},
		{[]string{"--policy", "fold", "--set", "fold.min_items=4", "--", agent}, `["mcp", "--policy", "fold", "--set", "fold.min_items=4", "--", "npx"`},
		{[]string{"--policies", "mine.toml", "--policy", "mine", "--", agent}, `["mcp", "--policy", "mine", "--policies", "` + filepath.Join(dir, "mine.toml") + `", "--", "npx"`},
		{[]string{"--policy", "openclaw", "--", agent}, `["mcp", "--", "npx"`}, // nothing for the seat before the server
		{[]string{"--policy", "delta", "--one-agent", "--", agent}, `["mcp", "--policy", "delta", "--one-agent", "--", "npx"`},
	} {
		out, err := run(c.args...)
		if got := strings.Join(strings.Fields(out), " "); err != nil || !strings.Contains(got, c.want) {
			t.Errorf("live %q: %v, want %s in\n%s", c.args, err, c.want, got)
		}
	}
	if out, err := run("--no-api", "--policy", "openclaw", "--", agent); err == nil || !strings.Contains(out, "clears the history") {
		t.Errorf("a policy that nothing carries out: %v\n%s", err, out)
	}
	// An agent that is not known is told all that its two proxies need.
	out, err := run("--policy", "combined", "--one-agent", "--", filepath.Join(dir, "odd"))
	if got := strings.Join(strings.Fields(out), " "); err == nil || !strings.Contains(got, `["mcp", "--policy", "combined", "--one-agent", "--", "npx"`) || !strings.Contains(got, "snapscope api --policy combined --to URL") {
		t.Errorf("an agent that is not known: %v\n%s", err, out)
	}
	for name, want := range map[string][2]bool{"fold": {true, false}, "openclaw": {false, true}, "combined": {true, true}} {
		a, f := &app{}, policyFlags{names: []string{name}}
		pol, err := a.onePolicy(f)
		if err != nil {
			t.Fatal(err)
		}
		pages, history, err := seatWords(pol, f)
		if got := [2]bool{pages != nil, history != nil}; err != nil || got != want {
			t.Errorf("%s: pages %v, history %v, %v", name, pages, history, err)
		}
	}
}

// Who asks for a rule that clears pages from the history is told where it works.
func TestWhatTheToolServersProxyCannotDoIsSaid(t *testing.T) {
	const demo = "../../session/demo/recordings/leads.jsonl.zst"
	forms := [][]string{{"report"}, {"report", "--json"}, {"check"}, {"check", "--json"}}
	for name, want := range map[string]string{
		"keep-one": "policy keep-one does nothing in snapscope mcp: ", "openclaw": "policy openclaw does nothing in snapscope mcp: ",
		"clear-tool-uses": "policy clear-tool-uses does nothing in snapscope mcp: ",
		"fold+keep-one":   "of policy fold+keep-one only the rewrites work in snapscope mcp: ", "fold": "",
	} {
		for i, args := range forms {
			if i > 0 && !strings.HasPrefix(name, "fold") { // every form of what is said in part and of nothing; of the others one
				continue
			}
			got := string(answer(t, append(args, demo, "--policy", name)...))
			if want == "" && strings.Contains(got, "in snapscope mcp") {
				t.Errorf("%s of %s: all of it works:\n%s", args, name, got)
			}
			if n := strings.Count(got, want); want != "" && (n != 1 || !strings.Contains(got, "snapscope api") && !strings.Contains(got, "snapscope live")) {
				t.Errorf("%s of %s says %d times %q:\n%s", args, name, n, want, got)
			}
		}
	}
}

// Of several such rules that is said once, with their names.
func TestWhatTheToolServersProxyCannotDoIsSaidOnce(t *testing.T) {
	got := string(answer(t, "report", "../../session/demo/recordings/leads.jsonl.zst", "--policy", "all"))
	if strings.Count(got, "in snapscope mcp: ") != 2 || !strings.Contains(got, "policies openclaw, keep-one, clear-tool-uses and anthropic-clear do nothing in snapscope mcp: ") ||
		!strings.Contains(got, " only the rewrites work in snapscope mcp: ") || strings.Count(got, "the requests to the model carry") != 2 {
		t.Errorf("the report says\n%s", got)
	}
}
