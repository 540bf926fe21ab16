package tui

import (
	"fmt"
	"math"
	"strings"

	"snapscope/snapshot/strategy"
	"snapscope/tui/safetext"
)

// knobText is a knob's value for people: 20 %, 100, unified, off.
func knobText(k strategy.Knob, v float64) string {
	switch k.Type {
	case strategy.Ratio:
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v*100), "0"), ".") + " %"
	case strategy.Bool:
		if v != 0 {
			return "on"
		}
		return "off"
	case strategy.Choice:
		return k.Format(v)
	}
	return thousands(int(v))
}

// slider is a knob's place in its range: ▕━━●────▏
func slider(k strategy.Knob, v float64, width int) string {
	if k.Max <= k.Min || width < 3 {
		return ""
	}
	n := int(math.Round(share(k, v) * float64(width-1)))
	return "▕" + strings.Repeat("━", n) + "●" + strings.Repeat("─", width-1-n) + "▏"
}

// share is where a value lies in a knob's range, from 0 to 1. A wide range is
// laid out by its logarithm, so that the low end can be told apart.
func share(k strategy.Knob, v float64) float64 {
	lo, hi := k.Min, k.Max
	if k.Type == strategy.Int && hi-lo > 200 {
		return math.Log1p(v-lo) / math.Log1p(hi-lo)
	}
	return (v - lo) / (hi - lo)
}

// draw lists the knobs of all shown policies and of the expiry rule.
func (k *knobsPane) draw(m *Model, r rect) {
	c, th := m.cv, m.th
	head := th.strong
	mark := " "
	if m.onSide {
		head, mark = th.accent, "▸"
	}
	c.put(r.x, r.y, r.x+r.w, mark+"knobs", head)
	chosen, ok := k.chosen(m)
	if !ok {
		c.text(r.row(2).inset(1, 1), "no shown policy has a knob", th.dim)
		return
	}
	rows := m.knobRows()
	lines := k.lines(m, rows)
	body, foot := k.split(r, len(lines))
	k.scrollTo(lines, body.h)
	if more := len(lines) - k.top - body.h; more > 0 {
		c.right(rect{body.x, r.y, body.w, 1}, fmt.Sprintf("%d more ↓", more), th.dim)
	}
	for i := 0; i < body.h && k.top+i < len(lines); i++ {
		k.drawLine(m, body.row(i), lines[k.top+i], rows)
	}
	k.drawFoot(m, foot, chosen)
}

// knobsBeside is the width from which a low column explains the chosen knob beside
// the list, not below it.
const knobsBeside = 100

// split parts the column into the list and what explains the chosen knob: below
// it, or beside it where the column is wide and low. Where it is too low to
// explain, what a turn did still has to be seen.
func (k *knobsPane) split(r rect, lines int) (body, foot rect) {
	if r.w >= knobsBeside && r.h < lines+10 {
		w := r.w / 2
		return rect{r.x, r.y + 1, w - 2, max(0, r.h-1)}, rect{r.x + w, r.y, r.w - w, r.h}
	}
	h := min(9, max(0, r.h-6))
	if h < 4 {
		h = min(2, r.h-2)
	}
	body = rect{r.x, r.y + 1, r.w, max(0, r.h-1-h)}
	return body, rect{r.x, r.y + r.h - h, r.w, h}
}

// scrollTo brings the chosen knob into sight, with the name above it.
func (k *knobsPane) scrollTo(lines []knobLine, height int) {
	at := 0
	for i, l := range lines {
		if l.row == k.at {
			at = i
		}
	}
	k.top = max(min(k.top, at-1), at-height+2, 0)
	k.top = min(k.top, max(0, len(lines)-height))
	if at >= k.top+height {
		k.top = at - height + 1
	}
}

// click chooses the knob on a line of the column.
func (k *knobsPane) click(m *Model, r rect, x, y int) {
	lines := k.lines(m, m.knobRows())
	body, _ := k.split(r, len(lines))
	if i := k.top + y - body.y; body.holds(x, y) && i < len(lines) && lines[i].row >= 0 {
		k.choose(m, lines[i].row)
	}
}

// knobLine is a line of the column: whose knobs follow, or one of them.
type knobLine struct {
	name string
	row  int // -1: a name
}

func (k *knobsPane) lines(m *Model, rows []knobRow) []knobLine {
	var out []knobLine
	for i, r := range rows {
		if i == 0 || r.pane != rows[i-1].pane || r.stage != rows[i-1].stage {
			out = append(out, knobLine{m.knobOwner(r), -1})
		}
		out = append(out, knobLine{r.knob.Key, i})
	}
	return out
}

// knobOwner names the policy, and where it is made of several the strategy, that
// a knob belongs to.
func (m *Model) knobOwner(r knobRow) string {
	if r.pane == rulePane {
		return "expiry · " + r.strategy.Name
	}
	name := m.panes[r.pane].policy.Name
	if name == r.strategy.Name {
		return name
	}
	return name + " · " + r.strategy.Name
}

func (k *knobsPane) drawLine(m *Model, r rect, l knobLine, rows []knobRow) {
	c, th := m.cv, m.th
	if l.row < 0 {
		c.text(r.inset(1, 1), l.name, th.strong)
		return
	}
	kr := rows[l.row]
	look := th.text
	if l.row == k.at {
		c.put(r.x+1, r.y, r.x+r.w, "▸", th.accent)
		look = th.strong
	}
	numeric := kr.knob.Type == strategy.Int || kr.knob.Type == strategy.Ratio
	const valueWidth = 7
	val := knobText(kr.knob, kr.value)
	vl := th.text
	if kr.value != kr.knob.Default {
		vl = th.accent
	}
	at := c.right(r.inset(0, 1), val, vl)
	sw := min(16, r.w-valueWidth-20)
	if !numeric || sw < 5 {
		c.text(rect{r.x + 3, r.y, at - r.x - 4, 1}, l.name, look)
		return
	}
	from := r.x + r.w - valueWidth - sw - 2
	c.text(rect{r.x + 3, r.y, from - r.x - 4, 1}, l.name, look)
	c.put(from, r.y, at, slider(kr.knob, kr.value, sw-2), th.faint.with(style{fg: vl.fg}))
}

// drawFoot explains the chosen knob and shows old → new.
func (k *knobsPane) drawFoot(m *Model, r rect, kr knobRow) {
	c, th := m.cv, m.th
	if r.h < 4 {
		k.drawBrief(m, r, kr)
		return
	}
	if y := r.y; y > m.lay.side.y { // below the list
		c.fill(r.row(0).inset(1, 1), "─", th.faint)
	} else { // beside it
		c.text(r.row(0).inset(1, 1), m.knobOwner(kr)+" · "+kr.knob.Key, th.strong)
	}
	y := 1
	meta := fmt.Sprintf("default %s · %s to %s", knobText(kr.knob, kr.knob.Default), knobText(kr.knob, kr.knob.Min), knobText(kr.knob, kr.knob.Max))
	if kr.knob.Type == strategy.Choice {
		meta = "default " + knobText(kr.knob, kr.knob.Default) + " · " + strings.Join(kr.knob.Choices, ", ")
	}
	if kr.knob.Unit != "" {
		meta += " " + kr.knob.Unit
	}
	if kr.knob.Type == strategy.Bool {
		meta = "default " + knobText(kr.knob, kr.knob.Default)
	}
	for _, l := range wrapWords(kr.knob.Doc, r.w-2) {
		if y >= r.h-4 {
			break
		}
		c.text(r.row(y).inset(1, 1), l, th.text)
		y++
	}
	c.text(r.row(y).inset(1, 1), meta, th.dim)
	y++
	if w, ok := k.before(kr.pane); ok {
		k.drawWas(m, rect{r.x, r.y + y, r.w, r.h - y}, kr.pane, w)
		return
	}
	keys := fmt.Sprintf("%s %s turn · %s reset · %s undo", m.keys.Label("more"), m.keys.Label("less"), m.keys.Label("reset"), m.keys.Label("undo"))
	c.text(r.row(r.h-1).inset(1, 1), safetext.Cut(keys, r.w-2), th.faint)
}

// drawBrief is the foot in two lines: what the knob does, or old → new.
func (k *knobsPane) drawBrief(m *Model, r rect, kr knobRow) {
	w, ok := k.before(kr.pane)
	if !ok {
		m.cv.text(r.row(0).inset(1, 1), kr.knob.Doc, m.th.text)
		m.cv.text(r.row(1).inset(1, 1), "default "+knobText(kr.knob, kr.knob.Default), m.th.dim)
		return
	}
	lines := m.oldAndNew(kr.pane, w)
	for y := range 2 {
		x := r.x + 1
		for i := 2 * y; i < min(2*y+2, len(lines)); i++ {
			l := lines[i]
			x = m.cv.put(x, r.y+y, r.x+r.w, l.label+" "+l.was+" → ", m.th.dim)
			x = m.cv.put(x, r.y+y, r.x+r.w, l.now, m.better(l.gain)) + 3
		}
	}
}

// drawWas shows old → new, a figure a line.
func (k *knobsPane) drawWas(m *Model, r rect, pane int, w wasFigures) {
	for y, l := range m.oldAndNew(pane, w) {
		row := r.row(y).inset(1, 1)
		if row.empty() {
			return
		}
		m.cv.text(row.clipRight(9), l.label, m.th.dim)
		x := m.cv.put(row.x+9, row.y, row.x+row.w, l.was+" → ", m.th.dim)
		m.cv.put(x, row.y, row.x+row.w, l.now, m.better(l.gain))
	}
}

// better is the look of a figure that gained so much: any difference counts.
func (m *Model) better(gain int) style { return m.th.savings(float64(gain)).as(bold) }

// turned is one figure before and after a knob was turned.
type turned struct {
	label, was, now string
	gain            int // over 0: better
}

// oldAndNew are the figures that a turn of a knob changed: what the pane shows,
// and, once they are reckoned, what the session carried and lost.
func (m *Model) oldAndNew(pane int, w wasFigures) []turned {
	var out []turned
	if d := m.docOfPane(pane); d != nil {
		gain := w.tokens - d.rendered.Tokens
		out = append(out,
			turned{"tokens", thousands(w.tokens), thousands(d.rendered.Tokens), gain},
			turned{"saved", delta(w.saved), delta(d.saved()), gain})
	}
	f, ok := m.figuresAt(pane)
	if !ok || !w.hasTotal || m.set.events != len(m.tl.Events) || f.key != m.knobbed(pane).policy.Key() {
		return out
	}
	s := f.upTo(m.tl, m.at)
	if pane == rulePane {
		now := m.expired()
		out = append(out, turned{"expired", plural(w.expired, "snapshot"), thousands(now), 0})
	}
	was, now := short(w.input), short(s.input)
	if was == now && w.input != s.input { // what changed has to be seen
		was, now = thousands(w.input), thousands(s.input)
	}
	return append(out,
		turned{"carried", was, now, w.input - s.input},
		turned{"survival", fmt.Sprintf("%d/%d", w.acted-w.lost, w.acted), fmt.Sprintf("%d/%d", s.acted-len(s.lost), s.acted), w.lost - len(s.lost)})
}
