package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"snapscope/replay/proxy/api/apitest"
)

// TestBothSeatsOnOneScreen watches an agent through both of its seats: its steps as
// the server answered them, its calls as the vendor counted them, and what either
// seat holds.
func TestBothSeatsOnOneScreen(t *testing.T) {
	bin := build(t)
	home, err := os.MkdirTemp("", "b") // short, for the sockets' paths
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("SNAPSCOPE_GROUP", "g-2")
	model := &apitest.Model{Read: unfolded, Script: []apitest.Step{{Goto: "http://127.0.0.1/leads"}, {Click: apitest.Name(1)}, {Click: apitest.Name(2)}}}
	gate, calls := make(chan struct{}), atomic.Int32{}
	open := sync.OnceFunc(func() { close(gate) })
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 3 {
			<-gate
		}
		model.ServeHTTP(w, r)
	}))
	defer up.Close()
	defer open()
	base, end := startCommand(t, "api", "--to", up.URL, "--listen", "127.0.0.1:0")
	m, err := apitest.StartMCP(exec.Command(bin, "mcp", "--policy", "fold", "--", "scripted-page", "30"), "scripted-agent")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		a := apitest.Agent{Base: base, Form: "anthropic", Model: "claude-sonnet-4-5", Prompt: "go", Stream: true}
		_, err := a.Run(context.Background(), m)
		done <- err
	}()
	scr := openScreen(t, 180, 50, []string{"HOME=" + home, "XDG_STATE_HOME="}, bin+" attach --wait g-2")
	scr.wait(`step 1/1[\s\S]*as sent[\s\S]*went out under fold`)
	scr.press("v")
	scr.wait(`vendor: [\d,]+ in, [\d,]+ of it cached, \d+ out, over 2 calls`)
	scr.press("Escape")
	time.Sleep(300 * time.Millisecond) // or the terminal takes what follows as one key with it
	scr.wait(`went out under fold`)
	scr.typeIn(":hold models")
	scr.press("Enter")
	scr.wait(`attached · agent reads pages under fold · holds all model calls`)
	open()
	scr.wait(`HELD a model call`)
	scr.press("c")
	scr.wait(`step 3/3`)
	if err := <-done; err != nil {
		t.Error(err)
	}
	scr.leave()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if stderr, err := end(); err != nil {
		t.Error(err, stderr)
	}
}
