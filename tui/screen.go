package tui

import (
	"snapscope/tui/dialog"
	"snapscope/tui/draw"
	"snapscope/tui/layout"
	"snapscope/tui/view"
)

// front is what has the keys before the panes: what lies over them, and the line that is
// typed into.
type front struct {
	*base
	over  dialog.Overlay // nil: none
	input *dialog.Input  // nil: none
}

// draw puts the whole screen on the canvas.
func (m *front) draw(why func(action string) string) {
	m.p.Cv.Reset(m.s.W, m.s.H)
	if m.p.Th.Text.Bg != 0 {
		m.p.Cv.Fill(layout.R(0, 0, m.s.W, m.s.H), " ", m.p.Th.Text)
	}
	m.p.Hits = m.p.Hits[:0]
	if m.s.Lay.Mode == layout.LayoutTooSmall {
		m.p.DrawTooSmall()
		return
	}
	m.p.DrawHeader(m.s.Lay.Header)
	if m.eng == nil && m.over != nil { // nothing is looked at yet
		m.over.Draw(m.p, m.overRoom())
		m.drawHint(m.s.Lay.Hint, why)
		return
	}
	for _, r := range m.s.Lay.Rules {
		m.p.Cv.Fill(r, "─", m.p.Th.Faint)
	}
	for _, r := range m.s.Lay.Bars {
		m.p.Cv.Fill(r, "│", m.p.Th.Faint)
	}
	m.p.DrawPanes()
	m.p.DrawSide(m.s.Lay.Side)
	m.p.DrawList(m.s.Lay.List)
	if !m.s.Lay.Steps.Empty() {
		m.p.DrawSteps(m.s.Lay.Steps)
	}
	m.p.DrawExpiry(m.s.Lay.Expiry)
	m.p.DrawTotals(m.s.Lay.Totals)
	if m.over != nil {
		m.p.Hits = m.p.Hits[:0]
		m.over.Draw(m.p, m.overRoom())
	}
	m.drawHint(m.s.Lay.Hint, why) // over the dialog: a message may take more rows than its own
	if m.input != nil {
		m.input.Draw(m.p)
	}
}

// overRoom is where what lies over the panes is drawn.
func (m *front) overRoom() layout.Rect { return layout.R(0, 1, m.s.W, m.s.H-2) }

// drawHint says what is running, the last thing that was said, or what can be
// done now.
func (m *front) drawHint(r layout.Rect, why func(action string) string) {
	if m.p.DrawMessage(r) {
		return
	}
	if m.over == nil {
		m.p.DrawKeys(r, why)
		return
	}
	if o, ok := m.over.(interface{ Hints(*view.State) []string }); ok { // the other keys are not its own: they close it
		m.p.Cv.Text(r.Inset(1, 1), draw.FirstFitting(o.Hints(m.s), r.W-2), m.p.Th.Dim)
	}
}
