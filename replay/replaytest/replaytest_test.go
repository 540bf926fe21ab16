package replaytest_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"snapscope/replay/replaytest"
	"snapscope/replay/transcript"
	"snapscope/session"
)

var (
	into = flag.String("into", "", "make recordings in this folder")
	many = flag.Int("recordings", 2000, "with -into: so many")
)

// Recordings of one source are read without a note, differ from each other, and
// what is acted on still stands on the page before.
func TestMake(t *testing.T) {
	sources, err := replaytest.Sources("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir, n := t.TempDir(), 3*len(sources)
	if *into != "" {
		dir, n = *into, *many
	}
	made, err := replaytest.Make(t.Context(), dir, sources, n)
	if err != nil {
		t.Fatal(err)
	}
	if *into != "" {
		t.Logf("%d recordings in %s", len(made), dir)
		return
	}
	var before [][]byte
	for i, path := range made {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if i >= len(sources) && bytes.Equal(data, before[i-len(sources)]) {
			t.Errorf("%s is %s again", filepath.Base(path), filepath.Base(made[i-len(sources)]))
		}
		before = append(before, data)
		im, err := transcript.Read(t.Context(), path, transcript.Options{})
		if err != nil || len(im.Notes) > 0 || len(im.Skipped) > 0 {
			t.Errorf("%s: %v, %v, %v", path, err, im.Notes, im.Skipped)
			continue
		}
		if tl := session.NewTimeline(im.Events); len(tl.Steps) == 0 {
			t.Errorf("%s has no steps", path)
		}
	}
}
