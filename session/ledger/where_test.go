package ledger

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot"
	"snapscope/snapshot/notation"
)

// walked are the answers as a walk over the whole history gives them, page by page: what
// the lists of places are held against.
type walked struct{ h *history }

// newestOf are the items that tell of a page, from the newest on.
func (x walked) newestOf(alive bool) (out []int) {
	for i := len(x.h.items) - 1; i >= 0; i-- {
		it := &x.h.items[i]
		if (it.snap >= 0 || it.seen != "") && !(alive && (it.gone || it.expired)) {
			out = append(out, i)
		}
	}
	return out
}

func (x walked) documentOf(w want) int {
	tabs := map[int]bool{}
	for _, i := range x.newestOf(false) {
		it := &x.h.items[i]
		if it.snap < 0 || tabs[it.tab()] {
			continue
		}
		if w.line(x.h.page(it)) >= 0 {
			if len(tabs) == 0 && it.document != x.h.view {
				return x.h.view
			}
			return it.document
		}
		tabs[it.tab()] = true
	}
	return x.h.view
}

func (x walked) meant(w want, document int) want {
	h := x.h
	again := h.loads[h.at[document]] > 1
	for _, i := range x.newestOf(false) {
		it := &h.items[i]
		if it.snap < 0 || it.document != document {
			continue
		}
		d := h.t.Snaps[it.snap].Snap.Dialect
		if !again && !countsAnew(d) {
			return w
		}
		if n := w.line(h.page(it)); n >= 0 {
			w.is = identityOf(h.page(it), n, d, document)
			return w
		}
	}
	for k := range h.t.Snaps {
		if s := &h.t.Snaps[k]; again && s.Document == document && h.bySnap[k] == 0 {
			page := h.read(s.Snap.Hash, s.Snap.Text, s.Snap.Dialect)
			if n := w.line(page); n >= 0 {
				w.is = identityOf(page, n, s.Snap.Dialect, document)
				break
			}
		}
	}
	return w
}

func (x walked) lastShown(w want, document int) int {
	for _, i := range x.newestOf(false) {
		it := &x.h.items[i]
		if x.h.tells(it, w, document) && it.seen != "" && (it.seen.Given() || it.seen == session.SeenExcerpt) && w.line(x.h.reading(it)) >= 0 {
			return i
		}
	}
	return -1
}

// unread says why the model never had the element before it.
func (x walked) unread(w want, document int) (why string) {
	left, cut := false, -1
	for _, i := range x.newestOf(false) {
		it := &x.h.items[i]
		if cut < 0 && it.of(document) && it.seen == session.SeenCut && !x.h.known(it) {
			cut = i
		}
		if page := x.h.page(it); page == nil || w.line(page) < 0 {
			continue
		}
		switch {
		case !x.h.tells(it, w, document):
			left = true
		case it.seen == session.SeenLink:
			return fmt.Sprintf("only a link to the snapshot of step %d", it.step)
		case it.seen == session.SeenDropped:
			return fmt.Sprintf("did not show the snapshot of step %d", it.step)
		}
	}
	switch {
	case cut >= 0:
		return fmt.Sprintf("cut the snapshot of step %d", x.h.items[cut].step)
	case left:
		return "only an earlier page"
	}
	return "no earlier page showed it"
}

// canRead looks at every page: one that builds on others and does not show the element
// takes back what they say of it.
func (x walked) canRead(r *reader, w want, document int) bool {
	r.look++
	for len(r.seen) < len(x.h.items) {
		r.seen, r.free = append(r.seen, 0), append(r.free, 0)
	}
	r.from = len(x.h.items) // nothing is newer: what takes back is met before
	for _, i := range x.newestOf(true) {
		if r.seen[i] != r.look && x.h.tells(&x.h.items[i], w, document) && r.item(i, w) {
			return true
		}
	}
	return false
}

// anySession is a session of tabs, documents that are loaded again, pages that come whole,
// in part, as links, cut and changed, a person's own steps, and expiries.
func anySession(t *rapid.T) *session.Timeline {
	var events []session.Event
	var ids []string
	put := func(e session.Event) { events = append(events, e) }
	n := 0
	for range rapid.IntRange(1, 18).Draw(t, "events") {
		n++
		id := "a" + strconv.Itoa(n)
		switch rapid.IntRange(0, 11).Draw(t, "what") {
		case 0:
			put(session.Event{Kind: session.KindUser, User: &session.Message{Text: "go on"}})
			continue
		case 1:
			put(session.Event{Kind: session.KindCompact, Compact: &session.Compaction{Keep: rapid.IntRange(0, 4).Draw(t, "keep"), Text: "so far"}})
			continue
		case 2:
			if len(ids) > 0 {
				put(session.Event{Kind: session.KindExpiry, Expiry: &session.Expiry{IDs: []string{rapid.SampledFrom(ids).Draw(t, "expired")}}})
			}
			continue
		}
		a := &session.Action{ID: id, Verb: rapid.SampledFrom([]session.Verb{session.VerbClick, session.VerbClick, session.VerbGoto, session.VerbTab}).Draw(t, "verb")}
		a.Tool = string(a.Verb)
		a.Target = &session.Target{Ref: "e" + strconv.Itoa(rapid.IntRange(1, 12).Draw(t, "ref"))}
		if rapid.IntRange(0, 4).Draw(t, "by role") == 0 {
			a.Target = &session.Target{Role: "button", Name: fmt.Sprint("b", rapid.IntRange(1, 8).Draw(t, "name"))}
		}
		a.Person = rapid.IntRange(0, 9).Draw(t, "person") == 0
		put(session.Event{Kind: session.KindAction, Action: a})
		ids = append(ids, id)
		r := &session.Result{Action: id, OK: true}
		if rapid.IntRange(0, 9).Draw(t, "orphan") == 0 {
			r.Action = "nobody"
		}
		put(session.Event{Kind: session.KindResult, Result: r})
		if rapid.IntRange(0, 5).Draw(t, "no page") == 0 {
			continue
		}
		var b strings.Builder
		from := rapid.IntRange(1, 4).Draw(t, "from")
		for i := range rapid.IntRange(0, 8).Draw(t, "rows") {
			fmt.Fprintf(&b, "- button \"b%d\" [ref=e%d]\n", i+from, i+rapid.IntRange(1, 2).Draw(t, "shift"))
		}
		text := b.String()
		document := rapid.IntRange(1, 4).Draw(t, "document")
		r.Snapshot = &snapshot.Snapshot{
			URL: "http://a.test/" + strconv.Itoa(document/2), Document: "d" + strconv.Itoa(document), Text: text, Hash: snapshot.HashText(text),
			Tab: document % 2, Dialect: rapid.SampledFrom([]notation.Dialect{notation.Aria, notation.Aria, notation.AgentBrowser}).Draw(t, "dialect"),
			Partial: rapid.IntRange(0, 5).Draw(t, "partial") == 0,
		}
		r.Seen = rapid.SampledFrom([]session.Seen{
			session.SeenInline, session.SeenInline, session.SeenInline, session.SeenIncremental, session.SeenIncremental, session.SeenCut, session.SeenLink,
			session.SeenDropped, session.SeenSpilled, session.SeenExpired, session.SeenExcerpt, session.SeenUnasked,
		}).Draw(t, "seen")
		if r.Seen != session.SeenInline {
			r.Shown = strings.Join(strings.SplitAfter(text, "\n")[rapid.IntRange(0, strings.Count(text, "\n")).Draw(t, "shown"):], "")
		}
		if rapid.IntRange(0, 9).Draw(t, "page unknown") == 0 {
			r.Snapshot = nil
		}
	}
	return session.NewTimeline(events)
}

// Where an element is looked for by places, the answer is what going through all pages
// gives, at every step and under every kind of policy.
func TestPlacesAnswerAsAWalkDoes(t *testing.T) {
	policies := []policy.Policy{policy.Full(), {Name: "as sent"}}
	for _, name := range []string{"delta", "combined", "keep-one", "openclaw", "compress", "playwright-incremental"} {
		p, err := policy.Find(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, p)
	}
	readable, lost, identities := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		tl := anySession(rt)
		r := policy.NewRenderer(func(s string) int { return len(strings.Fields(s)) })
		p := rapid.SampledFrom(policies).Draw(rt, "policy")
		for step := range len(tl.Steps) {
			m, err := simulate(context.Background(), tl, p, Options{Renderer: r, UpToStep: step + 1, CountOnly: true, asSent: p.Name == "as sent"})
			if err != nil {
				rt.Fatal(err)
			}
			x := walked{m.h}
			for k := range 24 {
				w := want{ref: "e" + strconv.Itoa(k)}
				if k > 14 {
					w = want{role: "button", name: fmt.Sprint("b", k-14)}
				}
				document := m.h.documentOf(w)
				if want := x.documentOf(w); document != want {
					rt.Fatalf("step %d, %s: document %d, want %d", step+1, w.label(), document, want)
				}
				for _, document := range slices.Compact([]int{document, k % 5}) {
					w := m.h.meant(w, document)
					if want := x.meant(w, document); w != want {
						rt.Fatalf("step %d, %s of %d: meant %+v, want %+v", step+1, w.label(), document, w.is, want.is)
					}
					got, want := m.reader.canRead(w, document), x.canRead(m.reader, w, document)
					if got != want {
						rt.Fatalf("step %d, %s of %d under %s: can be read %v, want %v", step+1, w.label(), document, p.Name, got, want)
					}
					if got, want := m.lastShown(w, document), x.lastShown(w, document); got != want {
						rt.Fatalf("step %d, %s of %d: shown last by item %d, want %d", step+1, w.label(), document, got, want)
					}
					if said, want := m.unread(w, document, &Lost{}), x.unread(w, document); !strings.Contains(said, want) {
						rt.Fatalf("step %d, %s of %d: %q, want %q", step+1, w.label(), document, said, want)
					}
					readable, lost, identities = readable+b2i(got), lost+b2i(!got), identities+b2i(w.is.document != 0)
				}
			}
		}
	})
	if min(readable, lost, identities) < 400 {
		t.Errorf("%d can be read, %d are lost, %d are known by role and name: too little is tried", readable, lost, identities)
	}
}

// An element is looked for in as few pages in a long session as in a short one: of
// documents, of loads of one address, and of one document whose old pages were cleared.
func TestALookUpDoesNotWalk(t *testing.T) {
	keepOne, err := policy.Find("keep-one", nil)
	if err != nil {
		t.Fatal(err)
	}
	many := func(n int, document, page func(i int) string) *machine {
		var events []session.Event
		for i := range n {
			id := "a" + strconv.Itoa(i)
			text := page(i)
			events = append(
				events,
				session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Tool: "click", Verb: session.VerbClick, Target: &session.Target{Ref: "e1"}}},
				session.Event{Kind: session.KindResult, Result: &session.Result{Action: id, OK: true, Seen: session.SeenInline, Snapshot: &snapshot.Snapshot{
					URL: "http://a.test/" + document(i), Document: document(i) + strconv.Itoa(i*len(document(i))), Text: text, Hash: snapshot.HashText(text), Dialect: notation.Aria,
				}}},
			)
		}
		m, err := simulate(context.Background(), session.NewTimeline(events), keepOne, Options{Renderer: policy.NewRenderer(func(string) int { return 1 }), CountOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	one := func(i int) string { return fmt.Sprintf("- button \"b%d\" [ref=e1]", i) }
	for name, kind := range map[string][2]func(i int) string{
		"documents": {func(i int) string { return "d" + strconv.Itoa(i) }, one},
		"reloads":   {func(int) string { return "d" }, one},
		"a ref that old pages show": {func(int) string { return "" }, func(i int) string {
			if i < 400 || i%2 == 0 {
				return one(i) + "\n- button \"old\" [ref=e7]"
			}
			return one(i)
		}},
	} {
		var looks [2]int
		for k, n := range []int{500, 5000} {
			m := many(n, kind[0], kind[1])
			m.h.looks = 0
			for _, w := range []want{{ref: "e7"}, {ref: "e1"}, {role: "link", name: "none"}} {
				document := m.h.documentOf(w)
				w = m.h.meant(w, document)
				m.reader.canRead(w, document)
				if m.lastShown(w, document) < 0 {
					m.unread(w, document, &Lost{})
				}
			}
			looks[k] = m.h.looks
		}
		if looks[1] > looks[0] || looks[0] > 30 {
			t.Errorf("%s: three elements are looked for in %d places in a short session, and in %d in one ten times as long", name, looks[0], looks[1])
		}
	}
}
