package dialog

import (
	"fmt"
	"strings"

	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
	"snapscope/tui/draw"
	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// element names what was lost: its line where that is known.
func element(l view.Loss) string {
	if l.Line == "" {
		return strings.TrimSpace(l.Ref + " " + l.Target)
	}
	return view.ElementOf(l.Line)
}

// neverRead counts the elements that nothing the model had read ever showed.
func neverRead(lost []ledger.Lost) int {
	n := 0
	for _, l := range lost {
		if l.Never {
			n++
		}
	}
	return n
}

// toFix is the loss that f fixes: the chosen one, else the first that a knob
// keeps, else the first.
func (v *ContextView) toFix(lost []view.Loss) int {
	if v.lost >= 0 {
		return min(v.lost, len(lost)-1)
	}
	for i, l := range lost {
		if l.Keep != nil {
			return i
		}
	}
	return 0
}

// fix turns the knob that would have kept the chosen element.
func (v *ContextView) fix(m *view.State) {
	f := v.chosen()
	if f.Policy.Name == m.Panes[m.Focus].Policy.Name && m.Knobs.FixAll() {
		return
	}
	lost := m.LossesOf(f)
	if len(lost) == 0 {
		m.Say(view.LevelInfo, "nothing was lost under "+v.name)
		return
	}
	m.Knobs.FixLoss(v.name, f.Key, lost[v.toFix(lost)])
}

// lossLines is the most rows that one loss takes: what it is, why, what keeps it.
const lossLines = 3

// drawLosses lists what the agent could no longer see when it used it, each loss
// in so many rows.
func (v *ContextView) drawLosses(m *pane.Painter, r layout.Rect, f view.PolicyFigures, each int) {
	c, th := m.Cv, m.Th
	lost := m.S.LossesOf(f)
	next := v.toFix(lost)
	never := neverRead(f.Report.Survival.Lost)
	x := r.X
	if n := len(lost) - never; n > 0 {
		head, look := fmt.Sprintf("lost under %s: %s", f.Policy.Name, wording.Plural(n, "element")), th.Bad
		if f.Policy.Name == ledger.AsSentName {
			head, look = "! not readable when it was used: "+wording.Plural(n, "element"), th.Warn
		}
		x = c.Text(r.Row(0), head, look.As(draw.Bold)) + 1
	}
	if never > 0 {
		x = c.Text(layout.R(x, r.Y, r.X+r.W-x, 1), "! used, and no earlier page showed it: "+wording.Plural(never, "element"), th.Warn) + 1
	}
	fit := max(1, (r.H-1)/each)
	first := max(0, min(max(v.lost, 0)-fit+1, len(lost)-fit))
	if fit < len(lost) {
		c.Text(layout.R(x, r.Y, r.X+r.W-x, 1), fmt.Sprintf("· %d to %d of them shown, tab walks", first+1, first+fit), th.Dim)
	}
	for i := 0; i < fit && first+i < len(lost); i++ {
		l := lost[first+i]
		row := layout.R(r.X, r.Y+1+i*each, r.W, each)
		if first+i == v.lost {
			c.Put(row.X, row.Y, row.X+1, "▸", th.Accent)
		}
		v.drawLoss(m, row.Inset(2, 0), l, first+i == next)
	}
}

// drawLoss draws one loss in as many rows as r has. fixes: f would fix this one.
func (v *ContextView) drawLoss(m *pane.Painter, r layout.Rect, l view.Loss, fixes bool) {
	c, th := m.Cv, m.Th
	look, fix := th.Text, th.Good
	if l.Never {
		look, fix = th.Dim, th.Dim
	}
	if l.Keep == nil || !l.Tried {
		fix = th.Dim
	}
	end := r.X + r.W
	change := l.Fix()
	if fixes && l.Tried && l.Keep != nil && r.H > 1 {
		change = m.S.Keys.Label("fold") + ": " + change
	}
	x := c.Put(r.X, r.Y, end, fmt.Sprintf("step %-3d ", l.Step), th.Dim)
	indent := x - r.X
	if r.H == 1 {
		x = c.Put(x, r.Y, end, l.Ref+"  ", look)
		if !l.Never {
			x = c.Put(x, r.Y, end, change+" · ", fix)
		}
		c.Text(layout.R(x, r.Y, end-x, 1), l.Why, look)
		return
	}
	if r.H == 2 {
		after := min(safetext.Width(change)+2, (end-x)/2)
		x = c.Text(layout.R(x, r.Y, end-x-after, 1), element(l), look.As(draw.Bold)) + 2
		c.Text(layout.R(x, r.Y, end-x, 1), change, fix)
	} else {
		c.Text(layout.R(x, r.Y, end-x, 1), element(l), look.As(draw.Bold))
		c.Text(r.Row(2).Inset(indent, 0), change, fix)
	}
	c.Text(r.Row(1).Inset(indent, 0), l.Why, look)
}
