package tui

import (
	"fmt"
	"strings"

	"snapscope/session/ledger"
	"snapscope/tui/safetext"
)

// contextView answers what the session cost, call by call, under each policy,
// what was cached, what expired, and what the agent could no longer see. It can
// be open before the figures are there.
type contextView struct {
	set   *figureSet // the figures that at and lost point into
	at    int        // chosen policy among the figures
	name  string     // and its name
	call  int        // first drawn call
	lost  int        // chosen loss of the policy, -1 none
	moved bool
	fixes map[string][]ledger.Lost // by policy: losses with the knob that keeps them
	last  map[string][]ledger.Lost // by policy's name: those found last, under whatever knobs
	asked map[string]bool          // being looked for
	ref   string                   // policy the bars are set beside
	own   bool                     // each policy's bars on a scale of their own
}

func newContextView(m *Model) *contextView {
	v := &contextView{
		lost: -1, name: m.panes[m.focus].policy.Name, ref: "full",
		fixes: map[string][]ledger.Lost{}, last: map[string][]ledger.Lost{}, asked: map[string]bool{},
	}
	v.arrived(m)
	return v
}

// arrived takes in the newest figures: the chosen policy and the place among its
// losses stay.
func (v *contextView) arrived(m *Model) {
	set := m.set
	if set == nil || len(set.pol) == 0 {
		return
	}
	v.set, v.at = set, min(v.at, len(set.pol)-1)
	for i, f := range set.pol {
		if f.policy.Name == v.name {
			v.at = i
		}
	}
	v.lost = min(v.lost, len(v.chosen().report.Survival.Lost)-1)
	v.findFixes(m)
}

// chosen are the figures of the chosen policy.
func (v *contextView) chosen() policyFigures { return v.set.pol[v.at] }

// choose goes to another policy.
func (v *contextView) choose(m *Model, at int) {
	v.at, v.lost = max(0, min(at, len(v.set.pol)-1)), -1
	v.name = v.chosen().policy.Name
	v.findFixes(m)
}

func (v *contextView) press(m *Model, key string) reply {
	if v.set == nil {
		return reply{close: true}
	}
	lost := v.chosen().report.Survival.Lost
	switch key {
	case "down", "j":
		v.choose(m, v.at+1)
	case "up", "k":
		v.choose(m, v.at-1)
	case "right", "l", "pgdown":
		v.call, v.moved = v.call+8, true
	case "left", "h", "pgup":
		v.call, v.moved = max(0, v.call-8), true
	case "f":
		v.fix(m)
	case "r":
		v.ref = v.name
	case "s":
		v.own = !v.own
	case "tab", "n":
		if len(lost) > 0 {
			v.lost = (v.lost + 1) % len(lost)
		}
	case "N", "shift+tab":
		if len(lost) > 0 {
			v.lost = (v.lost + len(lost)) % (len(lost) + 1) % len(lost)
		}
	case "enter":
		if v.lost < 0 && len(lost) > 0 {
			v.lost = 0
		}
		if v.lost >= 0 && v.lost < len(lost) {
			m.toLoss(v.name, lost[v.lost])
			return reply{close: true}
		}
	default:
		return v.other(m, key)
	}
	return reply{}
}

// other takes the keys that mean here what they mean everywhere; any else closes
// the view.
func (v *contextView) other(m *Model, key string) reply {
	switch name := m.keys.NameOf(key); name {
	case "undo", "redo", "prev", "next", "first", "last", "theme":
		return reply{do: name}
	case "help":
		return reply{close: true, do: name}
	}
	return reply{close: true}
}

func (v *contextView) hints() []string {
	if v.set == nil {
		return []string{"any key closes"}
	}
	return []string{
		"↑↓ policy  ←→ calls  r beside  s scale  tab loss  enter goes there  f mends  u undo  esc closes",
		"↑↓ policy  ←→ calls  tab loss  enter goes there  f mends  u undo  esc closes",
	}
}

func (v *contextView) draw(m *Model, r rect) {
	c, th := m.cv, m.th
	c.fill(r, " ", th.text)
	if m.h >= tallEnough { // as the header and the hints stand apart on the main screen
		c.fill(r.row(0), "─", th.faint)
		c.fill(r.row(r.h-1), "─", th.faint)
		r = rect{r.x, r.y + 1, r.w, r.h - 2}
	}
	if v.set == nil {
		c.text(r.row(0).inset(1, 1), "context and cost", th.accent)
		c.text(r.row(2).inset(1, 1), "reckoning what every model call carried … this opens by itself when it is ready", th.dim)
		return
	}
	f := v.chosen()
	x := c.text(r.row(0).inset(1, 1), "context and cost", th.accent)
	x = v.drawTurned(m, rect{x + 3, r.y, r.x + r.w - x - 3, 1})
	if calls := plural(len(m.tl.Calls()), "model call") + " so far"; r.x+r.w-x > safetext.Width(calls)+2 {
		c.right(r.row(0).inset(1, 1), calls, th.dim)
	}
	room := 1
	if r.h < tallEnough-6 {
		room = 0
	}
	y := 1 + room
	y += v.drawTable(m, rect{r.x + 1, r.y + y, r.w - 2, r.h - y}) + room
	m.drawSurvivalStrip(rect{r.x + 3, r.y + y, r.w - 6, min(2, r.h-y)}, f)
	y += 3
	v.drawBelow(m, rect{r.x + 1, r.y + y, r.w - 2, r.h - y}, f)
}

// drawTurned shows what the last turn of a knob changed, until the next key, and
// answers the column after it.
func (v *contextView) drawTurned(m *Model, r rect) int {
	x := r.x
	for i, p := range m.panes {
		w, ok := m.knobs.before(i)
		if !ok || p.policy.Name != v.name {
			continue
		}
		for _, l := range m.oldAndNew(i, w) {
			if l.was == l.now || x+safetext.Width(l.label+l.was+l.now)+4 > r.x+r.w {
				continue
			}
			x = m.cv.put(x, r.y, r.x+r.w, l.label+" "+l.was+" → ", m.th.dim)
			x = m.cv.put(x, r.y, r.x+r.w, l.now, m.better(l.gain)) + 3
		}
	}
	return x
}

// drawBelow draws the calls and, under them, what was lost: each loss in as many
// rows as there are to spare.
func (v *contextView) drawBelow(m *Model, r rect, f policyFigures) {
	lost := len(f.report.Survival.Lost)
	calls, detail := 2+len(f.report.Calls), callDetail // the legend and the heading
	if _, _, two := v.besides(f); two && r.w < sideBySide {
		calls, detail = 2*calls-1, 2*detail
	}
	if lost == 0 {
		v.drawCalls(m, r, f)
		return
	}
	each, most := 1, lossLines
	if neverRead(f.report.Survival.Lost) == lost {
		most = 1 // there is nothing to mend
	}
	for each < most && (calls+2+(each+1)*lost <= r.h || each == 1 && 2*lost <= r.h/4) {
		each++
	}
	rows := min(lost*each, max(2, r.h-calls-2, r.h/4))
	calls = min(calls+detail, r.h-rows-2)
	v.drawCalls(m, rect{r.x, r.y, r.w, calls}, f)
	v.drawLosses(m, rect{r.x, r.y + calls + 1, r.w, rows + 1}, f, each)
}

// column is one column of the table of policies.
type column struct {
	head string
	w    int
	cell func(f policyFigures, full int) (string, style)
}

func (v *contextView) columns(m *Model, w int) []column {
	th := m.th
	num := func(n int) (string, style) { return thousands(n), th.text }
	all := []column{
		{"carried", 12, func(f policyFigures, _ int) (string, style) { return num(f.report.InputTokens) }},
		{"saved", 10, func(f policyFigures, full int) (string, style) {
			if f.policy.Name == "full" || full == 0 {
				return "", th.dim
			}
			s := 1 - float64(f.report.InputTokens)/float64(full)
			return delta(s), th.savings(s)
		}},
		{"peak", 10, func(f policyFigures, _ int) (string, style) { return num(f.report.PeakTokens) }},
		{"survival", 10, func(f policyFigures, _ int) (string, style) { return survivalCell(th, f.report.Survival) }},
		{"appended", 11, func(f policyFigures, _ int) (string, style) { return num(f.report.AppendedTokens) }},
		{"cached", 12, func(f policyFigures, _ int) (string, style) { return num(f.report.CachedTokens) }},
		{"written", 12, func(f policyFigures, _ int) (string, style) { return num(f.report.WrittenTokens) }},
		{"cost $", 10, func(f policyFigures, _ int) (string, style) {
			if f.report.Cost == nil {
				return "–", th.dim
			}
			return fmt.Sprintf("%.4f", *f.report.Cost), th.text
		}},
	}
	var out []column
	left := w - 18
	for _, col := range all {
		if left < col.w {
			break
		}
		left -= col.w
		out = append(out, col)
	}
	return out
}

func survivalCell(th *theme, s ledger.Survival) (string, style) {
	never := neverRead(s.Lost)
	text := fmt.Sprintf("%d/%d", s.Survived, s.Acted)
	switch {
	case s.Acted == 0:
		return "–", th.dim
	case len(s.Lost) > never:
		return " ✗ " + text + " ", th.loss // its padding reaches over the column's edge
	case never > 0: // no policy's loss, but no reason to be pleased either
		return text, th.warn
	}
	return text, th.good
}

// drawTable draws a row for each policy and answers how many rows it took.
func (v *contextView) drawTable(m *Model, r rect) int {
	c, th := m.cv, m.th
	set := v.set
	full := set.full.report.InputTokens
	cols := v.columns(m, r.w)
	x := r.x + 18
	for _, col := range cols {
		c.right(rect{x, r.y, col.w - 1, 1}, col.head, th.dim)
		x += col.w
	}
	for i, f := range set.pol {
		row := r.row(i + 1)
		if row.empty() {
			return i + 1
		}
		look := th.text
		if i == v.at {
			look = th.accent
			c.put(row.x, row.y, row.x+1, "▸", th.accent)
		}
		c.text(row.inset(2, 0).clipRight(15), f.policy.Name, look)
		x := r.x + 18
		for _, col := range cols {
			text, st := col.cell(f, full)
			w := col.w - 1
			if strings.HasSuffix(text, " ") {
				w++
			}
			c.right(rect{x, row.y, w, 1}, text, st)
			x += col.w
		}
	}
	return len(set.pol) + 1
}
