package view

import (
	"fmt"
	"strings"

	"snapscope/session"
	"snapscope/tui/keymap"
	"snapscope/tui/safetext"
)

// Encoding is the counter's name; an estimate says that it is one.
func (m *Screen) Encoding() string {
	name := strings.TrimSuffix(m.EncName, "_base")
	if m.Estimate && name != "" {
		return "~" + name
	}
	return name
}

// StepMark is the step looked at and how many there are.
func (m *Story) StepMark() string {
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

// Hint is a key named on the hint line, and a word or two on what it does.
type Hint struct{ Action, Key, Short string }

// firstHints are named even where there is room for few: without them a person
// would be lost.
var firstHints = []string{"step", "continue", "command", "help", "quit"}

// Hints are the keys named on a hint line of a width: of what means something of its
// own where the keys are now, else of the table of actions, in its order.
func (m *State) Hints(width int) []Hint {
	if here := m.Here(); here != nil {
		return here.hints(m, width)
	}
	chosen := map[*keymap.Action]bool{}
	take := func(a *keymap.Action) {
		if a.Name == "act" && m.Info.Mode != session.ModeLive {
			return // there is nothing to act on
		}
		if cost := safetext.Width(a.Label()+a.Short) + 1 + HintGap; a.Short != "" && len(a.Keys) > 0 && !chosen[a] && cost <= width {
			chosen[a] = true
			width -= cost
		}
	}
	for _, name := range firstHints {
		take(m.Keys.ByName[name])
	}
	for _, a := range m.Keys.Actions {
		take(a)
	}
	var out []Hint
	for _, a := range m.Keys.Actions {
		if chosen[a] {
			out = append(out, Hint{a.Name, a.Label(), a.Short})
		}
	}
	return out
}
