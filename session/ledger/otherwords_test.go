package ledger_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
)

// told is a word of a page or of what was said about it.
var told = regexp.MustCompile(`[A-Z][a-z]{3,}`)

// layout are words of servers' answers and of agents' replies.
var layout = []string{"Page", "Snapshot", "Title", "State", "Click", "Type", "Action", "Thought", "Error", "Result", "Found", "Current", "Interactive", "Start"}

// inOtherWords writes a session's file again with other words and numbers for what its
// pages say, the same one wherever a word is, so that a reader cannot know it by heart.
// The words of the notation and of the file's own layout stay: a word is replaced only
// where a page has it as the name of an element, and keep does not name it.
func inOtherWords(t *testing.T, file string, seed uint64, keep ...string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	im, err := transcript.Read(t.Context(), file, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 7))
	other := map[string]string{}
	for _, e := range im.Events {
		if e.Result == nil || e.Result.Snapshot == nil {
			continue
		}
		for _, name := range regexp.MustCompile(`"[^"\n]+"|>[^<>\n]+<|<\w+ [A-Z][^<>\n]+>`).FindAllString(e.Result.Snapshot.Text, -1) {
			for _, w := range told.FindAllString(name, -1) {
				if other[w] != "" || slices.Contains(keep, w) || slices.Contains(layout, w) {
					continue
				}
				var b strings.Builder
				for b.Len() < len(w) {
					b.WriteByte("bdfglmnprstv"[r.IntN(12)])
					b.WriteByte("aeiou"[r.IntN(5)])
				}
				o := b.String()
				if w[0] <= 'Z' {
					o = strings.ToUpper(o[:1]) + o[1:]
				}
				other[w] = o
			}
		}
	}
	if len(other) == 0 {
		t.Fatalf("%s has no word to replace", file)
	}
	changed := told.ReplaceAllFunc(data, func(w []byte) []byte {
		if o := other[string(w)]; o != "" {
			return []byte(o)
		}
		return w
	})
	if bytes.Equal(changed, data) {
		t.Fatalf("%s is as it was", file)
	}
	out := filepath.Join(t.TempDir(), filepath.Base(file))
	if err := os.WriteFile(out, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

// What is true of the small sessions is true of them in other words, too, from their
// files on: the reader of each format, its documents, what is readable and what is not.
func TestTruthInOtherWords(t *testing.T) {
	outcome := func(want string) func(ledger.Sheet) string {
		return func(s ledger.Sheet) string {
			if s.Outcome != want {
				return fmt.Sprintf("outcome %q, want %q", s.Outcome, want)
			}
			return ""
		}
	}
	for name, c := range map[string]struct {
		file     string
		keep     []string
		policies []string
		survive  []string
		pages    int
		also     func(ledger.Sheet) string
	}{
		"find-is-an-excerpt": {policies: []string{"full", "keep-one", "delta"}, survive: []string{"2/2", "2/2", "2/2"}, pages: 1},
		"reload-same-url":    {policies: []string{"full", "agent-browser", "keep-one"}, survive: []string{"1/1", "1/1", "0/1"}},
		"reopened-unchanged": {policies: []string{"full", "delta", "playwright-incremental"}, survive: []string{"3/3", "3/3", "3/3"}, pages: 5},
		"invented": {policies: []string{"full"}, survive: []string{"1/2"}, also: func(s ledger.Sheet) string {
			if !strings.HasPrefix(s.Advice.Text, "Step 2 acted on e777: no earlier page showed it; the call failed: ") {
				return s.Advice.Text
			}
			return ""
		}},
		"read-not-touched": {policies: []string{"full"}, survive: []string{"–"}, also: func(s ledger.Sheet) string {
			if s.Advice.Report != nil && !s.Advice.Report.Policy.Exact() {
				return s.Advice.Text
			}
			return ""
		}},
		"webvoyager":    {keep: []string{"Observation", "button", "input"}, policies: []string{"full"}, survive: []string{"2/2"}, pages: 3, also: outcome("")},
		"langchain":     {policies: []string{"full"}, survive: []string{"2/2"}, pages: 3, also: func(s ledger.Sheet) string { return map[bool]string{true: "no system prompt"}[s.AsSent.System < 20] }},
		"open-operator": {policies: []string{"full"}, survive: []string{"2/2"}, pages: 3, also: outcome("success")},
		"hour-cache": {file: "../ledger/hour-cache.claude-code.jsonl", policies: []string{"full"}, also: func(s ledger.Sheet) string {
			if s.AsSent.Cost == nil || math.Abs(*s.AsSent.Cost-0.111621) > 1e-9 {
				return "the bill is 0.111621, as sent costs " + ledger.Dollars(s.AsSent.Cost)
			}
			return ""
		}},
	} {
		file := c.file
		if file == "" {
			file = "truth/" + name + ".json"
		}
		for seed := range uint64(4) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				im, err := transcript.Read(t.Context(), inOtherWords(t, filepath.Join("..", "..", "testdata", "transcripts", filepath.FromSlash(file)), seed, c.keep...), transcript.Options{Count: words})
				if err != nil || len(im.Skipped) > 0 {
					t.Fatalf("%v, skipped %+v", err, im.Skipped)
				}
				s := studied(t, session.NewTimeline(im.Events), c.policies...)
				if c.survive != nil {
					mustSurvive(t, s, c.survive...)
				}
				if c.pages > 0 && s.Full.Snapshots != c.pages {
					t.Errorf("%d pages, want %d", s.Full.Snapshots, c.pages)
				}
				if c.also != nil {
					if why := c.also(s); why != "" {
						t.Error(why)
					}
				}
			})
		}
	}
}
