package view

import (
	"fmt"
	"sort"
	"strings"

	"snapscope/session"
	"snapscope/snapshot/wording"
)

// Note is a remark of the person's on a step; an empty one is a bookmark.
type Note struct {
	Step int    `json:"step"`
	Text string `json:"text,omitempty"`
}

// NotesOn lists the remarks on a step.
func (m *State) NotesOn(step int) []string {
	var out []string
	for _, n := range m.Notes {
		if n.Step == step {
			out = append(out, n.Text)
		}
	}
	return out
}

func (m *State) NoRunTo() string {
	if why := m.NoStep(); why != "" {
		return why
	}
	if m.CursorRef() == "" {
		return "the line under the cursor has no ref to watch"
	}
	return ""
}

// CursorRef is the ref of the element under the cursor.
func (m *State) CursorRef() string {
	if m.Grid == nil || m.Row >= m.Grid.Len() {
		return ""
	}
	if l := m.Grid.Page[m.Row]; l >= 0 {
		return m.Fr.Page.Ref(int(l))
	}
	return ""
}

// Quoted writes a text as one word of a condition.
func Quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func (m *State) NoEdit() string {
	if why := m.NoSteps(); why != "" {
		return why
	}
	if m.Info.Mode != session.ModeLive {
		return session.ErrRecorded.Error()
	}
	return ""
}

// CommandOf writes an action as the command line reads it.
func CommandOf(a session.Action) string {
	parts := []string{string(a.Verb)}
	if t := a.Target; t != nil {
		switch {
		case t.Ref != "":
			parts = append(parts, t.Ref)
		case t.CSS != "":
			parts = append(parts, "css="+Quoted(t.CSS))
		default:
			parts = append(parts, t.Role)
			if t.Name != "" {
				parts = append(parts, Quoted(t.Name))
			}
		}
	}
	keys := make([]string, 0, len(a.Args))
	for k := range a.Args {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		parts = append(parts, k+"="+Quoted(fmt.Sprint(a.Args[k])))
	}
	return strings.Join(parts, " ")
}

func (m *State) NoNotes() string {
	if len(m.Notes) == 0 {
		return "no step has a note; " + m.Keys.Label("note") + " makes one"
	}
	return ""
}

func (m *State) DoNextNote() {
	steps := make([]int, 0, len(m.Notes))
	for _, n := range m.Notes {
		if n.Step <= len(m.Tl.Steps) {
			steps = append(steps, n.Step)
		}
	}
	m.nextOf(steps, func(n int) string {
		return fmt.Sprintf("✎ step %d: %s", n, strings.Join(m.NotesOn(n), " · "))
	})
}

// nextOf goes to the next of some steps after the one looked at, around the end.
func (m *State) nextOf(steps []int, say func(int) string) {
	if len(steps) == 0 {
		return
	}
	sort.Ints(steps)
	to := steps[0]
	for _, n := range steps {
		if n > m.At+1 {
			to = n
			break
		}
	}
	m.Say(LevelInfo, say(to))
	m.Look(to - 1)
}

func (m *State) NoLoss() string {
	if m.Set != nil && !m.Busy && m.Job == nil && len(m.losses())+len(m.failures()) == 0 {
		return noTrouble
	}
	return ""
}

const noTrouble = "nothing was lost under any shown policy, and no step failed"

// failures lists the steps that failed.
func (m *State) failures() []int {
	var out []int
	for i := range m.Tl.Steps {
		if m.Failure(i) != "" {
			out = append(out, m.Tl.Steps[i].N)
		}
	}
	return out
}

// Failure is why a step failed, in one line; empty: it did not.
func (m *State) Failure(i int) string {
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

// losses lists the steps that lost an element under a shown policy.
func (m *State) losses() []int {
	var out []int
	for _, f := range m.Set.Pol {
		for _, l := range f.Report.Survival.Lost {
			if !l.Never && l.Step <= len(m.Tl.Steps) {
				out = append(out, l.Step)
			}
		}
	}
	return out
}

// DoNextLoss goes to the next step that lost an element or failed, to the pane that
// lost it and to the element's line: now, or as soon as it is known.
func (m *State) DoNextLoss() {
	if !m.troubleKnown() {
		m.lossWanted = true
		m.Say(LevelInfo, "working out what was lost …")
		return
	}
	m.nextOf(append(m.losses(), m.failures()...), func(n int) string {
		failed := m.Failure(n - 1)
		for _, f := range m.Set.Pol {
			for _, l := range f.Report.Survival.Lost {
				if l.Step != n || l.Never {
					continue
				}
				m.WantRef = l.Ref
				for i, p := range m.Panes {
					if p.Shown && p.Policy.Name == f.Policy.Name {
						m.Focus = i
					}
				}
				m.FindFixes(f)
				if failed != "" {
					failed = " · " + failed
				}
				return fmt.Sprintf("LOST %s under %s: %s · %s says why%s", l.Ref, f.Policy.Name, l.Why, m.Keys.Label("reason"), failed)
			}
		}
		if t := m.Tl.Steps[n-1].Action.Target; t != nil {
			m.WantRef = t.Ref
		}
		return "! " + failed
	})
	m.List.Open = false
	m.Arrange()
	m.ClampView()
}

// FiguresCame goes to the loss that was asked for before the figures were there.
func (m *State) FiguresCame() {
	if !m.lossWanted {
		return
	}
	switch {
	case m.troubleKnown():
		m.lossWanted = false
		m.DoNextLoss()
	case m.Job == nil && m.Set.Whole(m.Tl):
		m.lossWanted = false
		m.Say(LevelInfo, noTrouble)
	}
}

// troubleKnown reports that there is a step to go to: one that lost an element, or,
// where it is known that none did, one that failed.
func (m *State) troubleKnown() bool {
	return m.Set != nil && (len(m.losses()) > 0 || m.Set.Whole(m.Tl) && len(m.failures()) > 0)
}
