package view

import (
	"fmt"
	"strings"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/tui/safetext"
)

// stepItem is one step on the line of steps.
type stepItem struct {
	Text   string
	Wrong  bool // something did go wrong in it
	Lost   bool // a shown policy would lose its element
	Early  bool // its page was captured before it had come to rest
	Coming bool
	Index  int
}

// stepItems lists the steps that happened and those that are planned.
func (m *Figures) stepItems() []stepItem {
	out := make([]stepItem, 0, len(m.Tl.Steps)+4)
	wrong, early := byStep(m.wrong())
	lost := map[int]bool{}
	for _, n := range m.losses() {
		lost[n] = true
	}
	for i := range m.Tl.Steps {
		s := &m.Tl.Steps[i]
		out = append(out, stepItem{Text: m.didWhat(i), Wrong: wrong[s.N] != "", Lost: lost[s.N], Early: early[s.N] != "" || s.Result.Rest.Early(), Index: i})
	}
	if m.Open && m.Info.Mode == session.ModeLive {
		for i, a := range m.Pending {
			if i == 8 {
				break
			}
			out = append(out, stepItem{Text: a.Label(), Coming: true, Index: len(out)})
		}
	}
	return out
}

// didWhat is what a step did in the page's words, where they are known by now.
func (m *Story) didWhat(i int) string {
	if m.Table != nil && i < len(m.Table.names) {
		return m.Table.names[i]
	}
	return m.Tl.Steps[i].Action.Label()
}

// StepWidth is how many cells a step's label may take: more for the one that is
// looked at.
func StepWidth(it stepItem, at int) int {
	if it.Index == at {
		return 44
	}
	return 22
}

// VisibleItems picks the steps that fit, the one looked at among them with as
// many before it as after.
func (m *Figures) VisibleItems(width int) []stepItem {
	all := m.stepItems()
	cost := func(i int) int {
		return min(safetext.Width(all[i].Text), StepWidth(all[i], m.At)) + 7
	}
	at := min(max(m.At, 0), len(all)-1)
	if at < 0 {
		return nil
	}
	from, to, used := at, at+1, cost(at)
	for {
		grew := false
		if from > 0 && used+cost(from-1) <= width && at-from <= 2 {
			from--
			used += cost(from)
			grew = true
		}
		if to < len(all) && used+cost(to) <= width {
			used += cost(to)
			to++
			grew = true
		}
		if !grew {
			break
		}
	}
	if to < len(all) {
		to++ // the next one begins, cut by the edge
	}
	return all[from:to]
}

// AgeLook says how near a snapshot is to its end.
type AgeLook uint8

const (
	AgeNew AgeLook = iota
	ageLive
	AgeNext // the next result or message ends it
	AgeGone
)

// mostGone is how many snapshots that have expired are still named.
const mostGone = 3

// LastAges leaves out what expired long ago.
func (m *Figures) LastAges(ages []ledger.CounterState, width int) []ledger.CounterState {
	gone := 0
	for _, a := range ages {
		if a.Expired {
			gone++
		}
	}
	keep := max(1, min(mostGone, width/26-(len(ages)-gone)))
	var out []ledger.CounterState
	for _, a := range ages {
		if a.Expired && gone > keep {
			gone--
			continue
		}
		out = append(out, a)
	}
	return out
}

// AgeText is one snapshot's age: #2 ●●○ 2/3.
func AgeText(a ledger.CounterState) (string, AgeLook) {
	id := fmt.Sprintf("#%d ", a.Step)
	if a.Expired {
		if a.ExpiredAt > 0 {
			return id + fmt.Sprintf("✗ expired at step %d", a.ExpiredAt), AgeGone
		}
		return id + "✗ expired", AgeGone
	}
	if a.Limit <= 0 {
		return id + fmt.Sprintf("live, %d since", a.Calls), ageLive
	}
	dots := ""
	if a.Limit <= 8 {
		n := min(max(a.Calls, 0), a.Limit)
		dots = strings.Repeat("●", n) + strings.Repeat("○", a.Limit-n) + " "
	}
	text := id + dots + fmt.Sprintf("%d/%d", a.Calls, a.Limit)
	switch {
	case a.Calls >= a.Limit:
		return text + " expires now", AgeNext
	case a.Calls == a.Limit-1:
		return text + " next one ends it", AgeNext
	case a.Calls == 0:
		return text + " new", AgeNew
	}
	return text, ageLive
}

// LossAt is the element lost in the step looked at, under a pane's policy.
func (m *Figures) LossAt(pane int) (ledger.Lost, bool) {
	s := m.Step()
	if f, ok := m.FiguresOf(m.Panes[pane].Policy.Name); ok && s != nil {
		for _, l := range f.Lost() {
			if l.Step == s.N {
				return l, true
			}
		}
	}
	return ledger.Lost{}, false
}
