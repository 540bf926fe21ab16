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
		{name: "find-is-an-excerpt", seen: "excerpt:1 inline:1", pages: 1, documents: 1},
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

// Pages in user messages: each is the result of what the reply before it asked for.
func TestTruthOfPagesInMessages(t *testing.T) {
	for _, c := range []struct {
		name, acts string
		pages      int
		images     int
	}{
		{"axtree-in-user-messages", "snapshot, type 3, click 4", 3, 2},
		{"indexed-dom-in-user-messages", "snapshot, fill 1, click 2", 3, 0},
		{"webvoyager", "snapshot, click 1, type 2", 3, 3},
		{"langchain", "snapshot, fill 1, click 2", 3, 0},
		{"open-operator", "snapshot, fill 1, click 2", 3, 0},
	} {
		im := read(t, "truth/"+c.name+".json", Options{})
		acts, res := results(im)
		var got []string
		for _, a := range acts {
			s := string(a.Verb)
			if a.Target != nil {
				s += " " + a.Target.Ref
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != c.acts || len(im.Orphans) > 0 || im.Images != c.images {
			t.Errorf("%s: %s, orphans %v, %d images", c.name, s, im.Orphans, im.Images)
		}
		for i, r := range res {
			if r.Seen != session.SeenInline || r.Snapshot == nil || r.Snapshot.Count() < 3 {
				t.Fatalf("%s: result %d %+v", c.name, i+1, r)
			}
			if i+1 < len(acts) && acts[i+1].Target != nil && !strings.Contains(r.Snapshot.Text, "["+acts[i+1].Target.Ref+"]") {
				t.Errorf("%s: page %d does not show %s", c.name, i+1, acts[i+1].Target.Ref)
			}
		}
		if len(res) != c.pages {
			t.Errorf("%s: %d pages, want %d", c.name, len(res), c.pages)
		}
	}
	im := read(t, "truth/browser-use-without-pages.json", Options{})
	if im.Usage.Input != 7001+7420 || im.Calls != 2 || im.Results != 2 || len(im.Seen) != 0 {
		t.Errorf("%+v", im)
	}
}
