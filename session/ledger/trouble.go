package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"snapscope/session"
	"snapscope/session/agents"
	"snapscope/session/policy"
	"snapscope/snapshot/wording"
)

// Cause is why an agent could not read an element that it acted on.
type Cause string

// The causes.
const (
	CauseCut     Cause = "client-cut"  // the agent's own program did not hand the page on, or not all of it
	CauseExpired Cause = "expired"     // it was cleared from the history
	CauseRule    Cause = "rule"        // a rewrite left it out
	CauseNever   Cause = "never-shown" // no page that the agent had been given of the document in view showed it
)

// Trouble is something that did go wrong in a step, under no policy but in the
// session as it was sent. What would go wrong under a policy is a Lost of that
// policy's report; the two are never mixed.
type Trouble struct {
	Step int
	Kind TroubleKind
	Ref  string // the element; "" none
	Why  string // what went wrong, to be read after "step 2: "
}

// TroubleKind is the kind of a Trouble.
type TroubleKind uint8

// The kinds, in the order in which they are told: an act on an element that no page
// showed goes with failure more than anything else.
const (
	TroubleNever    TroubleKind = iota // an act on an element that no earlier page showed
	TroubleMoved                       // an act on a ref that meant another element than the one that was read
	TroubleUnread                      // an act on an element that could no longer be read, or never reached the model
	TroubleCut                         // the agent's program cut a page
	TroubleFailed                      // a call failed
	TroubleEarly                       // a page was read before it was there
	TroubleNoEffect                    // an act was answered as done and changed nothing
)

// troubles finds what went wrong in the session as it was sent, in the order in
// which it is told: acts on what no page showed first, the rest by step.
func (m *machine) troubles() []Trouble {
	var out []Trouble
	acted := map[int]int{} // step to the index of what is told of its act
	for _, l := range m.rep.Survival.Lost {
		k := TroubleUnread
		if l.Cause == CauseNever {
			k = TroubleNever
		}
		acted[l.Step] = len(out)
		out = append(out, Trouble{l.Step, k, l.Ref, "acted on " + l.name() + ": " + l.Why + l.priced()})
	}
	for i := range m.t.Steps {
		s := &m.t.Steps[i]
		if s.ResultSeq > m.end {
			break
		}
		if why := failure(s); why != "" {
			if at, ok := acted[s.N]; ok {
				out[at].Why += "; " + why
			} else {
				out = append(out, Trouble{s.N, TroubleFailed, "", why})
			}
		}
		if why := m.early(i); why != "" {
			out = append(out, Trouble{s.N, TroubleEarly, "", why})
		}
	}
	out = append(out, misled{m.h, m.end, m.rep}.troubles()...)
	out = append(out, m.clientCuts()...)
	slices.SortStableFunc(out, func(a, b Trouble) int {
		return cmp.Or(b2i(a.Kind != TroubleNever)-b2i(b.Kind != TroubleNever), a.Step-b.Step, int(a.Kind)-int(b.Kind))
	})
	return out
}

// clientCuts finds the pages that the agent's program cut, and what lets the next
// session read them.
func (m *machine) clientCuts() (out []Trouble) {
	c, known := agentOf(m.t)
	m.rep.cuts.folds = known && c.Text.Kept != agents.Whole
	chars, bytes := 0, 0 // of the longest page that was cut
	for i := range m.h.items {
		it := &m.h.items[i]
		if it.step > 0 && it.seen.Readable() && it.seen != "" {
			m.rep.cuts.whole = it.step
		}
		if it.step > 0 && it.cut() {
			m.rep.cuts.folds = m.rep.cuts.folds && m.fits(it, c)
			m.rep.cuts.last = it.step
			if m.whole(it) {
				page := m.t.Snaps[it.snap].Snap.Text
				chars = max(chars, utf8.RuneCountInString(it.result.Text)+utf8.RuneCountInString(page))
				bytes = max(bytes, len(it.result.Text)+len(page))
			}
			out = append(out, Trouble{it.step, TroubleCut, "", m.cutWords(it) + m.cutLift(it)})
		}
	}
	m.rep.cuts.lifts = c.Lifts(chars, bytes)
	return out
}

// failure is how a step failed; "" it did not.
func failure(s *session.Step) string {
	if s.Result.OK {
		return ""
	}
	return "the call failed: " + wording.OneLine(cmp.Or(s.Result.Error, s.Result.Text, "it does not say why"), 200)
}

// earlyGrowth is how many elements more a page has at least when it was read before
// it was there, besides twice as many.
const earlyGrowth = 5

// early says that the page of step i was read before it was there: whoever captured
// it says so, or the very next step, which only read it again, found at least twice
// as many elements.
func (m *machine) early(i int) string {
	s := &m.t.Steps[i]
	if s.Result.Rest.Early() {
		return "the page was captured before it was complete: " + cmp.Or(s.Result.Waited, string(s.Result.Rest))
	}
	if i+1 == len(m.t.Steps) || s.Snap < 0 {
		return ""
	}
	next := &m.t.Steps[i+1]
	if v := next.Action.Verb; next.Snap < 0 || next.ResultSeq > m.end || next.Document != s.Document || v != session.VerbSnapshot && v != session.VerbWait {
		return ""
	}
	a, b := &m.t.Snaps[s.Snap], &m.t.Snaps[next.Snap]
	if a.Seen != session.SeenInline || b.Seen != session.SeenInline || a.Snap.URL != b.Snap.URL || a.Snap.Partial || b.Snap.Partial {
		return ""
	}
	was, is := a.Snap.Count(), b.Snap.Count()
	if was == 0 || is < 2*was || is-was < earlyGrowth {
		return ""
	}
	return fmt.Sprintf("the page was read before it was complete: it had %s, at step %d it had %s", wording.Plural(was, "element"), next.N, wording.Count(is))
}

// cuts are what the agent's program left out of pages, as the session was sent.
type cuts struct {
	last, whole int    // the last steps whose page was cut, and was not
	folds       bool   // fold makes every page that was cut small enough
	lifts       string // the command with which the pages that were cut go whole; "" none is known
}

// cutsMatter reports that a cut may have decided how the session went: an element was
// lost by it, or the last page that the agent was given was cut.
func (r *Report) cutsMatter() bool {
	return r.lostByCut() != nil || r.cuts.last > r.cuts.whole
}

// cut reports that the agent's program did not hand on the whole page.
func (it *item) cut() bool {
	return it.seen == session.SeenCut || it.seen == session.SeenSpilled || it.seen == session.SeenDropped
}

// agentName is what the agent's program is called at the beginning of a sentence.
func (m *machine) agentName() string {
	if c, ok := agentOf(m.t); ok {
		return c.Title
	}
	return "the agent's program"
}

// cutWords says what the agent's program left of a page.
func (m *machine) cutWords(it *item) string {
	switch missing := m.missing(it); {
	case it.seen == session.SeenSpilled:
		return m.agentName() + " put this page into a file and gave the model only its beginning" + missing
	case it.seen == session.SeenDropped:
		return m.agentName() + " found this page too large and did not give it to the model"
	case missing == "":
		return m.agentName() + " cut this page; how much is missing is not in the file"
	default:
		return m.agentName() + " cut this page" + missing
	}
}

// missing says how much of a page the model did not get; "" where that is not known.
func (m *machine) missing(it *item) string {
	if !m.whole(it) {
		return ""
	}
	n := utf8.RuneCountInString(m.t.Snaps[it.snap].Snap.Text) - utf8.RuneCountInString(it.asShown())
	if n <= 0 {
		return ""
	}
	return " (" + wording.Plural(n, "character") + " are missing)"
}

// whole reports that all of an item's page is known, also what a program cut.
func (m *machine) whole(it *item) bool { return it.snap >= 0 && !m.t.Snaps[it.snap].Snap.Partial }

// cutLift says, to be put behind what was cut, what lets the next session read it:
// fold, where that makes it small enough, and the program's own setting.
func (m *machine) cutLift(it *item) string {
	c, ok := agentOf(m.t)
	switch {
	case !ok || c.Text.Kept == agents.Whole:
		return ""
	case m.fits(it, c):
		return "; policy fold makes it fit, " + c.Text.Setting + " lifts the limit"
	}
	return "; " + c.Text.Setting + " lifts the limit"
}

// fits reports that fold makes a page that was cut small enough for the client.
func (m *machine) fits(it *item, c agents.Agent) bool {
	if !m.whole(it) {
		return false
	}
	text := it.result.Text + m.h.r.Render(m.t, it.snap, folded).Text
	return !c.Text.Cuts(utf8.RuneCountInString(text), len(text))
}

// folded is the policy that makes large pages smaller and leaves nothing out.
var folded = policy.Policy{Name: "fold", Stages: []policy.Stage{policy.MustStage("fold", nil)}}

// wrong says in two sentences at most what went wrong in the session, for its first
// line: acts on what no page showed, then what the agent's program cut. "": nothing of
// that kind.
func (r *Report) wrong() string {
	var out []string
	if t, n := r.first(func(t Trouble) bool { return t.Kind == TroubleNever }); n > 0 {
		out = append(out, opening(fmt.Sprintf("step %d %s", t.Step, t.Why), n, "such acts"))
	}
	if t, n := r.first(func(t Trouble) bool { return t.Kind == TroubleMoved }); n > 0 {
		out = append(out, opening(fmt.Sprintf("step %d: %s", t.Step, t.Why), n, "such acts"))
	}
	if l := r.lostByCut(); l != nil {
		out = append(out, opening(fmt.Sprintf("step %d acted on %s: %s", l.Step, l.name(), l.Why), 1, ""))
	} else if t, n := r.first(func(t Trouble) bool { return t.Kind == TroubleCut }); n > 0 {
		out = append(out, opening(fmt.Sprintf("step %d: %s", t.Step, t.Why), n, "cut pages"))
	}
	return strings.Join(out, " ")
}

// Cause is what did go wrong in the session as it was sent, first of all, and how much
// more; "" nothing did.
func (r *Report) Cause() string {
	if len(r.Troubles) == 0 {
		return ""
	}
	t := r.Troubles[0]
	text := fmt.Sprintf("step %d: %s", t.Step, plain(t.Why))
	if n := len(r.Troubles) - 1; n > 0 {
		text += fmt.Sprintf(" (and %s more)", wording.Count(n))
	}
	return text
}

// first is the first trouble of a kind, and how many there are.
func (r *Report) first(is func(Trouble) bool) (out Trouble, n int) {
	for _, t := range r.Troubles {
		if is(t) {
			if n++; n == 1 {
				out = t
			}
		}
	}
	return out, n
}

// lostByCut is the first element that was lost because the agent's program cut its
// page; nil none.
func (r *Report) lostByCut() *Lost {
	for i := range r.Survival.Lost {
		if l := &r.Survival.Lost[i]; l.Cause == CauseCut {
			return l
		}
	}
	return nil
}

// opening makes a sentence of a trouble: a capital letter, how many more there are, and
// its full stop.
func opening(text string, n int, many string) string {
	text = strings.TrimRight(plain(text), ". ")
	text = strings.ToUpper(text[:1]) + text[1:]
	if n > 1 {
		text += fmt.Sprintf(" (the first of %s %s)", wording.Count(n), many)
	}
	return text + "."
}
