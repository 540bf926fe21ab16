//go:build live

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"snapscope/session/ab"
	"snapscope/session/seat/api/scripted"
	"snapscope/session/seat/setup"
)

// TestLiveInTmuxLive starts Claude Code with snapscope live inside tmux: the debugger
// opens beside it, on both seats, and holds it before a click until told.
func TestLiveInTmuxLive(t *testing.T) {
	s := bigTable(t, 20)
	model := &scripted.Model{Script: twoRows(s, 3, 17), Read: unfolded}
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

// TestABLive compares two policies on Codex and on Claude Code, whose servers are
// behind a seat in their own configuration.
func TestABLive(t *testing.T) {
	for _, client := range []string{"claude", "codex"} {
		t.Run(client, func(t *testing.T) {
			s := bigTable(t, 60)
			model := &scripted.Model{Script: twoRows(s, 3, 17), Read: unfolded, MinPrefix: 1024}
			srv := httptest.NewServer(model)
			defer srv.Close()
			sh := newShell(t, client, srv.URL)
			args := []string{"-p", prompt, "--allowedTools", "mcp__playwright"}
			if client == "codex" {
				args = codexArgs
			}
			ag, err := setup.Find(client)
			if err != nil {
				t.Fatal(err)
			}
			if client == "claude" {
				args = append([]string{"--mcp-config", sh.put("mcp.json", ag.Lines("playwright", []string{filepath.Join(sh.home, "bin", "snapscope"), "mcp", "--"}, []string{"npx", "@playwright/mcp"}))}, args...)
			} else {
				sh.run(readmeLines(t, "codex")[0])
				sh.run("snapscope mcp install codex")
			}
			cmd := exec.Command("snapscope", append([]string{"ab", "--runs", "1", "--policy", "full", "--policy", "fold", "--to", srv.URL, "--json", "--", client}, args...)...)
			cmd.Path = filepath.Join(sh.home, "bin", "snapscope")
			cmd.Dir, cmd.Env, cmd.Stderr = sh.home, sh.env, os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var table ab.Table
			if err := json.Unmarshal(out, &table); err != nil {
				t.Fatal(err)
			}
			for _, r := range table.Runs {
				t.Log(fmt.Sprintf("%s: %s, %d steps, %d calls, %+v, %d joined, %d lost", r.Policy, r.End, r.Steps, r.Calls, r.Usage, r.Pairs, len(r.Lost)))
				if !r.OK || !strings.HasPrefix(r.End, "DONE") || r.Pairs != 4 || r.Astray > 0 {
					t.Errorf("%s: %+v", r.Policy, r)
				}
			}
			for _, row := range table.Rows {
				t.Logf("%s: predicted %+v, off %.4f and %.4f; %v", row.Policy, row.Forecast, row.OffInput, row.OffCached, row.Drift)
			}
			if full, fold := table.Rows[0], table.Rows[1]; fold.Input.Mean >= full.Input.Mean {
				t.Errorf("fold took %.0f tokens, full %.0f: it was not applied", fold.Input.Mean, full.Input.Mean)
			}
		})
	}
}
