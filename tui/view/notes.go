package view

import (
	"fmt"
	"sort"
	"strings"

	"snapscope/session"
)

// Note is a remark of the person's on a step; an empty one is a bookmark.
type Note struct {
	Step int    `json:"step"`
	Text string `json:"text,omitempty"`
}

// NotesOn lists the remarks on a step.
func (m *Story) NotesOn(step int) []string {
	var out []string
	for _, n := range m.Notes {
		if n.Step == step {
			out = append(out, n.Text)
		}
	}
	return out
}

// CursorRef is the ref of the element under the cursor.
func (m *Reader) CursorRef() string {
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

// ToNote goes to the next step with a note.
func (m *Walk) ToNote() {
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
func (m *Walk) nextOf(steps []int, say func(int) string) {
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
