package replay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
)

// collect steps an engine until n events are there.
func collect(t *testing.T, e session.Engine, n int) []session.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	var out []session.Event
	for len(out) < n {
		events, err := e.Step(ctx)
		out = append(out, events...)
		if errors.Is(err, io.EOF) {
			select {
			case <-e.Changed():
			case <-ctx.Done():
				t.Fatalf("%d of %d events came", len(out), n)
			}
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// A file that another program appends to in pieces that end anywhere is shown
// whole line by whole line.
func TestFollow(t *testing.T) {
	data := written(t, tour())
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	f, err := Follow(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	go func() {
		for len(data) > 0 {
			n := min(37, len(data))
			if _, err := w.Write(data[:n]); err != nil {
				return
			}
			data = data[n:]
			if len(data)%11 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}()
	got := collect(t, f, len(tour()))
	if diff := cmp.Diff(tour(), got); diff != "" {
		t.Error(diff)
	}
	if f.Info().Mode != session.ModeFollow {
		t.Errorf("%+v", f.Info())
	}
}

func TestFollowReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(path, written(t, tour()), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Follow(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	collect(t, f, len(tour()))
	if err := os.WriteFile(path, written(t, tour()[:1]), 0o600); err != nil {
		t.Fatal(err)
	}
	last := collect(t, f, 1)
	if last[0].Note == nil {
		t.Errorf("a replaced file ends with %+v", last)
	}
}

// A source that fails is heard of after everything it brought.
func TestFeedError(t *testing.T) {
	bad := errors.New("bad")
	f := NewFeed(session.Info{}, func(_ context.Context, in *Inlet) error {
		in.Put(tour()[0])
		return bad
	})
	defer f.Close()
	if got := collect(t, f, 1); got[0].Start == nil {
		t.Errorf("%+v", got)
	}
	if _, err := f.Step(context.Background()); !errors.Is(err, bad) {
		t.Errorf("error %v", err)
	}
	if _, err := f.Step(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("then %v", err)
	}
	if _, err := f.Do(context.Background(), session.Action{}); !errors.Is(err, session.ErrRecorded) {
		t.Errorf("do: %v", err)
	}
}

func BenchmarkRead(b *testing.B) {
	var buf bytes.Buffer
	w, _ := NewWriter(&buf)
	page := bytes.Repeat([]byte("  - listitem \"Entry\" [ref=e12]: some text of it\n"), 4000)
	for i := range 50 {
		text := string(page) + string(rune('a'+i))
		_ = w.Append(session.Event{Kind: session.KindResult, Result: &session.Result{Action: "a", Snapshot: snap(text, nil)}})
	}
	_ = w.Sync()
	b.SetBytes(int64(buf.Len()))
	for b.Loop() {
		if _, err := Read(bytes.NewReader(buf.Bytes()), "r"); err != nil {
			b.Fatal(err)
		}
	}
}
