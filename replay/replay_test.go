package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/snapshot"
	"snapscope/snapshot/notation"
)

func snap(text string, boxes map[string]snapshot.Box) *snapshot.Snapshot {
	return &snapshot.Snapshot{URL: "http://x/", Text: text, Hash: snapshot.HashText(text), Dialect: notation.Aria, Boxes: boxes}
}

// tour is a session with every kind of event, texts and boxes that repeat.
func tour() []session.Event {
	boxes := map[string]snapshot.Box{"e1": {X: 1, Y: 2, W: 3, H: 4}, "e2": {W: 9}}
	page := "- main [ref=e1]:\n  - button \"Go <b>\" [ref=e2]"
	events := []session.Event{
		{Kind: session.KindStart, Start: &session.Start{Name: "tour", Source: "live", Planned: 2}},
		{Kind: session.KindUser, User: &session.Message{Text: "look\x00 \u2028 <here>"}},
		{Kind: session.KindCall, Call: &session.ModelCall{Model: "m", Usage: &session.Usage{Input: 10, CacheRead: 3}}},
		{Kind: session.KindAction, Time: time.Unix(1700000000, 5).UTC(), Action: &session.Action{ID: "a1", Verb: session.VerbGoto, Tool: "goto", Args: map[string]any{"url": "http://x/"}}},
		{Kind: session.KindResult, Result: &session.Result{Action: "a1", OK: true, Snapshot: snap(page, boxes), Seen: session.SeenInline}},
		{Kind: session.KindNote, Note: &session.Note{Text: "nothing moved", Step: 1}},
		{Kind: session.KindAction, Action: &session.Action{ID: "a2", Verb: session.VerbClick, Tool: "click", Target: &session.Target{Ref: "e2"}}},
		{Kind: session.KindResult, Result: &session.Result{Action: "a2", OK: true, Snapshot: snap(page, boxes), Seen: session.SeenInline, Events: []string{"dialog"}}},
		{Kind: session.KindExpiry, Expiry: &session.Expiry{IDs: []string{"a1"}}},
		{Kind: session.KindAction, Action: &session.Action{ID: "a3", Tool: "other"}},
		{Kind: session.KindResult, Result: &session.Result{Action: "a3", Error: "no", Snapshot: snap("", nil)}},
	}
	for i := range events {
		events[i].Seq = i + 1
	}
	return events
}

func written(t *testing.T, events []session.Event) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b)
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
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	data := written(t, tour())
	rec, err := Read(bytes.NewReader(data), "r.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tour(), rec.Events); diff != "" {
		t.Error(diff)
	}
	if len(rec.Notes) > 0 || rec.Cut {
		t.Errorf("notes of a whole recording: %q", rec.Notes)
	}
	if n := strings.Count(string(data), `Go <b>`); n != 1 {
		t.Errorf("the text stands %d times, want once", n)
	}
	if n := strings.Count(string(data), `"boxes":`); n != 1 {
		t.Errorf("the boxes stand %d times, want once", n)
	}
	if rec.Events[4].Result.Snapshot.Text == "" || rec.Events[7].Result.Snapshot.Boxes == nil {
		t.Error("a repeated snapshot came back empty")
	}
}

// Any byte of text comes back, or as U+FFFD where it is not UTF-8.
func TestTextLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		e := session.Event{Kind: session.KindResult, Result: &session.Result{Action: "a", Snapshot: &snapshot.Snapshot{Text: text, Hash: snapshot.HashText(text)}}}
		var b bytes.Buffer
		w, _ := NewWriter(&b)
		for range 2 {
			if err := w.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		rec, err := Read(&b, "r")
		if err != nil {
			t.Fatal(err)
		}
		want := strings.ToValidUTF8(text, "\uFFFD")
		for _, e := range rec.Events {
			if got := e.Result.Snapshot; got.Text != want || got.Hash != snapshot.HashText(want) {
				t.Fatalf("%q came back as %q with hash %s", text, got.Text, got.Hash)
			}
		}
	})
}

// A page's text is written beside its line, and the line is the one that encoding/json
// makes, whatever stands in it or around it.
func TestALongTextIsWrittenAsAnyOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bit := rapid.StringOfN(rapid.RuneFrom([]rune("aaaaaaaa\"\\\n\t\b\f\x00\x1f\x7f<é\u2028😀")), 0, 40, -1).Draw(t, "bit")
		text := strings.Repeat("- text: "+bit+"\n", bulk/8)
		e := session.Event{Kind: session.KindResult, Result: &session.Result{
			Action: "a", Text: instead, Title: insteadIn, Seen: session.SeenInline, Console: []string{instead, insteadIn},
			Snapshot: &snapshot.Snapshot{Text: text, Title: bit, Notes: []string{insteadIn, instead}, Boxes: map[string]snapshot.Box{insteadIn: {}, "text": {}}},
		}}
		got, err := newEncoder().line([]byte("before"), e)
		if err != nil {
			t.Fatal(err)
		}
		w := wireEvent{Event: e, Result: newEncoder().result(*e.Result)}
		w.Event.Result, w.Seq = nil, 1
		want := bytes.NewBufferString("before")
		enc := json.NewEncoder(want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(w); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("%v: wrote\n%s\nwant\n%s", err, got, want)
		}
	})
}

func TestEveryPrefix(t *testing.T) {
	data := written(t, tour())
	whole := 0
	for n := 0; n <= len(data); n++ {
		if n > 0 && data[n-1] == '\n' {
			whole++
		}
		rec, err := Read(bytes.NewReader(data[:n]), "r.jsonl")
		if whole == 0 && !IsHeader(data[:n]) {
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Fatalf("prefix %d: error %v, want one sentence", n, err)
			}
			continue
		}
		if err != nil {
			if whole == 0 && strings.Contains(err.Error(), "first line") {
				continue
			}
			t.Fatalf("prefix %d: %v", n, err)
		}
		// A line whose newline alone is missing is whole.
		if got := len(rec.Events); got != max(0, whole-1) && (got != whole || rec.Cut) {
			t.Fatalf("prefix %d: %d events of %d whole lines", n, got, whole)
		}
		if rec.Cut != (len(rec.Notes) == 1) {
			t.Fatalf("prefix %d: cut %v with notes %q", n, rec.Cut, rec.Notes)
		}
	}
}

func TestFaults(t *testing.T) {
	head := "{\"format\":\"snapscope-recording\",\"version\":1}\n"
	for _, c := range []struct{ name, data, want string }{
		{"empty", "", "r is empty: nothing was recorded"},
		{"binary", "\x7fELF\x00\x01\x02\n", "r is a binary file, not a snapscope recording"},
		{"other JSON", "{\"a\":1}\n", "r:1:1: not a snapscope recording: the first line is not a recording's header"},
		{"newer", "{\"format\":\"snapscope-recording\",\"version\":9}\n", "r:1: a recording of format version 9; this snapscope reads version 1: use a newer one"},
		{"version 0", "{\"format\":\"snapscope-recording\"}\n", "r:1: a recording of format version 0, which there never was"},
		{"cut header", "{\"format\":\"snapsc", "r:1:18: the recording is cut in its first line: nothing was recorded"},
		{"not JSON", head + "{\"seq\":1,!}\n", "r:2:10: not JSON: invalid character '!' looking for beginning of object key string"},
		{"wrong type", head + "{\"seq\":\"x\",\"kind\":\"note\"}\n", "r:2:10: the field seq holds a string"},
		{"no kind", head + "{\"seq\":1}\n", "r:2:1: the line is not an event: it has no kind"},
		{"unknown kind", head + "{\"seq\":1,\"kind\":\"dance\"}\n", "r:2:1: unknown kind of event \"dance\""},
		{"no field", head + "{\"seq\":1,\"kind\":\"note\"}\n", "r:2:1: an event of kind \"note\" without its field \"note\""},
		{"two fields", head + "{\"seq\":1,\"kind\":\"note\",\"note\":{},\"user\":{}}\n", "r:2:1: an event of kind \"note\" with a field \"user\""},
		{"no text", head + "{\"seq\":1,\"kind\":\"result\",\"result\":{\"action\":\"a\",\"ok\":true,\"snapshot\":{\"hash\":\"abc\"}}}\n", "r:2:1: the snapshot's text (hash abc) stands in no line before"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.data), "r")
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestOddButReadable(t *testing.T) {
	data := string(written(t, tour()))
	for name, c := range map[string]string{
		"byte order mark": "\xEF\xBB\xBF" + data,
		"CRLF":            strings.ReplaceAll(data, "\n", "\r\n"),
		"blank lines":     strings.ReplaceAll(data, "\n", "\n\n"),
		"zeros at end":    data + strings.Repeat("\x00", 4096),
		"unknown field":   strings.Replace(data, `{"seq":2,`, `{"seq":2,"mood":"good",`, 1),
	} {
		rec, err := Read(strings.NewReader(c), "r")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tour(), rec.Events); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range tour() {
		if err := w.Append(e); err != nil {
			t.Fatal(err)
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		// The file is whole after each step: this is what a kill -9 leaves.
		rec, err := ReadFile(path)
		if err != nil || len(rec.Events) != e.Seq || rec.Cut {
			t.Fatalf("after event %d: %v %+v", e.Seq, err, rec)
		}
	}
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Error(err)
	}
	if err := w.Append(tour()[0]); !errors.Is(err, os.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
	if _, err := Create(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("create over a file: %v", err)
	}
	w, err = CreateWhole(path, true)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	if rec, err := ReadFile(path); err != nil || len(rec.Events) != 0 {
		t.Errorf("overwritten: %v %v", rec, err)
	}
}

type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

// After a failed write nothing more is written: a gap would be worse.
func TestWriteFails(t *testing.T) {
	w, err := NewWriter(&failing{after: 1})
	if err != nil {
		t.Fatal(err)
	}
	e := tour()[0]
	if err := errors.Join(w.Append(e), w.Sync(), w.Append(e)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Sync(); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("sync on a full disk: %v", err)
		}
	}
}

func steps(t *testing.T, e session.Engine) []string {
	t.Helper()
	var out []string
	for {
		events, err := e.Step(context.Background())
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		var s []string
		for _, e := range events {
			s = append(s, fmt.Sprintf("%d", e.Seq))
		}
		out = append(out, strings.Join(s, " "))
	}
}

var tourSteps = []string{"1 2 3 4 5 6", "7 8 9", "10 11"}

func TestPlayer(t *testing.T) {
	p := NewPlayer("tour", tour())
	if n := len(p.Pending()); n != 3 {
		t.Errorf("%d pending, want 3", n)
	}
	if diff := cmp.Diff(tourSteps, steps(t, p)); diff != "" {
		t.Error(diff)
	}
	if _, err := p.Do(context.Background(), session.Action{}); !errors.Is(err, session.ErrRecorded) {
		t.Errorf("do: %v", err)
	}
	if p.Info().Planned != 3 || len(p.Pending()) != 0 {
		t.Errorf("%+v, %d pending at the end", p.Info(), len(p.Pending()))
	}
}

func TestLinesBounded(t *testing.T) {
	in := "a\n" + strings.Repeat("x", 1<<20) + "\nb\r\nc"
	l := NewLines(strings.NewReader(in), 1000)
	var got []string
	for {
		line, err := l.Next()
		if err != nil {
			break
		}
		got = append(got, fmt.Sprintf("%d %q %v %d", line.N, line.Bytes, line.Whole, line.Long))
	}
	want := []string{`1 "a" true 0`, `2 "" true 1048577`, `3 "b" true 0`, `4 "c" false 0`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	w, _ := NewWriter(&b)
	for _, e := range tour() {
		_ = w.Append(e)
	}
	_ = w.Sync()
	f.Add(b.Bytes())
	f.Add([]byte("{\"format\":\"snapscope-recording\",\"version\":1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := Read(bytes.NewReader(data), "r")
		if err != nil {
			return
		}
		var out bytes.Buffer
		w, _ := NewWriter(&out)
		for _, e := range rec.Events {
			if err := w.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		_ = w.Sync()
		again, err := Read(&out, "r")
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
		if diff := cmp.Diff(rec.Events, again.Events); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A recording that is made as a whole is there when it is closed, or not at all.
func TestWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.jsonl")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := CreateWhole(path, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	for _, end := range []func(*Writer){(*Writer).Abort, func(w *Writer) { w.err = errors.New("disk full"); _ = w.Close() }} {
		w, err := CreateWhole(path, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range tour() {
			if err := w.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
			t.Errorf("while it is written: %q, %v", data, err)
		}
		end(w)
		if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
			t.Errorf("afterwards: %q, %v", data, err)
		}
	}
	w, err := CreateWhole(path, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(tour()[0]), w.Close()); err != nil {
		t.Fatal(err)
	}
	if rec, err := ReadFile(path); err != nil || len(rec.Events) != 1 {
		t.Errorf("%+v %v", rec, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files are there", len(left))
	}
}

// A write that fails in the middle of a line leaves the lines before it.
func TestNoHalfLineStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(tour()[0]), w.Sync()); err != nil {
		t.Fatal(err)
	}
	w.to = half{w.file}
	if err := errors.Join(w.Append(tour()[1]), w.Sync()); err == nil {
		t.Error("a write that fails is no error")
	}
	_ = w.Close()
	rec, err := ReadFile(path)
	if err != nil || len(rec.Events) != 1 || rec.Cut {
		t.Errorf("%+v %v", rec, err)
	}
}

// half is a disk with room for half of what is written.
type half struct{ f *os.File }

func (h half) Write(p []byte) (int, error) {
	n, _ := h.f.Write(p[:len(p)/2])
	return n, errors.New("no space left on device")
}
