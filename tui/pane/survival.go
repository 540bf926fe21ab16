package pane

import (
	"fmt"

	"snapscope/session/ledger"
	"snapscope/tui/draw"
	"snapscope/tui/layout"
	"snapscope/tui/view"
)

// DrawSurvivalStrip draws a mark for each step that acted on an element, ✓, ✗ where
// the policy would have hidden it, or ! where the model could not read it as the session
// was sent, under one policy, below the steps' numbers: each one's where there is room,
// else every tenth.
func (m *Painter) DrawSurvivalStrip(r layout.Rect, f view.PolicyFigures) {
	if r.H < 2 {
		return
	}
	lost, never := map[int]bool{}, map[int]bool{}
	for _, l := range f.Report.Survival.Lost {
		wrong := l.Never || f.Policy.Name == ledger.AsSentName
		lost[l.Step] = lost[l.Step] || !wrong
		never[l.Step] = wrong
	}
	end := r.X + r.W
	x := m.Cv.Put(r.X, r.Y+1, end, "survival ", m.Th.Dim)
	cells, every := 3, 1
	if n := len(m.S.Tl.Steps); n > 99 || n*cells > end-x {
		cells, every = 1, 10
	}
	m.Cv.Put(r.X, r.Y, end, "step", m.Th.Faint)
	for i := max(0, len(m.S.Tl.Steps)-(end-x)/cells); i < len(m.S.Tl.Steps); i++ {
		s := &m.S.Tl.Steps[i]
		mark, look, number := "·", m.Th.Faint, m.Th.Faint
		switch {
		case lost[s.N]:
			mark, look = "✗", m.Th.Loss
		case never[s.N]:
			mark, look = "!", m.Th.Warn
		case view.Targeted(s):
			mark, look = "✓", m.Th.Good
		}
		if i == m.S.At {
			look.Attr |= draw.Underline
			number = m.Th.Accent
		}
		if label := fmt.Sprint(s.N); s.N%every == 0 && x+cells-len(label) >= r.X+9 {
			m.Cv.Put(x+cells-len(label), r.Y, end, label, number)
		}
		m.Cv.Put(x+cells-1, r.Y+1, end, mark, look)
		x += cells
	}
}
