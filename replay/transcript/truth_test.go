package transcript

import (
	"strings"
	"testing"

	"snapscope/session"
)

// The files under truth are small sessions, made by hand in real shapes, on
// which a reader can go wrong. What is true of each was written down before it
// was read.
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		name, seen string
		pages      int // results with a page
		documents  int
		texts      []string // of the pages in their order; "*": any
	}{
		{name: "incremental-no-root-ref", seen: "incremental:2 inline:1", pages: 3, documents: 1, texts: []string{
			"- generic:\n  - generic [ref=e1]:\n    - link \"Skip\" [ref=e3]\n    - button \"A\" [ref=e4]",
			"- generic:\n  - generic [ref=e1]:\n    - link \"Skip\" [ref=e3]\n    - button \"B\" [ref=e5]",
			"- generic:\n  - generic [ref=e1]:\n    - link \"Skip\" [ref=e3]\n    - button \"B\" [ref=e5]",
		}},
		{name: "incremental-after-empty", seen: "incremental:2 inline:1", pages: 3, documents: 1, texts: []string{
			"",
			"- generic [ref=e1]:\n  - link \"Skip\" [ref=e3]\n  - button \"A\" [ref=e4]",
			"- generic [ref=e1]:\n  - link \"Skip\" [ref=e3]\n  - button \"B\" [ref=e5]",
		}},
		{name: "sent-incremental", seen: "incremental:2 inline:1", pages: 3, documents: 1},
		{name: "query-changes", seen: "incremental:2 inline:1", pages: 3, documents: 1},
		{name: "ref-of-another-page", seen: "inline:3", pages: 3, documents: 2},
		{name: "forged-by-text", seen: "inline:2", pages: 2, documents: 1},
		{name: "example-in-docs", seen: "inline:2", pages: 2, documents: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			im := read(t, "truth/"+c.name+".json", Options{})
			if got := seenText(im.Seen); got != c.seen {
				t.Errorf("seen %s, want %s", got, c.seen)
			}
			_, res := results(im)
			var pages []string
			documents := map[string]bool{}
			for _, r := range res {
				s := r.Snapshot
				if s == nil {
					continue
				}
				pages = append(pages, s.Text)
				documents[s.Document] = true
				if s.Partial || strings.Contains(s.Text, "[unchanged]") || s.Rebuilt != (r.Seen == session.SeenIncremental) {
					t.Errorf("page %d is not whole: %+v", len(pages), s)
				}
			}
			if len(pages) != c.pages || len(documents) != c.documents {
				t.Errorf("%d pages of %d documents, want %d of %d", len(pages), len(documents), c.pages, c.documents)
			}
			for i, want := range c.texts {
				if i >= len(pages) || pages[i] != want {
					t.Errorf("page %d is\n%s\nwant\n%s", i+1, pages[i], want)
				}
			}
		})
	}
}
