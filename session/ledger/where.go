package ledger

import (
	"iter"
	"slices"
	"sort"

	"snapscope/session"
	"snapscope/snapshot/notation"
)

// where is what a history knows of the places (session.Timeline.Told) in which an
// element is looked for. Its lists are sorted.
type where struct {
	told    []int             // by place: its item + 1; 0 not here yet, or the model is not told of it
	arrived int               // the places before this one are here
	of      [][]int           // by document: its places, those that are not here, too
	again   map[address][]int // by an address that was loaded more than once: the places of its documents
	alive   []int             // neither cleared nor taken by a compaction
	paged   []int             // with a page that is known
	fronts  []int             // of them, the newest of each tab
	front   map[int]int       // by tab
	given   []int             // of which the model read something
	notices []int             // of which it read only a notice
	vague   []int             // changed parts that are read on top of a page before, though what of it is left is not known
	cut     []int             // what the client left of a page that is not known
	looks   int               // places gone through so far: a test holds them
}

// grows makes room for what the session has more than before, and notes what of it does
// not wait until it is told: which steps its events belong to, where its documents are,
// and the places of its results.
func (h *history) grows() {
	t := h.t
	h.steps, h.bySnap, h.callOf = longer(h.steps, len(t.Events)+1), longer(h.bySnap, len(t.Snaps)), longer(h.callOf, len(t.Steps)+1)
	for ; h.stepped < len(t.Steps); h.stepped++ {
		s := &t.Steps[h.stepped]
		h.steps[s.ActionSeq].action, h.steps[s.ResultSeq].result = h.stepped+1, h.stepped+1
	}
	for ; h.located < len(t.Snaps); h.located++ { // a document is where the first page is that shows it
		s := &t.Snaps[h.located]
		if _, known := h.at[s.Document]; known || s.Document == 0 || s.Snap.URL == "" {
			continue
		}
		a := address{s.Snap.Tab, withoutFragment(s.Snap.URL)}
		if h.loads[a]++; h.loads[a] == 2 {
			for d, of := range h.at {
				if of == a && d < len(h.of) {
					h.again[a] = slices.Clone(h.of[d])
				}
			}
		}
		h.at[s.Document] = a
	}
	for told := t.Told(); len(h.told) < len(told); {
		place, document := len(h.told), 0
		at := &h.steps[told[place]]
		if at.place = place + 1; at.result > 0 {
			document = t.Steps[at.result-1].Document
		}
		h.told, h.of = append(h.told, 0), longer(h.of, document+1)
		h.of[document] = append(h.of[document], place)
		if a, ok := h.at[document]; ok && h.loads[a] > 1 {
			h.again[a] = append(h.again[a], place)
		}
	}
}

// longer is a list with so many values, the new ones zero.
func longer[T any](s []T, n int) []T {
	if more := n - len(s); more > 0 {
		s = slices.Grow(s, more)
		clear(s[len(s):n])
		return s[:n]
	}
	return s
}

// grouped are the numbers up to count by their group, in one piece; a number whose
// group is none of them is left out.
func grouped(count, groups int, of func(i int) int) [][]int {
	n := make([]int, groups)
	for i := range count {
		if g := of(i); g >= 0 && g < groups {
			n[g]++
		}
	}
	all, out := make([]int, count), make([][]int, groups)
	for g := range out {
		out[g], all = all[:0:n[g]], all[n[g]:]
	}
	for i := range count {
		if g := of(i); g >= 0 && g < groups {
			out[g] = append(out[g], i)
		}
	}
	return out
}

// here notes that item i, which tells of a page, is in the history.
func (h *history) here(i int) {
	it := &h.items[i]
	h.told[it.place], h.arrived = i+1, it.place+1
	put := func(list *[]int, is bool) {
		if is {
			*list = append(*list, it.place)
		}
	}
	put(&h.alive, true)
	put(&h.paged, it.snap >= 0)
	put(&h.given, it.seen != "" && it.seen.Given() || it.seen == session.SeenExcerpt)
	put(&h.notices, it.seen == session.SeenLink || it.seen == session.SeenDropped)
	put(&h.vague, it.asStood && it.prior >= 0 && !h.known(it))
	put(&h.cut, it.seen == session.SeenCut && !h.known(it))
	if it.snap >= 0 {
		if was, ok := h.front[it.tab()]; ok {
			k, _ := slices.BinarySearch(h.fronts, was)
			h.fronts = slices.Delete(h.fronts, k, k+1)
		}
		h.front[it.tab()] = it.place
		h.fronts = append(h.fronts, it.place)
	}
	if h.baseItem(i) >= 0 && !it.asStood {
		h.buildsOn(i)
	}
}

// buildsOn ties an item to the one it is read on top of, and that one to its own.
func (h *history) buildsOn(i int) {
	for b := h.baseItem(i); b >= 0 && !h.items[i].tied; i, b = b, h.baseItem(b) {
		h.items[i].tied, h.items[i].next = true, h.items[b].above
		h.items[b].above = i + 1
	}
}

// clears takes an item that tells of a page off those that can be read, or puts it back.
func (h *history) clears(i int, clear bool) {
	place := h.items[i].place
	if place < 0 {
		return
	}
	switch k, found := slices.BinarySearch(h.alive, place); {
	case found && clear && k == 0:
		h.alive = h.alive[1:]
	case found && clear:
		h.alive = slices.Delete(h.alive, k, k+1)
	case !found && !clear:
		h.alive = slices.Insert(h.alive, k, place)
	}
}

// forgets takes the items before h.kept off those that can be read.
func (h *history) forgets() {
	h.alive = h.alive[sort.Search(len(h.alive), func(k int) bool { return h.told[h.alive[k]] > h.kept }):]
}

// list is a list of places: it answers the last of them up to one; -1 none.
type list func(at int) int

// in is a sorted list.
func in(places []int) list {
	return func(at int) int {
		k, found := slices.BinarySearch(places, at)
		switch {
		case found:
			return at
		case k > 0:
			return places[k-1]
		}
		return -1
	}
}

// either are the places that are in one of the lists.
func either(lists ...list) list {
	return func(at int) int {
		last := -1
		for _, l := range lists {
			last = max(last, l(at))
		}
		return last
	}
}

// last is the last place up to at that is in all of the lists; -1 none.
func last(at int, lists []list) int {
	for k, agree := 0, 0; at >= 0 && agree < len(lists); k++ {
		to := lists[k%len(lists)](at)
		if agree++; to != at {
			at, agree = to, 1
		}
	}
	return at
}

// newest goes through the items that may show an element, from the newest on: those in
// all of the lists, and in shows. The first is the newest of the lists whatever it shows:
// mostly it shows the element, and nothing has to be looked up.
func (h *history) newest(shows list, lists ...list) iter.Seq2[int, *item] {
	return func(yield func(i int, it *item) bool) {
		at := last(h.arrived-1, lists)
		for lists = append(lists, shows); at >= 0; at = last(at-1, lists) {
			h.looks++
			if i := h.told[at] - 1; i >= 0 && !yield(i, &h.items[i]) {
				return
			}
		}
	}
}

// shows are the places whose result shows an element, and some where it is not certain.
func (h *history) shows(w want) list {
	return func(at int) int { return h.index(w).Last(w.by(), w.key(), at) }
}

// document are the places that may tell of an element of a document.
func (h *history) document(w want, document int) list {
	if document == 0 {
		return func(at int) int { return at }
	}
	var lists []list
	if len(h.of) > 0 {
		lists = append(lists, in(h.of[0]))
	}
	if document < len(h.of) {
		lists = append(lists, in(h.of[document]))
	}
	if w.is.document != 0 {
		lists = append(lists, in(h.again[h.at[document]]))
	}
	return either(lists...)
}

// index is where the session shows what.
func (h *history) index(w want) *session.Index {
	by := w.by()
	return h.t.Index(by, func(place int) iter.Seq[string] {
		return func(yield func(string) bool) {
			seq := h.t.Told()[place]
			it := item{result: h.t.Events[seq-1].Result, snap: -1}
			it.seen = seen(it.result)
			if i := h.steps[seq].result; i > 0 {
				it.snap = h.t.Steps[i-1].Snap
			}
			page, stood := h.page(&it), h.stood(&it)
			if page != nil && !keysOf(page, by, yield) || stood == page {
				return
			}
			keysOf(stood, by, yield)
		}
	})
}

// by is what an element is looked up by, and key the key.
func (w want) by() session.By {
	if w.ref != "" {
		return session.ByRef
	}
	return session.ByRole
}

func (w want) key() string {
	if w.ref != "" {
		return w.ref
	}
	return roleKey(w.role, w.name)
}

func roleKey(role, name string) string { return role + "\x00" + name }

// keysOf gives what a text shows; it answers false where no more is asked for.
func keysOf(t *notation.Text, by session.By, yield func(string) bool) bool {
	if by == session.ByRef {
		for ref := range t.Refs() {
			if !yield(ref.Ref) {
				return false
			}
		}
		return true
	}
	for role, name := range t.Called() {
		if !yield(roleKey(role, name)) || name != "" && !yield(roleKey(role, "")) {
			return false
		}
	}
	return true
}
