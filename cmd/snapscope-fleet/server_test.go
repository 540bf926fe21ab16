//go:build server

package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
)

// These tests run against a real Temporal: `make test-fleet` builds it and the plain
// program, and names both.
const (
	serverEnv = "SNAPSCOPE_FLEET_SERVER"
	plainEnv  = "SNAPSCOPE_PLAIN"
)

func named(t *testing.T, env string) string {
	t.Helper()
	path := os.Getenv(env)
	if path == "" {
		t.Fatalf("%s names no program: run make test-fleet", env)
	}
	return path
}

// testServer is a server of a test's own.
type testServer struct {
	at, db string
	t      *testing.T
	cmd    *exec.Cmd
}

func startTemporal(t *testing.T) *testServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &testServer{at: l.Addr().String(), db: filepath.Join(t.TempDir(), "temporal.db"), t: t}
	l.Close()
	s.start()
	t.Cleanup(s.kill)
	return s
}

func (s *testServer) start() {
	s.t.Helper()
	s.cmd = exec.Command(named(s.t, serverEnv), "--listen", s.at, "--db", s.db)
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	until(s.t, time.Minute, "the server answers", func() bool { return answers(s.t.Context(), s.at) })
}

func (s *testServer) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func until(t *testing.T, limit time.Duration, what string, true func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !true(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v until %s", limit, what)
		}
	}
}

// begin starts the program; what it says is kept.
func begin(t *testing.T, env []string, args ...string) (*exec.Cmd, *said) {
	t.Helper()
	cmd, out := program(t, env, args...), &said{}
	cmd.Stdout, cmd.Stderr = &out.out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, out
}

type said struct {
	mu       sync.Mutex
	err, out bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err.Write(p)
}

func (s *said) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err.String()
}

var knobArgs = []string{"--model", "claude-sonnet-4-5", "--knob", "openclaw.tool_calls=1,3", "--knob", "compress.keep_n=5,20", "--set", "compress.fire_threshold=12", "--by", "site,model"}

// plain is what the main program prints.
func plain(t *testing.T, source string, more ...string) string {
	t.Helper()
	cmd := exec.Command(named(t, plainEnv), append(append([]string{"sweep", source}, knobArgs...), more...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func sweepArgs(at, source, out string) []string {
	return append([]string{"sweep", source, "--out", out, "--temporal", at}, knobArgs...)
}

func TestWorkersGiveThePlainTable(t *testing.T) {
	source := recordings(t, 200)
	want := plain(t, source)
	for n := 1; n <= 3; n++ {
		s := startTemporal(t)
		for range n {
			begin(t, nil, "worker", "--temporal", s.at, "--slots", "1")
		}
		out := filepath.Join(t.TempDir(), "swept")
		cmd, said := begin(t, nil, sweepArgs(s.at, source, out)...)
		if err := cmd.Wait(); err != nil || said.out.String() != want {
			t.Fatalf("%d workers: err %v\n%s\n--- fleet\n%s\n--- plain\n%s", n, err, said.text(), said.out.String(), want)
		}
		if got, err := exec.Command(named(t, plainEnv), "sweep", "--parts", out, "--by", "site,model").Output(); err != nil || string(got) != want {
			t.Errorf("the plain program's table of the fleet's parts: err %v\n%s", err, got)
		}
		s.kill()
	}
}

func TestAKilledWorkerAndAKilledServer(t *testing.T) {
	t.Parallel() // most of it is waiting until who is gone is missed
	source := recordings(t, 200)
	want := plain(t, source)
	s := startTemporal(t)
	slow := []string{"SNAPSCOPE_FLEET_TEST_SLOW=150ms"}
	var workers []*exec.Cmd
	for range 2 {
		w, _ := begin(t, slow, "worker", "--temporal", s.at, "--slots", "1")
		workers = append(workers, w)
	}
	out := filepath.Join(t.TempDir(), "swept")
	cmd, said := begin(t, nil, sweepArgs(s.at, source, out)...)
	parts := func() int {
		got, _ := filepath.Glob(filepath.Join(out, "part-*"))
		return len(got)
	}
	until(t, 2*time.Minute, "two parts are there", func() bool { return parts() >= 2 })
	if err := workers[0].Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	before := parts()
	until(t, 2*time.Minute, "another part is there", func() bool { return parts() > before })
	until(t, 30*time.Second, "the status says how far it is", func() bool {
		status, told := begin(t, nil, "status", "--temporal", s.at)
		return status.Wait() == nil && regexp.MustCompile(`  running: [1-9]\d? of 13 parts, \d+ sessions counted\n`).Match(told.out.Bytes())
	})
	if n := parts(); n >= 13 {
		t.Fatalf("all %d parts were there before the server was killed", n)
	}
	s.kill()
	s.start()
	if err := cmd.Wait(); err != nil || said.out.String() != want {
		t.Fatalf("err %v\n%s\n--- fleet\n%s\n--- plain\n%s", err, said.text(), said.out.String(), want)
	}
	if n := parts(); n != 13 {
		t.Errorf("%d parts, not 13", n)
	}
}

// A session that takes every worker with it is named in the end, and its neighbours
// are counted.
func TestASessionThatEndsWorkersIsNamed(t *testing.T) {
	t.Parallel()
	source := recordings(t, 5)
	want := plain(t, source)
	put(t, filepath.Join(source, "site-1/killing.jsonl"), []byte("{}\n"))
	s := startTemporal(t)
	ended := make(chan struct{})
	var died int
	go func() {
		for {
			w := program(t, nil, "worker", "--temporal", s.at, "--slots", "1")
			if w.Start() != nil {
				return
			}
			gone := make(chan struct{})
			go func() { _ = w.Wait(); close(gone) }()
			select {
			case <-gone:
				died++
			case <-ended:
				_ = w.Process.Kill()
				<-gone
				ended <- struct{}{}
				return
			}
		}
	}()
	cmd, said := begin(t, nil, sweepArgs(s.at, source, filepath.Join(t.TempDir(), "swept"))...)
	err := cmd.Wait()
	ended <- struct{}{}
	<-ended
	var rest []string
	for line := range strings.Lines(said.out.String()) {
		if !strings.HasPrefix(line, "✗ ") {
			rest = append(rest, line)
		} else if !strings.Contains(line, "killing.jsonl: 3 workers ended while they counted it") {
			t.Error(line)
		}
	}
	if cmd.ProcessState.ExitCode() != 1 || strings.Join(rest, "") != want || died != 5 {
		t.Errorf("%v, %d workers died\n%s\n%s", err, died, said.text(), said.out.String())
	}
}

// A worker that can count nothing says so and takes no session's figures away.
func TestAWorkerThatCannotCountHarmsNothing(t *testing.T) {
	t.Parallel()
	source := recordings(t, 60)
	want := plain(t, source)
	s := startTemporal(t)
	temp := filepath.Join(t.TempDir(), "temp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	_, bad := begin(t, []string{"TMPDIR=" + temp}, "worker", "--temporal", s.at, "--slots", "1")
	until(t, time.Minute, "the worker is there", func() bool { return strings.Contains(bad.text(), "counting for") })
	if err := os.RemoveAll(temp); err != nil {
		t.Fatal(err)
	}
	put(t, temp, []byte("no folder can be made here"))
	cmd, said := begin(t, nil, sweepArgs(s.at, source, filepath.Join(t.TempDir(), "swept"))...)
	until(t, time.Minute, "the worker says what is wrong", func() bool {
		return strings.Contains(bad.text(), "counts nothing until somebody helps: starting a process")
	})
	begin(t, nil, "worker", "--temporal", s.at, "--slots", "1")
	if err := cmd.Wait(); err != nil || said.out.String() != want {
		t.Errorf("err %v\n%s\n%s", err, said.text(), said.out.String())
	}
	if n := strings.Count(bad.text(), "counts nothing"); n != 1 {
		t.Errorf("it is told %d times", n)
	}
}

// Ctrl+c leaves a sweep at work, the same command joins it, another on its target is
// refused, and cancel ends it.
func TestJoiningAndCanceling(t *testing.T) {
	source := recordings(t, 60)
	want := plain(t, source)
	s := startTemporal(t)
	out := filepath.Join(t.TempDir(), "swept")
	first, fsaid := begin(t, nil, sweepArgs(s.at, source, out)...)
	until(t, time.Minute, "it is told that no worker is there", func() bool { return strings.Contains(fsaid.text(), "no worker of version devel is there") })
	if err := first.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	if code := first.ProcessState.ExitCode(); code != 130 || !strings.Contains(fsaid.text(), "the sweep goes on") {
		t.Fatalf("status %d: %s", code, fsaid.text())
	}
	other, osaid := begin(t, nil, "sweep", source, "--out", out, "--temporal", s.at, "--knob", "openclaw.tool_calls=2")
	if err := other.Wait(); err == nil || !strings.Contains(osaid.text(), "holds another sweep") {
		t.Errorf("two sweeps on one target: %v %s", err, osaid.text())
	}
	status, ssaid := begin(t, nil, "status", "--temporal", s.at)
	if err := status.Wait(); err != nil || !strings.Contains(ssaid.out.String(), out+"  running") {
		t.Errorf("status: %v %s%s", err, ssaid.out.String(), ssaid.text())
	}
	cancel, _ := begin(t, nil, "cancel", out, "--temporal", s.at)
	if err := cancel.Wait(); err != nil {
		t.Errorf("cancel: %v", err)
	}
	begin(t, nil, "worker", "--temporal", s.at, "--slots", "2")
	c, err := client.Dial(client.Options{HostPort: s.at, Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.GetWorkflow(t.Context(), workflowID(out), "").Get(t.Context(), nil); err == nil {
		t.Error("a canceled sweep ends well")
	}
	second, said := begin(t, nil, sweepArgs(s.at, source, out)...)
	if err := second.Wait(); err != nil || said.out.String() != want {
		t.Errorf("after the cancel: %v %s\n%s", err, said.text(), said.out.String())
	}
}

func TestDevListensOnLoopbackOnly(t *testing.T) {
	source := recordings(t, 12)
	want := plain(t, source)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	db := filepath.Join(t.TempDir(), "state", "temporal.db")
	dev := []string{"dev", "--server", named(t, serverEnv), "--db", db}
	once, said := begin(t, nil, append(append(append(dev, "--listen", at), source, "--out", filepath.Join(t.TempDir(), "swept")), knobArgs...)...)
	if err := once.Wait(); err != nil || said.out.String() != want {
		t.Fatalf("dev with a source: %v %s\n%s", err, said.text(), said.out.String())
	}
	stay, said := begin(t, nil, append(dev, "--listen", at)...)
	until(t, time.Minute, "dev is ready", func() bool { return strings.Contains(said.text(), "answers at "+at) })
	addresses := listening(t, stay.Process.Pid)
	if len(addresses) < 4 {
		t.Errorf("a Temporal listens on four ports or more, not %v", addresses)
	}
	for _, a := range addresses {
		if host, _, _ := net.SplitHostPort(a); !net.ParseIP(host).IsLoopback() {
			t.Errorf("dev listens on %s", a)
		}
	}
	// A server that is killed is started again.
	pids := children(t, stay.Process.Pid)
	if len(pids) == 0 {
		t.Fatal("dev has no server")
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	until(t, time.Minute, "the server is back", func() bool { return answers(t.Context(), at) })
	any, asaid := begin(t, nil, append(dev, "--listen", "0.0.0.0:0")...)
	if err := any.Wait(); err == nil || !strings.Contains(asaid.text(), "loopback") {
		t.Errorf("dev listens anywhere: %v %s", err, asaid.text())
	}
}

// children are the processes that a process started, and theirs.
func children(t *testing.T, pid int) []int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range tasks {
		more, _ := os.ReadFile(file)
		data = append(append(data, ' '), more...)
	}
	seen, out := map[int]bool{}, []int(nil)
	for _, word := range strings.Fields(string(data)) {
		if n, err := strconv.Atoi(word); err == nil && !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// listening are the addresses on which a process and its children listen, read from
// the system (https://docs.kernel.org/networking/proc_net_tcp.html).
func listening(t *testing.T, pid int) []string {
	t.Helper()
	sockets := map[string]bool{}
	for _, p := range append(children(t, pid), pid) {
		fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p))
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range fds {
			if to, err := os.Readlink(fd); err == nil {
				sockets[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
			}
		}
	}
	var out []string
	for _, table := range []string{"tcp", "tcp6"} {
		data, err := os.ReadFile("/proc/net/" + table)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			f := strings.Fields(line)
			if len(f) > 9 && f[3] == "0A" && sockets[f[9]] {
				out = append(out, socketAddress(t, f[1]))
			}
		}
	}
	return out
}

// socketAddress reads 0100007F:1C41: words of the machine's own order.
func socketAddress(t *testing.T, text string) string {
	t.Helper()
	host, port, _ := strings.Cut(text, ":")
	var ip net.IP
	for at := 0; at < len(host); at += 8 {
		word, err := strconv.ParseUint(host[at:at+8], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		ip = append(ip, byte(word), byte(word>>8), byte(word>>16), byte(word>>24))
	}
	n, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort(ip.String(), fmt.Sprint(n))
}
