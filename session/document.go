package session

import (
	"maps"
	"strings"

	"snapscope/snapshot"
	"snapscope/snapshot/notation"
)

// documents tells which document of the session each result belongs to. An
// element is a document and a ref: a ref of a page that was left names another
// element than the same ref of the page that came after it.
//
// A document ends at a navigation. It does not end when a query or a fragment
// changes while the reply goes on from the old tree, as an incremental reply
// does that names parts of it as unchanged: a browser keeps the document then,
// and so the refs.
type documents struct {
	tabs  map[int]tabDocument
	names map[string]int // documents that the source names
	n     int
	now   int // the document that the last result left in view; 0 not known
	tab   int
}

type tabDocument struct {
	n      int
	name   string // as the source named it last
	stable string // its name for baselines, kept while it goes on
	url    string
}

// of answers the number and the name of the document that a result shows, and
// notes that it is in view. The number is 0 where nothing tells.
func (d *documents) of(a *Action, r *Result) (n int, name string) {
	if r.Snapshot == nil {
		d.moved(a, r)
		return d.now, ""
	}
	sn := r.Snapshot
	was, known := d.tabs[sn.Tab]
	switch {
	case known && d.same(was, a, sn):
	case known && sn.Document != "" && goesOn(r):
		was.name = sn.Document
	default:
		was = d.open(sn.Document)
	}
	was.url = sn.URL
	if d.tabs == nil {
		d.tabs = map[int]tabDocument{}
	}
	d.tabs[sn.Tab], d.tab, d.now = was, sn.Tab, was.n
	return was.n, was.stable
}

func (d documents) clone() documents {
	d.tabs, d.names = maps.Clone(d.tabs), maps.Clone(d.names)
	return d
}

// same reports whether a snapshot is of the document that its tab showed before.
func (d *documents) same(was tabDocument, a *Action, sn *snapshot.Snapshot) bool {
	if sn.Document != "" {
		return sn.Document == was.name
	}
	return was.n != 0 && was.name == "" && !a.Verb.Navigates() && page(was.url) == page(sn.URL)
}

func (d *documents) open(name string) tabDocument {
	if n, ok := d.names[name]; ok && name != "" {
		return tabDocument{n: n, name: name, stable: name}
	}
	d.n++
	if name != "" {
		if d.names == nil {
			d.names = map[string]int{}
		}
		d.names[name] = d.n
	}
	return tabDocument{n: d.n, name: name, stable: name}
}

// moved notes a navigation that a result without a snapshot tells of. What is in
// view then has a number of its own, so that no older ref names anything in it,
// until a snapshot shows it.
func (d *documents) moved(a *Action, r *Result) {
	was, known := d.tabs[d.tab]
	if a.Verb == VerbTab {
		d.now = 0
		return
	}
	if !known || r.URL == "" || path(r.URL) == path(was.url) && !(a.Verb.Navigates() && r.OK) {
		return
	}
	d.n++
	d.tabs[d.tab] = tabDocument{n: d.n, url: r.URL}
	d.now = d.n
}

// page is a URL without its fragment, path without query and fragment.
func page(url string) string { before, _, _ := strings.Cut(url, "#"); return before }
func path(url string) string { before, _, _ := strings.Cut(page(url), "?"); return before }

// goesOn reports whether a reply names parts of the tree before it as unchanged.
func goesOn(r *Result) bool {
	if r.Seen != SeenIncremental || !r.Snapshot.Rebuilt {
		return false
	}
	for line := range strings.SplitSeq(r.Shown, "\n") {
		if notation.ReadLine(line, r.Snapshot.Dialect).Kind == notation.UnchangedLine {
			return true
		}
	}
	return false
}
