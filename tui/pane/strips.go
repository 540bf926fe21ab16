package pane

import (
	"fmt"
	"slices"
	"strings"

	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/wording"
	"snapscope/tui/draw"
	"snapscope/tui/format"
	"snapscope/tui/layout"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// labelWidth is the room of a strip's label.
const labelWidth = 9

// strip draws a line's label and answers the rest of the line.
func (m *Painter) strip(r layout.Rect, label string) layout.Rect {
	m.Cv.Put(r.X+1, r.Y, r.X+r.W, label, m.Th.Dim)
	return r.Inset(labelWidth+1, 1)
}

// DrawSteps shows the steps around the one looked at, and their tokens as a
// row of bars.
func (m *Painter) DrawSteps(r layout.Rect) {
	c, th := m.Cv, m.Th
	r = m.strip(r, "steps")
	r = m.drawSpark(r)
	items := m.S.VisibleItems(r.W)
	x, end := r.X, r.X+r.W
	if len(items) > 0 && items[0].Index > 0 {
		x = c.Put(x, r.Y, end, "‹ ", th.Faint)
	}
	for _, it := range items {
		if x >= end-6 {
			c.Put(end-1, r.Y, end, "›", th.Faint)
			break
		}
		look, mark := th.Dim, ""
		switch {
		case it.Coming:
			look = th.Faint
		case it.Wrong:
			mark = "! "
		case it.Early:
			mark = "◔ "
		case it.Lost:
			mark = " ✗ "
		}
		if it.Index == m.S.At {
			look = th.Accent
			if mark == "" {
				mark = "● "
			}
		}
		from := x
		x = c.Put(x, r.Y, end, fmt.Sprintf("%d ", it.Index+1), look)
		if mark != "" {
			ml := look
			if it.Wrong || it.Early {
				ml = th.Warn
			} else if it.Lost {
				ml = th.Loss
			}
			x = c.Put(x, r.Y, end, mark, ml)
			if it.Lost && mark == " ✗ " {
				x++ // the badge has its own room
			}
		}
		x = c.Text(layout.R(x, r.Y, min(view.StepWidth(it, m.S.At), end-x-1), 1), it.Text, look) + 2
		m.Hit(layout.R(from, r.Y, x-from, 1), HitStep, it.Index)
	}
}

// drawSpark draws the focused policy's tokens at each step at the right end, under
// its name.
func (m *Painter) drawSpark(r layout.Rect) layout.Rect {
	f, ok := m.S.FiguresOf(m.S.Panes[m.S.Focus].Policy.Name)
	if !ok || r.W < 90 || len(f.Tokens) < 2 {
		return r
	}
	width := min(len(f.Tokens), r.W/5)
	label := f.Policy.Name + " by step "
	first := max(0, min(m.S.At-width/2, len(f.Tokens)-width))
	bars := []rune(format.Spark(f.Tokens[first:first+width], width))
	x := r.X + r.W - width
	for i, b := range bars {
		look := m.Th.BarOther
		if first+i == m.S.At {
			look = m.Th.Accent
		}
		m.Cv.Put(x+i, r.Y, x+i+1, string(b), look)
	}
	at := m.Cv.Right(layout.R(r.X, r.Y, r.W-width, 1), label, m.Th.Faint)
	return layout.R(r.X, r.Y, at-r.X-2, 1)
}

// DrawExpiry shows every live snapshot's age under the policy that expires them.
func (m *Painter) DrawExpiry(r layout.Rect) {
	c, th := m.Cv, m.Th
	r = m.strip(r, "expiry")
	s := m.S.Step()
	set := m.S.Set
	if s == nil || set == nil {
		return
	}
	ages, ok := set.Ages[s.N]
	if !ok || len(ages) == 0 {
		text := "no snapshot is live"
		if m.S.ExpiryPolicy().Name == "" {
			text = "no rule expires snapshots"
		}
		c.Text(r, text, th.Faint)
		return
	}
	x, end := r.X, r.X+r.W
	for _, a := range m.S.LastAges(ages, r.W) {
		text, look := view.AgeText(a)
		if x+safetext.Width(text) > end {
			c.Put(max(x, r.X), r.Y, end, "…", th.Faint)
			break
		}
		x = c.Put(x, r.Y, end, text, m.ageStyle(look)) + 4
	}
	names := []string{"under " + set.Rule, ""}
	if !slices.ContainsFunc(m.S.FigurePolicies(), func(p policy.Policy) bool { return p.Name == set.Rule }) { // nothing on the screen expires by it
		names = []string{"what if " + set.Rule + " expired them", "what if " + set.Rule, ""}
	}
	c.Right(r, draw.FirstFitting(names, end-x), th.Faint)
}

func (m *Painter) ageStyle(l view.AgeLook) draw.Style {
	switch l {
	case view.AgeNew:
		return m.Th.Good
	case view.AgeNext:
		return m.Th.Warn
	case view.AgeGone:
		return m.Th.Faint
	}
	return m.Th.Text
}

// total is what one policy's model calls have carried up to the step looked at.
type total struct {
	name  string
	input int
	tail  string // the figures behind the bar
	look  draw.Style
}

// totals lists what the calls so far carried under each shown policy.
func (m *Painter) totals(narrow bool) (out []total, calls int) {
	set := m.S.Set
	full := set.Full.UpTo(m.S.Tl, m.S.At)
	for _, f := range set.Pol {
		s := f.UpTo(m.S.Tl, m.S.At)
		calls = max(calls, s.Calls)
		t := total{f.Policy.Name, s.Input, " " + format.Short(s.Input), m.Th.Text}
		if f.Policy.Name != "full" && full.Input > 0 {
			saved := 1 - float64(s.Input)/float64(full.Input)
			t.look = m.Th.Savings(saved)
			if narrow {
				t.tail += " " + strings.Replace(format.Roughly(saved), " %", "%", 1)
			} else {
				t.tail += " " + format.Delta(saved)
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

// DrawTotals shows what the model calls so far have carried under each shown
// policy, and whether the agent could still see what it used. All bars have one
// scale: the most that any policy carried, and at least one whole page, so that
// next to nothing is next to no bar.
func (m *Painter) DrawTotals(r layout.Rect) {
	c, th := m.Cv, m.Th
	if m.S.Set == nil || m.S.At < 0 {
		m.strip(r, "context")
		return
	}
	narrow := r.W < layout.OneBelow
	items, calls := m.totals(narrow)
	label := draw.FirstFitting([]string{wording.Plural(calls, "call"), "context"}, labelWidth)
	r = m.drawSurvival(m.strip(r, label), narrow)
	gap := 4
	if narrow {
		gap = 2
	}
	most, used := 1, 0
	if d := m.S.DocOf(0); d != nil {
		most = max(most, d.Full)
	}
	for _, t := range items {
		most = max(most, t.input)
		used += safetext.Width(t.name) + safetext.Width(t.tail) + gap
	}
	what := "before this answer" // which the next call carries
	barWidth := min(mostBar, (r.W-used-safetext.Width(what))/max(1, len(items))-1)
	if barWidth < leastBar {
		what = ""
		barWidth = min(mostBar, (r.W-used)/max(1, len(items))-1)
	}
	if barWidth < leastBar {
		barWidth = 0
	}
	x, end := r.X, r.X+r.W
	for _, t := range items {
		if need := safetext.Width(t.name) + safetext.Width(t.tail) + barWidth; x+need > end {
			c.Put(min(x, end-1), r.Y, end, "…", th.Faint)
			return
		}
		x = c.Put(x, r.Y, end, t.name, th.Text)
		if barWidth > 0 {
			x++
			c.Put(x, r.Y, end, strings.Repeat("─", barWidth), th.Faint)
			c.Put(x, r.Y, end, format.Bar(float64(t.input)/float64(most), barWidth), th.BarLive)
			x += barWidth
		}
		x = c.Put(x, r.Y, end, t.tail, t.look) + gap
	}
	if end-x >= safetext.Width(what) {
		c.Right(layout.R(x, r.Y, end-x, 1), what, th.Faint)
	}
}

// drawSurvival shows at the right end how many of the elements acted on the
// agent could still read, under the policy that lost most.
func (m *Painter) drawSurvival(r layout.Rect, narrow bool) layout.Rect {
	sent := m.S.Set.Sent.UpTo(m.S.Tl, m.S.At)
	acted, unread, worst, name := sent.Acted, sent.Never+len(sent.Lost), 0, ""
	for _, f := range m.S.Set.Pol {
		s := f.UpTo(m.S.Tl, m.S.At)
		acted = max(acted, s.Acted)
		if len(s.Lost) > worst && f.Policy.Name != ledger.AsSentName {
			worst, name = len(s.Lost), f.Policy.Name
		}
	}
	if acted == 0 {
		return r
	}
	text, look := fmt.Sprintf("survival %d/%d", acted-unread, acted), m.Th.Good
	if unread > 0 { // that did go wrong, and is no policy's loss
		look = m.Th.Warn
		if !narrow {
			text += fmt.Sprintf(" · ! %d not readable", unread)
		}
	}
	if worst > 0 {
		text, look = fmt.Sprintf(" ✗ LOST %d of %d under %s ", worst, acted, name), m.Th.Loss
		if narrow {
			text = fmt.Sprintf(" ✗ LOST %d/%d ", worst, acted)
		}
	}
	x := m.Cv.Right(r, text, look)
	return layout.R(r.X, r.Y, x-r.X-2, 1)
}
