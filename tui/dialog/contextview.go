package dialog

import (
	"fmt"

	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
	"snapscope/tui/draw"
	"snapscope/tui/format"
	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// ContextView answers what the session cost, call by call, under each policy,
// what was cached, what expired, and what the agent could no longer see. It can
// be open before the figures are there.
type ContextView struct {
	set   *view.FigureSet // the figures that at and lost point into
	at    int             // chosen policy among the figures
	name  string          // and its name
	call  int             // first drawn call
	lost  int             // chosen loss of the policy, -1 none
	moved bool
	ref   string // policy the bars are set beside
	own   bool   // each policy's bars on a scale of their own
}

func NewContextView(m *view.State) *ContextView {
	v := &ContextView{
		lost: -1, name: m.Panes[m.Focus].Policy.Name, ref: "full",
	}
	v.Arrived(m)
	return v
}

// Arrived takes in the newest figures: the chosen policy and the place among its
// losses stay.
func (v *ContextView) Arrived(m *view.State) {
	set := m.Set
	if set == nil || len(set.Pol) == 0 {
		return
	}
	v.set, v.at = set, min(v.at, len(set.Pol)-1)
	for i, f := range set.Pol {
		if f.Policy.Name == v.name {
			v.at = i
		}
	}
	v.lost = min(v.lost, len(v.chosen().Report.Survival.Lost)-1)
	m.FindFixes(v.chosen())
	m.FindAdvice()
}

// chosen are the figures of the chosen policy.
func (v *ContextView) chosen() view.PolicyFigures { return v.set.Pol[v.at] }

// choose goes to another policy.
func (v *ContextView) choose(m *view.State, at int) {
	v.at, v.lost = max(0, min(at, len(v.set.Pol)-1)), -1
	v.name = v.chosen().Policy.Name
	m.FindFixes(v.chosen())
}

// Press takes a key, as the action that is on it is meant here; one that means
// nothing here closes the view.
func (v *ContextView) Press(m *view.State, key string) Reply {
	if v.set == nil {
		return Reply{Close: true}
	}
	lost := v.chosen().Report.Survival.Lost
	name := m.Keys.NameOf(key)
	if name != "fold" {
		m.Fixes.Withdraw()
	}
	switch name {
	case "down":
		v.choose(m, v.at+1)
	case "up":
		v.choose(m, v.at-1)
	case "right", "list", "page-down":
		v.call, v.moved = v.call+8, true
	case "left", "page-up":
		v.call, v.moved = max(0, v.call-8), true
	case "fold":
		v.fix(m)
	case "reset":
		v.ref = v.name
	case "step":
		v.own = !v.own
	case "next-pane", "next-match":
		if len(lost) > 0 {
			v.lost = (v.lost + 1) % len(lost)
		}
	case "prev-pane", "prev-match":
		if len(lost) > 0 {
			v.lost = (v.lost + len(lost)) % (len(lost) + 1) % len(lost)
		}
	case "reason":
		if v.lost < 0 && len(lost) > 0 {
			v.lost = 0
		}
		if v.lost >= 0 && v.lost < len(lost) {
			m.ToLoss(v.name, lost[v.lost])
			return Reply{Close: true}
		}
	case "undo", "redo", "prev", "next", "first", "last", "theme":
		return Reply{Do: name}
	case "prices", "help":
		return Reply{Close: true, Do: name}
	default:
		if key != "h" { // beside l
			return Reply{Close: true}
		}
		v.call, v.moved = max(0, v.call-8), true
	}
	return Reply{}
}

func (v *ContextView) Hints(m *view.State) []string {
	k := m.Keys.Label
	if v.set == nil {
		return []string{"any key closes"}
	}
	move := k("up") + k("down") + " policy  " + k("left") + k("right") + " calls  "
	rest := k("next-pane") + " loss  " + k("reason") + " goes there  " + k("fold") + " fixes  " + k("undo") + " undo  " + k("cancel") + " closes"
	return []string{
		move + k("reset") + " beside  " + k("step") + " scale  " + k("prices") + " prices  " + rest,
		move + rest,
	}
}

// Arrange has nothing to do: how many calls are seen is known where they are drawn.
func (v *ContextView) Arrange(*view.State, layout.Rect) {}

func (v *ContextView) Draw(m *pane.Painter, r layout.Rect) {
	c, th := m.Cv, m.Th
	c.Fill(r, " ", th.Text)
	if in := within(m.S, r); in != r {
		c.Fill(r.Row(0), "─", th.Faint)
		c.Fill(r.Row(r.H-1), "─", th.Faint)
		r = in
	}
	if v.set == nil {
		c.Text(r.Row(0).Inset(1, 1), "context and cost", th.Accent)
		c.Text(r.Row(2).Inset(1, 1), "working out the input of every model call … this opens by itself when it is ready", th.Dim)
		return
	}
	f := v.chosen()
	x := c.Text(r.Row(0).Inset(1, 1), "context and cost", th.Accent)
	x = v.drawTurned(m, layout.R(x+3, r.Y, r.X+r.W-x-3, 1))
	if calls := wording.Plural(len(m.S.Tl.Calls()), "model call") + " so far"; r.X+r.W-x > safetext.Width(calls)+2 {
		c.Right(r.Row(0).Inset(1, 1), calls, th.Dim)
	}
	room := 1
	if r.H < layout.TallEnough-6 {
		room = 0
	}
	y := 1 + room
	y += v.drawAdvice(m, layout.R(r.X+1, r.Y+y, r.W-2, r.H-y)) + room
	y += v.drawTable(m, layout.R(r.X+1, r.Y+y, r.W-2, r.H-y)) + room
	m.DrawSurvivalStrip(layout.R(r.X+3, r.Y+y, r.W-6, min(2, r.H-y)), f)
	y += 3
	y += v.drawVendor(m, layout.R(r.X+3, r.Y+y, r.W-6, r.H-y))
	v.drawBelow(m, layout.R(r.X+1, r.Y+y, r.W-2, r.H-y), f)
}

// adviceLines is how many rows the line of advice takes at most: on a small screen
// it leaves out what the session used, which the table says.
const adviceLines = 3

// drawAdvice draws the line of advice and answers how many rows it took.
func (v *ContextView) drawAdvice(m *pane.Painter, r layout.Rect) int {
	a := m.S.Advice
	if a == nil {
		m.Cv.Text(r.Row(0), "working out what would have saved most …", m.Th.Dim)
		return 1
	}
	var lines []string
	for _, form := range a.Said.Forms() {
		if lines = draw.WrapCells(safetext.Line(form), r.W, adviceLines+1); len(lines) <= adviceLines {
			break
		}
	}
	lines = lines[:min(adviceLines, len(lines))]
	for i, l := range lines {
		m.Cv.Text(r.Row(i), l, m.Th.Strong)
	}
	return len(lines)
}

// drawTurned shows what the last turn of a knob changed, until the next key, and
// answers the column after it.
func (v *ContextView) drawTurned(m *pane.Painter, r layout.Rect) int {
	x := r.X
	for i, p := range m.S.Panes {
		w, ok := m.S.Knobs.Before(i)
		if !ok || p.Policy.Name != v.name {
			continue
		}
		for _, l := range m.S.Knobs.OldAndNew(i, w) {
			if l.Was == l.Now || x+safetext.Width(l.Label+l.Was+l.Now)+4 > r.X+r.W {
				continue
			}
			x = m.Turned(layout.R(x, r.Y, r.X+r.W-x, 1), l.Label+" ", l) + 3
		}
	}
	return x
}

// drawBelow draws the calls and, under them, what was lost: each loss in as many
// rows as there are to spare.
func (v *ContextView) drawBelow(m *pane.Painter, r layout.Rect, f view.PolicyFigures) {
	lost := len(f.Report.Survival.Lost)
	calls, detail := 2+len(f.Report.Calls), v.detail() // the legend and the heading
	if _, _, two := v.besides(f); two && r.W < sideBySide {
		calls, detail = 2*calls-1, 2*detail
	}
	if lost == 0 {
		v.drawCalls(m, r, f)
		return
	}
	each, most := 1, lossLines
	if neverRead(f.Report.Survival.Lost) == lost {
		most = 1 // there is nothing to fix
	}
	for each < most && (calls+2+(each+1)*lost <= r.H || each == 1 && 2*lost <= r.H/4) {
		each++
	}
	rows := min(lost*each, max(2, r.H-calls-2, r.H/4))
	calls = min(calls+detail, r.H-rows-2)
	v.drawCalls(m, layout.R(r.X, r.Y, r.W, calls), f)
	v.drawLosses(m, layout.R(r.X, r.Y+calls+1, r.W, rows+1), f, each)
}

// columns are the columns of the table of policies.
func (v *ContextView) columns(m *pane.Painter) []pane.Column[view.PolicyFigures] {
	th, full := m.Th, v.set.Full.Report.InputTokens
	col := func(head string, w int, cell func(r *ledger.Report) (string, draw.Style)) pane.Column[view.PolicyFigures] {
		return pane.Column[view.PolicyFigures]{Head: head, W: w, Cell: func(f view.PolicyFigures) (string, draw.Style) { return cell(f.Report) }}
	}
	num := func(head string, w int, of func(r *ledger.Report) int) pane.Column[view.PolicyFigures] {
		return col(head, w, func(r *ledger.Report) (string, draw.Style) { return wording.Count(of(r)), th.Text })
	}
	return []pane.Column[view.PolicyFigures]{
		num("input", 12, func(r *ledger.Report) int { return r.InputTokens }),
		{Head: "saved", W: 10, Cell: func(f view.PolicyFigures) (string, draw.Style) {
			if f.Policy.Name == "full" || full == 0 {
				return "", th.Dim
			}
			s := 1 - float64(f.Report.InputTokens)/float64(full)
			return format.Delta(s), th.Savings(s)
		}},
		num("peak", 10, func(r *ledger.Report) int { return r.PeakTokens }),
		{Head: "survival", W: 10, Cell: func(f view.PolicyFigures) (string, draw.Style) {
			return SurvivalCell(th, f.Report.Survival, f.Policy.Name == ledger.AsSentName)
		}},
		num("appended", 11, func(r *ledger.Report) int { return r.AppendedTokens }),
		num("cached", 12, func(r *ledger.Report) int { return r.CachedTokens }),
		num("written", 12, func(r *ledger.Report) int { return r.WrittenTokens }),
		col("cost $", 10, func(r *ledger.Report) (string, draw.Style) {
			if r.Cost == nil {
				return "–", th.Dim
			}
			return fmt.Sprintf("%.4f", *r.Cost), th.Text
		}),
	}
}

// SurvivalCell is a survival as a table shows it. sent: it is of the session as it was
// sent, under no policy.
func SurvivalCell(th *draw.Theme, s ledger.Survival, sent bool) (string, draw.Style) {
	never := neverRead(s.Lost)
	text := fmt.Sprintf("%d/%d", s.Survived, s.Acted)
	switch {
	case s.Acted == 0:
		return "–", th.Dim
	case len(s.Lost) > never && sent: // that did go wrong, and is no policy's loss
		return "! " + text, th.Warn
	case len(s.Lost) > never:
		return " ✗ " + text + " ", th.Loss // its padding reaches over the column's edge
	case never > 0: // no policy's loss, but no reason to be pleased either
		return text, th.Warn
	}
	return text, th.Good
}

// nameWidth is the room of a policy's name and of what stands before it.
const nameWidth = 17

// drawTable draws a row for each policy and answers how many rows it took.
func (v *ContextView) drawTable(m *pane.Painter, r layout.Rect) int {
	cols := pane.Fitting(v.columns(m), r.W-nameWidth-1)
	pane.Heads(m, r.Row(0).Inset(nameWidth, 0), cols, pane.Sorted{Key: -1})
	for i, f := range v.set.Pol {
		row := r.Row(i + 1)
		if row.Empty() {
			return i + 1
		}
		look := m.Th.Text
		if i == v.at {
			look = m.Th.Accent
			m.Cv.Put(row.X, row.Y, row.X+1, "▸", look)
		}
		m.Cv.Text(row.Inset(2, 0).ClipRight(15), f.Policy.Name, look)
		pane.Cells(m, row.Inset(nameWidth, 0), cols, f)
	}
	return len(v.set.Pol) + 1
}
