package published

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/internal/strategytest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// publishedCase is one input and what the published code answers to it.
type publishedCase struct {
	From     string          `json:"from"` // how the input came about: made …, demo site
	Strategy string          `json:"strategy"`
	Knobs    strategy.Values `json:"knobs"`  // the published constants that were changed; the rest at their defaults
	Before   string          `json:"before"` // passmark only
	After    string          `json:"after"`
	Kind     strategy.Kind   `json:"kind"`
	Text     string          `json:"text"`
}

// publishedCounts is how many answers of each kind the file holds. compress full
// means that it did not fire or that nothing could go.
var publishedCounts = map[string]int{
	"passmark delta":      164,
	"passmark full":       112,
	"passmark unchanged":  36,
	"compress compressed": 632,
	"compress full":       497,
}

// passmark and compress (scope page) answer what the published code answers,
// byte for byte.
//
// The answers are those of passmark's delta-snapshot proposal #51
// (src/utils/snapshot-diff.ts at 309ed7a6e6f55780fec257099dda1d83ffaf6dcd) and
// of Playwright's proposal #41396 (ariaCompression.ts at
// 3d068ea257deebb689a3e1e9bbafb3c008393cca), both run unchanged under node 20
// but for their types; where a case sets a knob, the constant of that meaning
// was set to it. The inputs are made (random trees and their edits, savings at
// the threshold and one unit beside it, long lists, pairs of lines that share a
// signature or just do not, the bounds of a signature, every protected word) or
// come from the demo site: its recording, its snapshots and the pages the aria
// text is tested on.
func TestEqualToThePublishedCode(t *testing.T) {
	seen := map[string]int{}
	for i, c := range publishedCases(t) {
		s := map[string]*strategy.Strategy{"passmark": Passmark, "compress": Compress}[c.Strategy]
		in := strategytest.Page(c.After)
		if s == Passmark {
			in = strategytest.Against(c.Before, c.After)
		}
		v := s.Apply(in, s.Values(c.Knobs))
		strategytest.Check(t, in, v)
		seen[c.Strategy+" "+string(c.Kind)]++
		if v.Kind == c.Kind && v.Text == c.Text {
			continue
		}
		t.Errorf("case %d (%s, %s %v): %s, published %s: %s", i, c.From, c.Strategy, c.Knobs, v.Kind, c.Kind, v.Reason())
		if len(c.After) < 1000 {
			t.Errorf("before %q\nafter  %q\n%s", c.Before, c.After, cmp.Diff(c.Text, v.Text))
		}
	}
	if diff := cmp.Diff(publishedCounts, seen); diff != "" {
		t.Errorf("answers of each kind (-said +held):\n%s", diff)
	}
}

func publishedCases(t *testing.T) []publishedCase {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "published", "pairs.jsonl.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var out []publishedCase
	d := json.NewDecoder(z)
	d.DisallowUnknownFields()
	for {
		var c publishedCase
		switch err := d.Decode(&c); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatalf("case %d: %v", len(out), err)
		}
		out = append(out, c)
	}
}
