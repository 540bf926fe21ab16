package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"snapscope/session/ledger"
)

// fixesMsg tells which turn of a knob would have kept each lost element.
type fixesMsg struct {
	key  string
	lost []ledger.Lost
}

func (f fixesMsg) apply(m *Model) tea.Cmd {
	if v, ok := m.over.(*contextView); ok {
		v.fixes[f.key] = f.lost
		delete(v.asked, f.key)
	}
	return nil
}

// findFixes tries, in a command, the knobs that would have kept what was lost
// under the chosen policy.
func (v *contextView) findFixes(m *Model) tea.Cmd {
	f := m.figs.set.pol[v.at]
	_, known := v.fixes[f.key]
	if known || v.asked[f.key] || len(f.report.Survival.Lost) == 0 {
		return nil
	}
	v.asked[f.key] = true
	view, p, opt, ctx, key := m.tl.View(), f.policy.Clone(), m.cfg.Ledger, m.ctx, f.key
	opt.Renderer, opt.Progress, opt.Fixes = m.rd, nil, true
	return func() tea.Msg {
		r, err := ledger.Run(ctx, view, p, opt)
		if err != nil {
			return nil
		}
		return fixesMsg{key, r.Survival.Lost}
	}
}

// lossesOf are what a policy lost, with the knobs that would have kept it where
// they were found already.
func (v *contextView) lossesOf(f policyFigures) []ledger.Lost {
	if l, ok := v.fixes[f.key]; ok && len(l) == len(f.report.Survival.Lost) {
		return l
	}
	return f.report.Survival.Lost
}

// fix turns the knob that would have kept the chosen element.
func (v *contextView) fix(m *Model) tea.Cmd {
	f := m.figs.set.pol[v.at]
	lost := v.lossesOf(f)
	if len(lost) == 0 {
		m.say(levelInfo, "nothing was lost under "+f.policy.Name)
		return nil
	}
	l := lost[max(v.lost, 0)]
	if v.asked[f.key] {
		m.say(levelInfo, "still looking for the knob that keeps it")
		return nil
	}
	if l.Keep == nil {
		m.say(levelWarn, "no knob of "+f.policy.Name+" would have kept "+l.Ref)
		return nil
	}
	for i, p := range m.panes {
		if p.policy.Name == f.policy.Name && p.shown {
			m.focus = i
			m.knobs.follow(m)
			m.say(levelGood, l.Keep.Assignment()+" · "+m.key("undo")+" takes it back")
			return m.changePolicy(i, l.Keep.Apply(p.policy), l.Keep.Knob, l.Keep.From)
		}
	}
	return nil
}

// toLoss goes to the step that lost an element, and to the element's line.
func (m *Model) toLoss(policy string, l ledger.Lost) tea.Cmd {
	m.over = nil
	for i, p := range m.panes {
		if p.policy.Name == policy && p.shown {
			m.focus = i
		}
	}
	m.wantRef = l.Ref
	m.say(levelError, "LOST "+l.Ref+" under "+policy+": "+l.Why)
	return m.look(l.Step - 1)
}

// drawLosses lists what the agent could no longer see when it used it.
func (v *contextView) drawLosses(m *Model, r rect, f policyFigures) {
	c, th := m.cv, m.th
	lost := v.lossesOf(f)
	c.text(r.row(0), fmt.Sprintf("lost under %s: %s", f.policy.Name, plural(len(lost), "element")), th.bad.as(bold))
	first := max(0, min(v.lost-(r.h-2), len(lost)-(r.h-1)))
	for i := 0; i < r.h-1 && first+i < len(lost); i++ {
		l := lost[first+i]
		row := r.row(i + 1)
		look := th.text
		if l.Never {
			look = th.dim
		}
		if first+i == v.lost {
			c.put(row.x, row.y, row.x+1, "▸", th.accent)
			look = th.accent
		}
		text := fmt.Sprintf("step %d  %s  %s", l.Step, l.Ref, l.Why)
		if l.Keep != nil {
			text += " · " + l.Keep.Assignment() + " keeps it"
		}
		c.text(row.inset(2, 0), text, look)
	}
}

// drawSurvivalStrip draws a mark for each step that acted on an element, ✓ or ✗,
// under one policy.
func (m *Model) drawSurvivalStrip(r rect, f policyFigures) {
	lost := map[int]bool{}
	for _, l := range f.report.Survival.Lost {
		lost[l.Step] = !l.Never
	}
	x := m.cv.put(r.x, r.y, r.x+r.w, "survival ", m.th.dim)
	first := max(0, len(m.tl.Steps)-(r.x+r.w-x))
	for i := first; i < len(m.tl.Steps); i++ {
		mark, look := "·", m.th.faint
		switch s := &m.tl.Steps[i]; {
		case lost[s.N]:
			mark, look = "✗", m.th.loss
		case targeted(s):
			mark, look = "✓", m.th.good
		}
		if i == m.at {
			look.attr |= underline
		}
		x = m.cv.put(x, r.y, r.x+r.w, mark, look)
	}
}
