//go:build live

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"snapscope/replay/proxy/api/apitest"
)

// TestLiveInTmuxLive starts Claude Code with snapscope live inside tmux: the debugger
// opens beside it, on both seats, and holds it before a click until told.
func TestLiveInTmuxLive(t *testing.T) {
	s := bigTable(t, 20)
	model := &apitest.Model{Script: twoRows(s, 3, 17), Read: unfolded}
	asked, ready := atomic.Int32{}, make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if bytes.Contains(body, []byte("browser_click")) && asked.Add(1) == 3 { // it is about to choose the first click
			select {
			case <-ready:
			case <-time.After(5 * time.Minute):
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		model.ServeHTTP(w, r)
	}))
	defer srv.Close()
	sh := newShell(t, "claude", srv.URL)
	var env []string
	for _, e := range sh.env {
		if k, v, _ := strings.Cut(e, "="); k != "TERM" && k != "SNAPSCOPE_GROUP" {
			env = append(env, k+"='"+v+"'")
		}
	}
	scr := openScreen(t, 220, 50, env, "cd "+sh.home+"; sh")
	sock := strings.TrimSpace(scr.tmux("display-message", "-p", "#{socket_path},#{pid},0"))
	scr.typeIn("TMUX='" + sock + `' snapscope live --server "npx @playwright/mcp" -- claude -p go --allowedTools mcp__playwright; echo LIVE=$?`)
	scr.press("Enter")
	for end := time.Now().Add(patience); strings.Count(scr.tmux("list-panes", "-t", "t"), "\n") < 2; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no pane opened beside the agent:\n%s", scr.text())
		}
	}
	beside := &screen{t: t, sock: scr.sock, pane: "t.1"}
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end) && !strings.Contains(beside.text(), "step 1/1"); {
		time.Sleep(time.Second) // a whole agent on a busy machine
	}
	beside.wait(`attached[\s\S]*step 1/1`)
	beside.typeIn(":break before click")
	beside.press("Enter")
	beside.wait(`attached · holds before click`)
	close(ready)
	beside.wait(`HELD browser_click: before click`)
	if n := s.clicks.Load(); n != 0 {
		t.Errorf("the page saw %d clicks while the first was held", n)
	}
	beside.press("v")
	text := beside.wait(`vendor: [\d,]+ in, [\d,]+ of it cached`)
	t.Log(line(text, "vendor:"))
	beside.press("Escape")
	beside.wait(`HELD browser_click`)
	beside.typeIn(":unbreak")
	beside.press("Enter")
	time.Sleep(2 * time.Second)
	beside.press("c")
	scr.pane = "t.0"
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end) && !strings.Contains(scr.text(), "LIVE=0"); {
		time.Sleep(time.Second)
	}
	scr.wait(`LIVE=0`)
	if n := s.clicks.Load(); n != 2 {
		t.Errorf("the page saw %d clicks", n)
	}
}
