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

// listColumn is one column of the list of steps.
type listColumn struct {
	head string
	w    int
	left bool // set to the left
	key  view.SortKey
	cell func(view.StepRow) (string, draw.Style)
}

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
	if r.Empty() {
		return
	}
	l, t := &m.S.List, m.S.Table
	m.drawSum(r.Row(0))
	detail := 2
	if r.H < 12 {
		detail = 1
	}
	body := layout.R(r.X, r.Y+2, r.W, r.H-2-detail)
	l.Body = body
	if t == nil {
		m.Cv.Text(body.Row(0).Inset(1, 1), "…", m.Th.Dim)
		return
	}
	cols, did := m.listColumns(r.W, t)
	m.drawListHead(r.Row(1), cols, did)
	l.Fit(body.H)
	if len(l.Shown) == 0 {
		m.Cv.Text(body.Row(1).Inset(2, 1), "no step with "+l.Text+" · "+m.S.Keys.Label("cancel")+" shows all again", m.Th.Dim)
		return
	}
	for i := 0; i < body.H && l.Top+i < len(l.Shown); i++ {
		m.drawStepRow(body.Row(i), t.Rows[l.Shown[l.Top+i]], cols, did, l.Top+i == l.At)
	}
	m.drawListBar(body)
	m.drawDetail(layout.R(r.X, r.Y+r.H-detail, r.W, detail))
}

// drawSum is the session in one line.
func (m *Painter) drawSum(r layout.Rect) {
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

// listColumns are the columns that fit into a width, and what is left for what
// was done.
func (m *Painter) listColumns(w int, t *view.StepTable) (cols []listColumn, did int) {
	th := m.Th
	num := func(n int, look draw.Style) (string, draw.Style) {
		if n == 0 {
			return "–", th.Faint
		}
		return wording.Count(n), look
	}
	by := m.S.List.Sort // the column that the list is sorted by is always there
	if hidden := w < listCost && (by == view.SortTime || by == view.SortCost); w >= listPages && !hidden {
		cols = append(cols, listColumn{"page", max(6, min(15, t.PageWidth+2)), true, view.SortPage, func(r view.StepRow) (string, draw.Style) { return r.Page, th.Dim }})
	}
	if t.Timed && (w >= listCost || by == view.SortTime) {
		cols = append(cols, listColumn{"took", 8, false, view.SortTime, func(r view.StepRow) (string, draw.Style) {
			if r.Millis <= 0 {
				return "–", th.Faint
			}
			return format.Brief(time.Duration(r.Millis) * time.Millisecond), th.Dim
		}})
	}
	cols = append(cols, listColumn{"added", 9, false, view.SortAdded, func(r view.StepRow) (string, draw.Style) { return num(r.Added, th.Text) }})
	if w >= listBar {
		cols = append(cols, listColumn{"", 9, true, view.SortAdded, func(r view.StepRow) (string, draw.Style) {
			return format.Bar(float64(r.Added)/float64(max(1, t.Most)), 8), th.BarLive
		}})
	}
	cols = append(cols,
		listColumn{"input", 10, false, view.SortCarried, func(r view.StepRow) (string, draw.Style) { return num(r.Carried, th.Dim) }},
		listColumn{"saved", 9, false, view.SortSaved, func(r view.StepRow) (string, draw.Style) {
			if r.Full == 0 || r.Under == r.Full {
				return "–", th.Faint
			}
			return format.Delta(r.Saved()), th.Savings(r.Saved())
		}},
	)
	if t.Priced && (w >= listCost || by == view.SortCost) {
		cols = append(cols, listColumn{"cost $", 9, false, view.SortCost, func(r view.StepRow) (string, draw.Style) {
			if r.Cost == nil {
				return "–", th.Faint
			}
			return fmt.Sprintf("%.4f", *r.Cost), th.Dim
		}})
	}
	did = w - 7 - markWidth
	if w >= listTime {
		did -= timeWidth
	}
	for _, c := range cols {
		did -= c.w
	}
	return cols, did - 1
}

// marks are the signs of a step: what went wrong in it, what a policy would lose,
// touched by a person.
func (m *Painter) marks(r view.StepRow) (string, draw.Style) {
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

// drawListHead names the columns, the one that the list is sorted by set off, and
// notes where each stands for the mouse.
func (m *Painter) drawListHead(r layout.Rect, cols []listColumn, did int) {
	th, l := m.Th, &m.S.List
	dir := "▾"
	if l.Up {
		dir = "▴"
	}
	l.Heads = l.Heads[:0]
	hit := func(from, to int, key view.SortKey) {
		l.Heads = append(l.Heads, view.HeadHit{From: from, To: to, Key: key})
	}
	order := "#"
	if l.Sort == view.SortOrder && l.Up {
		order = "#" + dir
	}
	x := r.X + 1
	m.Cv.Right(layout.R(x, r.Y, 4, 1), order, th.Dim)
	hit(x, x+4, view.SortOrder)
	x += 6
	if r.W >= listTime {
		m.Cv.Put(x, r.Y, r.X+r.W, "time", th.Dim)
		hit(x, x+timeWidth, view.SortOrder)
		x += timeWidth
	}
	x += markWidth
	head, look := "did", th.Dim
	if l.Sort == view.SortDid {
		head, look = head+dir, th.Accent
	}
	m.Cv.Put(x, r.Y, r.X+r.W, head, look)
	hit(x, x+did, view.SortDid)
	x += did
	for _, c := range cols {
		hit(x, x+c.w, c.key)
		head, look := c.head, th.Dim
		if c.head != "" && c.key == l.Sort {
			head, look = head+dir, th.Accent
		}
		if c.left {
			m.Cv.Text(layout.R(x+1, r.Y, c.w-1, 1), head, look)
		} else {
			m.Cv.Right(layout.R(x, r.Y, c.w, 1), head, look)
		}
		x += c.w
	}
}

// drawStepRow draws one row of the list.
func (m *Painter) drawStepRow(r layout.Rect, row view.StepRow, cols []listColumn, did int, here bool) {
	th := m.Th
	if here {
		defer func() {
			if th.Cursor.Bg != 0 {
				m.Cv.Under(r, th.Cursor.Bg, th.Text.Bg)
			}
			m.Cv.Put(r.X, r.Y, r.X+1, "▌", th.Accent)
		}()
	}
	x := r.X + 1
	if row.Kind != view.RowStep {
		who, look := "you", th.Accent
		if row.Kind == view.RowModel {
			who, look = "  »", th.Faint
		}
		m.Cv.Put(x+1, r.Y, r.X+r.W, who, look)
		words := th.Text
		if row.Kind == view.RowModel {
			words = th.Dim
		}
		m.Cv.Text(layout.R(x+6, r.Y, r.W-8, 1), strings.Join(strings.Fields(row.Text), " "), words.As(draw.Italic))
		return
	}
	m.Cv.Right(layout.R(x, r.Y, 4, 1), fmt.Sprint(row.N), th.Dim)
	x += 6
	if r.W >= listTime {
		if !row.When.IsZero() {
			m.Cv.Put(x, r.Y, r.X+r.W, row.When.Format("15:04:05"), th.Faint)
		}
		x += timeWidth
	}
	mark, markLook := m.marks(row)
	m.Cv.Put(x, r.Y, r.X+r.W, mark, markLook)
	x += markWidth
	m.drawDid(layout.R(x, r.Y, did-1, 1), row, here)
	x += did
	for _, c := range cols {
		text, look := c.cell(row)
		if c.left {
			m.Cv.Text(layout.R(x+1, r.Y, c.w-1, 1), text, look)
		} else {
			m.Cv.Right(layout.R(x, r.Y, c.w, 1), text, look)
		}
		x += c.w
	}
}

// drawDid is what a step did and, where there is room, why it was lost or failed.
func (m *Painter) drawDid(r layout.Rect, row view.StepRow, here bool) {
	look := m.Th.Text
	if here {
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
func (m *Painter) drawListBar(r layout.Rect) {
	l := &m.S.List
	total := len(l.Shown)
	if total <= r.H {
		return
	}
	x := r.X + r.W - 1
	from, to := l.Top*r.H/total, (l.Top+r.H)*r.H/total
	for i := from; i <= min(to, r.H-1); i++ {
		m.Cv.Put(x, r.Y+i, x+1, "▕", m.Th.Accent)
	}
	for i, at := range l.Shown {
		if m.S.Table.Rows[at].Lost != "" {
			m.Cv.Put(x, r.Y+min(i*r.H/total, r.H-1), x+1, "▐", m.Th.Del)
		}
	}
}

// drawDetail says of the chosen row what is cut above: why it was lost, why it
// failed, what was said.
func (m *Painter) drawDetail(r layout.Rect) {
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

// trouble is what the key for the next loss goes to.
func trouble(t *view.StepTable) string {
	switch {
	case t == nil || t.Sum.Wrong == 0:
		return "next loss"
	case t.Sum.Lost == 0:
		return "errors"
	}
	return "errors, losses"
}

// ListHint names the keys of the list of steps.
func (m *Painter) ListHint(r layout.Rect) {
	k := m.S.Keys.Label
	x := r.X + 1
	sort := "sort"
	if m.S.List.Sort != view.SortOrder {
		sort = "sort: " + m.S.List.Sort.String()
	}
	for _, h := range [][2]string{
		{k("reason"), "look"},
		{k("next-loss"), trouble(m.S.Table)},
		{k("step"), sort},
		{k("filter"), "filter"},
		{k("search"), "search"},
		{k("help"), "help"},
		{k("context"), "context"},
		{k("export"), "export"},
		{k("fold"), "words"},
		{k("list"), "closes"},
	} {
		x = m.Cv.Put(x, r.Y, r.X+r.W, h[0], m.Th.Key)
		x = m.Cv.Put(x+1, r.Y, r.X+r.W, h[1], m.Th.Dim) + 3
		if x > r.X+r.W-8 {
			return
		}
	}
}
