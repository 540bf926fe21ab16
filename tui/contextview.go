package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/session/ledger"
)

// contextView answers what the session cost, call by call, under each policy,
// what was cached, what expired, and what the agent could no longer see.
type contextView struct {
	at    int // chosen policy among the figures
	call  int // first drawn call
	lost  int // chosen loss of the policy, -1 none
	moved bool
	fixes map[string][]ledger.Lost // by policy: losses with the knob that keeps them
	asked map[string]bool          // being looked for
	ref   int                      // policy the bars are set beside; -1: full
	own   bool                     // each policy's bars on a scale of their own
}

func (m *Model) noContext() string {
	if why := m.noSteps(); why != "" {
		return why
	}
	if m.figs.set == nil {
		return "the figures are still being computed"
	}
	return ""
}

func (m *Model) doContext() tea.Cmd {
	v := &contextView{lost: -1, ref: -1, fixes: map[string][]ledger.Lost{}, asked: map[string]bool{}}
	for i, f := range m.figs.set.pol {
		if f.policy.Name == m.panes[m.focus].policy.Name {
			v.at = i
		}
	}
	m.over = v
	return v.findFixes(m)
}

func (v *contextView) press(m *Model, key string) tea.Cmd {
	set := m.figs.set
	v.at = min(v.at, len(set.pol)-1)
	lost := set.pol[v.at].report.Survival.Lost
	switch key {
	case "down", "j":
		v.at, v.lost = min(v.at+1, len(set.pol)-1), -1
		return v.findFixes(m)
	case "up", "k":
		v.at, v.lost = max(v.at-1, 0), -1
		return v.findFixes(m)
	case "right", "l", "pgdown":
		v.call, v.moved = v.call+8, true
	case "left", "h", "pgup":
		v.call, v.moved = max(0, v.call-8), true
	case "f":
		return v.fix(m)
	case "r":
		v.ref = v.at
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
			return m.toLoss(set.pol[v.at].policy.Name, lost[v.lost])
		}
	default:
		m.over = nil
	}
	return nil
}

func (v *contextView) hint() string {
	return "↑↓ policy  ←→ calls  r beside  s scale  tab loss  enter goes there  f mends  esc closes"
}

func (v *contextView) draw(m *Model, r rect) {
	c, th := m.cv, m.th
	c.fill(rect{r.x, r.y, r.w, r.h}, " ", th.text)
	set := m.figs.set
	if set == nil || len(set.pol) == 0 {
		c.text(r.row(1).inset(2, 2), "the figures are being computed …", th.dim)
		return
	}
	v.at = min(v.at, len(set.pol)-1)
	c.text(r.row(0).inset(1, 1), "context and cost", th.accent)
	c.right(r.row(0).inset(1, 1), plural(len(m.tl.Calls()), "model call")+" so far", th.dim)
	y := v.drawTable(m, rect{r.x + 1, r.y + 2, r.w - 2, r.h - 2}) + 1
	m.drawSurvivalStrip(rect{r.x + 3, r.y + 2 + y, r.w - 6, 1}, set.pol[v.at])
	y += 2
	rest := rect{r.x + 1, r.y + 2 + y, r.w - 2, r.h - 2 - y}
	f := set.pol[v.at]
	lossRows := min(len(f.report.Survival.Lost), max(2, rest.h/4))
	if lossRows > 0 {
		rest.h -= lossRows + 2
	}
	v.drawCalls(m, rest, f)
	if lossRows > 0 {
		v.drawLosses(m, rect{rest.x, rest.y + rest.h + 1, rest.w, lossRows + 1}, f)
	}
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
	never := 0
	for _, l := range s.Lost {
		if l.Never {
			never++
		}
	}
	text := fmt.Sprintf("%d/%d", s.Survived, s.Acted)
	switch {
	case s.Acted == 0:
		return "–", th.dim
	case len(s.Lost) > never:
		return " ✗ " + text + " ", th.loss
	}
	return text, th.good
}

// drawTable draws a row for each policy and answers how many rows it took.
func (v *contextView) drawTable(m *Model, r rect) int {
	c, th := m.cv, m.th
	set := m.figs.set
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
			c.right(rect{x, row.y, col.w - 1, 1}, text, st)
			x += col.w
		}
	}
	return len(set.pol) + 1
}

// besides is the policy that the chosen one is set beside; false where it is the
// chosen one itself.
func (v *contextView) besides(m *Model, f policyFigures) (policyFigures, bool) {
	set := m.figs.set
	ref := set.full
	if v.ref >= 0 && v.ref < len(set.pol) {
		ref = set.pol[v.ref]
	}
	ref.policy.Name = nameOr(ref.policy.Name, "full")
	return ref, ref.policy.Name != f.policy.Name
}

func nameOr(s, or string) string {
	if s == "" {
		return or
	}
	return s
}

// drawCalls draws one bar for each model call: under the chosen policy and,
// where there is room, beside it under another one, on one scale.
func (v *contextView) drawCalls(m *Model, r rect, f policyFigures) {
	c, th := m.cv, m.th
	if r.h < 4 {
		return
	}
	x := r.x
	for _, l := range []struct {
		t string
		s style
	}{{"█ live snapshots", th.barLive}, {"▓ the rest", th.barOther}, {cachedGlyph(th) + " read from cache", th.barHit}, {"░ cleared, carried no more", th.barOld}} {
		x = c.put(x, r.y, r.x+r.w, l.t, l.s) + 3
	}
	body := rect{r.x, r.y + 1, r.w, r.h - 1}
	ref, two := v.besides(m, f)
	peak := max(1, f.report.PeakTokens)
	switch {
	case !two:
		v.drawBars(m, body, f, peak)
	case r.w >= 130:
		half := (body.w - 3) / 2
		shared := max(peak, ref.report.PeakTokens)
		v.drawBars(m, rect{body.x, body.y, half, body.h}, ref, v.scale(ref, shared))
		v.drawBars(m, rect{body.x + half + 3, body.y, half, body.h}, f, v.scale(f, shared))
	case body.h >= 14:
		half := body.h / 2
		shared := max(peak, ref.report.PeakTokens)
		v.drawBars(m, rect{body.x, body.y, body.w, half}, ref, v.scale(ref, shared))
		v.drawBars(m, rect{body.x, body.y + half, body.w, body.h - half}, f, v.scale(f, shared))
	default:
		v.drawBars(m, body, f, peak)
	}
}

// scale is the tokens of a full bar.
func (v *contextView) scale(f policyFigures, shared int) int {
	if v.own {
		return max(1, f.report.PeakTokens)
	}
	return max(1, shared)
}

// drawBars draws the calls under one policy.
func (v *contextView) drawBars(m *Model, r rect, f policyFigures, scale int) {
	c, th := m.cv, m.th
	x := c.put(r.x, r.y, r.x+r.w, "call  ", th.dim)
	x = c.put(x, r.y, r.x+r.w, f.policy.Name, th.strong)
	c.text(rect{x + 1, r.y, r.x + r.w - x - 1, 1}, "· a full bar is "+thousands(scale), th.faint)
	rows := r.h - 1
	calls := f.report.Calls
	now := m.callAt(f.report)
	first := v.call
	if !v.moved {
		first = now - rows/2
	}
	first = max(0, min(first, len(calls)-rows))
	if v.moved {
		v.call = first
	}
	for i := 0; i < rows && first+i < len(calls); i++ {
		v.drawCall(m, r.row(i+1), calls[first+i], scale, first+i == now)
	}
}

// callAt is the index of the last call before the step looked at.
func (m *Model) callAt(rep *ledger.Report) int {
	s := m.step()
	out := 0
	for i, c := range rep.Calls {
		if s != nil && c.Seq <= s.ResultSeq {
			out = i
		}
	}
	return out
}

func (v *contextView) drawCall(m *Model, r rect, call ledger.Call, scale int, now bool) {
	c, th := m.cv, m.th
	look := th.dim
	if now {
		look = th.accent
	}
	c.right(rect{r.x, r.y, 4, 1}, fmt.Sprint(call.Call), look)
	c.right(rect{r.x + 5, r.y, 10, 1}, thousands(call.InputTokens), look)
	tail := fmt.Sprintf("%d live", call.LiveSnapshots)
	if call.ExpiredSnapshots > 0 {
		tail += fmt.Sprintf(" %d expired", call.ExpiredSnapshots)
	}
	left := r.x + 17
	width := r.w - 17 - 19
	if width < 10 {
		return
	}
	cells := func(n int) int {
		k := (n*width + scale/2) / scale
		if k == 0 && n > 0 {
			k = 1
		}
		return k
	}
	end := left + width
	rest := call.By.Sum() - call.By.Snapshots
	x := c.put(left, r.y, end, strings.Repeat("▓", cells(rest)), th.barOther)
	x = c.put(x, r.y, end, strings.Repeat("█", cells(call.By.Snapshots)), th.barLive)
	for i := left; i < min(left+call.CachedTokens*width/scale, x); i++ { // the prefix that was read from the cache
		c.put(i, r.y, i+1, cachedGlyph(th), th.barHit)
	}
	if call.By.Cleared > 0 {
		x = c.put(x, r.y, end, strings.Repeat("░", min(cells(call.By.Cleared), width)), th.barOld)
	}
	c.text(rect{x + 1, r.y, r.x + r.w - x - 1, 1}, tail, th.dim)
}

// cachedGlyph tells what was read from the cache by its texture where there is
// no colour.
func cachedGlyph(th *theme) string {
	if th.barHit.fg == 0 {
		return "▒"
	}
	return "█"
}
