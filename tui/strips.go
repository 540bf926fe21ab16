package tui

import (
	"fmt"
	"strings"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/tui/safetext"
)

// strip draws a line's label and answers the rest of the line.
func (m *Model) strip(r rect, label string) rect {
	m.cv.put(r.x+1, r.y, r.x+r.w, label, m.th.dim)
	return r.inset(9, 1)
}

// stepItem is one step on the line of steps.
type stepItem struct {
	text   string
	ok     bool
	lost   bool
	coming bool
	index  int
}

// stepItems lists the steps that happened and those that are planned.
func (m *Model) stepItems() []stepItem {
	out := make([]stepItem, 0, len(m.tl.Steps)+4)
	for i := range m.tl.Steps {
		s := &m.tl.Steps[i]
		out = append(out, stepItem{text: s.Action.Label(), ok: s.Result.OK, lost: m.lostStep(s.N), index: i})
	}
	if m.open && m.info.Mode == session.ModeLive {
		for i, a := range m.pending {
			if i == 8 {
				break
			}
			out = append(out, stepItem{text: a.Label(), coming: true, index: len(out)})
		}
	}
	return out
}

// drawSteps shows the steps around the one looked at, and their tokens as a
// row of bars.
func (m *Model) drawSteps(r rect) {
	c, th := m.cv, m.th
	r = m.strip(r, "steps")
	r = m.drawSpark(r)
	items := m.visibleItems(r.w)
	m.stepHits = m.stepHits[:0]
	x, end := r.x, r.x+r.w
	if len(items) > 0 && items[0].index > 0 {
		x = c.put(x, r.y, end, "‹ ", th.faint)
	}
	for _, it := range items {
		if x >= end-6 {
			c.put(end-1, r.y, end, "›", th.faint)
			break
		}
		look, mark := th.dim, ""
		switch {
		case it.coming:
			look = th.faint
		case it.lost:
			mark = " ✗ "
		case !it.ok:
			mark = "✗ "
		}
		if it.index == m.at {
			look = th.accent
			if mark == "" {
				mark = "● "
			}
		}
		from := x
		x = c.put(x, r.y, end, fmt.Sprintf("%d ", it.index+1), look)
		if mark != "" {
			ml := look
			if it.lost {
				ml = th.loss
			} else if !it.ok && !it.coming {
				ml = th.bad
			}
			x = c.put(x, r.y, end, mark, ml)
			if it.lost {
				x++ // the badge has its own room
			}
		}
		x = c.text(rect{x, r.y, min(stepWidth(it, m.at), end-x-1), 1}, it.text, look) + 2
		m.stepHits = append(m.stepHits, stepHit{from, x, it.index})
	}
}

// stepWidth is how many cells a step's label may take: more for the one that is
// looked at.
func stepWidth(it stepItem, at int) int {
	if it.index == at {
		return 44
	}
	return 22
}

// visibleItems picks the steps that fit, the one looked at among them with as
// many before it as after.
func (m *Model) visibleItems(width int) []stepItem {
	all := m.stepItems()
	cost := func(i int) int {
		return min(safetext.Width(all[i].text), stepWidth(all[i], m.at)) + 7
	}
	at := min(max(m.at, 0), len(all)-1)
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

// drawSpark draws the focused policy's tokens at each step at the right end, under
// its name.
func (m *Model) drawSpark(r rect) rect {
	f, ok := m.figuresOf(m.panes[m.focus].policy.Name)
	if !ok || r.w < 90 || len(f.tokens) < 2 {
		return r
	}
	width := min(len(f.tokens), r.w/5)
	label := f.policy.Name + " by step "
	first := max(0, min(m.at-width/2, len(f.tokens)-width))
	bars := []rune(spark(f.tokens[first:first+width], width))
	x := r.x + r.w - width
	for i, b := range bars {
		look := m.th.barOther
		if first+i == m.at {
			look = m.th.accent
		}
		m.cv.put(x+i, r.y, x+i+1, string(b), look)
	}
	at := m.cv.right(rect{r.x, r.y, r.w - width, 1}, label, m.th.faint)
	return rect{r.x, r.y, at - r.x - 2, 1}
}

// drawExpiry shows every live snapshot's age under the policy that expires them.
func (m *Model) drawExpiry(r rect) {
	c, th := m.cv, m.th
	r = m.strip(r, "expiry")
	s := m.step()
	set := m.set
	if s == nil || set == nil {
		return
	}
	ages, ok := set.ages[s.N]
	if !ok || len(ages) == 0 {
		text := "no snapshot is live"
		if m.keeperPolicy().Name == "" {
			text = "no rule expires snapshots"
		}
		c.text(r, text, th.faint)
		return
	}
	x, end := r.x, r.x+r.w
	for _, a := range m.lastAges(ages, r.w) {
		text, look := ageText(a)
		if x+safetext.Width(text) > end {
			c.put(max(x, r.x), r.y, end, "…", th.faint)
			break
		}
		x = c.put(x, r.y, end, text, m.ageStyle(look)) + 4
	}
	if name := set.rule; end-x > len(name)+6 {
		c.right(r, "under "+name, th.faint)
	}
}

// ageLook says how near a snapshot is to its end.
type ageLook uint8

const (
	ageNew ageLook = iota
	ageLive
	ageNext // the next result or message ends it
	ageGone
)

func (m *Model) ageStyle(l ageLook) style {
	switch l {
	case ageNew:
		return m.th.good
	case ageNext:
		return m.th.warn
	case ageGone:
		return m.th.faint
	}
	return m.th.text
}

// mostGone is how many snapshots that have expired are still named.
const mostGone = 3

// lastAges leaves out what expired long ago.
func (m *Model) lastAges(ages []ledger.CounterState, width int) []ledger.CounterState {
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

// ageText is one snapshot's age: #2 ●●○ 2/3.
func ageText(a ledger.CounterState) (string, ageLook) {
	id := fmt.Sprintf("#%d ", a.Step)
	if a.Expired {
		if a.ExpiredAt > 0 {
			return id + fmt.Sprintf("✗ expired at step %d", a.ExpiredAt), ageGone
		}
		return id + "✗ expired", ageGone
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
		return text + " expires now", ageNext
	case a.Calls == a.Limit-1:
		return text + " next one ends it", ageNext
	case a.Calls == 0:
		return text + " new", ageNew
	}
	return text, ageLive
}

// total is what one policy's model calls have carried up to the step looked at.
type total struct {
	name  string
	input int
	tail  string // the figures behind the bar
	look  style
}

// totals lists what the calls so far carried under each shown policy.
func (m *Model) totals(narrow bool) (out []total, calls int) {
	set := m.set
	full := set.full.upTo(m.tl, m.at)
	for _, f := range set.pol {
		s := f.upTo(m.tl, m.at)
		calls = max(calls, s.calls)
		t := total{f.policy.Name, s.input, " " + short(s.input), m.th.text}
		if f.policy.Name != "full" && full.input > 0 {
			saved := 1 - float64(s.input)/float64(full.input)
			t.look = m.th.savings(saved)
			if narrow {
				t.tail += " " + roughly(saved)
			} else {
				t.tail += " " + delta(saved)
			}
		}
		out = append(out, t)
	}
	return out, calls
}

// Widths of the bars in the line of totals.
const (
	mostBar  = 24
	leastBar = 6
)

// drawTotals shows what the model calls so far have carried under each shown
// policy, and whether the agent could still see what it used. All bars have one
// scale: the most that any policy carried, and at least one whole page, so that
// next to nothing is next to no bar.
func (m *Model) drawTotals(r rect) {
	c, th := m.cv, m.th
	r = m.strip(r, "context")
	if m.set == nil || m.at < 0 {
		return
	}
	narrow := r.w < oneBelow
	r = m.drawSurvival(r, narrow)
	items, calls := m.totals(narrow)
	gap := 4
	if narrow {
		gap = 2
	}
	most, used := 1, 0
	if d := m.docOf(0); d != nil {
		most = max(most, d.full)
	}
	for _, t := range items {
		most = max(most, t.input)
		used += safetext.Width(t.name) + safetext.Width(t.tail) + gap
	}
	barWidth := min(mostBar, (r.w-used)/max(1, len(items))-1)
	if barWidth < leastBar {
		barWidth = 0
	}
	x, end := r.x, r.x+r.w
	for _, t := range items {
		if need := safetext.Width(t.name) + safetext.Width(t.tail) + barWidth; x+need > end {
			c.put(min(x, end-1), r.y, end, "…", th.faint)
			return
		}
		x = c.put(x, r.y, end, t.name, th.text)
		if barWidth > 0 {
			x++
			c.put(x, r.y, end, strings.Repeat("─", barWidth), th.faint)
			c.put(x, r.y, end, bar(float64(t.input)/float64(most), barWidth), th.barLive)
			x += barWidth
		}
		x = c.put(x, r.y, end, t.tail, t.look) + gap
	}
	what := "carried so far by " + plural(calls, "call")
	if end-x >= safetext.Width(what) {
		c.right(rect{x, r.y, end - x, 1}, what, th.faint)
	}
}

// drawSurvival shows at the right end how many of the elements acted on the
// agent could still read, under the policy that lost most.
func (m *Model) drawSurvival(r rect, narrow bool) rect {
	acted, never, worst, name := 0, 0, 0, ""
	for _, f := range m.set.pol {
		s := f.upTo(m.tl, m.at)
		acted, never = max(acted, s.acted), max(never, s.never)
		if len(s.lost) > worst {
			worst, name = len(s.lost), f.policy.Name
		}
	}
	if acted == 0 {
		return r
	}
	text, look := fmt.Sprintf("survival %d/%d", acted-never, acted), m.th.good
	if never > 0 { // no policy's loss, but no reason to be pleased either
		look = m.th.warn
		if !narrow {
			text += fmt.Sprintf(" · %d never read", never)
		}
	}
	if worst > 0 {
		text, look = fmt.Sprintf(" ✗ LOST %d of %d under %s ", worst, acted, name), m.th.loss
		if narrow {
			text = fmt.Sprintf(" ✗ LOST %d/%d ", worst, acted)
		}
	}
	x := m.cv.right(r, text, look)
	return rect{r.x, r.y, x - r.x - 2, 1}
}

// lossAt is the element lost in the step looked at, under a pane's policy.
func (m *Model) lossAt(pane int) (ledger.Lost, bool) {
	s := m.step()
	f, ok := m.figuresOf(m.panes[pane].policy.Name)
	if s == nil || !ok || f.report == nil {
		return ledger.Lost{}, false
	}
	for _, l := range f.report.Survival.Lost {
		if l.Step == s.N && !l.Never {
			return l, true
		}
	}
	return ledger.Lost{}, false
}

// lostStep reports that some shown policy lost the element of a step.
func (m *Model) lostStep(n int) bool {
	if m.set == nil {
		return false
	}
	for _, f := range m.set.pol {
		for _, l := range f.report.Survival.Lost {
			if l.Step == n && !l.Never {
				return true
			}
		}
	}
	return false
}
