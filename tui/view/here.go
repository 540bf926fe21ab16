package view

import (
	"slices"
	"strings"

	"snapscope/tui/safetext"
)

// Here is a place on the screen in which some actions mean something of their own.
type Here struct {
	Title string // for the help
	Rows  []HereRow
}

// HereRow is an action as it is meant in a place.
type HereRow struct {
	Action string // by its name; of two with one hint, both
	Hint   int    // its place on the hint line, from 1; 0: it is not hinted
	Short  string // on the hint line
	Doc    string // in the help; empty: it means what it means everywhere
	do     func(*State)
}

// Here is the place that the keys are in; nil: in the panes.
func (m *State) Here() *Here {
	switch {
	case m.List.Open:
		return m.listHere()
	case m.OnSide && m.Side == SideKnobs:
		return knobsHere
	}
	return nil
}

// PressHere does an action as it is meant where the keys are; false: it means here
// what it means everywhere.
func (m *State) PressHere(action string) bool {
	here := m.Here()
	if here == nil {
		return false
	}
	if m.List.Open && m.moveList(action) || !m.List.Open && m.Knobs.Press(action) {
		return true
	}
	i := slices.IndexFunc(here.Rows, func(r HereRow) bool { return r.Action == action && r.do != nil })
	if i >= 0 {
		here.Rows[i].do(m)
	}
	return i >= 0
}

// hints are those that fit into a width.
func (h *Here) hints(m *State, width int) []Hint {
	rows := slices.DeleteFunc(slices.Clone(h.Rows), func(r HereRow) bool { return r.Hint == 0 })
	slices.SortFunc(rows, func(a, b HereRow) int { return a.Hint - b.Hint })
	var out []Hint
	for _, r := range rows {
		var keys []string
		for _, name := range strings.Fields(r.Action) {
			keys = append(keys, m.Keys.Label(name))
		}
		key := strings.ReplaceAll(strings.Join(keys, " "), "↓ ↑", "↓↑")
		if width -= safetext.Width(key+r.Short) + 1; width < 0 {
			break
		}
		width -= HintGap
		out = append(out, Hint{"", key, r.Short})
	}
	return out
}

// listHere is the list of steps.
func (m *State) listHere() *Here {
	sort, trouble := "sort", "next loss"
	if m.List.Sort != SortOrder {
		sort += ": " + m.List.Sort.String()
	}
	if t := m.Table; t != nil && t.Sum.Wrong > 0 {
		if trouble = "errors, losses"; t.Sum.Lost == 0 {
			trouble = "errors"
		}
	}
	return &Here{"the list of steps", []HereRow{
		{"reason", 1, "look", "look at the step; of words, read them in full", nil},
		{"next-loss", 2, trouble, "to the next step that lost an element or failed", nil},
		{"step", 3, sort, "sort by the next column; so does a click on its heading", (*State).sortList},
		{"reset", 0, "", "turn the order round", func(m *State) {
			m.List.Up = !m.List.Up
			m.List.fill(m.Table, m.At)
			m.ListTo(0)
		}},
		{"filter", 4, "filter", "only some steps: lost, error, tokens>5000, a verb, any words; !word: all but these", nil},
		{"fold", 9, "words", "with or without what was said between the steps", func(m *State) {
			m.List.Plain = !m.List.Plain
			m.List.fill(m.Table, m.At)
		}},
		{"search", 5, "search", "search all steps; " + m.Keys.Label("next-match") + " and " + m.Keys.Label("prev-match") + " go on", nil},
		{"cancel", 0, "", "all steps again, as they happened; then close the list", (*State).leaveList},
		{"help", 6, "help", "", nil},
		{"context", 7, "context", "", nil},
		{"export", 8, "export", "", nil},
		{"list", 10, "closes", "", nil},
	}}
}

// knobsHere is the column of knobs.
var knobsHere = &Here{"the knobs", []HereRow{
	{"down", 0, "", "the next knob", nil},
	{"more", 0, "", "turn it; so do the arrows", nil},
	{"reason", 3, "type", "type its value", nil},
	{"undo", 5, "undo", "take a run of presses back", nil},
	{"reset", 4, "reset", "all knobs of the policy as they came", nil},
	{"down up", 1, "knob", "", nil},
	{"more less", 2, "turn", "", nil},
	{"step", 6, "step", "", nil},
	{"next-pane", 7, "back to the panes", "", nil},
	{"knobs", 8, "closes", "", nil},
	{"help", 9, "help", "", nil},
}}
