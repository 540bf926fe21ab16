package ledger

import (
	"fmt"
	"strings"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// survive looks, for every action that call i (an index) chose, whether its
// target can be read in what the call carries.
func (m *machine) survive(i int) {
	for _, k := range m.byCall[i] {
		m.witness(&m.t.Steps[k])
	}
}

// witness tells whether an action's elements can be read now.
func (m *machine) witness(s *session.Step) {
	if m.o.agesOnly || s.ResultSeq > m.end {
		return
	}
	for _, w := range wants(s.Action) {
		m.rep.Survival.Acted++
		if m.eyes.readable(w) {
			m.rep.Survival.Survived++
			continue
		}
		m.rep.Survival.Lost = append(m.rep.Survival.Lost, m.explain(s, w))
	}
}

// explain names the rule that hid an element.
func (m *machine) explain(s *session.Step, w want) Lost {
	l := Lost{Step: s.N, Call: len(m.rep.Calls), Ref: w.label()}
	if w.ref == "" {
		l.Target = l.Ref
	}
	from := m.lastShown(w)
	if from < 0 {
		l.Never = true
		l.Why = m.unread(w)
		return l
	}
	it := &m.h.items[from]
	l.From = it.step
	if it.snap >= 0 {
		text := m.t.Snaps[it.snap].Snap.Text
		if at := w.find(text, 0); at >= 0 {
			_, l.Line = lineAt(text, at)
			if r := w.on(text).ref; r != "" {
				l.Ref = r
			}
		}
	}
	switch {
	case it.gone:
		l.Why = fmt.Sprintf("the agent's own compaction took the snapshot of step %d away", it.step)
	case m.hidden(it, w, &l):
	case it.expired:
		m.blame(it, &l, fmt.Sprintf("snapshot of step %d", it.step))
	default:
		m.brokenChain(from, w, &l)
	}
	return l
}

// unread explains an element that the model never had before it.
func (m *machine) unread(w want) string {
	for i := len(m.h.items) - 1; i >= 0; i-- {
		it := &m.h.items[i]
		if it.result == nil || !m.eyes.pageHas(it, w) {
			continue
		}
		switch it.seen {
		case session.SeenLink:
			return fmt.Sprintf("the model had only a link to the snapshot of step %d that shows it", it.step)
		case session.SeenSpilled, session.SeenDropped:
			return fmt.Sprintf("the snapshot of step %d that shows it was too large and never reached the model", it.step)
		}
	}
	return "it stood in nothing the model had read before"
}

// lastShown is the newest item whose page, as the model would have read it in
// full, holds the element; -1 none.
func (m *machine) lastShown(w want) int {
	for i := len(m.h.items) - 1; i >= 0; i-- {
		it := &m.h.items[i]
		if it.result == nil {
			continue
		}
		if w.ref != "" && m.eyes.said(it).has(w.ref) {
			return i
		}
		if !it.seen.Readable() || it.seen == "" {
			continue
		}
		if m.eyes.pageHas(it, w) || it.snap < 0 && w.find(it.shown(), 0) >= 0 {
			return i
		}
	}
	return -1
}

// hidden finds the rewrite that left the element out of an item's snapshot.
func (m *machine) hidden(it *item, w want, l *Lost) bool {
	if !it.shownBy() {
		return false
	}
	sn := m.t.Snaps[it.snap].Snap
	text := sn.Text
	if w.ref == "" {
		w = w.on(text)
	}
	for _, st := range it.rendered.Stages {
		in := text
		if st.Strategy.Compose != nil {
			in = st.Strategy.Compose(strategy.Page{URL: sn.URL, Title: sn.Title, Text: text, Dialect: sn.Dialect, Elements: sn.Elements})
		}
		at := w.find(in, 0)
		if at < 0 {
			return false
		}
		v := &st.Verdict
		if out := (policy.Rendered{Text: v.Text, Stages: []policy.StageView{st}}); !shows(&out, w) {
			n, _ := lineAt(in, at)
			rule, knob := "", ""
			for _, g := range v.Gone {
				if n >= g.From && n < g.To {
					rule, knob = g.Rule, g.Knob
					break
				}
			}
			if rule == "" && v.NeedsBase {
				return false // what it does not repeat stands in its base
			}
			l.Strategy, l.Knob = st.Strategy.Name, knob
			l.Value = m.value(l.Strategy, knob)
			if rule == "" {
				rule = v.Reason()
			}
			l.Why = fmt.Sprintf("%s left it out of the snapshot of step %d: %s", l.Strategy, it.step, rule)
			return true
		}
		text = v.Text
	}
	return false
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
	if m.rule == nil {
		return
	}
	l.Strategy = m.rule.Name
	for _, k := range m.rule.Knobs { // the knob that the reason names
		if strings.Contains(it.reason, k.Key) {
			l.Knob = k.Key
			break
		}
	}
	l.Value = m.value(l.Strategy, l.Knob)
	l.Why = fmt.Sprintf("%s cleared the %s before call %d: %s", l.Strategy, what, it.expiredAt, it.reason)
}

// brokenChain explains an element that stood in the base of a delta.
func (m *machine) brokenChain(from int, w want, l *Lost) {
	for i := from; i >= 0; i = m.h.baseItem(i) {
		it := &m.h.items[i]
		switch {
		case it.gone:
			l.Why = fmt.Sprintf("step %d is a delta, and a compaction took the snapshot of step %d that it builds on", l.From, it.step)
			return
		case it.expired:
			m.blame(it, l, fmt.Sprintf("snapshot of step %d, on which the delta of step %d builds,", it.step, l.From))
			return
		}
	}
	for i := len(m.h.items) - 1; i > from; i-- {
		it := &m.h.items[i]
		if b := m.h.baseItem(i); b >= 0 && it.shownBy() && !it.expired && !it.gone {
			l.Strategy = it.rendered.Stages[len(it.rendered.Stages)-1].Strategy.Name
			for _, st := range it.rendered.Stages {
				if st.Verdict.NeedsBase {
					l.Strategy = st.Strategy.Name
				}
			}
			l.Why = fmt.Sprintf("%s says in the delta of step %d that it is gone from the page", l.Strategy, it.step)
			return
		}
	}
	l.Why = fmt.Sprintf("policy %s shows nothing of it in the snapshot of step %d", m.p.Name, l.From)
}
