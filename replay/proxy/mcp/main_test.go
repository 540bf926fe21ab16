package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"snapscope/replay"
	"snapscope/replay/proxy"
	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// modes are those of the test binary that only some systems have.
var modes = map[string]func(){}

// ample is how long a test waits for what has to come: it ends one that hangs.
const ample = 3 * time.Minute

// The test binary is its own odd server: what it does is told by ODD.
func TestMain(m *testing.M) {
	switch mode := os.Getenv("ODD"); mode {
	case "":
		os.Exit(m.Run())
	case "say": // keeps what it reads, says what a file holds, and ends with its input
		say()
	case "words": // says what a file holds, and ends
		b, _ := os.ReadFile(os.Getenv("SAYS"))
		_, _ = os.Stdout.Write(b)
	case "after": // reads a line, and then says what a file holds
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		b, _ := os.ReadFile(os.Getenv("SAYS"))
		_, _ = os.Stdout.Write(b)
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "stubborn": // minds neither the end of its input nor SIGTERM, and has a child that is the same
		signal.Ignore(syscall.SIGTERM)
		if os.Getenv("CHILD") == "" {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), "CHILD=1")
			if c.Start() == nil {
				fmt.Printf("{\"pid\":%d}\n", c.Process.Pid)
			}
		}
		time.Sleep(time.Hour)
	case "dies":
		fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		os.Exit(7)
	case "closes": // ends its output and lives on
		os.Stdout.Close()
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "echo":
		echo()
	case "swallow": // answers nothing and keeps nothing
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "seat":
		seatAlone()
	default:
		if f := modes[mode]; f != nil {
			f()
		}
	}
	os.Exit(0)
}

// seatAlone is a seat in a process of its own, before the odd server that SERVER
// names; it records where RECORD says.
func seatAlone() {
	o := Options{Sync: proxy.Sync(os.Getenv("SYNC")), OneAgent: os.Getenv("ONE") != ""}
	if name := os.Getenv("PROFILE"); name != "" {
		f, err := os.Create(name)
		if err != nil {
			panic(err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			panic(err)
		}
		defer f.Close()
		defer pprof.StopCPUProfile()
	}
	if enc := os.Getenv("COUNT"); enc != "" {
		c, err := token.New(enc)
		if err != nil {
			panic(err)
		}
		o.Count = c.Count
	}
	if name := os.Getenv("RECORD"); name != "" {
		w, err := replay.Create(name)
		if err != nil {
			panic(err)
		}
		o.Sink = w
	}
	if name := os.Getenv("POLICY"); name != "" {
		p, err := policy.Find(name, nil)
		if err != nil {
			panic(err)
		}
		o.Policy = &p
	}
	p := New(o)
	argv := []string{"env", "ODD=" + os.Getenv("SERVER"), os.Args[0]}
	_ = p.Stdio(context.Background(), Stdio{In: os.Stdin, Out: os.Stdout, Argv: argv})
	_ = p.Close()
	status, _ := os.ReadFile("/proc/self/status")
	_ = os.WriteFile(os.Getenv("STATUS"), status, 0o600)
}

func say() {
	out, _ := os.ReadFile(os.Getenv("SAYS"))
	_, _ = os.Stdout.Write(out)
	heard, err := os.Create(os.Getenv("HEARD"))
	if err == nil { // as it comes: there are seconds once the input has ended
		_, _ = io.Copy(heard, os.Stdin)
	}
}

// echo answers every request: tools/call with the text that a file named by its
// tool holds, or with its own arguments.
func echo() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		text := string(m.Params.Arguments)
		if b, err := os.ReadFile(filepath.Join(os.Getenv("PAGES"), m.Params.Name)); err == nil {
			text = string(b)
		}
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		result := map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
		switch m.Method {
		case "initialize":
			result = map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "Playwright", "version": "0"}}
		case "tools/list":
			result = map[string]any{"tools": []any{map[string]any{"name": "browser_click"}, map[string]any{"name": "x", "_meta": map[string]any{"a": 1}}}}
		}
		_ = enc.Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
		_, _ = os.Stdout.Write(out.Bytes())
	}
}

// sink keeps events.
type sink struct {
	mu     sync.Mutex
	events []session.Event
	fail   error
}

func (s *sink) Append(e session.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
	return s.fail
}
func (s *sink) Sync() error { return nil }

func (s *sink) past() ([]session.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events), nil
}

func (s *sink) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b bytes.Buffer
	w, _ := replay.NewWriter(&b)
	for _, e := range s.events {
		_ = w.Append(e)
	}
	_ = w.Sync()
	return b.String()
}

// odd runs a seat before the odd server. The client's side is in and out.
type odd struct {
	t      *testing.T
	p      *Proxy
	in     *io.PipeWriter
	out    *bufio.Reader
	sink   *sink
	done   chan error
	cancel context.CancelFunc
	logs   *strings.Builder
}

func newOdd(t *testing.T, mode string, o Options, env ...string) *odd {
	t.Helper()
	x := &odd{t: t, sink: &sink{}, done: make(chan error, 1), logs: &strings.Builder{}}
	if o.Sink == nil {
		o.Sink, o.Past = x.sink, x.sink.past
	}
	var mu sync.Mutex
	o.Log = func(s string) { mu.Lock(); defer mu.Unlock(); fmt.Fprintln(x.logs, s) }
	x.p = New(o)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	x.in, x.out = inW, bufio.NewReaderSize(outR, 1<<20)
	ctx, cancel := context.WithCancel(context.Background())
	x.cancel = cancel
	argv := append([]string{"env", "ODD=" + mode}, env...)
	argv = append(argv, os.Args[0])
	go func() {
		x.done <- x.p.Stdio(ctx, Stdio{In: inR, Out: outW, Argv: argv})
		_ = outW.Close()
		_ = inR.Close()
	}()
	t.Cleanup(func() {
		cancel()
		_ = inW.Close()
		_ = outR.Close()
		select {
		case x.done <- nil:
		default:
		}
		_ = x.p.Close()
	})
	return x
}

func (x *odd) send(lines ...string) {
	x.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(x.in, l+"\n"); err != nil {
			x.t.Fatal(err)
		}
	}
}

func (x *odd) line() string {
	x.t.Helper()
	got := make(chan string, 1)
	go func() {
		l, err := x.out.ReadString('\n')
		if err != nil {
			l = "error: " + err.Error()
		}
		got <- l
	}()
	select {
	case l := <-got:
		return strings.TrimSuffix(l, "\n")
	case <-time.After(ample):
		x.t.Fatalf("no line; logs: %s", x.logs)
	}
	return ""
}

// greet makes the handshake with a client's name.
func (x *odd) greet(client string) string {
	x.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"` + client + `","version":"1"}}}`)
	hello := x.line()
	x.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return hello
}

func callLine(id, tool, args string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
}
