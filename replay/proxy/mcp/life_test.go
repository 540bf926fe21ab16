package mcp

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// alive reports whether a process runs; one that nobody has reaped yet does not.
func alive(pid int) bool {
	b, err := os.ReadFile("/proc/" + strings.TrimSpace(jsonNumber(pid)) + "/stat")
	if err == nil {
		_, rest, _ := strings.Cut(string(b), ") ")
		return !strings.HasPrefix(rest, "Z")
	}
	if _, serr := os.Stat("/proc/self"); serr == nil {
		return false
	}
	return lives(pid)
}

func jsonNumber(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

func childOf(t *testing.T, x *odd) int {
	t.Helper()
	var m struct{ PID int }
	if err := json.Unmarshal([]byte(x.line()), &m); err != nil || m.PID == 0 || !alive(m.PID) {
		t.Fatalf("the server's child: %+v, %v", m, err)
	}
	return m.PID
}

func TestTheClientGoesAndNothingIsLeft(t *testing.T) {
	for _, end := range []string{"the client's end", "a signal", "nobody reads"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			x := newOdd(t, "stubborn", Options{})
			child := childOf(t, x)
			begun := time.Now()
			switch end {
			case "the client's end":
				_ = x.in.Close()
			case "a signal":
				x.cancel()
			case "nobody reads": // the next thing written fails
				x.cancel()
			}
			select {
			case <-x.done:
			case <-time.After(ample):
				t.Fatal("the seat is still there")
			}
			if d := time.Since(begun); d > time.Minute { // the server would stay for an hour
				t.Errorf("it took %v", d)
			}
			if alive(child) {
				t.Error("a process of the server's group is left")
			}
		})
	}
}

func TestTheServersEndIsPassedOn(t *testing.T) {
	t.Parallel()
	x := newOdd(t, "dies", Options{})
	if got := x.line(); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("its last words: %s", got)
	}
	if _, err := x.out.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("after them: %v, want the end", err)
	}
	var exit *ExitError
	if err := <-x.done; !errors.As(err, &exit) || exit.Code != 7 {
		t.Errorf("the seat ended with %v, want status 7", err)
	}
}

func TestAServerThatOnlyClosesItsOutput(t *testing.T) {
	t.Parallel()
	x := newOdd(t, "closes", Options{})
	if _, err := x.out.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("read: %v, want the end at once", err)
	}
	_ = x.in.Close()
	select {
	case err := <-x.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(ample):
		t.Fatal("the seat is still there")
	}
}

func TestAServerThatCannotBeStarted(t *testing.T) {
	p := New(Options{})
	defer p.Close()
	err := p.Stdio(t.Context(), Stdio{In: strings.NewReader(""), Out: io.Discard, Argv: []string{"/nowhere/npx", "x"}})
	if err == nil || !strings.Contains(err.Error(), "/nowhere/npx") || !strings.Contains(err.Error(), "PATH") {
		t.Errorf("got %v, want the command and where it was looked for", err)
	}
}

func TestADiskThatIsFull(t *testing.T) {
	t.Parallel()
	s := &sink{fail: errors.New("no space left on device")}
	x := newOdd(t, "echo", Options{Sink: s, Recording: "r.jsonl"})
	x.greet("t")
	for range 3 {
		x.send(callLine("1", "a", `{}`))
		x.line()
	}
	_ = x.in.Close()
	<-x.done
	_ = x.p.Close()
	if n := strings.Count(x.logs.String(), "\n"); n != 1 || !strings.Contains(x.logs.String(), "no space left") {
		t.Errorf("stderr should have one line of it: %q", x.logs)
	}
	if r := x.p.Run(); r.Recording != "" || r.Steps != 3 {
		t.Errorf("the run: %+v", r)
	}
}

func TestTheSecondFaultMakesItCopy(t *testing.T) {
	t.Parallel()
	x := newOdd(t, "echo", Options{Count: func(string) int { panic("count") }})
	x.greet("t")
	x.p.rec.post(0, func(*recorder) { panic("first") })
	x.send(callLine("1", "a", `{"n":1}`))
	x.line()
	x.p.rec.post(0, func(*recorder) { panic("second") })
	x.p.Holds().StopNext("step")
	for i := 0; !x.p.plain(); i++ {
		if i > 1000 {
			t.Fatal("two panics were not counted")
		}
		time.Sleep(time.Millisecond)
	}
	x.send(callLine("2", "a", `{"n":2}`)) // it would be held
	if got := x.line(); !strings.Contains(got, `"id":2`) {
		t.Errorf("got %s", got)
	}
	_ = x.in.Close()
	<-x.done
	if err := x.p.Close(); err != nil {
		t.Error(err)
	}
}

// slow is a client that takes its time over every message.
type slow struct{ got int }

func (s *slow) Write(b []byte) (int, error) {
	time.Sleep(10 * time.Millisecond)
	s.got += strings.Count(string(b), "\n")
	return len(b), nil
}

// What a server said before it ended reaches a client that is slower than it.
func TestTheLastWordsOfAServerArrive(t *testing.T) {
	for name, in := range map[string]string{"the client ends": "", "the server ends": "x"} {
		t.Run(name, func(t *testing.T) {
			file := t.TempDir() + "/says"
			if err := os.WriteFile(file, []byte(strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/x"}`+"\n", 50)), 0o600); err != nil {
				t.Fatal(err)
			}
			var from io.Reader = strings.NewReader("")
			if in != "" { // its input stays open
				r, w := io.Pipe()
				defer w.Close()
				from = r
			}
			p := New(Options{})
			defer p.Close()
			out := &slow{}
			argv := []string{"env", "ODD=words", "SAYS=" + file, os.Args[0]}
			if err := p.Stdio(t.Context(), Stdio{In: from, Out: out, Argv: argv}); err != nil {
				t.Fatal(err)
			}
			if out.got != 50 {
				t.Errorf("%d of 50 messages arrived", out.got)
			}
		})
	}
}
