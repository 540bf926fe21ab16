package mcp

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy"
	"snapscope/session/policy"
)

func TestALineOf64MB(t *testing.T) {
	dir := t.TempDir()
	says, heard := filepath.Join(dir, "says"), filepath.Join(dir, "heard")
	size := 64 << 20
	if raced {
		size = 4 << 20 // the server has two seconds once its input ends
	}
	line := append(append([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"t":"`), bytes.Repeat([]byte("a"), size)...), "\"}}}\n"...)
	if err := os.WriteFile(says, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	x := newOdd(t, "say", Options{Sink: &sink{}}, "SAYS="+says, "HEARD="+heard)
	go func() {
		_, _ = x.in.Write(line)
		_ = x.in.Close()
	}()
	if _, err := io.Copy(io.Discard, x.out); err != nil {
		t.Fatal(err)
	}
	<-x.done
	got, err := os.ReadFile(heard)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the server got", got, line)
}

// A server that logs to its output is passed on line by line, and noted a few times.
func TestLogLinesDoNotFillTheRecording(t *testing.T) {
	t.Parallel()
	s := &sink{}
	p := New(Options{Sink: s})
	l := p.Link(t.Context())
	for range 30_000 {
		if got := l.FromServer([]byte("listening\n")); string(got.Forward) != "listening\n" {
			t.Fatalf("a log line became %q", got.Forward)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	said := s.text()
	if n := strings.Count(said, "no JSON-RPC message: listening"); n != 7 {
		t.Errorf("30,000 lines are %d notes, want 7: 1, 2, 3, 10, 100, 1,000, 10,000", n)
	}
	if !strings.Contains(said, "(the 10,000th such line)") {
		t.Error("it does not say how many there were")
	}
}

// What a client does wrong, or gives up, leaves nothing waiting behind.
func TestOddClients(t *testing.T) {
	t.Parallel()
	fold, err := policy.Find("fold", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{}
	p := New(Options{Policy: &fold, Sink: s})
	l := p.Link(t.Context())
	pass := func(line string) {
		t.Helper()
		if got := l.FromClient([]byte(line + "\n")); string(got.Forward) != line+"\n" || got.Wait != nil {
			t.Errorf("%s became %+v", line, got)
		}
	}
	answer := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a"}]}}` + "\n"
	pass(callLine("1", "browser_click", `{"target":"e1"}`))
	if got := l.FromServer([]byte(answer)); string(got.Forward) != answer {
		t.Error("the answer was changed")
	}
	pass(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`) // of a call that is over
	pass(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"x":1}}}`)
	pass(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	pass(callLine("1", "browser_click", `{"target":"e2"}`)) // the same id again
	pass(callLine("1", "browser_click", `{"target":"e3"}`)) // and while it is open
	pass(callLine("2", "", `"no object"`))
	pass(`{"jsonrpc":"2.0","id":3,"method":"tools/call"}`)
	pass(`{"jsonrpc":"2.0","id":4,"method":"no/such/method"}`)
	p.Holds().SetRules(proxy.Rules{All: true})
	got := l.FromClient([]byte(`{"jsonrpc":"2.0","id":5,"method":"tools/call"}` + "\n"))
	if got.Wait == nil {
		t.Fatal("a call without params was not held")
	}
	l.Close() // the client goes
	done := make(chan struct{})
	go func() {
		defer close(done)
		if f, b := got.Wait(); f != nil || b != nil {
			t.Errorf("sent late: %s %s", f, b)
		}
	}()
	select {
	case <-done:
	case <-time.After(ample):
		t.Fatal("it waits for ever")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(s.text(), `"kind":"action"`); n != 6 {
		t.Errorf("%d actions are recorded, want 6", n)
	}
}

// A server that never answers keeps nobody but its caller waiting.
func TestAServerThatNeverAnswers(t *testing.T) {
	t.Parallel()
	x := newOdd(t, "stubborn", Options{})
	childOf(t, x)
	for range 100 {
		x.send(callLine("1", "browser_click", `{}`))
	}
	_ = x.in.Close()
	select {
	case <-x.done:
	case <-time.After(ample):
		t.Fatal("the seat waits for a server that never answers")
	}
}
