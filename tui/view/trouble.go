package view

import (
	"cmp"
	"fmt"
	"slices"

	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
)

// Of what is wrong in a session there are two kinds, which never share a sign or a
// colour: what did go wrong, in the session as it was sent (!), and what would go wrong
// under a shown policy that never ran (✗).

// wrong is what did go wrong: as the figures tell it, and the steps that have failed
// since.
func (m *Figures) wrong() []ledger.Trouble {
	var out []ledger.Trouble
	steps := 0
	if m.Set != nil && m.Set.Sent.Report != nil {
		out, steps = slices.Clone(m.Set.Sent.Report.Troubles), m.Set.Sent.Report.Steps
	}
	for i := steps; i < len(m.Tl.Steps); i++ {
		if why := m.Failure(i); why != "" {
			out = append(out, ledger.Trouble{Step: m.Tl.Steps[i].N, Kind: ledger.TroubleFailed, Why: why})
		}
	}
	return slices.DeleteFunc(out, func(t ledger.Trouble) bool { return t.Step > len(m.Tl.Steps) })
}

// WrongAt is what did go wrong in a step, by its index; empty: nothing.
func (m *Figures) WrongAt(i int) string {
	if i < 0 || i >= len(m.Tl.Steps) {
		return ""
	}
	return wrongIn(m.wrong(), m.Tl.Steps[i].N)
}

// WrongRef is the element of what went wrong in the step looked at; empty: none.
func (m *Figures) WrongRef() string {
	s := m.Step()
	for _, t := range m.wrong() {
		if s != nil && t.Step == s.N && t.Ref != "" {
			return t.Ref
		}
	}
	return ""
}

// wrongIn joins what went wrong in step n.
func wrongIn(all []ledger.Trouble, n int) string {
	wrong, early := byStep(slices.DeleteFunc(slices.Clone(all), func(t ledger.Trouble) bool { return t.Step != n }))
	return cmp.Or(wrong[n], early[n])
}

// byStep joins what went wrong in each step; of a page that was read too early it is
// told apart, where nothing else went wrong.
func byStep(all []ledger.Trouble) (wrong, early map[int]string) {
	wrong, early = map[int]string{}, map[int]string{}
	for _, t := range all {
		of := wrong
		if t.Kind == ledger.TroubleEarly {
			of = early
		}
		if of[t.Step] != "" {
			of[t.Step] += " · "
		}
		of[t.Step] = wording.OneLine(of[t.Step]+t.Why, 600)
	}
	for n, why := range wrong {
		if early[n] != "" {
			wrong[n] = wording.OneLine(why+" · "+early[n], 600)
			delete(early, n)
		}
	}
	return wrong, early
}

// losses lists the steps that lost an element under a shown policy, in order.
func (m *Figures) losses() []int {
	var out []int
	if m.Set == nil {
		return nil
	}
	for _, f := range m.Set.Pol {
		for _, l := range f.Lost() {
			if l.Step <= len(m.Tl.Steps) {
				out = append(out, l.Step)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// stop is a step that the key for trouble goes to.
type stop struct {
	step  int
	wrong bool // what did go wrong there, else what a policy would lose
}

// Stops are the steps of the first kind in the order in which they are told, then
// those of the second.
func (m *Figures) Stops() (out []stop) {
	seen := map[int]bool{}
	for _, t := range m.wrong() {
		if !seen[t.Step] {
			seen[t.Step] = true
			out = append(out, stop{t.Step, true})
		}
	}
	for _, n := range m.losses() {
		out = append(out, stop{n, false})
	}
	return out
}

// next is the stop after the one that the key went to last, as long as that step is
// still looked at; else, of the first kind if there is any, the next one after the
// step looked at.
func (m *Figures) next(all []stop) stop {
	last := slices.Index(all, m.stopped)
	if last >= 0 && m.stopped.step == m.At+1 {
		return all[(last+1)%len(all)]
	}
	if m.stopped == (stop{}) && all[0].wrong {
		return all[0]
	}
	for _, s := range all {
		if s.wrong == all[0].wrong && s.step > m.At+1 {
			return s
		}
	}
	return all[0]
}

// NoTrouble says that the key for trouble has nowhere to go.
const NoTrouble = "nothing went wrong in this session, and nothing would be lost under a shown policy"

// Failure is why a step failed, in one line; empty: it did not.
func (m *Story) Failure(i int) string {
	s := &m.Tl.Steps[i]
	if s.Result.OK {
		return ""
	}
	why := s.Result.Error
	if why == "" {
		why = "it does not say why"
	}
	return fmt.Sprintf("step %d failed: %s", s.N, wording.OneLine(why, 400))
}

// ToTrouble goes to the next step in which something went wrong, and after those to
// the next one that a shown policy would lose an element in, with the pane and the
// element's line: now, or as soon as it is known.
func (m *State) ToTrouble() {
	if !m.troubleKnown() {
		m.When(WantFigures, m.troubleCame)
		m.Say(LevelInfo, "working out what went wrong …")
		return
	}
	to := m.next(m.Stops())
	m.stopped = to
	if to.wrong {
		m.Say(LevelWarn, m.toWrong(to.step))
	} else {
		m.Say(LevelInfo, m.toLost(to.step))
	}
	m.Look(to.step - 1)
	m.List.Open = false
	m.Arrange()
	m.ClampView()
}

// troubleCame goes to the trouble that was asked for before the figures were there.
func (m *State) troubleCame() bool {
	switch {
	case m.troubleKnown():
		m.ToTrouble()
	case m.Job == nil && m.Set.Whole(m.Tl):
		m.Say(LevelInfo, NoTrouble)
	default:
		return false
	}
	return true
}

// toWrong turns to what went wrong in a step: the pane of what went out, where it is
// shown, and the element.
func (m *Walk) toWrong(n int) string {
	if t := m.Tl.Steps[n-1].Action.Target; t != nil {
		m.WantRef = t.Ref
	}
	for i, p := range m.Panes {
		if p.Shown && isSent(p.Policy) {
			m.Focus = i
		}
	}
	return fmt.Sprintf("step %d: %s · %s says more", n, wrongIn(m.wrong(), n), m.Keys.Label("reason"))
}

// toLost turns to what a shown policy would lose in a step.
func (m *Walk) toLost(n int) string {
	for _, f := range m.Set.Pol {
		for _, l := range f.Lost() {
			if l.Step != n {
				continue
			}
			m.WantRef = l.Ref
			for i, p := range m.Panes {
				if p.Shown && p.Policy.Name == f.Policy.Name {
					m.Focus = i
				}
			}
			m.FindFixes(f)
			return fmt.Sprintf("LOST %s under %s: %s · %s says why", l.Ref, f.Policy.Name, l.Why, m.Keys.Label("reason"))
		}
	}
	return ""
}

// troubleKnown reports that there is a step to go to, and that it is known of the
// whole session which are.
func (m *Figures) troubleKnown() bool { return m.Set != nil && len(m.Stops()) > 0 }
