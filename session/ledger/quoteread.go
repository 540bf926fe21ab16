package ledger

import (
	"cmp"
	"slices"
	"strings"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/session/quote"
	"snapscope/snapshot/notation"
)

// Reading tells of the quotes: could the agent still read, when it used them, what it
// had taken from a page? A quote is kept as long as any readable page of the document
// shows it, whatever the line.
type Reading struct {
	// Unknown: the session holds no page, so nothing can be said; the rest is 0.
	Unknown bool
	Quotes  int // pieces of page text that the model used, each once a turn
	Kept    int // of them, those that could be read in the call that used them
	Lost    []Lost
}

// Survival is the quotes as elements are counted: for what says both.
func (r Reading) Survival() Survival {
	return Survival{Unknown: r.Unknown, Acted: r.Quotes, Survived: r.Kept}
}

// shown is an item that shows a token, by itself or in the text that it is read on
// top of.
type shown struct {
	item int32
	base bool
}

// quoteReader follows a session's quotes through one policy.
type quoteReader struct {
	follower
	at [][]shown // by token, in the order of the items
}

// arrives notes which quoted tokens item i shows.
func (r *quoteReader) arrives(h *history, i int) {
	it := &h.items[i]
	if r.q == nil || it.result == nil || it.seen == "" {
		return
	}
	note := func(m mention, base bool) {
		if l := r.at[m.token]; len(l) == 0 || l[len(l)-1].item != int32(i) {
			r.at[m.token] = append(l, shown{int32(i), base})
		} else if !base {
			l[len(l)-1].base = false
		}
	}
	if !it.asStood && it.rewritten() {
		r.shown(it, r.q.page[h.t.Snaps[it.snap].Snap.Hash], note)
	} else if it.asStood {
		for _, m := range r.stood(h, it) {
			note(m, false)
		}
	}
}

// stood are the mentions of an item that stands as the source had it, or as the agent's
// client left it.
func (r *quoteReader) stood(h *history, it *item) []mention {
	if it.result != h.t.Events[it.seq-1].Result {
		return r.find(h.stood(it))
	}
	if ms, ok := r.q.stood[it.seq]; ok || it.snap < 0 {
		return ms
	}
	return r.q.page[h.t.Snaps[it.snap].Snap.Hash]
}

// reads reports whether the history as it stands shows a token of a document.
func (r *quoteReader) reads(h *history, token int32, document int) bool {
	list := r.at[token]
	if len(h.alive) < len(list) { // most have expired
		for _, place := range slices.Backward(h.alive) {
			if i := h.told[place] - 1; i >= 0 && r.here(h, token, i, document) {
				return true
			}
		}
		return false
	}
	for _, s := range slices.Backward(list) {
		if r.here(h, token, int(s.item), document) {
			return true
		}
	}
	return false
}

func (r *quoteReader) here(h *history, token int32, i, document int) bool {
	it := &h.items[i]
	return (it.of(document) || h.at[it.document] == h.at[document] && h.at[document].url != "") && r.shows(h, token, i)
}

// shows reports whether item i, or what it is read on top of, shows a token now.
func (r *quoteReader) shows(h *history, token int32, i int) bool {
	for i >= 0 {
		it := &h.items[i]
		if it.gone || it.expired {
			return false
		}
		k, ok := slices.BinarySearchFunc(r.at[token], int32(i), func(s shown, i int32) int { return int(s.item - i) })
		if !ok {
			return false
		}
		if !r.at[token][k].base {
			return true
		}
		i = h.baseOf(it)
	}
	return false
}

// follower follows lines of a page through its rendering.
type follower struct {
	q      *quotes
	own    own
	finder *quote.Finder // made when a text is looked through again
}

// shown goes through the mentions of a page that a rewritten item shows: by itself, or
// in the text that it is read on top of.
func (f *follower) shown(it *item, page []mention, each func(m mention, base bool)) {
	stages := it.rendered.Stages
	if len(page) == 0 {
		return
	}
	at := resize(f.own.at, len(page))
	for i, m := range page {
		at[i] = m.line
	}
	f.own.at, f.own.bare = at, resize(f.own.bare, len(page))
	const none, whole, base = 0, 1, 2 // of a line that no line of the text stands for
	how := make([]uint8, len(page))
	exact := true
	for k := range stages {
		st := &stages[k]
		exact = exact && st.Exact
		was := slices.Clone(at)
		f.own.through(st)
		for i := range at {
			switch {
			case was[i] >= 0 && at[i] < 0 && (st.Exact || st.Verdict.NeedsBase && !lostIn(st, was[i])):
				how[i] = whole
				if st.Verdict.NeedsBase {
					how[i] = base
				}
			case how[i] == whole && st.Verdict.NeedsBase:
				how[i] = base
			}
			if how[i] != none && !st.Exact && !st.Verdict.NeedsBase && st.Verdict.Lines != nil {
				how[i] = none // what is rewritten again is not followed into
			}
		}
	}
	var lines []string
	for i, m := range page {
		switch {
		case at[i] >= 0:
			if !exact && lines == nil {
				lines = strings.Split(it.rendered.Text, "\n")
			}
			if exact || f.stands(m.token, lines, int(at[i])) {
				each(m, false)
			}
		case how[i] == whole:
			each(m, false)
		case how[i] == base:
			each(m, true)
		}
	}
}

// lostIn reports that a stage says which rule took a line of its input.
func lostIn(st *policy.StageView, line int32) bool {
	n := int(line) + st.Offset
	for _, g := range st.Verdict.Gone {
		if n >= g.From && n < g.To {
			return true
		}
	}
	return false
}

// stands reports whether a line of a text, which may be shortened, has a token.
func (f *follower) stands(token int32, lines []string, at int) (ok bool) {
	if at < len(lines) {
		f.finding().Find(lines[at], func(k int32) { ok = ok || k == token })
	}
	return ok
}

func (f *follower) finding() *quote.Finder {
	if f.finder == nil {
		f.finder = f.q.finder.Clone()
	}
	return f.finder
}

// find are the mentions of a text that no page of the session is.
func (f *follower) find(text *notation.Text) (out []mention) {
	for i := range text.Len() {
		says(text, i, func(said string) {
			f.finding().Find(said, func(k int32) { out = append(out, mention{int32(i), k}) })
		})
	}
	return out
}

// glimpse reports whether a rendering of a page shows a quote.
func (r *quoteReader) glimpse(hash string, snap int, l *Lost, as policy.Rendered) (ok bool) {
	it := item{snap: snap, rendered: as}
	r.shown(&it, r.q.page[hash], func(m mention, _ bool) { ok = ok || r.q.text[m.token] == l.Quote })
	return ok
}

// judge looks, for every quote of call i (an index), whether it can be read in what the
// call holds.
func (r *quoteReader) judge(m *machine, i int) {
	if r.q == nil || i >= len(r.q.uses) {
		return
	}
	out := &m.rep.Reading
	for _, u := range r.q.uses[i] {
		out.Quotes++
		if r.reads(m.h, u.token, u.document) {
			out.Kept++
			continue
		}
		from := m.h.steps[u.seq].item - 1
		w := want{quote: r.place(m.h, from, u)}
		m.rep.quotes = append(m.rep.quotes, place{u.document, from})
		l := m.explain(&session.Step{N: cmp.Or(u.step, m.h.last)}, w, u.document, from)
		l.Quote, l.Document = w.quote.text, u.document
		out.Lost = append(out.Lost, l)
	}
}

// quotePlace is where an item has a quote: the line of its page, and of what stood of it.
type quotePlace struct {
	text        string
	it          *item
	page, stood int
}

func (r *quoteReader) place(h *history, i int, u use) *quotePlace {
	out := &quotePlace{text: r.q.text[u.token], page: -1, stood: -1}
	if i < 0 {
		return out
	}
	out.it = &h.items[i]
	first := func(ms []mention) int {
		for _, m := range ms {
			if m.token == u.token {
				return int(m.line)
			}
		}
		return -1
	}
	if out.it.snap >= 0 {
		out.page = first(r.q.page[h.t.Snaps[out.it.snap].Snap.Hash])
		h.page(out.it)
	}
	if out.it.asStood {
		out.stood = first(r.stood(h, out.it))
		h.stood(out.it)
	}
	return out
}

// line is the line of one of the item's texts that has the quote; -1 none.
func (q *quotePlace) line(t *notation.Text) int {
	switch {
	case q.it == nil:
		return -1
	case t == q.it.page:
		return q.page
	case t == q.it.stood:
		return q.stood
	}
	return -1
}

// listed are the losses as a report for people lists them: elements, then quotes.
func (r *Report) listed() []Lost {
	if r.Policy.Name == AsSentName {
		return nil
	}
	out := r.losses()
	for _, l := range r.Reading.Lost {
		if l.Uses > 0 {
			out = append(out, l)
		}
	}
	return out
}
