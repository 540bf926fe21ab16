package replay

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"snapscope/session"
)

// A source that breaks is told like one that fails: once, after all that it brought.
func TestFeedOfASourceThatBreaks(t *testing.T) {
	f := NewFeed(session.Info{Name: "x.jsonl"}, func(_ context.Context, in *Inlet) error {
		in.Put(session.Event{Kind: session.KindNote, Note: &session.Note{Text: "before"}})
		panic("a planted defect")
	})
	defer f.Close()
	got, err := f.Step(t.Context())
	if err != nil || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	if _, err = f.Step(t.Context()); err == nil || !strings.Contains(err.Error(), "playing x.jsonl: internal error") {
		t.Errorf("%v", err)
	}
	if _, err = f.Step(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("afterwards: %v", err)
	}
}

// A file of which every line is odd is told in a few remarks, not in as many as it has
// lines.
func TestRemarksHaveABound(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"format":"snapscope-recording","version":1}` + "\n")
	for range 1000 {
		b.WriteString(`{"seq":7,"kind":"call","call":{"usage":{"input":-5}}}` + "\n")
	}
	rec, err := Read(strings.NewReader(b.String()), "odd.jsonl")
	if err != nil || len(rec.Events) != 1000 || rec.Events[999].Call.Usage != nil {
		t.Fatalf("%v", err)
	}
	if n := len(rec.Notes); n != maxNotes+1 || rec.Notes[n-1] != "odd.jsonl: 1949 more such remarks" {
		t.Errorf("%d remarks, the last %q", n, rec.Notes[n-1])
	}
	if want := "odd.jsonl:2: left out, since it cannot be: the vendor's count of a model call: -5"; rec.Notes[0] != want {
		t.Errorf("%q, want %q", rec.Notes[0], want)
	}
}
