package ledger

import (
	"slices"

	"snapscope/snapshot/notation"
)

// An element is a document and a ref. In two cases that does not tell enough. A URL
// that is loaded again is another document with the same elements: a browser counts
// refs anew and comes to the same ones. And some agents count the elements anew on
// every page, so that one number names many elements of one document. In both, an
// older page shows the element that an action means where ref, role and name agree.

// identity is how a page shows an element.
type identity struct {
	role, name string
	document   int // whose page shows it so; 0: it is not known how it is shown
}

func identityOf(page *notation.Text, line int, d notation.Dialect, document int) identity {
	l := page.Line(line)
	id := identity{l.Role, l.Name(), document}
	if id.name == "" && d == notation.Index { // a field's words stand in its tag
		id.name = l.AttrsAt.Of(l.Raw)
	}
	return id
}

// countsAnew reports whether a notation's handles are given anew on every page.
func countsAnew(d notation.Dialect) bool {
	return d == notation.Index || d == notation.AXTree || d == notation.AgentBrowser
}

// address is where a document is: its tab and its URL without the fragment.
type address struct {
	tab int
	url string
}

func withoutFragment(url string) string {
	for i := range len(url) {
		if url[i] == '#' {
			return url[:i]
		}
	}
	return url
}

// meant is the wanted element with how its own document shows it: on the newest page
// before the action or, where none does and the URL was loaded before, on the first
// one after it.
func (h *history) meant(w want, document int) want {
	again := h.loads[h.at[document]] > 1
	if document >= len(h.of) {
		return w
	}
	of := h.of[document]
	for _, it := range h.newest(h.shows(w), in(of), in(h.paged)) {
		d := h.t.Snaps[it.snap].Snap.Dialect
		if !again && !countsAnew(d) {
			return w
		}
		page := h.page(it)
		if n := w.line(page); n >= 0 {
			w.is = identityOf(page, n, d, document)
			return w
		}
	}
	if !again {
		return w
	}
	for at := h.index(w).First(w.by(), w.key(), 0); at >= 0; at = h.index(w).First(w.by(), w.key(), at+1) {
		k, found := slices.BinarySearch(of, at)
		if k == len(of) {
			break
		}
		if !found {
			at = of[k] - 1
			continue
		}
		i := h.steps[h.t.Told()[at]].result
		if i == 0 || h.told[at] > 0 || h.t.Steps[i-1].Snap < 0 {
			continue
		}
		sn := h.t.Snaps[h.t.Steps[i-1].Snap].Snap
		page := h.read(sn.Hash, sn.Text, sn.Dialect)
		if n := w.line(page); n >= 0 {
			w.is = identityOf(page, n, sn.Dialect, document)
			break
		}
	}
	return w
}

// tells reports whether an item tells of the element that is meant: it is of its
// document, or of an earlier load of its URL that shows the same element.
func (h *history) tells(it *item, w want, document int) bool {
	if it.of(document) {
		return h.agrees(it, w)
	}
	if it.result == nil || w.is.document == 0 || it.snap < 0 || h.at[document].url == "" || h.at[it.document] != h.at[document] {
		return false
	}
	return w.line(h.page(it)) >= 0 && h.agrees(it, w)
}

// agrees reports whether an item does not show another element under the wanted one's
// ref.
func (h *history) agrees(it *item, w want) bool {
	if w.is.document == 0 || it.snap < 0 {
		return true
	}
	d := h.t.Snaps[it.snap].Snap.Dialect
	if it.document == w.is.document && !countsAnew(d) {
		return true
	}
	page := h.page(it)
	n := w.line(page)
	return n < 0 || identityOf(page, n, d, w.is.document) == w.is
}
