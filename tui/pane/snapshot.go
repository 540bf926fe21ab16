package pane

import (
	"fmt"
	"strings"

	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
	"snapscope/tui/draw"
	"snapscope/tui/format"
	"snapscope/tui/layout"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// DrawPanes draws the visible snapshot panes and, where not all fit, the strip
// that carries every pane's figures.
func (m *Painter) DrawPanes() {
	shown := m.S.ShownPanes()
	if m.S.Lay.Tabs.H > 0 {
		m.drawTabs(m.S.Lay.Tabs, shown)
	}
	for i, r := range m.S.Lay.Panes {
		at := m.S.Lay.First + i
		if at >= len(shown) {
			break
		}
		one := onePane{Painter: m, pane: shown[at], n: at, d: m.S.DocOf(at)}
		one.draw(r)
	}
}

// drawTabs names every shown pane with its tokens; where not all of it fits, without
// what each saves. A pane that lost an element is red at its name.
func (m *Painter) drawTabs(r layout.Rect, shown []int) {
	c, th := m.Cv, m.Th
	brief := m.tabsWidth(shown) > r.W-2
	x := r.X + 1
	for n, i := range shown {
		look := th.Dim
		if i == m.S.Focus && !m.S.OnSide {
			look = th.Accent.As(draw.Underline)
		}
		x = c.Put(x, r.Y, r.X+r.W, fmt.Sprintf("%d %s", i+1, m.S.Panes[i].Policy.Name), look)
		if _, lost := m.S.LossAt(i); lost {
			mark := " ✗ LOST "
			if brief {
				mark = " ✗ "
			}
			x = c.Put(x+1, r.Y, r.X+r.W, mark, th.Loss)
		}
		if d := m.S.DocOf(n); d != nil {
			x = c.Put(x+1, r.Y, r.X+r.W, wording.Count(d.Rendered.Tokens), th.Text)
			if !d.Same && !brief {
				x = c.Put(x+1, r.Y, r.X+r.W, format.Delta(d.Saved()), th.Savings(d.Saved()))
			}
		}
		x += 3
	}
}

// tabsWidth is how many cells the tabs take in full.
func (m *Painter) tabsWidth(shown []int) int {
	w := 0
	for n, i := range shown {
		w += len(m.S.Panes[i].Policy.Name) + 5
		if d := m.S.DocOf(n); d != nil {
			w += len(wording.Count(d.Rendered.Tokens)) + 1
			if !d.Same {
				w += 9
			}
		}
		if _, lost := m.S.LossAt(i); lost {
			w += 9
		}
	}
	return w
}

// onePane draws one policy's view of the snapshot.
type onePane struct {
	*Painter
	pane, n int       // index of the pane, and among those shown
	d       *view.Doc // nil until its frame has come
	lost    string    // the ref that it lost in this step
}

func (m *onePane) draw(r layout.Rect) {
	d, y := m.d, 0
	if !m.S.Lay.InTabs() {
		m.drawHead(r.Row(0))
		y = 1
	}
	m.drawReason(layout.R(r.X, r.Y+y, r.W, m.S.Lay.Reason))
	y += m.S.Lay.Reason
	body := layout.R(r.X, r.Y+y, r.W, r.H-y)
	if d == nil || m.S.Grid == nil {
		m.drawNothing(body)
		return
	}
	m.drawBody(body)
}

// drawHead is the pane's name, what became of the page, and its price.
func (m *onePane) drawHead(r layout.Rect) {
	c, th, d, pane := m.Cv, m.Th, m.d, m.pane
	look, mark := th.Strong, " "
	if pane == m.S.Focus && !m.S.OnSide {
		look, mark = th.Accent, "▸"
	}
	x := c.Put(r.X, r.Y, r.X+r.W, mark, look)
	name := m.S.Panes[pane].Policy.Name
	if d == nil {
		c.Text(r.Inset(1, 0), name, look)
		return
	}
	fig := wording.Count(d.Rendered.Tokens) + " tok"
	tilde := ""
	if m.S.Estimate {
		tilde = "~"
	}
	fig = tilde + fig
	if was, ok := m.S.Knobs.Before(pane); ok && was.Tokens != d.Rendered.Tokens {
		fig = wording.Count(was.Tokens) + " → " + fig
	}
	share, price := "", th.Text
	if m.S.Fr.Unread() != "" {
		price = th.Faint // nobody paid it
	} else if !d.Same {
		share = fmt.Sprintf("%9s", format.Delta(d.Saved()))
	}
	right := c.Right(r.Inset(0, 1), share, th.Savings(d.Saved()))
	right = c.Right(layout.R(r.X, r.Y, right-r.X, 1), fig, price)
	x = c.Text(layout.R(x, r.Y, right-x-1, 1), name, look)
	if k := string(d.Rendered.Kind); d.Rendered.Kind != strategy.KindFull && k != name && safetext.Width(k) <= right-x-2 {
		c.Put(x+1, r.Y, right, k, th.Dim)
	}
}

func (m *onePane) drawReason(r layout.Rect) {
	if m.d == nil {
		return
	}
	text, t := m.S.Reason(m.pane, m.d)
	look := m.Look(t)
	if t == view.ToneLoss {
		m.Cv.Fill(r, " ", look)
	}
	if r.H == 1 {
		m.Cv.Text(r.Inset(1, 1), text, look)
		return
	}
	for y, l := range draw.WrapCells(text, r.W-2, r.H) {
		m.Cv.Text(r.Row(y).Inset(1, 1), l, look)
	}
}

// drawNothing says why a pane is empty.
func (m *onePane) drawNothing(r layout.Rect) {
	text := ""
	switch {
	case m.S.Busy || m.S.Job != nil:
		text = "…"
	case len(m.S.Tl.Steps) == 0:
		text = "no step yet · " + m.S.Keys.Label("step") + " takes the first"
	default:
		text = "no snapshot up to this step"
	}
	m.Cv.Text(r.Row(r.H/2).Inset(2, 1), text, m.Th.Dim)
}

// drawBody draws the visible rows of a pane.
func (m *onePane) drawBody(r layout.Rect) {
	sticky := m.S.StickyLines(r.H)
	if l, ok := m.S.LossAt(m.pane); ok {
		m.lost = l.Ref
	}
	var weights *view.Weights
	if m.pane == m.S.Focus && r.W > 3*weightWidth {
		weights = m.S.WeightsHere()
	}
	for i := range r.H {
		row := m.S.Top + i
		line := r.Row(i)
		if weights != nil {
			line.W -= weightWidth
			if i >= len(sticky) && row < m.S.Grid.Len() {
				m.drawWeight(layout.R(line.X+line.W, line.Y, weightWidth-1, 1), weights, row)
			} else if i < len(sticky) {
				m.weight(layout.R(line.X+line.W, line.Y, weightWidth-1, 1), weights, int32(sticky[i]))
			}
		}
		switch {
		case i < len(sticky):
			m.drawSticky(line, sticky[i], i == len(sticky)-1)
		case row < m.S.Grid.Len():
			m.drawRow(line, row, i == len(sticky))
		}
	}
	if m.pane == m.S.Focus {
		m.drawMinimap(r)
	}
}

// weightWidth is the column that the tokens of a branch stand in.
const weightWidth = 9

// drawWeight writes the tokens of the branch that a row begins.
func (m *onePane) drawWeight(r layout.Rect, w *view.Weights, row int) {
	if m.d.Weighed(m.S.Grid.Line(row, m.n)) {
		m.weight(r, w, m.S.Grid.Page[row])
	}
}

// weight writes a branch's tokens: half of the page stands out, a hundredth of it
// steps back.
func (m *onePane) weight(r layout.Rect, w *view.Weights, line int32) {
	if line < 0 || w.Of[line] == 0 {
		return
	}
	look := m.Th.Text
	switch share := w.Share(line); {
	case share >= 0.5:
		look = m.Th.Warn.As(draw.Bold)
	case share < 0.01:
		look = m.Th.Faint
	}
	m.Cv.Right(r, wording.Count(int(w.Of[line])), look)
}

// drawMinimap marks in the last column where changes are and which part of the
// page is seen.
func (m *onePane) drawMinimap(r layout.Rect) {
	total := m.S.Grid.Len()
	if total <= r.H || r.H < 4 {
		return
	}
	x := m.drawSeen(r, m.S.Top, total)
	for _, c := range m.S.Grid.Changes {
		m.Cv.Put(x, r.Y+min(int(c)*r.H/total, r.H-1), x+1, "▐", m.Th.Change)
	}
	for _, hit := range m.S.Search.Ticks(r.H, total) {
		m.Cv.Put(x, r.Y+hit, x+1, "▐", m.Th.Accent)
	}
}

// drawSeen marks in the last column which part of a list is seen, and answers the column.
func (m *Painter) drawSeen(r layout.Rect, top, total int) int {
	x := r.X + r.W - 1
	from, to := top*r.H/total, (top+r.H)*r.H/total
	for i := from; i <= min(to, r.H-1); i++ {
		m.Cv.Put(x, r.Y+i, x+1, "▕", m.Th.Accent)
	}
	return x
}

// drawSticky draws a line that has scrolled off and holds what follows. It is none
// of the rows: marked, without the colours of a line, and parted from the rows by
// a line under the last one.
func (m *onePane) drawSticky(r layout.Rect, line int, last bool) {
	text := m.S.Fr.Page.Lines[line]
	look := m.Th.Dim
	if m.d.ByPage[line] < 0 {
		look = m.Th.Faint
	}
	rule := m.Th.Faint
	if last {
		look, rule = look.As(draw.Underline), rule.As(draw.Underline)
	}
	m.Cv.Fill(r.Inset(1, 1), " ", rule)
	in := notation.Indent(text)
	m.Cv.PutFrom(r.X+view.Gutter+tight(in, r.W)-m.S.Shift, r.Y, r.X+view.Gutter, r.X+r.W-1, view.ElementOf(text), look.As(draw.Italic))
	m.Cv.Put(r.X+1, r.Y, r.X+2, "↑", m.Th.Dim)
}

// drawCursor marks the row that the cursor is on.
func (m *Painter) drawCursor(r layout.Rect) {
	if m.Th.Cursor.Bg != 0 {
		m.Cv.Under(r, m.Th.Cursor.Bg, m.Th.Text.Bg)
	}
	m.Cv.Put(r.X, r.Y, r.X+1, "▌", m.Th.Accent)
}

// drawRow draws one row of one pane.
func (m *onePane) drawRow(r layout.Rect, row int, firstSeen bool) {
	d, here := m.d, row == m.S.Row
	if here {
		defer m.drawCursor(r)
	}
	if k := m.S.Grid.Fold(row); k > 0 {
		m.drawFold(r, int(k))
		return
	}
	page := m.S.Grid.Page[row]
	l := m.S.Grid.Line(row, m.n)
	if l >= 0 {
		m.drawLine(r, int(l), row)
		if d.Lines[l].Mark == strategy.Gap && d.Lines[l].Page < 0 && page >= 0 {
			m.drawGapNote(r, int(l), page)
		}
		return
	}
	if page >= 0 {
		m.drawDropped(r, page, firstSeen || here || m.S.RunBegins(row, m.n, d), here)
	} else if m.S.InDropped(row, d) {
		m.Cv.Put(r.X+view.Gutter, r.Y, r.X+r.W, "┊", m.Th.Faint)
	}
}

func (m *onePane) drawFold(r layout.Rect, rows int) {
	what := "without a change"
	if m.S.Search.Filter != nil {
		what = "without a match"
	}
	m.Cv.Text(r.Inset(view.Gutter, 1), fmt.Sprintf("⋯ %s %s", wording.Plural(rows, "line"), what), m.Th.Gap)
}

// drawGapNote says beside a strategy's own "..." what it stands for.
func (m *onePane) drawGapNote(r layout.Rect, l int, page int32) {
	d := m.d
	s, ok := d.SpanAt(page)
	if !ok {
		return
	}
	note := d.SpanNote(s)
	if own := strings.TrimSpace(d.Lines[l].Text); strings.HasSuffix(own, "...") || strings.HasSuffix(own, "…") {
		note = strings.TrimPrefix(note, "⋯ ")
	}
	x := r.X + view.Gutter + safetext.Width(d.Lines[l].Text) + 1 - m.S.Shift
	m.Cv.Text(layout.R(max(x, r.X+view.Gutter), r.Y, r.X+r.W-x-1, 1), note, m.Th.Gap)
}

// drawDropped marks a line of the page that a pane does not have: a thin
// line, and where the run begins, or the first row or the cursor is, how much and why.
// An element that was lost in this step is named.
func (m *onePane) drawDropped(r layout.Rect, page int32, label, here bool) {
	d := m.d
	s, ok := d.SpanAt(page)
	if !ok {
		return
	}
	in := r.Inset(view.Gutter, 1)
	switch {
	case m.lost != "" && m.lost == m.S.Fr.Page.Ref(int(page)):
		x := m.Cv.Put(in.X, in.Y, in.X+in.W, " ✗ LOST ", m.Th.Loss) + 1
		text := view.ElementOf(m.S.Fr.Page.Lines[page])
		if s.Rule != "" {
			text += " · " + s.Rule
		}
		m.Cv.Text(layout.R(x, r.Y, in.X+in.W-x, 1), text, m.Th.Bad)
	case here && !d.IsDelta():
		text := "⋯ hidden here"
		if s.Rule != "" {
			text += " by " + s.Rule
		}
		if len(m.S.Lay.Panes) == 1 { // no other pane shows it
			text += ": " + view.ElementOf(m.S.Fr.Page.Lines[page])
		}
		m.Cv.Text(in, fmt.Sprintf("%s · with %s", text, wording.Plural(int(s.To-s.From)-1, "other")), m.Th.Gap)
	case page == s.From || label:
		m.Cv.Text(in, d.SpanNote(s), m.Th.Gap)
	default:
		m.Cv.Put(in.X, r.Y, r.X+r.W, "┊", m.Th.Faint)
	}
}
