package control

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy"
)

func start(t *testing.T) (*Server, *proxy.Holds, proxy.Folder, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // short, for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	f := proxy.Folder{State: dir, Runs: []string{filepath.Join(dir, "run")}}
	path, err := f.Socket("mcp-abc123")
	if err != nil {
		t.Fatal(err)
	}
	h := proxy.NewHolds()
	v, err := Listen(path, Seat{Holds: h, Run: func() proxy.Run {
		return proxy.Run{ID: "mcp-abc123", Kind: proxy.MCP, PID: os.Getpid(), Steps: 3}
	}})
	if err != nil {
		t.Fatal(err)
	}
	v.lease = 200 * time.Millisecond
	t.Cleanup(func() { v.Close() })
	return v, h, f, path
}

func dial(t *testing.T, path string) *Client {
	t.Helper()
	c, err := Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ample is how long a test waits for what has to come: it ends one that hangs.
const ample = 3 * time.Minute

func next(t *testing.T, c *Client, want Event) Notice {
	t.Helper()
	select {
	case n := <-c.Notices():
		if n.Event != want {
			t.Fatalf("notice %+v, want %s", n, want)
		}
		return n
	case <-time.After(ample):
		t.Fatalf("no notice, want %s", want)
	}
	return Notice{}
}

func hold(h *proxy.Holds) chan proxy.Decision {
	out := make(chan proxy.Decision, 1)
	go func() {
		out <- h.Wait(context.Background(), proxy.Hold{What: proxy.HeldCall, Tool: "browser_click", Args: json.RawMessage(`{"ref":"e<1>"}`)}, 0)
	}()
	return out
}

func TestAPersonDecides(t *testing.T) {
	_, h, f, path := start(t)
	c := dial(t, path)
	if err := c.SetRules(t.Context(), proxy.Rules{All: true}); err == nil {
		t.Error("rules without the lease were taken")
	}
	if err := c.Take(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if err := c.SetRules(t.Context(), proxy.Rules{All: true, Breaks: []string{"before lost"}}); err != nil {
		t.Fatal(err)
	}
	got := hold(h)
	n := next(t, c, Held)
	if n.Hold.Tool != "browser_click" || string(n.Hold.Args) != `{"ref":"e<1>"}` {
		t.Errorf("the notice: %+v", n.Hold)
	}
	runs := List(t.Context(), f)
	if len(runs) != 1 || runs[0].Held != 1 || !runs[0].Rules.All || runs[0].Screen != os.Getpid() || runs[0].Steps != 3 {
		t.Errorf("the list: %+v", runs)
	}
	if _, p, err := Find(t.Context(), f, "abc"); err != nil || p != path {
		t.Errorf("found %s, %v", p, err)
	}
	if _, _, err := Find(t.Context(), f, "zzz"); err == nil || !strings.Contains(err.Error(), "mcp-abc123") {
		t.Errorf("an unknown id: %v", err)
	}
	if err := c.Decide(t.Context(), n.Hold.ID, proxy.Decision{Do: proxy.Go, Args: json.RawMessage(`{"ref":"e2"}`)}); err != nil {
		t.Fatal(err)
	}
	if d := <-got; string(d.Args) != `{"ref":"e2"}` || d.By != proxy.ByPerson {
		t.Errorf("decided: %+v", d)
	}
	next(t, c, Gone)
	if err := c.Decide(t.Context(), n.Hold.ID, proxy.Decision{Do: proxy.Go}); err == nil {
		t.Error("decided twice")
	}
}

func TestAScreenThatGoesLetsEverythingGo(t *testing.T) {
	for name, leave := range map[string]func(*testing.T, *Client){
		"detaches": func(t *testing.T, c *Client) {
			if err := c.Leave(t.Context()); err != nil {
				t.Error(err)
			}
		},
		"closes": func(_ *testing.T, c *Client) { c.Close() },
		"hangs":  func(*testing.T, *Client) {},
	} {
		t.Run(name, func(t *testing.T) {
			_, h, _, path := start(t)
			c := dial(t, path)
			if err := c.Take(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			if err := c.SetRules(t.Context(), proxy.Rules{All: true}); err != nil {
				t.Fatal(err)
			}
			got := hold(h)
			next(t, c, Held)
			leave(t, c)
			select {
			case d := <-got:
				if d.Do != proxy.Go || d.By != proxy.ByScreen {
					t.Errorf("decided: %+v", d)
				}
			case <-time.After(ample):
				t.Fatal("still held")
			}
			if r := h.Rules(); r.All {
				t.Error("everything is still held")
			}
		})
	}
}

func TestALeaseThatIsRenewedLasts(t *testing.T) {
	v, h, _, path := start(t)
	c := dial(t, path)
	if err := c.Take(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	got := hold(h)
	for range 10 {
		time.Sleep(v.lease / 4)
		if err := c.Keep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) > 0 {
		t.Fatal("the hold went while the screen was there")
	}
	other := dial(t, path)
	if err := other.Take(t.Context(), false); err == nil || !strings.Contains(err.Error(), "another screen") {
		t.Errorf("a second screen: %v", err)
	}
	if err := other.Take(t.Context(), true); err != nil {
		t.Error(err)
	}
	if err := c.Keep(t.Context()); err == nil {
		t.Error("the first screen still steers")
	}
}

func TestASlowScreenIsCutOffAndHarmsNobody(t *testing.T) {
	_, h, _, path := start(t)
	nc, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if _, err := nc.Write([]byte(`{"v":1,"n":1,"do":"run"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	args := json.RawMessage(`{"text":"` + strings.Repeat("x", 100_000) + `"}`)
	begun := time.Now()
	for range 1000 { // never read: 200 MB of notices
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		h.Wait(ctx, proxy.Hold{What: proxy.HeldCall, Args: args}, 0)
	}
	if d := time.Since(begun); d > time.Minute { // a lease each would be minutes
		t.Errorf("the agent waited %v for a screen that does not read", d)
	}
}

func TestBadLines(t *testing.T) {
	_, _, _, path := start(t)
	for line, want := range map[string]string{
		"garbage\n":                         "no request",
		`{"v":9,"n":1,"do":"run"}` + "\n":   "version 9",
		`{"v":1,"n":1,"do":"fly"}` + "\n":   "take it first",
		`{"v":1,"n":1,"do":"rules"}` + "\n": "take it first",
	} {
		nc, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		_ = nc.SetDeadline(time.Now().Add(ample))
		if _, err := nc.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 4096)
		n, _ := nc.Read(b)
		if !strings.Contains(string(b[:n]), want) {
			t.Errorf("%q: %s, want %q", line, b[:n], want)
		}
		nc.Close()
	}
}

func TestSocketsOfDeadRunsGo(t *testing.T) {
	v, _, f, path := start(t)
	dead := filepath.Join(filepath.Dir(path), "mcp-dead00.sock")
	ln, err := net.Listen("unix", dead)
	if err != nil {
		t.Fatal(err)
	}
	ln.(*net.UnixListener).SetUnlinkOnClose(false)
	ln.Close()
	if runs := List(t.Context(), f); len(runs) != 1 {
		t.Errorf("%d runs, want 1", len(runs))
	}
	if _, err := os.Lstat(dead); !os.IsNotExist(err) {
		t.Error("the dead run's socket is still there")
	}
	c := dial(t, path)
	v.Close()
	next(t, c, Ended)
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Error("a closed server leaves its socket")
	}
	if _, _, err := c.Run(t.Context()); err == nil {
		t.Error("a seat that has ended answered")
	}
}
