//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"snapscope/replay"
	"snapscope/replay/proxy"
	"snapscope/replay/proxy/control"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// site serves a page of n rows and counts the clicks that it has seen.
type site struct {
	*httptest.Server
	clicks atomic.Int32
}

func bigTable(t *testing.T, n int) *site {
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/ticked") {
			s.clicks.Add(1)
			return
		}
		fmt.Fprint(w, "<!doctype html><title>Table</title><table>")
		for i := range n {
			fmt.Fprintf(w, `<tr><td><input type=checkbox onclick="fetch('/ticked')" aria-label="Select row %03d"></td><td>Company %03d Incorporated</td><td>Vice President of Sales</td><td>$%d,000</td></tr>`, i, i, i)
		}
		fmt.Fprint(w, "</table>")
	}))
	t.Cleanup(s.Close)
	return s
}

// taps are the two sides of a proxy, line by line as they went.
type taps struct{ client, server string }

// tapped puts a file on each side of a proxy.
func tapped(dir string, proxy, server []string) (argv []string, f taps) {
	f = taps{filepath.Join(dir, "client.log"), filepath.Join(dir, "server.log")}
	quoted := func(argv []string) string {
		out := ""
		for _, w := range argv {
			out += " '" + w + "'"
		}
		return out
	}
	inner := []string{"sh", "-c", "exec" + strings.ReplaceAll(quoted(server), "'", `"`) + ` | tee "` + f.server + `"`}
	return []string{"sh", "-c", quoted(append(append(proxy, "--"), inner...)) + " | tee '" + f.client + "'"}, f
}

// answersIn are the lines of one side that answer a tool call, in their order.
func answersIn(t *testing.T, file string) (out [][]byte) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var m struct {
			Result struct{ Content []json.RawMessage }
		}
		if json.Unmarshal(line, &m) == nil && len(m.Result.Content) > 0 {
			out = append(out, line)
		}
	}
	return out
}

// excerptsOf are what a script asks of a page that it has, besides the page.
var excerptsOf = []struct {
	tool, args string
	excerpt    bool
}{
	{"browser_find", `{"text":"row 007"}`, true},
	{"browser_find", `{"text":"nobody is called that"}`, false},
	{"browser_snapshot", `{"target":"tr:nth-child(9)"}`, true},
	{"browser_snapshot", `{"depth":2}`, true},
	{"browser_evaluate", `{"function":"() => document.body.innerText"}`, false},
	{"browser_evaluate", `{"function":"() => ({ tree: '- main [ref=e1]:\\n  - button \"Go\" [ref=e2]' })"}`, false},
}

// TestExcerptsOfARealServerGoAsTheyCame asks a real server for parts of a page under
// every built-in policy: they reach the agent to the byte as the server wrote them, and
// without them no figure of a report is another, but for their own text.
func TestExcerptsOfARealServerGoAsTheyCame(t *testing.T) {
	t.Parallel()
	bin, dir := build(t), t.TempDir()
	s := bigTable(t, 60)
	record := filepath.Join(dir, "r.jsonl")
	argv, taps := tapped(dir, []string{bin, "mcp", "--one-agent", "--record", record}, playwrightMCP(t, dir))
	tools := connect(t, dir, argv)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	folder := proxy.FindFolder(func(k string) string { return map[string]string{"HOME": dir}[k] })
	var parts, excerpts []int // the calls that ask for something else than the page; those of a part of it
	calls := 0
	call := func(tool, args string) string {
		t.Helper()
		text, failed, err := tools.Call("", tool, json.RawMessage(args))
		if err != nil || failed {
			t.Fatalf("%s %s: %v\n%s", tool, args, err, text)
		}
		calls++
		return text
	}
	for _, p := range policy.Builtin() {
		k := firstConsole(ctx, folder)
		if k == nil {
			t.Fatal("no seat is there to be told a policy")
		}
		if said, err := k.Do(ctx, "policy "+p.Name); err != nil {
			t.Fatalf("policy %s: %s %v", p.Name, said, err)
		}
		_ = k.Close()
		call("browser_navigate", fmt.Sprintf(`{"url":%q}`, s.URL))
		call("browser_snapshot", `{}`)
		for _, c := range excerptsOf {
			call(c.tool, c.args)
			if parts = append(parts, calls); c.excerpt {
				excerpts = append(excerpts, calls)
			}
		}
		call("browser_click", `{"element":"a row","target":"tr:nth-child(9) input"}`)
		call("browser_snapshot", `{}`)
	}
	if err := tools.sess.Close(); err != nil {
		t.Logf("closing: %v", err)
	}
	rec, err := replay.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	sent, got := answersIn(t, taps.server), answersIn(t, taps.client)
	if len(sent) != calls || len(got) != calls {
		t.Fatalf("%d calls, %d answers of the server, %d at the client", calls, len(sent), len(got))
	}
	rewritten := 0
	for i := range sent {
		switch same := bytes.Equal(sent[i], got[i]); {
		case !same && slices.Contains(parts, i+1):
			t.Errorf("call %d: the server sent\n%s\nand the client got\n%s", i+1, sent[i], got[i])
		case !same:
			rewritten++
		}
	}
	if rewritten < 5 {
		t.Errorf("%d pages were rewritten: too few to say anything", rewritten)
	}
	withoutFigures(t, rec.Events, parts, excerpts)
}

// withoutFigures holds a recording against the same without some of its steps, of which
// some asked for a part of the page: no policy clears, shows or loses anything else, and
// what is appended is more by the same under all that rewrite.
func withoutFigures(t *testing.T, events []session.Event, parts, excerpts []int) {
	t.Helper()
	with := session.NewTimeline(events)
	gone := map[string]bool{}
	for _, n := range parts {
		s := &with.Steps[n-1]
		gone[s.Action.ID] = true
		if is := s.Result.Seen == session.SeenExcerpt; is != slices.Contains(excerpts, n) || s.Snap >= 0 || s.Result.Recipe != nil {
			t.Errorf("step %d, %s: an excerpt: %v, page %d, recipe %v", n, s.Action.Tool, is, s.Snap, s.Result.Recipe)
		}
	}
	without := session.NewTimeline(slices.DeleteFunc(slices.Clone(events), func(e session.Event) bool {
		return e.Action != nil && gone[e.Action.ID] || e.Result != nil && gone[e.Result.Action]
	}))
	count, err := token.New("")
	if err != nil {
		t.Fatal(err)
	}
	o := ledger.Options{Renderer: policy.NewRenderer(count.Count)}
	text := -1
	for _, p := range policy.Builtin() {
		a, err := ledger.Run(t.Context(), with, p, o)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ledger.Run(t.Context(), without, p, o)
		if err != nil {
			t.Fatal(err)
		}
		if text < 0 {
			text = a.AppendedTokens - b.AppendedTokens
		}
		if a.Snapshots != b.Snapshots || a.Survival.Acted != b.Survival.Acted || a.Survival.Survived != b.Survival.Survived {
			t.Errorf("%s: %d pages, %d of %d; without the excerpts %d, %d of %d", p.Name, a.Snapshots, a.Survival.Survived, a.Survival.Acted, b.Snapshots, b.Survival.Survived, b.Survival.Acted)
		}
		if d := a.AppendedTokens - b.AppendedTokens; d != text || text <= 0 {
			t.Errorf("%s: the excerpts append %d tokens, under full %d", p.Name, d, text)
		}
	}
}

// firstConsole takes the first seat there is.
func firstConsole(ctx context.Context, folder proxy.Folder) *control.Console {
	for ctx.Err() == nil {
		for _, path := range folder.Sockets() {
			if k, err := control.OpenConsole(ctx, path, false, nil); err == nil {
				return k
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}
