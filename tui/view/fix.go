package view

import (
	"fmt"

	"snapscope/session/ledger"
)

// Fixes are the knobs that would have kept what policies lost, as far as they
// were looked for.
type Fixes struct {
	found map[string][]ledger.Lost // by policy with its knobs: losses with the knob that keeps them
	last  map[string][]ledger.Lost // by policy's name: those found last, under whatever knobs
	asked map[string]bool          // being looked for
	next  []PolicyFigures          // are to be looked for

	offered *ledger.Fix // what keeps everything, where the change made last does not; nil: nothing
	onto    string      // the policy's key with the change made last
}

// Loss is an element that was lost, with what is known of the knob that would
// have kept it.
type Loss struct {
	ledger.Lost
	Tried bool // with the knobs as they are now
}

// Fix is the change that keeps the element, in words.
func (l Loss) Fix() string {
	switch {
	case l.Never:
		return "no policy's fault"
	case l.Keep != nil:
		return l.Keep.Assignment() + " keeps it" + wholeOf(l.Keep)
	case l.Tried:
		return "no single setting keeps it"
	}
	return "looking for the knob that keeps it …"
}

// FindFixes asks for the knobs that would have kept what was lost under a policy,
// unless they are known or being looked for.
func (m *Figures) FindFixes(f PolicyFigures) {
	x := &m.Fixes
	if x.asked == nil {
		*x = Fixes{found: map[string][]ledger.Lost{}, last: map[string][]ledger.Lost{}, asked: map[string]bool{}}
	}
	key := m.FixKey(f)
	_, known := x.found[key]
	if known || x.asked[key] || isSent(f.Policy) || f.Report == nil || len(f.Report.Survival.Lost) == 0 {
		return
	}
	x.asked[key] = true
	x.next = append(x.next, f)
	m.Ask(WantFixes)
}

// FixKey names what the fixes of a policy's losses depend on: its knobs, and the
// session as far as it had come.
func (m *Figures) FixKey(f PolicyFigures) string {
	n := 0
	if m.Set != nil {
		n = m.Set.events
	}
	return fmt.Sprint(f.Key, " ", n)
}

// TakeFixes takes in the losses of a policy with the knobs that keep them.
func (m *Figures) TakeFixes(key, name string, lost []ledger.Lost) {
	if m.Fixes.found == nil {
		return // of fixes that were forgotten
	}
	m.Fixes.found[key], m.Fixes.last[name] = lost, lost
	delete(m.Fixes.asked, key)
	m.Answered(WantFixes)
}

// Losses are what a policy lost, each with the knob that would have kept it: as
// found for the knobs as they are now, else, until that is known, as found before
// the last turn.
func (m *Figures) LossesOf(f PolicyFigures) []Loss {
	type place struct {
		step int
		ref  string
	}
	found := map[place]*ledger.Fix{}
	now, tried := m.Fixes.found[m.FixKey(f)]
	if !tried {
		now = m.Fixes.last[f.Policy.Name]
	}
	for _, l := range now {
		found[place{l.Step, l.Ref}] = l.Keep
	}
	out := make([]Loss, len(f.Report.Survival.Lost))
	for i, l := range f.Report.Survival.Lost {
		l.Keep = found[place{l.Step, l.Ref}]
		out[i] = Loss{l, tried}
	}
	return out
}

// LossHere is the loss of the step looked at under a pane's policy, with the change that fixes it.
func (m *Figures) LossHere(pane int) (Loss, bool) {
	lost, ok := m.LossAt(pane)
	f, has := m.FiguresOf(m.Panes[pane].Policy.Name)
	if !ok || !has {
		return Loss{}, false
	}
	for _, l := range m.LossesOf(f) {
		if l.Step == lost.Step && l.Ref == lost.Ref {
			return l, true
		}
	}
	return Loss{Lost: lost}, true
}

// FixLoss turns the knob that would have kept an element under a shown policy, or
// says why it cannot. key is the policy's as the loss was worked out.
func (m *KnobsPane) FixLoss(name, key string, l Loss) {
	for i, p := range m.Panes {
		switch {
		case p.Policy.Name != name || !p.Shown:
		case !l.Tried || p.Policy.Key() != key:
			m.When(WantFixes, func() bool { return m.fixOnceKnown(name, l) })
			m.Say(LevelInfo, "looking for the knob that keeps "+l.Ref+"; it is turned once it is found")
			return
		case l.Keep == nil:
			m.Say(LevelWarn, "no knob of "+name+" would have kept "+l.Ref)
			return
		default:
			m.turnTo(i, *l.Keep, l.Keep.Assignment()+" keeps "+l.Ref)
			return
		}
	}
}

// fixOnceKnown fixes a loss once the knobs that would have kept it were looked for.
func (m *KnobsPane) fixOnceKnown(name string, w Loss) bool {
	f, ok := m.FiguresOf(name)
	if _, tried := m.Fixes.found[m.FixKey(f)]; !ok || !tried {
		return false
	}
	for _, l := range m.LossesOf(f) {
		if l.Step == w.Step && l.Ref == w.Ref {
			m.FixLoss(name, f.Key, l)
		}
	}
	return true
}

// TakeNext are the policies whose fixes are to be looked for; they are not given again.
func (x *Fixes) TakeNext() []PolicyFigures {
	out := x.next
	x.next = nil
	return out
}

// wholeOf says what a change does to the whole session.
func wholeOf(x *ledger.Fix) string {
	if len(x.Still) == 0 {
		return ""
	}
	return "; " + x.Loses() + "; " + x.Better()
}

// turnTo makes a change to a pane's policy. Where that still loses something, the value
// that loses nothing is offered to the same key.
func (m *KnobsPane) turnTo(pane int, x ledger.Fix, said string) {
	p := x.Apply(m.Panes[pane].Policy)
	m.Focus = pane
	m.Follow()
	if m.Fixes.offered, m.Fixes.onto = x.All, p.Key(); x.All != nil {
		said += "; " + x.Loses() + "; " + m.Keys.Label("fold") + ": " + x.Better()
	} else {
		said += wholeOf(&x)
	}
	m.Say(LevelGood, said+" · "+m.Keys.Label("undo")+" takes it back, "+m.Keys.Label("export")+" keeps the policy")
	m.ChangePolicy(pane, p, x.Knob, x.From)
}

// Withdraw takes the offer back: another key was pressed.
func (x *Fixes) Withdraw() { x.offered = nil }

// FixAll makes the change that loses nothing, where the one that was made last lost
// something and its policy is still as that left it. ok is false where none is offered.
func (m *KnobsPane) FixAll() (ok bool) {
	x, p := m.Fixes.offered, m.Panes[m.Focus].Policy
	if x == nil || p.Key() != m.Fixes.onto {
		return false
	}
	m.turnTo(m.Focus, *x, x.Assignment()+" loses nothing that the agent used")
	return true
}

// FixHere fixes the loss of the step looked at under the focused pane's policy; after a
// fix that does not keep everything, it makes the one that does.
func (m *KnobsPane) FixHere() {
	if m.FixAll() {
		return
	}
	l, ok := m.LossHere(m.Focus)
	if !ok {
		m.Say(LevelInfo, "nothing was lost in this step under "+m.Panes[m.Focus].Policy.Name)
		return
	}
	f, _ := m.FiguresOf(m.Panes[m.Focus].Policy.Name)
	m.FixLoss(f.Policy.Name, f.Key, l)
}

// WholeSession says, to be put behind what was done with a pane's policy, what that
// policy loses in the whole session; empty: it is not known.
func (m *Figures) WholeSession(pane int) string {
	p := m.Panes[pane].Policy
	f, ok := m.FiguresOf(p.Name)
	if !ok || f.Report == nil || f.Key != p.Key() || !m.Set.Whole(m.Tl) || f.Report.Survival.Acted == 0 {
		return ""
	}
	n, first := 0, ledger.Lost{}
	for _, l := range f.Lost() {
		if l.Uses > 0 {
			if n++; n == 1 {
				first = l
			}
		}
	}
	switch n {
	case 0:
		return "; it loses nothing that the agent used in this session"
	case 1:
		return fmt.Sprintf("; it still loses %s at step %d", first.Ref, first.Step)
	}
	return fmt.Sprintf("; it still loses %s at step %d and %d more", first.Ref, first.Step, n-1)
}
