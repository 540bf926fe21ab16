package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"snapscope/session"
)

// terminal is what a program writes to a terminal, readable while it grows.
type terminal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (t *terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.Write(b)
}

func (t *terminal) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}

// waitFor blocks until the terminal was sent a text: one that stands where nothing
// stood before, as of others only what differs is sent.
func (t *terminal) waitFor(tb testing.TB, text string) {
	tb.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for !strings.Contains(t.String(), text) {
		if time.Now().After(deadline) {
			tb.Fatalf("%q was never shown in %q", text, t.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// start runs the debugger on a terminal that is none.
func start(t *testing.T, ctx context.Context, cfg Config) (*terminal, *io.PipeWriter, chan error) {
	t.Helper()
	term := &terminal{}
	in, keys := io.Pipe()
	cfg.Input, cfg.Output, cfg.Width, cfg.Height = in, term, 120, 36
	cfg.Environ = []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	done := make(chan error, 1)
	go func() { done <- Run(ctx, cfg) }()
	t.Cleanup(func() { _ = keys.Close() })
	return term, keys, done
}

func send(t *testing.T, keys io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(keys, text); err != nil {
		t.Fatal(err)
	}
}

// restored holds that a terminal is given back as it was: out of the alternate
// screen, cursor shown, mouse off, no bracketed paste.
func restored(t *testing.T, out string) {
	t.Helper()
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?1002h": "\x1b[?1002l", "\x1b[?2004h": "\x1b[?2004l"} {
		if a, b := strings.LastIndex(out, on), strings.LastIndex(out, off); a >= 0 && b < a {
			t.Errorf("%q is left on: the last %q comes before it", on, off)
		}
	}
	if !strings.Contains(out, "\x1b[?1049h") {
		t.Error("the alternate screen was never entered")
	}
}

func TestRunGivesTheTerminalBack(t *testing.T) {
	term, keys, done := start(t, context.Background(), Config{Engine: hostileEngine(), Mouse: true, AutoSteps: -1})
	term.waitFor(t, "click link")
	send(t, keys, "q")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	out := term.String()
	restored(t, out)
	for _, bad := range []string{"\x1b[2J\x1b]0;owned", "\x1b]0;owned", "\x1b[5m", "\x1b]52;c;AAAA", "\x1b]8;;http", "\u202e", "\u200d", "\x07link"} {
		if strings.Contains(out, bad) {
			t.Errorf("%q of the page reached the terminal", bad)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	term, _, done := start(t, ctx, Config{Engine: leadsEngine(5), AutoSteps: 1})
	term.waitFor(t, "Leads · CRM")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run answers %v", err)
	}
	restored(t, term.String())
}

func TestEnginePanicIsAnError(t *testing.T) {
	e := liveEngine(5)
	e.do = func(context.Context, session.Action) ([]session.Event, error) { panic("the engine broke") }
	d := newDriver(t, Config{Engine: e, AutoSteps: 1}, 120, 36)
	d.press(":")
	d.typed("click e12")
	d.press("enter")
	d.wants("✗ click e12: stepping the session: internal error at")
	d.press("s")
	d.wants("step 2/6")
}

func TestPanicGivesTheTerminalBack(t *testing.T) {
	var broken atomic.Bool
	now := func() time.Time {
		if broken.Load() {
			panic("the screen broke")
		}
		return time.Now()
	}
	term, keys, done := start(t, context.Background(), Config{Engine: leadsEngine(5), AutoSteps: 1, Now: now, Mouse: true})
	term.waitFor(t, "Leads · CRM")
	broken.Store(true)
	send(t, keys, "s")
	if err := <-done; err == nil {
		t.Error("a panic is no error")
	}
	restored(t, term.String())
}

func TestRunRefusesBadConfig(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Keys: map[string][]string{"nope": {"x"}}}, `no action "nope"`},
		{Config{Breaks: []string{"when 5"}}, `no condition "when"`},
		{Config{Set: []string{"nope=1"}}, "no knob"},
		{Config{Set: []string{"keep_n=many"}}, "keep_n"},
	} {
		c.cfg.Engine = leadsEngine(5)
		if err := Run(context.Background(), c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Run answers %v, want %q", err, c.want)
		}
	}
}

// TestCopyGoesAsBase64 holds that what is copied reaches the terminal only as
// base64 in one OSC 52.
func TestCopyGoesAsBase64(t *testing.T) {
	term, keys, done := start(t, context.Background(), Config{Engine: hostileEngine(), AutoSteps: -1})
	term.waitFor(t, "click link")
	send(t, keys, "y")
	term.waitFor(t, "enter copies")
	send(t, keys, "\x1b[B\r")
	term.waitFor(t, "\x1b]52;c;")
	send(t, keys, "q")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(term.String(), "\x1b]52;c;")
	data, _, ok := strings.Cut(rest, "\x07")
	if !ok || strings.Trim(data, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") != "" {
		t.Errorf("the clipboard sequence holds %q", data)
	}
}

// TestMarksReachTheTerminal holds that the renderer keeps a mark with its letter
// on a terminal that counts by code point.
func TestMarksReachTheTerminal(t *testing.T) {
	e := leadsEngine(1)
	e.steps = [][]session.Event{fakeStep(1, session.Action{Verb: session.VerbSnapshot}, "http://x", "t", "- heading \"ที่นี่ สวัสดี\" [ref=e1]\n- text: שָׁלוֹם مُحَمَّد ɛ\u0301\n")}
	term, keys, done := start(t, context.Background(), Config{Engine: e, AutoSteps: -1})
	for _, text := range []string{"ที่นี่ สวัสดี", "שָׁלוֹם", "مُحَمَّد", "ɛ\u0301"} {
		term.waitFor(t, text)
	}
	send(t, keys, "q")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
