package ledger

import (
	"fmt"

	"snapscope/session"
	"snapscope/session/policy"
)

// survive looks, for every action that call i (an index) chose, whether its
// target can be read in what the call holds.
func (m *machine) survive(i int) {
	for _, k := range m.byCall[i] {
		m.judge(&m.t.Steps[k])
	}
}

// judge tells whether an action's elements can be read now.
func (m *machine) judge(s *session.Step) {
	if m.o.agesOnly || s.ResultSeq > m.end || m.o.only > 0 && s.N != m.o.only {
		return
	}
	for _, w := range wants(s.Action) {
		m.rep.Survival.Acted++
		document := m.h.documentOf(w)
		w = m.h.meant(w, document)
		if m.reader.canRead(w, document) {
			m.rep.Survival.Survived++
			if m.h.asSent && !m.o.CountOnly {
				misled{m.h, m.end, m.rep}.compare(s, w, document, m.lastShown(w, document))
			}
			continue
		}
		from := m.lastShown(w, document)
		m.rep.lost = append(m.rep.lost, place{document, from})
		m.rep.Survival.Lost = append(m.rep.Survival.Lost, m.explain(s, w, document, from))
	}
}

// place is where a lost element was: its document, and the index of the item
// that showed it last; -1 none did.
type place struct{ document, item int }

// explain names the rule that hid an element.
func (m *machine) explain(s *session.Step, w want, document, from int) Lost {
	l := Lost{Step: s.N, Call: len(m.rep.Calls), Ref: w.label()}
	if w.ref == "" && w.quote == nil {
		l.Target = l.Ref
	}
	if from < 0 {
		l.Never, l.Cause = true, CauseNever
		l.Why = m.unread(w, document, &l)
		return l
	}
	l.Cause = CauseRule
	it := &m.h.items[from]
	l.From = it.step
	page := m.h.reading(it)
	if n := w.line(page); n >= 0 {
		l.Line = page.Raw(n)
		if ref := page.Ref(n); ref != "" && w.quote == nil {
			l.Ref = ref
		}
	}
	switch {
	case it.gone:
		l.Cured, l.Cause = true, CauseExpired
		l.Why = fmt.Sprintf("the agent's own compaction removed the snapshot of step %d", it.step)
	case m.hidden(it, w, &l):
	case it.cut() && it.asStood && (!it.expired || w.line(m.h.stood(it)) < 0):
		l.Cause, l.Why = CauseCut, m.cutBy(it)
	case it.expired:
		l.Cured = true
		m.blame(it, &l, fmt.Sprintf("snapshot of step %d", it.step))
	case m.h.asSent && it.result.Policy != "":
		l.Strategy = it.result.Policy
		l.Why = fmt.Sprintf("policy %s left it out of the snapshot of step %d on the way to the agent", it.result.Policy, it.step)
	default:
		l.Cured = true
		m.brokenChain(from, &l)
	}
	return l
}

// cutBy says which program kept an element from the model, and what lifts its limit.
func (m *machine) cutBy(it *item) string {
	what := fmt.Sprintf("%s left it out of the snapshot of step %d, which it cut", m.agentName(), it.step)
	switch {
	case it.seen == session.SeenSpilled:
		what = fmt.Sprintf("%s put the snapshot of step %d into a file and did not show it", m.agentName(), it.step)
	case it.seen == session.SeenDropped:
		what = fmt.Sprintf("%s did not show the snapshot of step %d, which was too large for it", m.agentName(), it.step)
	case !m.whole(it):
		what = fmt.Sprintf("no earlier page showed it, but %s cut the snapshot of step %d, and what it cut is not in the file", m.agentName(), it.step)
	}
	return what + m.missing(it) + m.cutLift(it)
}

// unread explains an element that the model never had before it.
func (m *machine) unread(w want, document int, l *Lost) string {
	here := m.h.document(w, document)
	for _, it := range m.h.newest(m.h.shows(w), in(m.h.notices), here) {
		switch page := m.h.page(it); {
		case page == nil || w.line(page) < 0 || !m.h.tells(it, w, document):
		case it.seen == session.SeenLink:
			l.Cured = true
			return fmt.Sprintf("the agent had only a link to the snapshot of step %d, which shows it", it.step)
		default:
			l.Cause = CauseCut
			return m.cutBy(it)
		}
	}
	for _, it := range m.h.newest(in(m.h.cut), here) {
		if it.seen == session.SeenCut && !m.h.known(it) && it.of(document) {
			l.Cause = CauseCut
			return m.cutBy(it)
		}
	}
	for _, it := range m.h.newest(m.h.shows(w), in(m.h.paged)) {
		if w.line(m.h.page(it)) >= 0 && !m.h.tells(it, w, document) {
			return "only an earlier page showed it"
		}
	}
	return "no earlier page showed it"
}

// lastShown is the newest item of the document whose page, as the model would
// have read it in full, holds the element; -1 none.
func (m *machine) lastShown(w want, document int) int {
	for i, it := range m.h.newest(m.h.shows(w), in(m.h.given), m.h.document(w, document)) {
		if m.h.tells(it, w, document) && w.line(m.h.reading(it)) >= 0 {
			return i
		}
	}
	return -1
}

// hidden finds the rewrite that left the element out of an item's snapshot.
func (m *machine) hidden(it *item, w want, l *Lost) bool {
	if !it.rewritten() {
		return false
	}
	at := w.line(m.h.page(it))
	withRef := true
	for k := range it.rendered.Stages {
		st := &it.rendered.Stages[k]
		was := at + st.Offset
		if at < 0 {
			return false
		}
		if at = through(st, at, &withRef); at < 0 || !withRef && w.ref != "" {
			return m.leftOut(it, st, was, l)
		}
	}
	return false
}

// leftOut names the rule of a stage that took a line of its input; it answers
// false where the line stands in the stage's base.
func (m *machine) leftOut(it *item, st *policy.StageView, line int, l *Lost) bool {
	rule, knob := "", ""
	for _, g := range st.Verdict.Gone {
		if line >= g.From && line < g.To {
			rule, knob = g.Rule, g.Knob
			break
		}
	}
	if rule == "" && st.Verdict.NeedsBase {
		return false
	}
	if rule == "" {
		rule = st.Verdict.Reason()
	}
	l.Strategy, l.Knob = st.Strategy.Name, knob
	l.Value = m.value(l.Strategy, knob)
	l.Why = fmt.Sprintf("%s left it out of the snapshot of step %d: %s", l.Strategy, it.step, rule)
	return true
}

// value is a knob's value under the policy, as Knob.Format writes it.
func (m *machine) value(name, knob string) string {
	for _, st := range m.p.Stages {
		if st.Strategy.Name != name {
			continue
		}
		if k, ok := st.Strategy.Knob(knob); ok {
			return k.Format(st.Values()[knob])
		}
	}
	return ""
}

// blame puts a loss down to the retention rule that cleared an item.
func (m *machine) blame(it *item, l *Lost, what string) {
	l.Cause = CauseExpired
	if m.rule == nil {
		l.Why = fmt.Sprintf("the agent itself cleared the %s before call %d", what, it.by.call)
		return
	}
	l.Strategy, l.Knob = m.rule.Name, it.by.rule.Knob
	l.Value = m.value(l.Strategy, l.Knob)
	l.Why = fmt.Sprintf("%s cleared the %s before call %d: %s", l.Strategy, what, it.by.call, it.by.rule)
}

// brokenChain explains an element that stood in the base of a delta.
func (m *machine) brokenChain(from int, l *Lost) {
	for i := from; i >= 0; i = m.h.baseItem(i) {
		it := &m.h.items[i]
		switch {
		case it.gone:
			l.Cause = CauseExpired
			l.Why = fmt.Sprintf("step %d is a delta, and a compaction removed the snapshot of step %d that it builds on", l.From, it.step)
			return
		case it.expired:
			m.blame(it, l, fmt.Sprintf("snapshot of step %d, on which the delta of step %d builds,", it.step, l.From))
			return
		}
	}
	alive := in(m.h.alive)
	for i, it := range m.h.newest(alive, alive) {
		if i <= from {
			break
		}
		if b := m.h.baseItem(i); b >= 0 && it.rewritten() {
			l.Strategy = it.rendered.Stages[len(it.rendered.Stages)-1].Strategy.Name
			for _, st := range it.rendered.Stages {
				if st.Verdict.NeedsBase {
					l.Strategy = st.Strategy.Name
				}
			}
			l.Why = fmt.Sprintf("%s says in the delta of step %d that the page no longer has it", l.Strategy, it.step)
			return
		}
	}
	l.Why = fmt.Sprintf("policy %s does not show it in the snapshot of step %d", m.p.Name, l.From)
}
