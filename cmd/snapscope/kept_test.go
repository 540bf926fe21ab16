//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/replay/proxy"
)

// Every step whose answer an agent had is in the recording of a proxy that was
// killed the moment after, at an agent's pace and flat out.
func TestAKilledProxyHasWhatItAnswered(t *testing.T) {
	t.Parallel()
	bin, dir := build(t), t.TempDir()
	for _, mode := range []proxy.Sync{"", proxy.SyncFile} {
		for i := range 8 {
			rec := filepath.Join(dir, fmt.Sprintf("r%s%d.jsonl", mode, i))
			args := []string{"mcp", "--record", rec}
			if mode != "" {
				args = append(args, "--sync", string(mode))
			}
			cmd := exec.Command(bin, append(args, "--", "pageserver")...)
			cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=")
			answered := killAfterAnswers(t, cmd, 3+i*7, i%2 == 0)
			b, err := os.ReadFile(rec)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(string(b), `"kind":"result"`); got < answered {
				t.Errorf("--sync %q: %d steps were answered, %d are recorded", mode, answered, got)
			}
		}
	}
}

// killAfterAnswers lets a seat answer calls, one after the other or all at once, and
// kills it at the last of them. It answers how many there were.
func killAfterAnswers(t *testing.T, cmd *exec.Cmd, calls int, atOnce bool) (answered int) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	lines := bufio.NewReader(out)
	next := func(id int) {
		for {
			l, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("the seat ended at call %d: %v", id, err)
			}
			if strings.Contains(l, fmt.Sprintf(`"id":%d,`, id)) {
				return
			}
		}
	}
	call := func(id int) {
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"browser_navigate","arguments":{"url":"http://x/"}}}`+"\n", id)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	next(0)
	if atOnce {
		for id := 1; id <= 2*calls; id++ {
			call(id)
		}
	}
	for id := 1; id <= calls; id++ {
		if !atOnce {
			call(id)
		}
		next(id)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	return calls
}
