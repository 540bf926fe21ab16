package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"snapscope/session"
	"snapscope/snapshot/wording"
)

// StepList is the list of steps: the screen that a finished session opens on. It
// shows some of a table's rows in an order, and walks among them.
type StepList struct {
	List  // of Shown
	Open  bool
	Sort  SortKey
	Up    bool // the least first
	Plain bool // without what was said between the steps
	Text  string
	Err   string

	Shown  []int // indexes into the table's rows
	filter []stepTest
}

// SortKey is the column that a list of steps is sorted by.
type SortKey uint8

// The columns to sort by, in the order that the key walks through them.
const (
	SortOrder SortKey = iota // as it happened
	SortAdded
	SortCarried
	SortSaved
	SortTime
	SortCost
	SortPage
	SortDid
	sortKeys
)

// String is the column's heading.
func (k SortKey) String() string {
	return [...]string{"order", "added", "input", "saved", "took", "cost", "page", "did"}[k]
}

// stepTest is one word of a filter.
type stepTest func(StepRow) bool

// StepFilterForms are the words that a filter of steps takes, with what they
// mean.
var StepFilterForms = []Offer{
	{"lost", "a shown policy would have hidden the element it acted on", 0},
	{"error", "something went wrong in it", 0},
	{"edited", "a person changed it on its way, or answered it; answered: only the latter", 0},
	{"held", "a person held it on its way", 0},
	{"said", "what the user and the model said", 0},
	{"tokens>5000", "what it added to the history; also input>, saved<, took>", 0},
	{"goto", "a verb, or any word of the step, its page or its error; /re/ too", 0},
	{"!goto", "all but these", 0},
}

// parseStepFilter reads a filter: words that all have to hold.
func parseStepFilter(text string) ([]stepTest, error) {
	var out []stepTest
	for _, w := range strings.Fields(text) {
		t, err := parseStepTest(w)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func parseStepTest(w string) (stepTest, error) {
	if rest, not := strings.CutPrefix(w, "!"); not && rest != "" { // all but these, as in less
		t, err := parseStepTest(rest)
		if err != nil {
			return nil, err
		}
		return func(r StepRow) bool { return !t(r) }, nil
	}
	p, err := NewPattern(w)
	if err != nil {
		return nil, err
	}
	switch w {
	case "lost":
		return func(r StepRow) bool { return r.Lost != "" }, nil
	case "error":
		return func(r StepRow) bool { return r.Wrong != "" || r.Early != "" }, nil
	case "failed":
		return func(r StepRow) bool { return r.Error != "" }, nil
	case "edited":
		return func(r StepRow) bool {
			return r.Touched == session.TouchedEdited || r.Touched == session.TouchedAnswered
		}, nil
	case "answered":
		return func(r StepRow) bool { return r.Touched == session.TouchedAnswered }, nil
	case "held":
		return func(r StepRow) bool { return r.Held > 0 || r.Touched != "" }, nil
	case "said":
		return func(r StepRow) bool { return r.Kind != RowStep }, nil
	}
	if i := strings.IndexAny(w, "<>"); i > 0 {
		return parseStepNumber(w[:i], w[i], strings.TrimPrefix(w[i+1:], "="))
	}
	return func(r StepRow) bool {
		if r.Kind == RowStep && r.Verb == w {
			return true
		}
		for _, s := range []string{r.Did, r.Page, r.Wrong, r.Text} {
			if p.In(s) {
				return true
			}
		}
		return false
	}, nil
}

// parseStepNumber reads a comparison: tokens>5000, saved<20.
func parseStepNumber(key string, op byte, number string) (stepTest, error) {
	n, err := strconv.ParseFloat(strings.TrimSuffix(strings.ReplaceAll(number, ",", ""), "%"), 64)
	if err != nil {
		return nil, fmt.Errorf("%s%c takes a number, not %q", key, op, number)
	}
	of := map[string]func(StepRow) float64{
		"tokens": func(r StepRow) float64 { return float64(r.Added) },
		"added":  func(r StepRow) float64 { return float64(r.Added) },
		"input":  func(r StepRow) float64 { return float64(r.Carried) },
		"saved":  func(r StepRow) float64 { return r.Saved() * 100 },
		"took":   func(r StepRow) float64 { return float64(r.Millis) },
		"step":   func(r StepRow) float64 { return float64(r.N) },
	}[key]
	if of == nil {
		return nil, fmt.Errorf("no figure %q; there are tokens, input, saved, took, step", key)
	}
	if op == '<' {
		return func(r StepRow) bool { return r.Kind == RowStep && of(r) < n }, nil
	}
	return func(r StepRow) bool { return r.Kind == RowStep && of(r) > n }, nil
}

// fill picks and sorts the rows of a table, and keeps the choice on the step it
// was on.
func (l *StepList) fill(t *StepTable, step int) {
	l.Shown, l.N = l.Shown[:0], 0
	if t == nil {
		return
	}
	for i, r := range t.Rows {
		if r.Kind != RowStep && (l.Plain || l.Sort != SortOrder) && l.Text == "" {
			continue
		}
		ok := true
		for _, test := range l.filter {
			ok = ok && test(r)
		}
		if ok {
			l.Shown = append(l.Shown, i)
		}
	}
	if l.Sort != SortOrder {
		slices.SortStableFunc(l.Shown, func(a, b int) int {
			c := t.Rows[a].compare(t.Rows[b], l.Sort)
			if l.Up {
				return -c
			}
			return c
		})
	} else if l.Up {
		slices.Reverse(l.Shown)
	}
	l.N = len(l.Shown)
	l.At = l.N
	l.follow(t, step)
	if l.At == l.N {
		l.At = 0
	}
}

// compare orders two rows by a column: numbers from the most, words from a to z.
func (r StepRow) compare(o StepRow, by SortKey) int {
	switch by {
	case SortPage:
		return strings.Compare(r.Page, o.Page)
	case SortDid:
		return strings.Compare(r.Did, o.Did)
	}
	of := func(r StepRow) float64 {
		cost := 0.0
		if r.Cost != nil {
			cost = *r.Cost
		}
		return [...]float64{0, float64(r.Added), float64(r.Carried), r.Saved(), float64(r.Millis), cost}[by]
	}
	return cmp.Compare(of(o), of(r))
}

// follow chooses the row of a step, unless a row of it is chosen.
func (l *StepList) follow(t *StepTable, step int) {
	if t == nil || l.At < len(l.Shown) && t.Rows[l.Shown[l.At]].Step == step && t.Rows[l.Shown[l.At]].Kind != RowStep {
		return
	}
	for i, at := range l.Shown {
		if r := t.Rows[at]; r.Step == step && r.Kind == RowStep {
			l.At = i
			return
		}
	}
}

// TakeSteps takes in a new table.
func (m *Walk) TakeSteps(t *StepTable) {
	m.Table = t
	m.List.fill(t, m.At)
}

// ShowList opens or closes the list of steps.
func (m *State) ShowList() {
	m.List.Open = !m.List.Open
	if m.List.Open {
		m.List.fill(m.Table, m.At)
		m.Zoom, m.OnSide = false, false
		m.Ask(WantSteps)
	}
	m.Arrange()
	m.ClampView()
}

// Chosen is the chosen row of the list.
func (m *Walk) Chosen() (StepRow, bool) {
	if m.Table == nil || m.List.At >= len(m.List.Shown) {
		return StepRow{}, false
	}
	return m.Table.Rows[m.List.Shown[m.List.At]], true
}

// ListTo goes to a row of the list and looks at its step. again: it was chosen already.
func (m *Walk) ListTo(at int) (again bool) {
	again = m.List.Pick(at)
	if r, ok := m.Chosen(); ok && r.Step != m.At {
		m.Look(r.Step)
	}
	return again
}

// moveList walks through the list, by the name of an action; false: it does not.
func (m *Walk) moveList(action string) bool {
	times := 1
	if action == "down" || action == "up" {
		times = m.Times()
	}
	at := m.List.List
	if !at.Move(action, times) {
		return false
	}
	m.ListTo(at.At)
	return true
}

// leaveList takes back what was asked of the list, the last thing first, then closes it.
func (m *State) leaveList() {
	switch l := &m.List; {
	case l.Text != "":
		_ = m.FilterSteps("") // an empty filter cannot be wrong
	case l.Sort != SortOrder || l.Up:
		l.Sort, l.Up = SortOrder, false
		l.fill(m.Table, m.At)
	default:
		m.ShowList()
	}
}

// sortList sorts by the next column.
func (m *Walk) sortList() {
	next := (m.List.Sort + 1) % sortKeys
	if next == SortTime && (m.Table == nil || !m.Table.Timed) {
		next++ // there is none
	}
	if next == SortCost && (m.Table == nil || !m.Table.Priced) {
		next++
	}
	m.sortBy(next, false)
}

// sortBy sorts by a column, the most first or the least, and goes to its first row.
func (m *Walk) sortBy(key SortKey, up bool) {
	l := &m.List
	l.Sort, l.Up = key, up
	l.fill(m.Table, m.At)
	if l.Sort == SortOrder {
		m.Say(LevelInfo, "as it happened · "+m.Keys.Label("step")+" sorts by the next column")
	} else {
		m.ListTo(0)
		first := "most"
		if up {
			first = "least"
		}
		first = ", the " + first + " first · "
		if l.Sort == SortPage || l.Sort == SortDid {
			first = ", a first · "
			if up {
				first = ", z first · "
			}
		}
		m.Say(LevelInfo, "sorted by "+l.Sort.String()+first+m.Keys.Label("step")+" next, "+m.Keys.Label("reset")+" turns round, "+m.Keys.Label("cancel")+" as it happened")
	}
}

// ClickHead sorts by a column, a second time the other way round.
func (m *Walk) ClickHead(key SortKey) { m.sortBy(key, key == m.List.Sort && !m.List.Up) }

// FilterSteps shows only the steps that a filter picks; an empty one shows all.
func (m *Walk) FilterSteps(text string) error {
	tests, err := parseStepFilter(text)
	if err != nil {
		return err
	}
	l := &m.List
	l.Text, l.filter = strings.TrimSpace(text), tests
	l.fill(m.Table, m.At)
	if l.Text != "" {
		m.ListTo(l.At)
		m.Say(LevelInfo, fmt.Sprintf("%s with %s · %s shows all again", wording.Plural(len(l.Shown), "row"), l.Text, m.Keys.Label("cancel")))
	}
	return nil
}

// ListPolicy is under which the list of steps says what would be saved: the focused
// pane's, else the first shown one that rewrites.
func (m *PaneSet) ListPolicy() string {
	for _, i := range append([]int{m.Focus}, m.ShownPanes()...) {
		if p := m.Panes[i].Policy; len(p.Stages) > 0 && p.Name != "full" {
			return p.Name
		}
	}
	return "full"
}

// Finished reports a session that has happened already: all of it is there, and
// stepping is a way of looking.
func (m *Story) Finished() bool { return m.Info.Mode == session.ModeReplay && m.Ended }
