//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A seat that is killed at any moment of its start leaves neither a server, which
// here minds no end of its input as npx does, nor a socket. Its server's process
// group is ended within two seconds.
func TestASeatKilledAtItsStartLeavesNothing(t *testing.T) {
	bin := build(t)
	home, err := os.MkdirTemp("", "k") // short, for the sockets' paths
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	env := append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=")
	started := func() (pids []string) {
		files, _ := filepath.Glob(filepath.Join(home, "pid-*"))
		for _, f := range files {
			if b, err := os.ReadFile(f); err == nil && len(b) > 0 {
				pids = append(pids, strings.TrimSpace(string(b)))
			}
		}
		return pids
	}
	kill := func(after time.Duration, args ...string) {
		cmd := exec.Command(bin, args...)
		cmd.Env = env
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(after)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	after, most := 4*time.Millisecond, 5*time.Second // however slow the machine is, some come far enough
	for i := 0; len(started()) < 6 && after < most; i++ {
		server := fmt.Sprintf("sleep 40 & echo $$ > %s/pid-%d; echo $! > %s/pid-c%d; wait", home, i, home, i)
		kill(after, "mcp", "--", "sh", "-c", server)
		kill(after, "api", "--to", "http://127.0.0.1:1", "--listen", "127.0.0.1:0")
		after = after * 5 / 4
	}
	left := func() (what []string) {
		for _, pid := range started() {
			if !gone(pid) {
				what = append(what, "process "+pid)
			}
		}
		sockets, _ := filepath.Glob(filepath.Join(home, ".local/state/snapscope/run/*"))
		return append(what, sockets...)
	}
	for begun := time.Now(); len(left()) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("left: %s", strings.Join(left(), ", "))
		}
	}
	if len(started()) == 0 {
		t.Error("every seat was killed before it had a server: nothing was tried")
	}
	t.Logf("%d servers' processes were ended", len(started()))
}
