//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"snapscope/replay/proxy"
)

// A seat that is killed at any moment of its start leaves neither a server, which
// here minds no end of its input as npx does, nor a socket. Its server's process
// group is ended within two seconds.
func TestASeatKilledAtItsStartLeavesNothing(t *testing.T) {
	t.Parallel()
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
		if time.Since(begun) > patience {
			t.Fatalf("left: %s", strings.Join(left(), ", "))
		}
	}
	if len(started()) == 0 {
		t.Error("every seat was killed before it had a server: nothing was tried")
	}
	t.Logf("%d servers' processes were ended", len(started()))
}

// A command that is killed while it starts its browser leaves no profile folder, not
// even if that happens the moment the folder is there.
func TestACommandKilledAtItsStartLeavesNoProfile(t *testing.T) {
	t.Parallel()
	bin, dir := build(t), t.TempDir()
	fake := filepath.Join(dir, "chromium") // ends when the pipe to it does, as Chromium does
	if err := os.WriteFile(fake, []byte("#!/bin/sh\nexec cat <&3 >&4\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	temp, err := os.MkdirTemp("/tmp", "k") // short, as a profile's path has to be
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(temp)
	profiles := func() int {
		entries, err := os.ReadDir(temp)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	for i := range 12 {
		cmd := exec.Command(bin, "snapshot", "http://127.0.0.1:1/", "--browser", fake)
		cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+temp)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for begun := time.Now(); profiles() == 0; {
			if time.Since(begun) > time.Minute {
				t.Fatal("no profile folder was made: nothing was tried")
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		for begun := time.Now(); profiles() > 0; time.Sleep(5 * time.Millisecond) {
			if time.Since(begun) > time.Minute {
				t.Fatalf("kill %d left a profile folder", i)
			}
		}
	}
}

// When live is killed the agent ends with it, and so do the seat before its model, the
// guards, the sockets and the folder of temporary configuration. What a guard that
// was killed, too, has left goes with the next live.
func TestAKilledLiveLeavesNothing(t *testing.T) {
	t.Parallel()
	bin := build(t)
	home, err := os.MkdirTemp("", "k") // short, for the sockets' paths
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	temp := filepath.Join(home, "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	agent := filepath.Join(home, "claude")
	if err := os.WriteFile(agent, []byte("#!/bin/sh\nsleep 600 &\necho $$ >"+home+"/pid\necho $! >"+home+"/pid-child\nwait\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	pid := func(name string) string {
		b, _ := os.ReadFile(filepath.Join(home, name))
		return strings.TrimSpace(string(b))
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for begun := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > time.Minute {
				t.Fatal(what)
			}
		}
	}
	empty := func(dir string) bool {
		entries, err := os.ReadDir(dir)
		return os.IsNotExist(err) || err == nil && len(entries) == 0
	}
	sockets := filepath.Join(home, ".local/state/snapscope/run")
	start := func() *exec.Cmd {
		_, _ = os.Remove(filepath.Join(home, "pid")), os.Remove(filepath.Join(home, "pid-child"))
		cmd := exec.Command(bin, "live", "--no-tmux", "--", agent)
		cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+temp, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "ANTHROPIC_BASE_URL=http://127.0.0.1:1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a shell with jobs starts it
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		until("the agent was not started", func() bool { return pid("pid-child") != "" })
		return cmd
	}
	for range 3 {
		cmd := start()
		if empty(sockets) || empty(temp) {
			t.Error("there is no seat, or no folder: nothing is tried")
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		until("the agent lives", func() bool { return gone(pid("pid")) && gone(pid("pid-child")) })
		until("the seat's socket is there", func() bool { return empty(sockets) })
		until("the folder is there", func() bool { return empty(temp) })
	}
	if err := os.MkdirAll(filepath.Join(temp, "snapscope-live-0123456789abcdef"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(temp, "snapscope-live-0123456789abcdef", "owner"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := start()
	if entries, err := os.ReadDir(temp); err != nil || len(entries) != 1 {
		t.Errorf("beside its own folder the next live finds %v, %v", entries, err)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	until("the folder is there after an orderly end", func() bool { return empty(temp) && empty(sockets) })
	// What an agent leaves running when it is asked to end is its own affair.
	if child, err := strconv.Atoi(pid("pid-child")); err == nil {
		_ = syscall.Kill(child, syscall.SIGKILL)
	}
}

// TestKilledInATerminal kills the screen while it holds a call, then the client: the
// call goes on, and in the end no process and no socket is left.
func TestKilledInATerminal(t *testing.T) {
	t.Parallel()
	bin := build(t)
	home, err := os.MkdirTemp("", "k")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	// A process that has the other end of the seat's input, as a client has.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	client := exec.Command("sleep", "600")
	client.Stdout = w
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Process.Kill(); _ = client.Wait() }()
	s := &seated{t: t, bin: bin, home: home, pid: filepath.Join(home, "pid"), in: w}
	s.cmd = s.command("mcp", "--", "pageserver")
	s.cmd.Stdin, s.cmd.Stderr = r, os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	defer func() { _ = s.cmd.Process.Kill() }()
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"2"}}}`)
	s.line()
	s.call(1, "browser_navigate", `{"url":"http://x/leads"}`)
	s.line()
	var run proxy.Run
	listed := func() proxy.Run {
		run = proxy.Run{}
		list, err := s.command("attach", "--json").Output()
		if err != nil {
			t.Fatal(err)
		}
		_ = json.Unmarshal(list, &run) // nothing runs: no line
		return run
	}
	s.until(func() bool { return listed().Steps == 1 })
	scr := openScreen(t, 120, 36, []string{"HOME=" + home, "XDG_STATE_HOME="}, bin+" attach "+run.ID)
	scr.wait(`step 1/1`)
	scr.typeIn(":hold all")
	scr.press("Enter")
	scr.wait(`every call is held`)
	s.call(2, "browser_snapshot", `{}`)
	scr.wait(`HELD browser_snapshot`)
	if listed().Screen <= 0 {
		t.Fatalf("the list does not name the screen: %+v", run)
	}
	_ = kill(run.Screen)
	if got := within(t, patience, "the agent", s.out); !strings.Contains(got, `"id":2`) {
		t.Errorf("after the screen was killed the agent got %s", got)
	}
	_ = w.Close() // ours; the client has its own
	begun := time.Now()
	_ = client.Process.Kill()
	_ = client.Wait()
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the seat ended with %v", err)
	}
	t.Logf("the seat ended %v after its client", time.Since(begun).Round(10*time.Millisecond))
	s.nothingLeft()
}
