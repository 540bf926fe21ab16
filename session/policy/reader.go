package policy

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"snapscope/session"
)

// Reader goes through a session's pages in the order in which they came and tells
// of each what goes out under a policy. It is the one place where that is decided:
// the proxies ask it before they send, the ledger before it counts.
//
// What holds under every policy is in the timeline (session.Past): who reads, what
// a compaction took, what was asked for again. A Reader adds what hangs on the pages
// as they went out:
//
//   - A page that the agent's client cut is no base for the next.
//   - The grammar of a notation goes before the first page in it that a reader gets,
//     again when that reader's context began anew. As long as it is longer than all
//     that it would have saved so far, pages go as they came. Lengths are bytes: the
//     wire does not wait for a tokenizer.
type Reader struct {
	plan Plan
	cuts func(chars, bytes int) bool
	has  map[string]*has // by who reads
	all  int             // no page before this one is a base for anybody
	why  session.Whole
}

// has is what one reader has been told, besides the pages.
type has struct {
	since int // no page before this one is a base
	why   session.Whole
	epoch int             // of the timeline's, as it was last seen
	told  map[string]bool // strategies whose grammar it has read
	owed  int             // bytes that went out for want of a grammar
}

// Reader begins to go through a session. cuts tells whether the agent's client cuts
// an answer of such a length; nil: it does not.
func (p Plan) Reader(cuts func(chars, bytes int) bool) *Reader {
	return &Reader{plan: p, cuts: cuts, has: map[string]*has{}}
}

// Sent is a page as it goes out.
type Sent struct {
	Rendered
	Grammar string        // goes before the answer; "" nothing does
	Since   int           // index into Timeline.Snaps of the first page that can be a base
	Anew    session.Whole // why none can; "" where one can, or the reader never had one

	taught []string
}

// Page answers what goes out of snapshot i, which came after those that were asked
// for before. around is the text of the answer besides the page.
func (r *Reader) Page(t *session.Timeline, i int, around string) Sent {
	if t.Snaps[i].Reader == session.Stranger {
		r.Stranger(t, i)
	}
	h := r.of(t, i)
	out := Sent{Rendered: r.plan.since(t, i, h.since), Since: i}
	past := t.Past(i)
	if k := sort.SearchInts(past.Readable, h.since); k < len(past.Readable) {
		out.Since = past.Readable[k]
	} else if out.Anew = h.why; past.Anew != "" && k == 0 {
		out.Anew = past.Anew
	}
	r.teach(t, i, h, &out)
	if size := len(out.Grammar) + len(around) + len(out.Text); r.cuts != nil && r.cuts(size, size) { // there are no more characters than bytes
		if r.cuts(utf8.RuneCountInString(out.Grammar)+utf8.RuneCountInString(around)+utf8.RuneCountInString(out.Text), size) {
			h.anew(i+1, session.AnewCut, out.taught)
		}
	}
	return out
}

// At is Page of snapshot i alone, by a Reader that was asked for none yet: it goes past
// the pages before, as a session's proxy went past them. goes says which pages a policy
// rewrites at all, and what stands around them in their answers.
func (r *Reader) At(t *session.Timeline, i int, goes func(i int) (around string, ok bool)) Sent {
	for k := range i {
		if !r.plan.Remembers() {
			break
		}
		if around, ok := goes(k); ok && !r.settled(t, k) {
			r.Page(t, k, around)
		}
	}
	around, _ := goes(i)
	return r.Page(t, i, around)
}

// settled reports that nothing hangs on snapshot i for the pages after it: it is known
// who reads it, that reader knows every notation of the plan, and no client cuts it.
func (r *Reader) settled(t *session.Timeline, i int) bool {
	if r.cuts != nil || t.Snaps[i].Reader == session.Stranger {
		return false
	}
	h := r.of(t, i)
	for _, st := range r.plan.stages {
		if strings.TrimSpace(st.s.Notation) != "" && !h.told[st.s.Name] {
			return false
		}
	}
	return true
}

// of is what the reader of snapshot i has.
func (r *Reader) of(t *session.Timeline, i int) *has {
	h := r.has[t.Snaps[i].Reader]
	if h == nil {
		h = &has{told: map[string]bool{}}
		r.has[t.Snaps[i].Reader] = h
	}
	if r.all > h.since {
		h.since, h.why = r.all, r.why
	}
	if e := t.Past(i).Epoch; e != h.epoch {
		h.epoch, h.owed = e, 0
		clear(h.told)
	}
	return h
}

// anew forgets what a reader had before snapshot i, and that it was taught what
// came with the last page.
func (h *has) anew(i int, why session.Whole, taught []string) {
	h.since, h.why = i, why
	for _, name := range taught {
		delete(h.told, name)
	}
}

// teach puts the grammar before a page that is the first in its notation, or leaves
// the page as it came.
func (r *Reader) teach(t *session.Timeline, i int, h *has, out *Sent) {
	var lessons []string
	for _, s := range out.Stages {
		name, n := s.Strategy.Name, strings.TrimSpace(s.Strategy.Notation)
		if n != "" && s.Verdict.Kind != "full" && !h.told[name] {
			lessons, out.taught = append(lessons, n), append(out.taught, name)
		}
	}
	if lessons == nil || out.Text == "" { // nothing is there to be read
		out.taught = nil
		return
	}
	text := t.Snaps[i].Snap.Text
	out.Grammar = strings.Join(lessons, "\n\n") + "\n\n"
	if saved := len(text) - len(out.Text); saved+h.owed < len(out.Grammar) {
		h.owed += max(0, saved)
		out.Rendered, out.Grammar, out.taught = r.plan.r.asCame(text, session.WholeUntaught), "", nil
		r.left(h, i)
		return
	}
	for _, name := range out.taught {
		h.told[name] = true
	}
}

// left notes that snapshot i went as it came though it would have been rewritten: a
// policy of several stages has no base in it then, for what it compares is what the
// stages before made.
func (r *Reader) left(h *has, i int) {
	if len(r.plan.stages) > 1 {
		h.since, h.why = i+1, session.WholeUntaught
	}
}

// Whole takes back what Page said of snapshot i, where it said anything: it went as
// it came, and what it would have taught was never read.
func (r *Reader) Whole(t *session.Timeline, i int, s Sent) {
	h := r.of(t, i)
	for _, name := range s.taught {
		delete(h.told, name)
	}
	r.left(h, i)
}

// Forget tells that no page before snapshot i is known to be in anybody's context; nor
// is what was taught, where a client cut it.
func (r *Reader) Forget(i int, why session.Whole) {
	r.all, r.why = i, why
	for _, h := range r.has {
		if why == session.AnewCut {
			clear(h.told)
		}
	}
}

// Stranger tells that it is not known who reads snapshot i: nothing that came before
// it can be taken for read, and nobody can be taken to have read nothing else since.
func (r *Reader) Stranger(t *session.Timeline, i int) {
	h := r.of(t, i)
	h.since, h.why, h.owed = i, session.AnewReader, 0
	clear(h.told)
	r.Forget(i+1, session.AnewReader)
}

// Recipe is how the recording tells of a page as it went out.
func (p Plan) Recipe(t *session.Timeline, s Sent) *session.Recipe {
	out := &session.Recipe{Anew: s.Anew, Grammar: s.Grammar, Whole: s.Whole, Since: t.Steps[t.Snaps[s.Since].Step].Action.ID}
	out.Nothing = s.Rendered.Kind != "" && s.Text == "" && s.Whole == ""
	for _, st := range p.stages {
		out.Stages = append(out.Stages, session.RecipeStage{Strategy: st.s.Name, Knobs: st.v})
	}
	return out
}

// Follow makes again what went out of snapshot i by its recipe; since is the index
// of the recipe's first page, -1 where it is not known. The error is of a recipe that
// this version cannot follow.
func (r *Renderer) Follow(t *session.Timeline, i, since int, recipe *session.Recipe) (Rendered, error) {
	var p Policy
	for _, st := range recipe.Stages {
		stage, err := NewStage(st.Strategy, st.Knobs)
		if err != nil {
			return Rendered{}, err
		}
		for key := range st.Knobs {
			if _, ok := stage.Strategy.Knob(key); !ok {
				return Rendered{}, fmt.Errorf("%s has no knob %q", st.Strategy, key)
			}
		}
		p.Stages = append(p.Stages, stage)
	}
	if since < 0 || since > i {
		since = i
	}
	return r.Plan(p).since(t, i, since), nil
}
