package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy"
	"snapscope/replay/proxy/api/apitest"
)

// pageServer is an MCP server of one page. It tells its process id, and lives on
// when its input ends: npx does not pass that on either.
func pageServer() {
	if f := os.Getenv("PAGESERVER_PID"); f != "" {
		_ = os.WriteFile(f, []byte(strconv.Itoa(os.Getpid())), 0o600)
	}
	_ = (&apitest.Page{Rows: 20}).Serve(os.Stdin, os.Stdout)
	time.Sleep(time.Minute)
}

// seated is an agent's end of a seat that runs as a program of its own.
type seated struct {
	t    *testing.T
	bin  string
	home string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	id   string
	pid  string // a file with the server's process id
}

func newSeated(t *testing.T, bin string, flags ...string) *seated {
	t.Helper()
	home, err := os.MkdirTemp("", "a") // short, for the socket's path
	if err != nil {
		t.Fatal(err)
	}
	s := &seated{t: t, bin: bin, home: home, pid: filepath.Join(home, "pid")}
	s.cmd = s.command(append(append([]string{"mcp"}, flags...), "--", "pageserver")...)
	s.cmd.Stderr = os.Stderr
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.in.Close()
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		_ = os.RemoveAll(home)
	})
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"2"}}}`)
	s.line()
	s.call(1, "browser_navigate", `{"url":"http://x/leads"}`)
	s.line()
	var run proxy.Run
	s.until(func() bool { // the recorder is a step behind
		list, err := s.command("attach", "--json").Output()
		return err == nil && json.Unmarshal(list, &run) == nil && run.Steps == 1
	})
	s.id = run.ID
	if run.Client != "claude-code 2" || run.Server != "scripted-page 1.0" || run.Site != "http://x/leads" || run.PID != s.cmd.Process.Pid {
		t.Fatalf("the list: %+v", run)
	}
	return s
}

func (s *seated) command(args ...string) *exec.Cmd {
	cmd := exec.Command(s.bin, args...)
	cmd.Env = append(os.Environ(), "HOME="+s.home, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "PAGESERVER_PID="+s.pid)
	return cmd
}

func (s *seated) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *seated) call(id int, tool, args string) {
	s.t.Helper()
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args))
}

// line is the next line that the agent gets.
func (s *seated) line() string { return within(s.t, patience, "the agent", s.out) }

func within(t *testing.T, most time.Duration, who string, r *bufio.Reader) string {
	t.Helper()
	got := make(chan string, 1)
	go func() {
		l, err := r.ReadString('\n')
		if err != nil {
			l = err.Error()
		}
		got <- strings.TrimSpace(l)
	}()
	select {
	case l := <-got:
		return l
	case <-time.After(most):
		t.Fatalf("%s got no line within %v", who, most)
	}
	return ""
}

func (s *seated) until(ok func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("it never came to that")
		}
	}
}

// nothingLeft checks that the server and the seat's socket are gone.
func (s *seated) nothingLeft() {
	s.t.Helper()
	b, err := os.ReadFile(s.pid)
	if err != nil {
		s.t.Fatal(err)
	}
	begun := time.Now()
	for gone(string(b)) == false {
		if time.Since(begun) > patience {
			s.t.Fatal("the server is left")
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.until(func() bool {
		left, _ := filepath.Glob(filepath.Join(s.home, ".local/state/snapscope/run/*"))
		return len(left) == 0
	})
	s.t.Logf("the server was gone after %v", time.Since(begun).Round(10*time.Millisecond))
}

// gone reports whether a process has ended, reaped or not.
func gone(pid string) bool {
	b, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		n, _ := strconv.Atoi(pid)
		return !lives(n)
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(rest, "Z")
}

// person is somebody who attached, without a screen.
type person struct {
	s   *seated
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (s *seated) attach() *person {
	s.t.Helper()
	p := &person{s: s, cmd: s.command("attach", s.id, "--json")}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		s.t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() })
	p.hears(`"run":{"id":"` + s.id)
	return p
}

func (p *person) hears(want string) {
	p.s.t.Helper()
	if got := within(p.s.t, patience, "the person", p.out); !strings.Contains(got, want) {
		p.s.t.Fatalf("the person hears %s, want %q", got, want)
	}
}

func (p *person) says(line, want string) {
	p.s.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.s.t.Fatal(err)
	}
	p.hears(want)
}

func TestAttachStopsBeforeALostElement(t *testing.T) {
	t.Parallel()
	s := newSeated(t, build(t))
	p := s.attach()
	p.says("break before lost", "stops where: before lost")
	p.says("break before nonsense extra", "error")
	s.call(2, "browser_click", `{"element":"a","ref":"e12"}`)
	if got := s.line(); !strings.Contains(got, `"id":2`) {
		t.Fatalf("an element that can be read: %s", got)
	}
	s.call(3, "browser_click", `{"element":"a","ref":"e77"}`)
	p.hears("which the agent cannot read")
	p.says(`args {"element":"a","ref":"e13"}`, "other arguments")
	p.hears(`"by":"a person"`)
	if got := s.line(); !strings.Contains(got, `Select lead 003`) || !strings.Contains(got, `"id":3`) {
		t.Errorf("the call with other arguments: %s", got)
	}
	s.call(4, "browser_snapshot", `{}`) // args steps: the next one is held
	p.hears(`"event":"held"`)
	p.says("answer not today", "never has it")
	p.hears(`"event":"gone"`)
	if got := s.line(); got != `{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"not today"}]}}` {
		t.Errorf("the answer instead: %s", got)
	}
	rec, err := filepath.Glob(filepath.Join(s.home, ".local/state/snapscope/recordings/*.jsonl"))
	if err != nil || len(rec) != 1 {
		t.Fatalf("recordings: %v, %v", rec, err)
	}
	_ = s.in.Close()
	s.nothingLeft()
	out, err := s.command("replay", "--plain", rec[0]).Output()
	if err != nil || !strings.Contains(string(out), "went on with other arguments") || !strings.Contains(string(out), "answered in the server's place") {
		t.Errorf("replaying it: %v\n%s", err, out)
	}
}

// TestWhenSomethingDies kills each party in turn.
func TestWhenSomethingDies(t *testing.T) {
	t.Parallel()
	bin := build(t)
	t.Run("the screen", func(t *testing.T) {
		t.Parallel()
		s := newSeated(t, bin)
		p := s.attach()
		p.says("hold all", "every call is held")
		s.call(2, "browser_snapshot", `{}`)
		p.hears(`"event":"held"`)
		_ = p.cmd.Process.Kill()
		if got := within(t, patience, "the agent", s.out); !strings.Contains(got, `"id":2`) {
			t.Errorf("got %s", got)
		}
		s.call(3, "browser_snapshot", `{}`)
		s.line()
	})
	t.Run("the screen hangs", func(t *testing.T) {
		t.Parallel()
		s := newSeated(t, bin)
		p := s.attach()
		p.says("hold all", "every call is held")
		s.call(2, "browser_snapshot", `{}`)
		p.hears(`"event":"held"`)
		begun := time.Now()
		_ = suspend(p.cmd.Process)
		if got := within(t, patience, "the agent", s.out); !strings.Contains(got, `"id":2`) {
			t.Errorf("got %s", got)
		}
		t.Logf("it went on after %v", time.Since(begun).Round(10*time.Millisecond))
	})
	t.Run("the seat", func(t *testing.T) {
		t.Parallel()
		s := newSeated(t, bin)
		_ = s.cmd.Process.Kill()
		if got := s.line(); got != "EOF" {
			t.Errorf("the agent got %q, want the end", got)
		}
		s.nothingLeft()
	})
	t.Run("the client", func(t *testing.T) {
		t.Parallel()
		s := newSeated(t, bin)
		p := s.attach()
		p.says("hold all", "every call is held")
		s.call(2, "browser_snapshot", `{}`)
		p.hears(`"event":"held"`)
		_ = s.in.Close()
		p.hears(`"by":"the client gave up"`)
		s.nothingLeft()
	})
	t.Run("the server", func(t *testing.T) {
		t.Parallel()
		s := newSeated(t, bin)
		b, err := os.ReadFile(s.pid)
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := strconv.Atoi(string(b))
		_ = kill(pid)
		if got := s.line(); got != "EOF" {
			t.Errorf("the agent got %q, want the end", got)
		}
		err = s.cmd.Wait()
		if code := s.cmd.ProcessState.ExitCode(); code != 137 {
			t.Errorf("the seat ended with %d, %v, want 137 as the server did", code, err)
		}
		s.nothingLeft()
	})
}

// TestAttachInATerminal is the screen on a running agent.
func TestAttachInATerminal(t *testing.T) {
	t.Parallel()
	s := newSeated(t, build(t))
	scr := openScreen(t, 160, 45, []string{"HOME=" + s.home, "XDG_STATE_HOME="}, s.bin+" attach "+s.id)
	scr.wait(`step 1/1`)
	scr.typeIn(":break before lost")
	scr.press("Enter")
	scr.wait(`attached · holds before lost`)
	s.call(2, "browser_click", `{"element":"a","ref":"e77"}`)
	scr.wait(`HELD browser_click: before click e77, which the agent cannot read`)
	scr.press("E")
	scr.wait(`:args \{"element":"a","ref":"e77"\}`)
	for range 4 {
		scr.press("BSpace")
	}
	scr.typeIn(`12"}`)
	scr.press("Enter")
	if got := s.line(); !strings.Contains(got, "Select lead 002") {
		t.Errorf("the edited call: %s", got)
	}
	scr.wait(`step 2/2`)
	s.call(3, "browser_snapshot", `{}`)
	scr.wait(`HELD browser_snapshot: step`)
	scr.press("c")
	s.line()
	scr.wait(`step 3/3`)
	scr.leave()
	s.call(4, "browser_snapshot", `{}`)
	s.line()
}
