//go:build unix

package browser

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"snapscope/session"
)

// gone waits until no process of the group and no folder is left.
func gone(t *testing.T, group int, dir string) {
	t.Helper()
	var left error
	for end := time.Now().Add(ample); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_, left = os.Stat(dir)
		if os.IsNotExist(left) && living(t, group) == 0 {
			return
		}
	}
	t.Errorf("left behind: folder %s (%v), %d processes of group %d", dir, left, living(t, group), group)
	_ = syscall.Kill(-group, syscall.SIGKILL)
	_ = os.RemoveAll(dir)
}

// living counts the processes of a group that have not ended; what nobody has
// collected yet has.
func living(t *testing.T, group int) int {
	t.Helper()
	n := 0
	count := func(pgid, state string) {
		if pgid == strconv.Itoa(group) && !strings.HasPrefix(state, "Z") {
			n++
		}
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err == nil && len(stats) > 0 { // a small machine has no ps
		for _, file := range stats {
			data, err := os.ReadFile(file)
			if err != nil {
				continue // it has ended meanwhile
			}
			// pid (name) state ppid pgrp …; a name may hold anything
			if f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:])); len(f) > 2 {
				count(f[2], f[0])
			}
		}
		return n
	}
	out, err := exec.Command("ps", "-A", "-o", "pgid=,stat=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(out), "\n") {
		if f := strings.Fields(line); len(f) == 2 {
			count(f[0], f[1])
		}
	}
	return n
}

func TestNothingIsLeftBehind(t *testing.T) {
	t.Run("close", func(t *testing.T) {
		b, err := Launch(context.Background(), patience)
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{t, b}
		r.must(act(session.VerbGoto, "url", site.URL+page(`<script>alert(1)</script>`))) // even with a dialog open
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(b.proc.dir); !os.IsNotExist(err) {
			t.Errorf("the folder is there when Close is done: %v", err)
		}
		if err := b.Close(); err != nil {
			t.Errorf("closing it again: %v", err)
		}
		gone(t, b.proc.cmd.Process.Pid, b.proc.dir)
	})
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		b, err := Launch(ctx, patience)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		gone(t, b.proc.cmd.Process.Pid, b.proc.dir)
	})
	t.Run("context before it is up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Launch(ctx, patience); err != context.Canceled {
			t.Errorf("%v", err)
		}
	})
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run("program ended by "+sig.String(), func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"=1")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var dir string
			var group int
			line, err := bufio.NewReader(out).ReadString('\n')
			if _, serr := fmt.Sscanf(line, "dir %s %d", &dir, &group); err != nil || serr != nil {
				t.Fatalf("the program said %q, %v", line, err)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // ended by the signal, which is no news
			gone(t, group, dir)
		})
	}
}

func TestAttach(t *testing.T) {
	address, p := running(t)
	b, err := Attach(context.Background(), Endpoint{Address: address}, patience)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t, b}
	res := r.html(`<button onclick="this.textContent = 'hit'">go</button><a href="/two" target=_blank>pop</a><iframe src="$OTHER/one"></iframe>`)
	has(t, res, `button "one"`)
	has(t, r.must(act(session.VerbClick, "ref", refOf(t, res, `button "go"`))), `button "hit"`)
	res = r.must(act(session.VerbClick, "role", "link"))
	someEvent(t, res, "opened: "+site.URL+"/two")
	r.b.mu.Lock()
	last := len(r.b.tabs) - 1
	r.b.mu.Unlock()
	has(t, r.must(act(session.VerbTab, "do", "switch", "index", float64(last))), `button "two"`)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if p.waitExit(0) {
		t.Fatal("the browser that was attached to has ended")
	}
	get, err := http.Get("http://" + address + "/json/list")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = get.Body.Close() }()
	list, err := io.ReadAll(get.Body)
	if err != nil || strings.Contains(string(list), site.URL+"/html") {
		t.Errorf("the session's tab is still open (%v): %s", err, list)
	}
	// A second session may follow, by the socket's own address.
	ws, err := Endpoint{Address: "http://" + address + "/"}.socket(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	again, err := Attach(context.Background(), Endpoint{Address: ws}, patience)
	if err != nil {
		t.Fatal(err)
	}
	(&rig{t, again}).goTo("/one")
	p.kill() // and ends with an error when the browser does
	if _, err := again.Do(context.Background(), act(session.VerbSnapshot)); err == nil {
		t.Error("a step in a browser that is gone")
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
