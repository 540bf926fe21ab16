//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"snapscope/replay"
	"snapscope/session/browser"
)

// chromium starts a browser with an open debugging port, as one of a fleet is.
func chromium(t *testing.T) (address string, kill func()) {
	t.Helper()
	path, err := browser.Find("")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
		"--disable-background-networking", "--remote-debugging-port=0", "--user-data-dir="+dir, "about:blank")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	t.Cleanup(func() { kill(); _ = os.RemoveAll(dir) })
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		data, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		if port, _, ok := strings.Cut(string(data), "\n"); err == nil && ok {
			return "127.0.0.1:" + port, kill
		}
	}
	t.Fatal("the browser opened no port")
	return "", nil
}

// Two sessions side by side in one browser do not see each other's cookies. One
// whose browser is killed in the middle is carried out on another, said once and
// recorded once, with where it ran.
func TestRunOnAFleetOfBrowsers(t *testing.T) {
	t.Parallel()
	bin, dir := build(t), t.TempDir()
	first, kill := chromium(t)
	second, _ := chromium(t)
	var both sync.WaitGroup
	both.Add(2)
	meet := func() { both.Done(); both.Wait() }
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/login":
			http.SetCookie(w, &http.Cookie{Name: "who", Value: r.FormValue("who"), Path: "/"})
			meet() // both are logged in before one goes on
		case "/kill":
			kill()
		}
		fmt.Fprintf(w, "<h1>cookie %s</h1>", r.Header.Get("Cookie"))
	}))
	defer site.Close()
	run := func(name, script string, more ...string) (stdout, stderr string, rec *replay.Recording) {
		file := filepath.Join(dir, name+".yaml")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Error(err)
		}
		cmd := exec.Command(bin, append([]string{"run", file, "--base", site.URL, "--settle", "quick", "--json", "--record", filepath.Join(dir, name+".jsonl")}, more...)...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, said.String())
		}
		rec, err := replay.ReadFile(filepath.Join(dir, name+".jsonl"))
		if err != nil {
			t.Error(err)
			return out.String(), said.String(), &replay.Recording{}
		}
		return out.String(), said.String(), rec
	}
	pages := func(rec *replay.Recording) (out []string) {
		for _, e := range rec.Events {
			if e.Result != nil && e.Result.Snapshot != nil {
				out = append(out, e.Result.Snapshot.Text)
			}
		}
		return out
	}

	var together sync.WaitGroup
	for _, who := range []string{"ana", "ben"} {
		together.Go(func() {
			_, _, rec := run(who, "- goto: /login?who="+who+"\n- goto: /\n", "--cdp", first)
			got := pages(rec)
			if len(got) != 2 || !strings.Contains(got[1], "cookie who="+who) {
				t.Errorf("%s saw %q", who, got)
			}
		})
	}
	together.Wait()

	pool := filepath.Join(dir, "pool.toml")
	list := fmt.Sprintf("[[endpoint]]\nurl = %q\nheaders = { Authorization = \"Bearer geheim\" }\n", "http://eva:geheim@"+second+"/?token=geheim")
	if err := os.WriteFile(pool, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	out, said, rec := run("moved", "- goto: /\n- goto: /kill\n- goto: /end\n", "--cdp", "127.0.0.1:47", "--cdp", first, "--cdp-pool", pool)
	if n := strings.Count(out, "\n"); n != 3 || len(pages(rec)) != 3 {
		t.Errorf("%d steps were said, %d recorded\n%s", n, len(pages(rec)), out)
	}
	var step stepJSON
	if err := json.Unmarshal([]byte(out[:strings.IndexByte(out+"\n", '\n')]), &step); err != nil || step.Step != 1 || !step.OK {
		t.Errorf("the first step: %v, %+v", err, step)
	}
	if got := rec.Events[0].Start.Endpoint; got != "http://"+second {
		t.Errorf("it says it ran at %q, not at %s", got, second)
	}
	for _, say := range []string{"no browser answers at http://127.0.0.1:47", "the browser at http://" + first + " is gone; the session begins again on another one"} {
		if !strings.Contains(said, say) {
			t.Errorf("%q is not in\n%s", say, said)
		}
	}
	whole, err := os.ReadFile(filepath.Join(dir, "moved.jsonl"))
	if err != nil || strings.Contains(string(whole)+out+said, "geheim") {
		t.Errorf("a key was told (%v):\n%s%s", err, said, whole)
	}
}
