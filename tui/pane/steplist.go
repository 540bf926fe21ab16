package pane

import (
	"fmt"
	"strings"
	"time"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
	"snapscope/tui/draw"
	"snapscope/tui/format"
	"snapscope/tui/layout"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// Widths from which the list of steps has room for what can be done without.
const (
	listTime  = 92
	listBar   = 96
	listCost  = 118
	leastDid  = 40 // cells of what was done from which it also says why it was lost or failed
	listPages = 70

	timeWidth = 9 // of the clock at a step's end, to the second
	markWidth = 4 // of what became of it
)

// DrawList draws the list of steps.
func (m *Painter) DrawList(r layout.Rect) {
	if !r.Empty() {
		stepList{m}.draw(r)
	}
}

// stepList draws the list of steps.
type stepList struct{ *Painter }

func (m stepList) draw(r layout.Rect) {
	l, t := &m.S.List, m.S.Table
	body, detail := m.S.Lay.ListParts()
	m.drawSum(r.Row(0))
	if t == nil {
		m.Cv.Text(body.Row(0).Inset(1, 1), "…", m.Th.Dim)
		return
	}
	by := Sorted{int(l.Sort), l.Up}
	cols := m.stepColumns(r.W, t, by)
	Heads(m.Painter, r.Row(1).Inset(1, 0), cols, by)
	if l.N == 0 {
		m.Cv.Text(body.Row(1).Inset(2, 1), "no step with "+l.Text+" · "+m.S.Keys.Label("cancel")+" shows all again", m.Th.Dim)
		return
	}
	for i := range body.H {
		at, ok := l.RowAt(i)
		if !ok {
			break
		}
		m.Hit(body.Row(i), HitRow, at)
		m.drawStepRow(body.Row(i), t.Rows[l.Shown[at]], cols, at == l.At)
	}
	m.drawListBar(body)
	m.drawDetail(detail)
}

// drawSum is the session in one line.
func (m stepList) drawSum(r layout.Rect) {
	t, th := m.S.Table, m.Th
	if t == nil {
		return
	}
	s := t.Sum
	parts := []string{wording.Plural(s.Steps, "step"), wording.Plural(s.Calls, "call")}
	if s.Peak > 0 {
		parts = append(parts, wording.Count(s.Peak)+" tok peak")
	}
	if s.Cost != nil {
		parts = append(parts, ledger.Dollars(s.Cost))
	}
	if s.Model != "" {
		parts = append([]string{s.Model}, parts...)
	}
	x := m.Cv.Text(r.Inset(1, 1), strings.Join(parts, " · "), th.Dim)
	if s.Wrong > 0 {
		x = m.Cv.Put(x+2, r.Y, r.X+r.W, "! "+wording.Plural(s.Wrong, "error"), th.Warn)
	}
	if s.Lost > 0 {
		x = m.Cv.Put(x+2, r.Y, r.X+r.W, fmt.Sprintf(" ✗ %d lost under %s ", s.Lost, s.LostBy), th.Loss)
	}
	if text := m.S.List.Text; text != "" {
		x = m.Cv.Put(x+2, r.Y, r.X+r.W, "& "+text, th.Accent)
	}
	if of := "saved under " + t.Policy; r.X+r.W-x > safetext.Width(of)+3 {
		m.Cv.Right(r.Inset(0, 1), of, th.Dim)
	}
}

// stepColumns are the columns of the list of steps that fit into a width; what was done
// has what the others leave.
func (m stepList) stepColumns(w int, t *view.StepTable, sorted Sorted) []Column[view.StepRow] {
	type column = Column[view.StepRow]
	var cols []column
	th := m.Th
	add := func(head string, width int, key view.SortKey, look draw.Style, cell func(view.StepRow) string) {
		cols = append(cols, column{Head: head, W: width, Key: int(key), Cell: func(r view.StepRow) (string, draw.Style) {
			if text := cell(r); text != "" {
				return text, look
			}
			return "–", th.Faint
		}})
	}
	num := func(n int) string {
		if n == 0 {
			return ""
		}
		return wording.Count(n)
	}
	by := view.SortKey(sorted.Key) // the column that the list is sorted by is always there
	if hidden := w < listCost && (by == view.SortTime || by == view.SortCost); w >= listPages && !hidden {
		cols = append(cols, column{Head: "page", Gap: 1, W: max(5, min(14, t.PageWidth+1)), Left: true, Key: int(view.SortPage), Cell: func(r view.StepRow) (string, draw.Style) { return r.Page, th.Dim }})
	}
	if t.Timed && (w >= listCost || by == view.SortTime) {
		add("took", 8, view.SortTime, th.Dim, func(r view.StepRow) string {
			if r.Millis <= 0 {
				return ""
			}
			return format.Brief(time.Duration(r.Millis) * time.Millisecond)
		})
	}
	add("added", 9, view.SortAdded, th.Text, func(r view.StepRow) string { return num(r.Added) })
	if w >= listBar {
		cols = append(cols, column{Gap: 1, W: 8, Left: true, Key: int(view.SortAdded), Cell: func(r view.StepRow) (string, draw.Style) {
			return format.Bar(float64(r.Added)/float64(max(1, t.Most)), 8), th.BarLive
		}})
	}
	add("input", 10, view.SortCarried, th.Dim, func(r view.StepRow) string { return num(r.Carried) })
	cols = append(cols, column{Head: "saved", W: 9, Key: int(view.SortSaved), Cell: func(r view.StepRow) (string, draw.Style) {
		if r.Full == 0 || r.Under == r.Full {
			return "–", th.Faint
		}
		return format.Delta(r.Saved()), th.Savings(r.Saved())
	}})
	if t.Priced && (w >= listCost || by == view.SortCost) {
		add("cost $", 9, view.SortCost, th.Dim, func(r view.StepRow) string {
			if r.Cost == nil {
				return ""
			}
			return fmt.Sprintf("%.4f", *r.Cost)
		})
	}
	order := "#"
	if sorted.Up && sorted.Key == int(view.SortOrder) {
		order += sorted.Arrow()
	}
	first := []column{{Head: order, W: 4, Cell: func(r view.StepRow) (string, draw.Style) { return fmt.Sprint(r.N), th.Dim }}}
	if w >= listTime {
		first = append(first, column{Head: "time", Gap: 2, W: timeWidth - 2, Left: true, Draw: func(at layout.Rect, r view.StepRow) {
			if !r.When.IsZero() {
				m.Cv.Put(at.X, at.Y, at.X+timeWidth, r.When.Format("15:04:05"), th.Faint)
			}
		}})
	}
	first = append(first, column{Gap: 2, W: markWidth, Draw: func(at layout.Rect, r view.StepRow) {
		text, look := m.marks(r)
		m.Cv.Put(at.X, at.Y, at.X+at.W, text, look)
	}})
	did := w - 2 - Wide(first) - Wide(cols)
	first = append(first, column{Head: "did", W: did, Left: true, Key: int(view.SortDid), Draw: func(at layout.Rect, r view.StepRow) {
		m.drawDid(at.ClipRight(did-1), r)
	}})
	return append(first, cols...)
}

// marks are the signs of a step: what went wrong in it, what a policy would lose,
// touched by a person.
func (m stepList) marks(r view.StepRow) (string, draw.Style) {
	switch {
	case r.Wrong != "":
		return " !", m.Th.Warn
	case r.Lost != "":
		return " ✗ ", m.Th.Loss
	case r.Touched == session.TouchedEdited:
		return " ✎", m.Th.Accent
	case r.Touched == session.TouchedAnswered:
		return " ←", m.Th.Accent
	case r.Touched != "" || r.Held > 0:
		return " ‖", m.Th.Accent
	case r.Early != "":
		return " ◔", m.Th.Warn
	}
	return "", m.Th.Text
}

// drawStepRow draws one row of the list.
func (m stepList) drawStepRow(r layout.Rect, row view.StepRow, cols []Column[view.StepRow], here bool) {
	th := m.Th
	if here {
		defer m.drawCursor(r)
	}
	if row.Kind != view.RowStep {
		who, look := "you", th.Accent
		if row.Kind == view.RowModel {
			who, look = "  »", th.Faint
		}
		m.Cv.Put(r.X+2, r.Y, r.X+r.W, who, look)
		words := th.Text
		if row.Kind == view.RowModel {
			words = th.Dim
		}
		m.Cv.Text(layout.R(r.X+7, r.Y, r.W-8, 1), strings.Join(strings.Fields(row.Text), " "), words.As(draw.Italic))
		return
	}
	Cells(m.Painter, r.Inset(1, 0), cols, row)
}

// drawDid is what a step did and, where there is room, why it was lost or failed.
func (m stepList) drawDid(r layout.Rect, row view.StepRow) {
	look := m.Th.Text
	if here, _ := m.S.Chosen(); here.Kind == row.Kind && here.N == row.N {
		look = m.Th.Strong
	}
	if row.Wrong != "" {
		look = m.Th.Warn
	}
	end := m.Cv.Text(r, row.Did, look)
	note, bad := row.Lost, m.Th.Bad
	if row.Wrong != "" {
		note, bad = row.Wrong, m.Th.Warn
	}
	if rest := r.X + r.W - end - 3; note != "" && rest >= 14 && r.W >= leastDid {
		m.Cv.Text(layout.R(end+2, r.Y, rest, 1), strings.Join(strings.Fields(note), " "), bad)
	}
}

// drawListBar shows at the right edge which part of the list is seen and where
// steps were lost.
func (m stepList) drawListBar(r layout.Rect) {
	l := &m.S.List
	total := l.N
	if total <= r.H {
		return
	}
	x := m.drawSeen(r, l.Top, total)
	for i, at := range l.Shown {
		if m.S.Table.Rows[at].Lost != "" {
			m.Cv.Put(x, r.Y+min(i*r.H/total, r.H-1), x+1, "▐", m.Th.Del)
		}
	}
}

// drawDetail says of the chosen row what is cut above: why it was lost, why it
// failed, what was said.
func (m stepList) drawDetail(r layout.Rect) {
	row, ok := m.S.Chosen()
	if !ok {
		return
	}
	text, look := row.Did, m.Th.Dim
	switch {
	case row.Wrong != "":
		text, look = "! step "+fmt.Sprint(row.N)+": "+row.Wrong+addedWords(row, m.S.Table.Policy), m.Th.Warn
		if row.Lost != "" && r.H > 1 { // the other kind in a row of its own
			m.Cv.Text(r.Row(1).Inset(1, 1), "✗ step "+fmt.Sprint(row.N)+": "+row.Lost, m.Th.Bad)
			r.H = 1
		}
	case row.Lost != "":
		text, look = "✗ step "+fmt.Sprint(row.N)+": "+row.Lost, m.Th.Bad
	case row.Kind != view.RowStep:
		text = row.Text
	case row.Touched != "":
		text += " · " + touchedWords(row.Touched)
	case row.Early != "":
		text, look = "◔ step "+fmt.Sprint(row.N)+": "+row.Early, m.Th.Warn
	default:
		if row.Held > 0 {
			text += " · a person held it for " + format.Duration(row.Held)
		}
		if row.Millis > 0 {
			text += " · took " + format.Duration(time.Duration(row.Millis)*time.Millisecond)
		}
		text += addedWords(row, m.S.Table.Policy)
	}
	for y, l := range draw.WrapCells(strings.Join(strings.Fields(text), " "), r.W-3, r.H) {
		m.Cv.Text(r.Row(y).Inset(1, 1), l, look)
	}
}

// addedWords say what a step's answer added to the history, and what it would have.
func addedWords(r view.StepRow, policy string) string {
	if r.Under == r.Full && r.Added == r.Full {
		return ""
	}
	text := " · " + wording.Plural(r.Added, "token")
	if r.Added != r.Full {
		text += " as sent, " + wording.Count(r.Full) + " in full"
	}
	if r.Under != r.Full {
		text += ", " + wording.Count(r.Under) + " under " + policy
	}
	return text
}

func touchedWords(t session.Touched) string {
	switch t {
	case session.TouchedAnswered:
		return "a person answered, the server never had the call: not compared"
	case session.TouchedDropped:
		return "dropped while it was held, the server never had the call"
	}
	return "a person changed it on its way: not compared"
}
