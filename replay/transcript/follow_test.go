package transcript

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"snapscope/replay"
	"snapscope/session"
	"snapscope/session/agents"
)

func writeRecording(t *testing.T, path string, events []session.Event) {
	t.Helper()
	w, err := replay.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := w.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// collect steps an engine until n results are there and answers all events.
func collect(t *testing.T, e session.Engine, n int) []session.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	var out []session.Event
	results := 0
	for results < n {
		events, err := e.Step(ctx)
		out = append(out, events...)
		for _, x := range events {
			if x.Result != nil {
				results++
			}
		}
		if errors.Is(err, io.EOF) {
			select {
			case <-e.Changed():
			case <-ctx.Done():
				t.Fatalf("%d of %d results came", results, n)
			}
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func actions(events []session.Event) (out []string) {
	for _, e := range events {
		switch {
		case e.Action != nil:
			out = append(out, "action "+e.Action.ID)
		case e.Result != nil:
			text := "result " + e.Result.Action + " " + string(e.Result.Seen)
			if e.Result.Snapshot != nil {
				text += " " + e.Result.Snapshot.Hash
			}
			out = append(out, text)
		}
	}
	return out
}

// A transcript that another program appends to in pieces that end anywhere, or
// writes anew each time, is followed to its end, and shows what Read shows.
func TestFollow(t *testing.T) {
	for _, c := range []struct {
		name  string
		whole bool // the program writes the file anew
	}{
		{"claude-code/" + claudeID + ".jsonl", false},
		{"codex/" + codexName, false},
		{"mcp/era-d.jsonl", false},
		{"openclaw/" + openclawName, false},
		{"session-v2/session.md", false},
		{"cline/api_conversation_history.json", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := sample(t, c.name)
			path := filepath.Join(t.TempDir(), filepath.Base(c.name))
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			e, err := Follow(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			go write(path, data, c.whole)
			want, err := readBytes(t, data, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := collect(t, e, want.Results)
			w, g := actions(want.Events), actions(got)
			if diff := cmp.Diff(w[:len(g)], g); diff != "" || len(g) < len(w)-1 {
				t.Errorf("%d of %d: %s", len(g), len(w), diff)
			}
		})
	}
}

func write(path, data string, whole bool) {
	if whole {
		for n := 1; n <= 4; n++ { // cut states come and go, as an editor's would
			_ = os.WriteFile(path, []byte(data[:len(data)*n/4]), 0o600)
			time.Sleep(5 * time.Millisecond)
		}
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	for len(data) > 0 {
		n := min(701, len(data))
		if _, err := f.WriteString(data[:n]); err != nil {
			return
		}
		data = data[n:]
		time.Sleep(time.Millisecond)
	}
}

// The action that is running is shown before its result is there.
func TestFollowShowsRunningAction(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rpc.jsonl")
	lines := strings.SplitAfter(sample(t, "mcp/era-b.jsonl"), "\n")
	if err := os.WriteFile(path, []byte(strings.Join(lines[:4], "")+lines[4][:50]), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := Follow(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	var got []session.Event
	for len(got) < 2 {
		events, err := e.Step(ctx)
		got = append(got, events...)
		if errors.Is(err, io.EOF) {
			select {
			case <-e.Changed():
			case <-ctx.Done():
				t.Fatal("nothing came")
			}
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if got[0].Start == nil || got[1].Action == nil || len(got) != 2 {
		t.Errorf("%+v", got)
	}
	if e.Info().Mode != session.ModeFollow {
		t.Errorf("%+v", e.Info())
	}
}

func TestOpen(t *testing.T) {
	var done *Import
	ready := make(chan struct{})
	e, err := Open(filepath.Join(samples, "mcp/era-d.jsonl"), Options{}, func(im *Import) {
		done = im
		close(ready)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	got := collect(t, e, 8)
	if diff := cmp.Diff(actions(read(t, "mcp/era-d.jsonl", Options{}).Events), actions(got)); diff != "" {
		t.Error(diff)
	}
	<-ready
	if done.Results != 8 || done.Events != nil {
		t.Errorf("%+v", done)
	}
	if _, err := e.Do(context.Background(), session.Action{}); !errors.Is(err, session.ErrRecorded) {
		t.Errorf("%v", err)
	}
}

func TestFind(t *testing.T) {
	home, cwd := t.TempDir(), t.TempDir()
	now := time.Now().Truncate(time.Second)
	for i, f := range []struct{ base, path, sample string }{
		{home, ".claude/projects/-srv-crm/" + claudeID + ".jsonl", "claude-code/" + claudeID + ".jsonl"},
		{home, ".codex/sessions/2026/02/03/" + codexName, "codex/" + codexName},
		{home, ".openclaw/agents/main/sessions/" + openclawName, "openclaw/" + openclawName},
		{cwd, ".playwright-mcp/session-1/session.md", "session-v2/session.md"},
		{home, ".claude/projects/-srv-crm/notes.txt", "mcp/era-a.jsonl"},
		{home, "documents/" + codexName, "codex/" + codexName},
	} {
		path := filepath.Join(f.base, f.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(sample(t, f.sample)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	found, err := Find(context.Background(), agents.Where{Home: home, Cwd: cwd})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.Source+" "+f.Format+" "+f.Title)
	}
	want := []string{"Claude Code claude-code Tick the two new leads", "Codex codex Tick the leads", "OpenClaw openclaw Tick the leads", "Playwright MCP playwright-session goto http://127.0.0.1:4173/leads"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if !found[0].When.Equal(now) || found[0].Size == 0 {
		t.Errorf("%+v", found[0])
	}
	sum, err := found[1].Sum(context.Background(), Options{}, func(s string) int { return len(s) })
	if err != nil || sum.Steps != 3 || sum.Snapshots != 3 || sum.Tokens == 0 {
		t.Errorf("%v %+v", err, sum)
	}
	in, err := FindIn(context.Background(), samples)
	if err != nil || len(in) < 25 {
		t.Errorf("%v: %d sessions in the samples", err, len(in))
	}
	if none, err := Find(context.Background(), agents.Where{}); err != nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}
}
