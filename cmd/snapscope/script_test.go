package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"snapscope/replay"
	"snapscope/session"
	"snapscope/snapshot"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(running{m}, map[string]func(){"snapscope": main, "scripted-agent": scriptedAgent, "scripted-page": scriptedPage, "pageserver": pageServer})
}

// TestCommands holds the command line's contract: one script a command under
// testdata/script.
func TestCommands(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/config")
			e.Setenv("NO_COLOR", "1")
			e.Setenv("SNAPSCOPE_SETTLE", "quick") // what the commands do, not how long a page is waited for
			if v := os.Getenv("SNAPSCOPE_BROWSER"); v != "" {
				e.Setenv("SNAPSCOPE_BROWSER", v)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "prints": prints, "clicks": clicks, "hostile": hostile},
	})
}

// exits runs a command and checks its exact exit status: exits 2 snapscope …
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("exits: %v", err)
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		got = ee.ExitCode()
	} else if err != nil {
		ts.Fatalf("exits: %v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// prints holds stdout against a file of the script byte for byte, without the
// final newline that a file of a script always has: prints FILE.
func prints(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: prints FILE")
	}
	want := strings.TrimSuffix(ts.ReadFile(args[0]), "\n")
	if got := ts.ReadFile("stdout"); got != want {
		ts.Fatalf("stdout is %q, want %q", got, want)
	}
}

// clicks writes a recording in which an agent opens a list of 300 entries and
// clicks one of them: clicks FILE REF.
func clicks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: clicks FILE REF")
	}
	ts.Check(recordClick(ts.MkAbs(args[0]), args[1], 300))
}

// hostile writes a snapshot and a transcript full of characters that act on a
// terminal, under a name that does, too; ESC is that name.
func hostile(ts *testscript.TestScript, _ bool, _ []string) {
	name := "n\x1b[31m\u202eame"
	ts.Setenv("ESC", name)
	page := "- main [ref=e1]:\n  - button \"\u009b31m\u009d0;x\x7f\u202e\u2028\" [ref=e2]\n"
	ts.Check(os.WriteFile(ts.MkAbs(name+".txt"), []byte(page), 0o600))
	data, err := json.Marshal(page)
	ts.Check(err)
	text := string(data)
	line := func(id, name, args, answer string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + args + "}}\n" +
			`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":` + answer + "}]}}\n"
	}
	answer := `"### Page\n- Page URL: http://a.test/\u009b\n- Page Title: ` + text[1:len(text)-1] + `\n### Snapshot\n` + "```yaml\\n" + text[1:len(text)-1] + "```" + `"`
	ts.Check(os.WriteFile(ts.MkAbs(name+".jsonl"), []byte(
		line("1", "browser_navigate", `{"url":"http://a.test/\u001b[2J\u202e"}`, answer)+line("2", "browser_click", `{"element":"\u009b\u202e\u2028","ref":"e9"}`, answer)), 0o600))
}

// recordClick records a session that opens a list of n entries and clicks one.
func recordClick(path, ref string, n int) error {
	var b strings.Builder
	b.WriteString("- list [ref=e1]:")
	for i := 2; i < n; i++ {
		fmt.Fprintf(&b, "\n  - listitem \"entry\" [ref=e%d]", i)
	}
	page := &snapshot.Snapshot{URL: "http://a.test/", Document: "d", Text: b.String(), Hash: snapshot.HashText(b.String())}
	w, err := replay.Create(path)
	if err != nil {
		return err
	}
	for i, e := range []session.Event{
		{Kind: session.KindStart, Start: &session.Start{Name: filepath.Base(path), Source: "live"}},
		{Kind: session.KindAction, Action: &session.Action{ID: "a", Verb: session.VerbGoto, Tool: "goto"}},
		{Kind: session.KindResult, Result: &session.Result{Action: "a", OK: true, Seen: session.SeenInline, Snapshot: page}},
		{Kind: session.KindAction, Action: &session.Action{ID: "b", Verb: session.VerbClick, Tool: "click", Target: &session.Target{Ref: ref}}},
		{Kind: session.KindResult, Result: &session.Result{Action: "b", OK: true}},
	} {
		e.Seq = i + 1
		if err := w.Append(e); err != nil {
			return err
		}
	}
	return w.Close()
}
