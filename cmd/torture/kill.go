//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"snapscope/replay"
	"snapscope/session"
	"snapscope/snapshot"
)

// kill ends the program with SIGKILL at random moments of what it does: sessions
// with a browser (every tenth together with the guard of the browser's folder),
// imports over a file that is there, and proxies.
func kill(f *field) {
	n := f.n(120, 6)
	shared, _ := f.home()
	big := filepath.Join(shared, "big.jsonl")
	if err := bigRecording(big, 40, 120_000); err != nil {
		f.failed = append(f.failed, err.Error())
		return
	}
	f.each(n, 2, func(i int, r *rand.Rand) (string, error) {
		switch i % 6 {
		case 4:
			return f.killImport(big, r)
		case 5:
			return f.killSeat(r)
		case 3:
			return f.killAPI(r)
		}
		return f.killRun(r, i%10 == 0)
	})
}

// killRun kills a session: each step that it told is in the recording.
func (f *field) killRun(r *rand.Rand, guard bool) (string, error) {
	home, env := f.home()
	var script strings.Builder
	fmt.Fprintf(&script, "- goto: %s/plain\n", f.site.URL)
	for range 40 {
		script.WriteString("- click: {css: \"#b\"}\n")
	}
	rec, file := filepath.Join(home, "rec.jsonl"), filepath.Join(home, "s.yaml")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		return "run", err
	}
	after := time.Duration(r.IntN(5000)) * time.Millisecond
	e := f.do(call{args: []string{"run", file, "--record", rec, "--json"}, env: env, dir: home, limit: 60 * time.Second, during: func(p *os.Process, _ *tee) {
		time.Sleep(after)
		if guard {
			for _, pid := range pids(home) {
				if cmd, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); bytes.HasPrefix(cmd, []byte("/bin/sh\x00-c\x00")) {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		}
		_ = p.Kill()
	}})
	what := fmt.Sprintf("run, killed after %s, its guard too: %t", after, guard)
	told := 0
	for _, line := range strings.SplitAfter(e.out, "\n") {
		var s struct {
			Step int
			OK   bool
		}
		if strings.HasSuffix(line, "\n") && json.Unmarshal([]byte(line), &s) == nil && s.OK {
			told = s.Step
		}
	}
	if err := holds(rec, told); err != nil {
		return what, err
	}
	if guard { // what is left is swept when the program starts again
		for end := time.Now().Add(goneWithin); len(pids(home)) > 0 && time.Now().Before(end); {
			time.Sleep(50 * time.Millisecond)
		}
		if e := f.do(call{args: []string{"snapshot", f.site.URL + "/plain"}, env: env, dir: home}); e.status != 0 {
			return what, fmt.Errorf("afterwards: %s", e.err)
		}
	}
	return what, left(home, goneWithin)
}

// holds checks that a recording has so many steps at least. None need be there
// where no step was told.
func holds(rec string, told int) error {
	got, err := replay.ReadFile(rec)
	if errors.Is(err, fs.ErrNotExist) && told == 0 {
		return nil
	}
	if st, serr := os.Stat(rec); serr == nil && st.Size() == 0 && told == 0 {
		return nil // killed between making the file and its first line
	}
	if err != nil {
		return err
	}
	steps := 0
	for _, e := range got.Events {
		if e.Result != nil && e.Result.OK {
			steps++
		}
	}
	if steps < told {
		return fmt.Errorf("%d steps were told, %d are recorded", told, steps)
	}
	return nil
}

// killImport kills an import over a file: the old one stays, or all of the new one
// is there.
func (f *field) killImport(big string, r *rand.Rand) (string, error) {
	home, env := f.home()
	out := filepath.Join(home, "out.jsonl")
	if err := os.WriteFile(out, []byte("what stood there\n"), 0o600); err != nil {
		return "import", err
	}
	after := time.Duration(r.IntN(900)) * time.Millisecond
	f.do(call{args: []string{"import", big, "-o", out, "--force"}, env: env, dir: home, during: func(p *os.Process, _ *tee) {
		time.Sleep(after)
		_ = p.Kill()
	}})
	what := fmt.Sprintf("import --force, killed after %s", after)
	data, err := os.ReadFile(out)
	if err != nil || string(data) == "what stood there\n" {
		return what, err
	}
	want, err := replay.ReadFile(big)
	if err != nil {
		return what, err
	}
	got, err := replay.ReadFile(out)
	if err == nil && len(got.Events) != len(want.Events) {
		err = fmt.Errorf("%d of %d events are there", len(got.Events), len(want.Events))
	}
	return what, err
}

// killSeat kills a proxy between an agent and its server: the server ends, too, and
// every step whose answer the agent had is recorded.
func (f *field) killSeat(r *rand.Rand) (string, error) {
	home, env := f.home()
	rec, answer := filepath.Join(home, "rec.jsonl"), filepath.Join(home, "answer")
	if err := os.WriteFile(answer, []byte(pageAnswer), 0o600); err != nil {
		return "mcp", err
	}
	in, out, err := os.Pipe()
	if err != nil {
		return "mcp", err
	}
	defer in.Close()
	defer out.Close()
	after, pace := time.Duration(r.IntN(900))*time.Millisecond, time.Duration(r.IntN(3)*10)*time.Millisecond
	what := fmt.Sprintf("mcp, killed after %s, a call every %s", after, pace)
	e := f.do(call{args: []string{"mcp", "--record", rec, "--", "/bin/sh", "-c", answering, "sh", answer}, env: env, dir: home, stdin: in, during: func(p *os.Process, _ *tee) {
		end := time.Now().Add(after)
		_ = out.SetWriteDeadline(end.Add(time.Second))
		for i := 1; time.Now().Before(end); i++ {
			_, _ = out.WriteString(toolCall(i, "browser_snapshot", "{}"))
			time.Sleep(pace)
		}
		_ = p.Kill()
	}})
	if err := holds(rec, strings.Count(e.out, "\n")); err != nil {
		return what, err
	}
	return what, left(home, goneWithin)
}

// pageAnswer is a tool's answer with a page; ID stands for its number.
const pageAnswer = `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"### Page\n- Page URL: http://a.test/"}]}}` + "\n"

// killAPI kills a proxy before a model's API: each answer that the agent had whole is
// a recorded model call.
func (f *field) killAPI(r *rand.Rand) (string, error) {
	home, env := f.home()
	rec := filepath.Join(home, "rec.jsonl")
	after := time.Duration(r.IntN(900)) * time.Millisecond
	what := fmt.Sprintf("api, killed after %s", after)
	answered := 0
	var failed error
	f.do(call{args: []string{"api", "--to", f.site.URL, "--listen", "127.0.0.1:0", "--record", rec}, env: env, dir: home, during: func(p *os.Process, out *tee) {
		var at string
		if at, failed = out.address(f.site.URL); failed != nil {
			_ = p.Kill()
			return
		}
		kill := time.AfterFunc(after, func() { _ = p.Kill() })
		defer kill.Stop()
		history := `{"role":"user","content":"go on"}`
		for {
			body := `{"model":"claude-sonnet-4-5","tools":[{"name":"browser_snapshot","input_schema":{"type":"object"}}],"messages":[` + history + `]}`
			if status, err := post(at+"/v1/messages", body, map[string]string{"Content-Type": "application/json"}); err != nil || status != 200 {
				return
			}
			answered++
			history += fmt.Sprintf(`,{"role":"assistant","content":"ok"},{"role":"user","content":"go on %d"}`, answered)
		}
	}})
	if failed != nil {
		return what, failed
	}
	got, err := replay.ReadFile(rec)
	if errors.Is(err, fs.ErrNotExist) && answered == 0 {
		err = nil
	}
	calls := 0
	if got != nil {
		for _, e := range got.Events {
			if e.Call != nil {
				calls++
			}
		}
	}
	if err == nil && calls < answered {
		err = fmt.Errorf("%d model calls were answered, %d are recorded", answered, calls)
	}
	if err != nil {
		return what, err
	}
	return what, left(home, goneWithin)
}

// bigRecording writes a recording of so many pages of about so many bytes.
func bigRecording(path string, pages, size int) error {
	w, err := replay.Create(path)
	if err != nil {
		return err
	}
	put := func(e session.Event) {
		if err == nil {
			err = w.Append(e)
		}
	}
	put(session.Event{Kind: session.KindStart, Start: &session.Start{Name: "big", Source: "live"}})
	for i := range pages {
		var b strings.Builder
		b.WriteString("- list [ref=e1]:\n")
		for n := 2; b.Len() < size; n++ {
			fmt.Fprintf(&b, "  - listitem \"entry %d of page %d\" [ref=e%d]\n", n, i*(n%7), n)
		}
		text := strings.TrimSuffix(b.String(), "\n")
		id := fmt.Sprint("a", i)
		verb := session.VerbClick
		if i == 0 {
			verb = session.VerbGoto
		}
		put(session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Verb: verb, Tool: string(verb), Target: &session.Target{Ref: fmt.Sprint("e", 5+i*3)}}})
		put(session.Event{Kind: session.KindResult, Result: &session.Result{
			Action: id, OK: true, Seen: session.SeenInline,
			Snapshot: &snapshot.Snapshot{URL: "http://a.test/", Document: "d", Text: text, Hash: snapshot.HashText(text)},
		}})
	}
	return errors.Join(err, w.Close())
}
