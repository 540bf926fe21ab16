package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/session/ledger"
	"snapscope/tui/safetext"
)

// fixesMsg tells which turn of a knob would have kept each lost element.
type fixesMsg struct {
	key  string // of the policy with its knobs
	name string // of the policy
	lost []ledger.Lost
}

func (f fixesMsg) apply(m *Model) tea.Cmd {
	if v, ok := m.over.(*contextView); ok {
		v.fixes[f.key], v.last[f.name] = f.lost, f.lost
		delete(v.asked, f.key)
	}
	return nil
}

// findFixes asks for the knobs that would have kept what was lost under the
// chosen policy.
func (v *contextView) findFixes(m *Model) {
	f := v.chosen()
	_, known := v.fixes[f.key]
	if known || v.asked[f.key] || len(f.report.Survival.Lost) == 0 {
		return
	}
	v.asked[f.key] = true
	m.fixOf = f
	m.wants |= wantFixes
}

// askFixes tries, in a command, the knobs that would have kept what was lost.
func (m *Model) askFixes() tea.Cmd {
	f := m.fixOf
	view, p, opt, ctx, key := m.tl.View(), f.policy.Clone(), m.cfg.Ledger, m.ctx, f.key
	opt.Renderer, opt.Progress, opt.Fixes = m.rd, nil, true
	return func() tea.Msg {
		r, err := ledger.Run(ctx, view, p, opt)
		if err != nil {
			return nil
		}
		return fixesMsg{key, p.Name, r.Survival.Lost}
	}
}

// lossRow is a loss with what is known of the knob that would have kept it.
type lossRow struct {
	ledger.Lost
	tried bool // with the knobs as they are now
}

// mend is the change that keeps the element, in words.
func (l lossRow) mend() string {
	switch {
	case l.Never:
		return "no policy's fault"
	case l.Keep != nil:
		return l.Keep.Assignment() + " keeps it"
	case l.tried:
		return "no change of one knob keeps it"
	}
	return "looking for the knob that keeps it …"
}

// element names what was lost: its line where that is known.
func (l lossRow) element() string {
	if l.Line == "" {
		return strings.TrimSpace(l.Ref + " " + l.Target)
	}
	return elementOf(l.Line)
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

// losses are what a policy lost, each with the knob that would have kept it: as
// found for the knobs as they are now, else, until that is known, as found
// before the last turn.
func (v *contextView) losses(f policyFigures) []lossRow {
	type place struct {
		step int
		ref  string
	}
	found := map[place]*ledger.Fix{}
	now, tried := v.fixes[f.key]
	if !tried {
		now = v.last[f.policy.Name]
	}
	for _, l := range now {
		found[place{l.Step, l.Ref}] = l.Keep
	}
	out := make([]lossRow, len(f.report.Survival.Lost))
	for i, l := range f.report.Survival.Lost {
		l.Keep = found[place{l.Step, l.Ref}]
		out[i] = lossRow{l, tried}
	}
	return out
}

// toMend is the loss that f mends: the chosen one, else the first that a knob
// keeps, else the first.
func (v *contextView) toMend(lost []lossRow) int {
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
func (v *contextView) fix(m *Model) {
	f := v.chosen()
	lost := v.losses(f)
	if len(lost) == 0 {
		m.say(levelInfo, "nothing was lost under "+v.name)
		return
	}
	l := lost[v.toMend(lost)]
	for i, p := range m.panes {
		switch {
		case p.policy.Name != v.name || !p.shown:
		case !l.tried || p.policy.Key() != f.key:
			m.say(levelInfo, "still looking for the knob that keeps "+l.Ref)
			return
		case l.Keep == nil:
			m.say(levelWarn, "no knob of "+v.name+" would have kept "+l.Ref)
			return
		default:
			m.focus = i
			m.knobs.follow(m)
			m.say(levelGood, l.Keep.Assignment()+" keeps "+l.Ref+" · "+m.keys.Label("undo")+" takes it back")
			m.changePolicy(i, l.Keep.Apply(p.policy), l.Keep.Knob, l.Keep.From)
			return
		}
	}
}

// toLoss goes to the step that lost an element, and to the element's line.
func (m *Model) toLoss(policy string, l ledger.Lost) {
	for i, p := range m.panes {
		if p.policy.Name == policy && p.shown {
			m.focus = i
		}
	}
	m.wantRef = l.Ref
	m.say(levelError, "LOST "+l.Ref+" under "+policy+": "+l.Why)
	m.look(l.Step - 1)
}

// lossLines is the most rows that one loss takes: what it is, why, what keeps it.
const lossLines = 3

// drawLosses lists what the agent could no longer see when it used it, each loss
// in so many rows.
func (v *contextView) drawLosses(m *Model, r rect, f policyFigures, each int) {
	c, th := m.cv, m.th
	lost := v.losses(f)
	next := v.toMend(lost)
	never := neverRead(f.report.Survival.Lost)
	x := r.x
	if n := len(lost) - never; n > 0 {
		x = c.text(r.row(0), fmt.Sprintf("lost under %s: %s", f.policy.Name, plural(n, "element")), th.bad.as(bold)) + 1
	}
	if never > 0 {
		x = c.text(rect{x, r.y, r.x + r.w - x, 1}, "used but never read, under any policy: "+plural(never, "element"), th.warn) + 1
	}
	fit := max(1, (r.h-1)/each)
	first := max(0, min(max(v.lost, 0)-fit+1, len(lost)-fit))
	if fit < len(lost) {
		c.text(rect{x, r.y, r.x + r.w - x, 1}, fmt.Sprintf("· %d to %d of them shown, tab walks", first+1, first+fit), th.dim)
	}
	for i := 0; i < fit && first+i < len(lost); i++ {
		l := lost[first+i]
		row := rect{r.x, r.y + 1 + i*each, r.w, each}
		if first+i == v.lost {
			c.put(row.x, row.y, row.x+1, "▸", th.accent)
		}
		v.drawLoss(m, row.inset(2, 0), l, first+i == next)
	}
}

// drawLoss draws one loss in as many rows as r has. mends: f would mend this one.
func (v *contextView) drawLoss(m *Model, r rect, l lossRow, mends bool) {
	c, th := m.cv, m.th
	look, fix := th.text, th.good
	if l.Never {
		look, fix = th.dim, th.dim
	}
	if l.Keep == nil || !l.tried {
		fix = th.dim
	}
	end := r.x + r.w
	mend := l.mend()
	if mends && l.tried && l.Keep != nil && r.h > 1 {
		mend = "f: " + mend
	}
	x := c.put(r.x, r.y, end, fmt.Sprintf("step %-3d ", l.Step), th.dim)
	indent := x - r.x
	if r.h == 1 {
		x = c.put(x, r.y, end, l.Ref+"  ", look)
		if !l.Never {
			x = c.put(x, r.y, end, mend+" · ", fix)
		}
		c.text(rect{x, r.y, end - x, 1}, l.Why, look)
		return
	}
	if r.h == 2 {
		after := min(safetext.Width(mend)+2, (end-x)/2)
		x = c.text(rect{x, r.y, end - x - after, 1}, l.element(), look.as(bold)) + 2
		c.text(rect{x, r.y, end - x, 1}, mend, fix)
	} else {
		c.text(rect{x, r.y, end - x, 1}, l.element(), look.as(bold))
		c.text(r.row(2).inset(indent, 0), mend, fix)
	}
	c.text(r.row(1).inset(indent, 0), l.Why, look)
}

// drawSurvivalStrip draws a mark for each step that acted on an element, ✓, ✗, or
// ? where the model had never read it, under one policy, below the steps' numbers: each one's where there is room,
// else every tenth.
func (m *Model) drawSurvivalStrip(r rect, f policyFigures) {
	if r.h < 2 {
		return
	}
	lost, never := map[int]bool{}, map[int]bool{}
	for _, l := range f.report.Survival.Lost {
		lost[l.Step] = lost[l.Step] || !l.Never
		never[l.Step] = l.Never
	}
	end := r.x + r.w
	x := m.cv.put(r.x, r.y+1, end, "survival ", m.th.dim)
	cells, every := 3, 1
	if n := len(m.tl.Steps); n > 99 || n*cells > end-x {
		cells, every = 1, 10
	}
	m.cv.put(r.x, r.y, end, "step", m.th.faint)
	for i := max(0, len(m.tl.Steps)-(end-x)/cells); i < len(m.tl.Steps); i++ {
		s := &m.tl.Steps[i]
		mark, look, number := "·", m.th.faint, m.th.faint
		switch {
		case lost[s.N]:
			mark, look = "✗", m.th.loss
		case never[s.N]:
			mark, look = "?", m.th.warn
		case targeted(s):
			mark, look = "✓", m.th.good
		}
		if i == m.at {
			look.attr |= underline
			number = m.th.accent
		}
		if label := fmt.Sprint(s.N); s.N%every == 0 && x+cells-len(label) >= r.x+9 {
			m.cv.put(x+cells-len(label), r.y, end, label, number)
		}
		m.cv.put(x+cells-1, r.y+1, end, mark, look)
		x += cells
	}
}
