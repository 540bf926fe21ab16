package tui

import (
	"fmt"
	"strings"

	"snapscope/session"
	"snapscope/snapshot/strategy"
	"snapscope/tui/safetext"
)

// gutter is the columns before a line's text: cursor and sign.
const gutter = 2

// drawPanes draws the visible snapshot panes and, where not all fit, the strip
// that carries every pane's figures.
func (m *Model) drawPanes() {
	shown := m.shownPanes()
	if m.lay.tabs.h > 0 {
		m.drawTabs(m.lay.tabs, shown)
	}
	for i, r := range m.lay.panes {
		at := m.lay.first + i
		if at >= len(shown) {
			break
		}
		m.drawPane(r, shown[at], at)
	}
}

// docOf is the doc of the n-th shown pane; nil until its frame has come.
func (m *Model) docOf(n int) *doc {
	if m.fr == nil || n >= len(m.fr.docs) {
		return nil
	}
	return m.fr.docs[n]
}

// drawTabs names every shown pane with its tokens.
func (m *Model) drawTabs(r rect, shown []int) {
	c, th := m.cv, m.th
	x := r.x + 1
	for n, i := range shown {
		look := th.dim
		if i == m.focus && !m.onSide {
			look = th.accent.as(underline)
		}
		x = c.put(x, r.y, r.x+r.w, fmt.Sprintf("%d %s", i+1, m.panes[i].policy.Name), look)
		if d := m.docOf(n); d != nil {
			x = c.put(x+1, r.y, r.x+r.w, thousands(d.rendered.Tokens), th.text)
			if !d.same {
				x = c.put(x+1, r.y, r.x+r.w, delta(d.saved()), th.savings(d.saved()))
			}
		}
		x += 3
	}
}

// drawPane draws one policy's view of the snapshot.
func (m *Model) drawPane(r rect, pane, n int) {
	d := m.docOf(n)
	y := 0
	if !m.lay.inTabs() {
		m.drawPaneHead(r.row(0), pane, d)
		y = 1
	}
	m.drawReason(rect{r.x, r.y + y, r.w, m.lay.reason}, pane, d)
	y += m.lay.reason
	body := rect{r.x, r.y + y, r.w, r.h - y}
	switch {
	case d == nil || m.grid == nil:
		m.drawNothing(body)
	default:
		m.drawBody(body, pane, n, d)
	}
}

// drawPaneHead is the pane's name, what became of the page, and its price.
func (m *Model) drawPaneHead(r rect, pane int, d *doc) {
	c, th := m.cv, m.th
	look, mark := th.strong, " "
	if pane == m.focus && !m.onSide {
		look, mark = th.accent, "▸"
	}
	x := c.put(r.x, r.y, r.x+r.w, mark, look)
	name := m.panes[pane].policy.Name
	if d == nil {
		c.text(r.inset(1, 0), name, look)
		return
	}
	fig := thousands(d.rendered.Tokens) + " tok"
	tilde := ""
	if m.estimate {
		tilde = "~"
	}
	fig = tilde + fig
	if was, ok := m.knobs.before(pane); ok && was.tokens != d.rendered.Tokens {
		fig = thousands(was.tokens) + " → " + fig
	}
	share, price := "", th.text
	if m.fr.unread() != "" {
		price = th.faint // nobody paid it
	} else if !d.same {
		share = fmt.Sprintf("%9s", delta(d.saved()))
	}
	right := c.right(r.inset(0, 1), share, th.savings(d.saved()))
	right = c.right(rect{r.x, r.y, right - r.x, 1}, fig, price)
	x = c.text(rect{x, r.y, right - x - 1, 1}, name, look)
	if k := string(d.rendered.Kind); d.rendered.Kind != strategy.KindFull && k != name && safetext.Width(k) <= right-x-2 {
		c.put(x+1, r.y, right, k, th.dim)
	}
}

// reason is what a pane says of itself: which rule fired, with its numbers, or
// that the agent never had the page. A loss takes its place, louder than all
// else.
func (m *Model) reason(pane int, d *doc) (text string, look style, loud bool) {
	if l, ok := m.lossAt(pane); ok {
		return "✗ LOST " + l.Ref + " · " + l.Why, m.th.loss, true
	}
	if f := m.fr; f.stale == 0 && f.unread() != "" {
		return f.unread(), m.th.warn, false
	}
	text = d.rendered.Reason()
	if m.fr.seen == session.SeenIncremental && len(d.rendered.Stages) == 0 {
		text = "what if in full: the agent itself had only the changed parts"
	}
	if m.fr.stale > 0 {
		text = fmt.Sprintf("no snapshot here; step %d's · %s", m.fr.stale, text)
	}
	return text, m.th.dim, false
}

// reasonRows is how many rows the reasons of the visible panes take: two where
// one is too long for its pane and the panes are high enough.
func (m *Model) reasonRows() int {
	shown := m.shownPanes()
	for i, r := range m.lay.panes {
		n := m.lay.first + i
		if n >= len(shown) || r.h < tallReason {
			return 1
		}
		if d := m.docOf(n); d != nil {
			if text, _, _ := m.reason(shown[n], d); safetext.Width(text) > r.w-2 {
				return 2
			}
		}
	}
	return 1
}

// tallReason is how many rows a pane must have to give two to its reason.
const tallReason = 16

func (m *Model) drawReason(r rect, pane int, d *doc) {
	if d == nil {
		return
	}
	text, look, loud := m.reason(pane, d)
	if loud {
		m.cv.fill(r, " ", look)
	}
	if r.h == 1 {
		m.cv.text(r.inset(1, 1), text, look)
		return
	}
	for y, l := range wrapCells(text, r.w-2, r.h) {
		m.cv.text(r.row(y).inset(1, 1), l, look)
	}
}

// drawNothing says why a pane is empty.
func (m *Model) drawNothing(r rect) {
	text := ""
	switch {
	case m.busy || m.job != nil:
		text = "…"
	case len(m.tl.Steps) == 0:
		text = "no step yet · " + m.keys.Label("step") + " takes the first"
	default:
		text = "no snapshot up to this step"
	}
	m.cv.text(r.row(r.h/2).inset(2, 1), text, m.th.dim)
}

// drawBody draws the visible rows of a pane.
func (m *Model) drawBody(r rect, pane, n int, d *doc) {
	sticky := m.stickyLines(r.h)
	m.lostRef = ""
	if l, ok := m.lossAt(pane); ok {
		m.lostRef = l.Ref
	}
	for i := range r.h {
		row := m.top + i
		line := r.row(i)
		switch {
		case i < len(sticky):
			m.drawSticky(line, sticky[i], d, i == len(sticky)-1)
		case row < m.grid.len():
			m.drawRow(line, row, n, d, i == len(sticky))
		}
	}
	if pane == m.focus {
		m.drawMinimap(r)
	}
}

// drawMinimap marks in the last column where changes are and which part of the
// page is seen.
func (m *Model) drawMinimap(r rect) {
	total := m.grid.len()
	if total <= r.h || r.h < 4 {
		return
	}
	x := r.x + r.w - 1
	from, to := m.top*r.h/total, (m.top+r.h)*r.h/total
	for i := from; i <= min(to, r.h-1); i++ {
		m.cv.put(x, r.y+i, x+1, "▕", m.th.accent)
	}
	for _, c := range m.grid.changes {
		m.cv.put(x, r.y+min(int(c)*r.h/total, r.h-1), x+1, "▐", m.th.change)
	}
	for _, hit := range m.search.ticks(r.h, total) {
		m.cv.put(x, r.y+hit, x+1, "▐", m.th.accent)
	}
}

// maxSticky is how many ancestors of the first line stay on top.
const maxSticky = 3

// stickyLines are the ancestors of the first visible line that have scrolled
// away, innermost last. All panes show the same ones.
func (m *Model) stickyLines(h int) []int {
	if h < 8 || m.top == 0 {
		return nil
	}
	var out []int
	for k := 0; k <= maxSticky; k++ {
		row := m.top + k
		if row >= m.grid.len() || m.grid.page[row] < 0 {
			continue
		}
		out = out[:0]
		for _, a := range m.fr.page.ancestors(int(m.grid.page[row])) {
			if int(m.grid.ofPage[a]) < m.top+k && telling(m.fr.page.lines[a]) {
				out = append(out, a)
			}
		}
		if len(out) > maxSticky {
			out = out[len(out)-maxSticky:]
		}
		if len(out) <= k {
			return out
		}
	}
	return out
}

// telling reports an ancestor worth a row: not a bare box.
func telling(line string) bool {
	role := roleOf(line)
	return role != "generic" && role != "rowgroup" && role != ""
}

// drawSticky draws a line that has scrolled off and holds what follows. It is none
// of the rows: marked, without the colours of a line, and parted from the rows by
// a line under the last one.
func (m *Model) drawSticky(r rect, line int, d *doc, last bool) {
	text := m.fr.page.lines[line]
	look := m.th.dim
	if d.byPage[line] < 0 {
		look = m.th.faint
	}
	rule := m.th.faint
	if last {
		look, rule = look.as(underline), rule.as(underline)
	}
	m.cv.fill(r.inset(1, 1), " ", rule)
	in := indentOf(text)
	m.cv.putFrom(r.x+gutter+tight(in, r.w)-m.shift, r.y, r.x+gutter, r.x+r.w-1, elementOf(text), look.as(italic))
	m.cv.put(r.x+1, r.y, r.x+2, "↑", m.th.dim)
}

// drawRow draws one row of one pane.
func (m *Model) drawRow(r rect, row, n int, d *doc, firstSeen bool) {
	here := row == m.row
	if here {
		defer func() {
			if m.th.cursor.bg != 0 {
				m.cv.under(r, m.th.cursor.bg, m.th.text.bg)
			}
			m.cv.put(r.x, r.y, r.x+1, "▌", m.th.accent)
		}()
	}
	if k := m.grid.fold(row); k > 0 {
		m.drawFold(r, int(k))
		return
	}
	page := m.grid.page[row]
	l := m.grid.line(row, n)
	if l >= 0 {
		m.drawLine(r, d, int(l), row)
		if d.lines[l].mark == strategy.Gap && d.lines[l].page < 0 && page >= 0 {
			m.drawGapNote(r, d, int(l), page)
		}
		return
	}
	if page >= 0 {
		m.drawDropped(r, d, page, firstSeen || here || m.runBegins(row, n, d), here)
	} else if m.inDropped(row, d) {
		m.cv.put(r.x+gutter, r.y, r.x+r.w, "┊", m.th.faint)
	}
}

// runBegins reports that the row above a dropped one is none of its run: a line of
// the pane other than a strategy's own gap, which has its note. What is folded
// away between two rows of one run does not part them.
func (m *Model) runBegins(row, n int, d *doc) bool {
	above := row - 1
	for above >= 0 && m.grid.fold(above) > 0 {
		above--
	}
	if above < 0 {
		return true
	}
	if above < row-1 { // the run goes on below the fold
		s, ok := d.spanAt(m.grid.page[row])
		return !ok || m.grid.page[above] < s.from
	}
	l := m.grid.line(above, n)
	return l >= 0 && (d.lines[l].mark != strategy.Gap || m.grid.page[above] < 0)
}

// inDropped reports a row of another pane's amid lines that this pane dropped.
func (m *Model) inDropped(row int, d *doc) bool {
	near := func(by int) bool {
		for r := row + by; r >= 0 && r < m.grid.len(); r += by {
			if l := m.grid.page[r]; l >= 0 {
				return d.byPage[l] < 0
			}
		}
		return false
	}
	return near(-1) && near(1)
}

func (m *Model) drawFold(r rect, rows int) {
	what := "without a change"
	if m.search.filter != nil {
		what = "without a match"
	}
	m.cv.text(r.inset(gutter, 1), fmt.Sprintf("⋯ %s %s", plural(rows, "line"), what), m.th.gap)
}

// drawGapNote says beside a strategy's own "..." what it stands for.
func (m *Model) drawGapNote(r rect, d *doc, l int, page int32) {
	s, ok := d.spanAt(page)
	if !ok {
		return
	}
	note := d.spanNote(s)
	if own := strings.TrimSpace(d.lines[l].text); strings.HasSuffix(own, "...") || strings.HasSuffix(own, "…") {
		note = strings.TrimPrefix(note, "⋯ ")
	}
	x := r.x + gutter + safetext.Width(d.lines[l].text) + 1 - m.shift
	m.cv.text(rect{max(x, r.x+gutter), r.y, r.x + r.w - x - 1, 1}, note, m.th.gap)
}

// drawDropped marks a line of the page that a pane does not have: a thin
// line, and where the run begins, or the eye or the cursor is, how much and why.
// An element that was lost in this step is named.
func (m *Model) drawDropped(r rect, d *doc, page int32, label, here bool) {
	s, ok := d.spanAt(page)
	if !ok {
		return
	}
	in := r.inset(gutter, 1)
	switch {
	case m.lostRef != "" && m.lostRef == refOf(m.fr.page.lines[page]):
		x := m.cv.put(in.x, in.y, in.x+in.w, " ✗ LOST ", m.th.loss) + 1
		text := elementOf(m.fr.page.lines[page])
		if s.rule != "" {
			text += " · " + s.rule
		}
		m.cv.text(rect{x, r.y, in.x + in.w - x, 1}, text, m.th.bad)
	case here && !d.isDelta():
		text := "⋯ hidden here"
		if s.rule != "" {
			text += " by " + s.rule
		}
		if len(m.lay.panes) == 1 { // no other pane shows it
			text += ": " + elementOf(m.fr.page.lines[page])
		}
		m.cv.text(in, fmt.Sprintf("%s · with %s", text, plural(int(s.to-s.from)-1, "other")), m.th.gap)
	case page == s.from || label:
		m.cv.text(in, d.spanNote(s), m.th.gap)
	default:
		m.cv.put(in.x, r.y, r.x+r.w, "┊", m.th.faint)
	}
}

// elementOf is a line without its indent and bullet.
func elementOf(line string) string {
	return strings.TrimPrefix(strings.TrimSpace(line), "- ")
}

// spanNote is what a dropped run is called: how many lines, and by which rule.
func (d *doc) spanNote(s span) string {
	n := int(s.to - s.from)
	what := plural(n, "line")
	switch d.rendered.Kind {
	case strategy.KindDelta, strategy.KindUnchanged:
		return "⋯ " + what + " unchanged"
	case strategy.KindCompressed:
		what += " collapsed"
	default:
		what += " left out"
	}
	if s.rule != "" {
		what += " · " + s.rule
	}
	return "⋯ " + what
}

// isDelta reports that what is not shown is what the agent has already.
func (d *doc) isDelta() bool {
	return d.rendered.Kind == strategy.KindDelta || d.rendered.Kind == strategy.KindUnchanged
}
