package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/replay"
	"snapscope/replay/proxy/api/apitest"
	"snapscope/session"
)

// startCommand runs a command line in this process until the test ends it, and
// answers the first line of its output.
func startCommand(t *testing.T, args ...string) (first string, end func() (stderr string, err error)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	root := newRoot()
	root.SetArgs(args)
	r, w := io.Pipe()
	var stderr bytes.Buffer
	root.SetOut(w)
	root.SetErr(&stderr)
	done := make(chan error, 1)
	go func() {
		err := root.ExecuteContext(ctx)
		_ = w.CloseWithError(io.EOF)
		done <- err
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %v; %s", args, <-done, &stderr)
	}
	return strings.TrimSpace(line), func() (string, error) {
		cancel()
		err := <-done
		return stderr.String(), err
	}
}

func TestAPISeatFromTheCommandLine(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "")
	const key = "sk-ant-oat01-dummydummydummy0123456789"
	model := &apitest.Model{Script: []apitest.Step{{Goto: "http://127.0.0.1/leads"}, {Click: apitest.Name(1)}, {Click: apitest.Name(2)}}}
	up := httptest.NewServer(model)
	defer up.Close()
	file := filepath.Join(t.TempDir(), "api.jsonl")
	base, end := startCommand(t, "api", "--to", up.URL, "--listen", "127.0.0.1:0", "--policy", "keep-one", "--record", file)
	a := apitest.Agent{Base: base, Form: "anthropic", Model: "m", Stream: true, Prompt: "go", Key: key}
	out, err := a.Run(context.Background(), &apitest.Page{Rows: 20})
	if err != nil || out.Said != "DONE" {
		t.Fatalf("%+v, %v", out, err)
	}
	stderr, err := end()
	if err != nil {
		t.Fatal(err)
	}
	rec, err := replay.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tl := session.NewTimeline(rec.Events)
	if len(tl.Steps) != 3 || len(tl.Calls()) != 4 || tl.Calls()[3].Model.Usage == nil {
		t.Errorf("%d steps, %d calls", len(tl.Steps), len(tl.Calls()))
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	sent := fmt.Sprint(model.Log()[0].Header) + string(model.Log()[0].Body)
	left := map[string]string{"recording": string(raw), "log": stderr}
	for what, args := range map[string][]string{
		"report": {"report", file}, "report's JSON": {"report", file, "--json"}, "report's page": {"report", file, "--html", filepath.Join(t.TempDir(), "r.html")},
		"export": {"import", file, "-o", filepath.Join(t.TempDir(), "again.jsonl")},
	} {
		var out bytes.Buffer
		root := newRoot()
		root.SetArgs(args)
		root.SetOut(&out)
		root.SetErr(&out)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		if made := args[len(args)-1]; filepath.IsAbs(made) && made != file {
			b, err := os.ReadFile(made)
			if err != nil || len(b) < 1000 {
				t.Fatalf("%s: %d bytes, %v", what, len(b), err)
			}
			out.Write(b)
		}
		left[what] = out.String()
	}
	for what, text := range left {
		holdsNone(t, what, text, sent, key, "user_dummy_0815", "session="+key)
	}
}

// holdsNone looks for secrets, and for what would give one away, in a text that is
// kept. Each must stand in what was sent, or it would be looked for in vain.
func holdsNone(t *testing.T, what, kept, sent string, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		if !strings.Contains(sent, s) {
			t.Fatalf("the agent did not send %q", s)
		}
		for _, part := range []string{s, s[:len(s)-6], s[6:]} {
			if strings.Contains(kept, part) {
				t.Errorf("the %s holds %q of %q", what, part, s)
			}
		}
	}
}

func TestAPIFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "which API"},
		{"--to api.anthropic.com", "it takes an address"},
		{"--to https://user:pw@host", "without user"},
		{"--to https://host --listen 0.0.0.0:0", "other machines"},
		{"--to https://host --listen 8790", "address and a port"},
		{"--to https://host --policy nosuch", "no policy"},
		{"--to https://host --policy keep-one --policy full", "under one policy"},
	} {
		root := newRoot()
		root.SetArgs(append([]string{"api"}, strings.Fields(c.args)...))
		root.SetOut(io.Discard)
		if err := root.Execute(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("api %s: %v, want %q", c.args, err, c.want)
		}
	}
}

// Two seats that were started with one group make one session, whichever of the
// two recordings is opened.
func TestTwoSeatsAreOneSession(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("SNAPSCOPE_GROUP", "g-1")
	model := &apitest.Model{Script: []apitest.Step{{Goto: "http://127.0.0.1/leads"}, {Click: apitest.Name(1)}, {Click: apitest.Name(2)}}}
	up := httptest.NewServer(model)
	defer up.Close()
	base, end := startCommand(t, "api", "--to", up.URL, "--listen", "127.0.0.1:0")
	cmd := exec.Command("snapscope", "mcp", "--one-agent", "--policy", "delta", "--", "scripted-page", "30")
	m, err := apitest.StartMCP(cmd, "scripted-agent")
	if err != nil {
		t.Fatal(err)
	}
	a := apitest.Agent{Base: base, Form: "openai-chat", Model: "m", Prompt: "go"}
	if out, err := a.Run(context.Background(), m); err != nil || out.Said != "DONE" {
		t.Fatalf("%+v, %v", out, err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if stderr, err := end(); err != nil {
		t.Fatal(err, stderr)
	}
	files, err := filepath.Glob(filepath.Join(state, "snapscope", "recordings", "seat-*.jsonl"))
	if err != nil || len(files) != 2 {
		t.Fatalf("recordings: %v, %v", files, err)
	}
	for _, file := range files {
		out := filepath.Join(t.TempDir(), "joined.jsonl")
		root := newRoot()
		root.SetArgs([]string{"import", file, "-o", out})
		root.SetOut(io.Discard)
		var stderr bytes.Buffer
		root.SetErr(&stderr)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		rec, err := replay.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		tl := session.NewTimeline(rec.Events)
		if len(tl.Steps) != 3 || len(tl.Calls()) != 4 || tl.Calls()[3].Model.Usage == nil || tl.Snaps[2].Snap.Text == "" || !strings.Contains(stderr.String(), "3 tool calls stand in both") {
			t.Errorf("%s: %d steps, %d calls; %s", file, len(tl.Steps), len(tl.Calls()), &stderr)
		}
		if s := tl.Steps[2].Result; s.Seen != session.SeenIncremental || s.Policy != "delta" || len(s.Shown) >= len(s.Snapshot.Text) {
			t.Errorf("%s: the last page is %s, %d of %d bytes, under %q", file, s.Seen, len(s.Shown), len(s.Snapshot.Text), s.Policy)
		}
		eng := openHalves(file)
		if eng == nil {
			t.Fatalf("%s alone is opened", file)
		}
		if n := eng.Info().Planned; n != 3 {
			t.Errorf("%s: %d steps are played", file, n)
		}
	}
}
