package tui

import (
	"fmt"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/session/breakpoint"
)

// ---- run to cursor

func (m *Model) noRunTo() string {
	if why := m.noStep(); why != "" {
		return why
	}
	if m.cursorRef() == "" {
		return "the line under the cursor has no ref to watch"
	}
	return ""
}

// cursorRef is the ref of the element under the cursor.
func (m *Model) cursorRef() string {
	if m.grid == nil || m.row >= m.grid.len() {
		return ""
	}
	if l := m.grid.page[m.row]; l >= 0 {
		return refOf(m.fr.page.lines[l])
	}
	return ""
}

// doRunTo goes on until the line under the cursor is another: its text changes
// or it is gone.
func (m *Model) doRunTo() tea.Cmd {
	line := strings.TrimSpace(m.fr.page.lines[m.grid.page[m.row]])
	b, err := breakpoint.Parse("text " + quoted(line) + " vanishes")
	if err != nil {
		m.say(levelError, err.Error())
		return nil
	}
	m.wantRef = m.cursorRef()
	m.once = append(m.once[:0], b)
	return m.start(jobContinue, "going on until "+m.wantRef+" changes", nil)
}

// quoted writes a text as one word of a condition.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// ---- edit an action and do it again

func (m *Model) noEdit() string {
	if why := m.noSteps(); why != "" {
		return why
	}
	if m.info.Mode != session.ModeLive {
		return session.ErrRecorded.Error()
	}
	return ""
}

func (m *Model) doEdit() tea.Cmd {
	m.input = newInput(inputCommand, ":", commandOf(*m.step().Action))
	return nil
}

// commandOf writes an action as the command line reads it.
func commandOf(a session.Action) string {
	parts := []string{string(a.Verb)}
	if t := a.Target; t != nil {
		switch {
		case t.Ref != "":
			parts = append(parts, t.Ref)
		case t.CSS != "":
			parts = append(parts, "css="+quoted(t.CSS))
		default:
			parts = append(parts, t.Role)
			if t.Name != "" {
				parts = append(parts, quoted(t.Name))
			}
		}
	}
	keys := make([]string, 0, len(a.Args))
	for k := range a.Args {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		parts = append(parts, k+"="+quoted(fmt.Sprint(a.Args[k])))
	}
	return strings.Join(parts, " ")
}

// ---- notes and losses

func (m *Model) noNotes() string {
	if len(m.notes) == 0 {
		return "no step has a note; " + m.keys.Label("note") + " makes one"
	}
	return ""
}

func (m *Model) doNextNote() {
	steps := make([]int, 0, len(m.notes))
	for _, n := range m.notes {
		if n.Step <= len(m.tl.Steps) {
			steps = append(steps, n.Step)
		}
	}
	m.nextOf(steps, func(n int) string {
		return fmt.Sprintf("✎ step %d: %s", n, strings.Join(m.notesOn(n), " · "))
	})
}

// nextOf goes to the next of some steps after the one looked at, around the end.
func (m *Model) nextOf(steps []int, say func(int) string) {
	if len(steps) == 0 {
		return
	}
	sort.Ints(steps)
	to := steps[0]
	for _, n := range steps {
		if n > m.at+1 {
			to = n
			break
		}
	}
	m.say(levelInfo, say(to))
	m.look(to - 1)
}

func (m *Model) noLoss() string {
	if m.set == nil {
		return "the figures are still being computed"
	}
	if len(m.losses()) == 0 {
		return "nothing was lost under any shown policy"
	}
	return ""
}

// losses lists the steps that lost an element under a shown policy.
func (m *Model) losses() []int {
	var out []int
	for _, f := range m.set.pol {
		for _, l := range f.report.Survival.Lost {
			if !l.Never && l.Step <= len(m.tl.Steps) {
				out = append(out, l.Step)
			}
		}
	}
	return out
}

func (m *Model) doNextLoss() {
	m.nextOf(m.losses(), func(n int) string {
		for _, f := range m.set.pol {
			for _, l := range f.report.Survival.Lost {
				if l.Step == n && !l.Never {
					m.wantRef = l.Ref
					return fmt.Sprintf("LOST %s under %s: %s", l.Ref, f.policy.Name, l.Why)
				}
			}
		}
		return ""
	})
}

func (m *Model) doFilter() tea.Cmd {
	m.input = newInput(inputFilter, "only lines with ", "")
	return nil
}

func (m *Model) noExport() string {
	if why := m.noPage(); why != "" {
		return why
	}
	if m.docOf(m.focusAt()) == nil {
		return "this pane is still being computed"
	}
	return ""
}
