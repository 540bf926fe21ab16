package ledger

import (
	"encoding/json"
	"strings"

	"snapscope/session"
	"snapscope/snapshot"
	"snapscope/snapshot/notation"
)

// want is an element looked for in the history.
type want struct {
	ref        string
	role, name string
	nth        int
	is         identity    // how its document shows it, where that matters; see history.meant
	quote      *quotePlace // a quote, which is no element
}

// wants are the elements an action names that can be looked for.
func wants(a *session.Action) []want {
	var out []want
	add := func(t *session.Target) {
		if t != nil && (t.Ref != "" || t.Role != "") {
			out = append(out, want{ref: t.Ref, role: t.Role, name: t.Name, nth: t.Nth})
		}
	}
	add(a.Target)
	for i := range a.Others {
		add(&a.Others[i])
	}
	return out
}

// called is the element's role and name as a person writes them.
func (w want) called() string {
	if w.name == "" {
		return w.role
	}
	q, err := json.Marshal(w.name)
	if err != nil {
		return w.role
	}
	return w.role + " " + string(q)
}

// label is how the element is called in a report.
func (w want) label() string {
	if w.quote != nil {
		return w.quote.text
	}
	if w.ref != "" {
		return w.ref
	}
	return w.called()
}

// line is the line of a text that shows the element; -1 none does.
func (w want) line(t *notation.Text) int {
	if w.quote != nil {
		return w.quote.line(t)
	}
	if w.ref != "" {
		return t.Find(w.ref)
	}
	return t.FindRole(w.role, w.name, w.nth)
}

type dialectKey string // a content hash

// read is a text taken apart, shared by all simulations with one renderer.
func (h *history) read(hash, text string, d notation.Dialect) *notation.Text {
	if hash == "" {
		hash = snapshot.HashText(text)
	}
	if d == "" {
		d = h.r.Cached(dialectKey(hash), func() any { return notation.Tell(text) }).(notation.Dialect)
	}
	return h.r.Pages().Read(hash, text, d)
}

// page is the page of an item; nil where it is not known.
func (h *history) page(it *item) *notation.Text {
	if it.snap < 0 {
		return nil
	}
	if it.page == nil {
		sn := h.t.Snaps[it.snap].Snap
		it.page = h.read(sn.Hash, sn.Text, sn.Dialect)
	}
	return it.page
}

// stood is the snapshot part of an item as it stood in the result.
func (h *history) stood(it *item) *notation.Text {
	if it.stood == nil {
		var d notation.Dialect
		if it.snap >= 0 {
			sn := h.t.Snaps[it.snap].Snap
			if it.asShown() == sn.Text {
				it.stood = h.page(it)
				return it.stood
			}
			d = sn.Dialect
		}
		shown := unescaped(it.asShown())
		if it.seen == session.SeenExcerpt {
			shown = notation.Bare(shown)
		}
		it.stood = h.read("", shown, d)
		if page := h.page(it); page != nil && it.seen == session.SeenInline && (it.stood.Elements() == 0 || d == notation.Index && it.result.Policy == "") {
			it.stood = page // written otherwise, such as with line numbers or in one line, but all of it
		}
	}
	return it.stood
}

// unescaped is a text that stood inside JSON, on one line, with its line breaks.
func unescaped(text string) string {
	if strings.Contains(text, "\n") || !strings.Contains(text, `\n`) {
		return text
	}
	return escapes.Replace(text)
}

var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\"`, `"`, `\t`, "\t", `\/`, "/")

// reading is an item's page as far as it is known, else what the model was shown.
func (h *history) reading(it *item) *notation.Text {
	if page := h.page(it); page != nil {
		return page
	}
	return h.stood(it)
}

// reader tells what an agent with nothing but the history can read.
type reader struct {
	h    *history
	look int   // the look at hand
	seen []int // by item: the last look that went over it
	own  own

	w        want   // what is looked for,
	document int    // in which document
	from     int    // and the item at which it is looked for now
	entry    int    // counts those
	free     []int  // by item: the last entry at which nothing newer took it back
	path     []step // scratch
}

// step is an item on the way to what builds on it; next is the one to look at, as
// item.above has it.
type step struct{ item, next int }

// documentOf is the document whose element an action means: the one in view (the refs
// of documents before it name other elements), or where its page does not have the
// element, the one of another open tab that does.
func (h *history) documentOf(w want) int {
	for _, it := range h.newest(h.shows(w), in(h.fronts)) {
		switch {
		case w.line(h.page(it)) < 0:
		case it.place == h.fronts[len(h.fronts)-1] && it.document != h.view:
			return h.view // a page that was left
		default:
			return it.document
		}
	}
	return h.view
}

// of reports whether an item tells of a document.
func (it *item) of(document int) bool {
	return it.result != nil && (document == 0 || it.document == 0 || it.document == document)
}

// canRead reports whether the history as it stands shows an element of the
// document. Newer items come first: a delta that takes a line away outweighs its
// base.
func (r *reader) canRead(w want, document int) bool {
	r.look++
	for len(r.seen) < len(r.h.items) {
		r.seen, r.free = append(r.seen, 0), append(r.free, 0)
	}
	h := r.h
	for i, it := range h.newest(either(h.shows(w), in(h.vague)), in(h.alive), h.document(w, document)) {
		if r.seen[i] == r.look || !h.tells(it, w, document) {
			continue
		}
		r.w, r.document, r.from = w, document, i
		r.entry++
		if r.item(i, w) {
			return true
		}
	}
	return false
}

// takenBack reports whether a page that is newer than the one at hand, can be read, builds
// on item i and does not show the element: a page that builds on another shows all that is
// left of it.
func (r *reader) takenBack(i int) bool {
	h := r.h
	r.path = append(r.path[:0], step{i, h.items[i].above})
	for len(r.path) > 0 {
		top := &r.path[len(r.path)-1]
		if top.next == 0 {
			r.free[top.item] = r.entry
			r.path = r.path[:len(r.path)-1]
			continue
		}
		k := top.next - 1
		it := &h.items[k]
		top.next = it.next
		h.looks++
		switch {
		case r.free[k] == r.entry:
		case k > r.from && !it.asStood && !it.gone && !it.expired && h.tells(it, r.w, r.document) && r.w.line(h.page(it)) < 0:
			return true
		default:
			r.path = append(r.path, step{k, it.above})
		}
	}
	return false
}

// item reports whether item i shows the element to a reader of the history.
func (r *reader) item(i int, w want) bool {
	r.seen[i] = r.look
	it := &r.h.items[i]
	switch {
	case it.result == nil || it.gone || it.expired || !r.h.agrees(it, w):
		return false
	case r.takenBack(i):
		return false
	case it.asStood:
		return r.asStood(it, w)
	case it.rewritten():
		return r.rewritten(i, it, w)
	}
	return false
}

// asStood reads a snapshot part as the source had it. An incremental one is read
// on top of the one before, as far as the rebuilt tree says the element is
// still there.
func (r *reader) asStood(it *item, w want) bool {
	h := r.h
	if n := w.line(h.stood(it)); n >= 0 {
		if it.seen != session.SeenCut && it.seen != session.SeenSpilled {
			return true
		}
		return h.entire(it, w, n)
	}
	if it.prior < 0 || r.seen[it.prior] == r.look {
		return false
	}
	if page := h.page(it); page != nil && h.known(it) && w.line(page) < 0 {
		return false
	}
	return r.item(it.prior, w)
}

// entire reports whether a line of what a client left of a page is one of the
// page's own: a line that was cut in two is none.
func (h *history) entire(it *item, w want, n int) bool {
	page := h.page(it)
	if page == nil {
		return true
	}
	k := w.line(page)
	return k >= 0 && strings.TrimSpace(page.Raw(k)) == strings.TrimSpace(h.stood(it).Raw(n))
}

// rewritten reads what the policy made of a snapshot.
func (r *reader) rewritten(i int, it *item, w want) bool {
	h := r.h
	if w.ref != "" && h.baseOf(it) < 0 {
		return r.own.shows(i, it, h.page(it), w.ref)
	}
	byRef := w.ref != ""
	line := w.line(h.page(it))
	if it.shows(line, byRef) {
		return true
	}
	base := h.baseOf(it)
	if base < 0 || r.seen[base] == r.look {
		return false
	}
	if line < 0 || !it.given(line) {
		for i := base; i >= 0 && r.seen[i] != r.look; i = h.baseItem(i) {
			r.seen[i] = r.look // what its base says is taken back
		}
		return false
	}
	if ref := h.page(it).Ref(line); ref != "" { // as its base calls it
		w = want{is: w.is, ref: it.rendered.Stages[comparing(&it.rendered)].Verdict.BaseRef(ref)}
	}
	return r.item(base, w)
}

// baseOf is the item whose rendering a rewritten one is read on top of; -1 none.
func (h *history) baseOf(it *item) int {
	if it.rendered.Base >= 0 {
		return h.bySnap[it.rendered.Base] - 1
	}
	return -1
}
