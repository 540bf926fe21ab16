package view

import (
	"fmt"
	"strings"

	"snapscope/session"
	"snapscope/tui/keymap"
	"snapscope/tui/safetext"
)

// Encoding is the counter's name; an estimate says that it is one.
func (m *State) Encoding() string {
	name := strings.TrimSuffix(m.EncName, "_base")
	if m.Estimate && name != "" {
		return "~" + name
	}
	return name
}

// StepMark is the step looked at and how many there are.
func (m *State) StepMark() string {
	if !m.Open {
		return ""
	}
	total := max(len(m.Tl.Steps), m.Info.Planned)
	if total == 0 {
		return "no steps yet"
	}
	n := 0
	if s := m.Step(); s != nil {
		n = s.N
	}
	return fmt.Sprintf("step %d/%d", n, total)
}

// HintGap is the room between two hints.
const HintGap = 3

// firstHints are named even where there is room for few: without them a person
// would be lost.
var firstHints = []string{"step", "continue", "command", "help", "quit"}

// Hints are the actions named on a hint line of a width, in the order of the
// key table.
func (m *State) Hints(width int) []*keymap.Action {
	chosen := map[*keymap.Action]bool{}
	left := width
	take := func(a *keymap.Action) {
		if a.Name == "act" && m.Info.Mode != session.ModeLive {
			return // there is nothing to act on
		}
		if cost := safetext.Width(a.Label()+a.Short) + 1 + HintGap; a.Short != "" && len(a.Keys) > 0 && !chosen[a] && cost <= left {
			chosen[a] = true
			left -= cost
		}
	}
	for _, name := range firstHints {
		take(m.Keys.ByName[name])
	}
	for _, a := range m.Keys.Actions {
		take(a)
	}
	var out []*keymap.Action
	for _, a := range m.Keys.Actions {
		if chosen[a] {
			out = append(out, a)
		}
	}
	return out
}
