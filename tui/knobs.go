package tui

import (
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/snapshot/strategy"
	"snapscope/tui/safetext"
)

// knobsPane is the side column that turns the focused policy's knobs.
type knobsPane struct {
	pane int // index of the pane whose policy is turned
	at   int // chosen knob among knobsOf
	top  int // first visible line
	undo []knobTurn
	redo []knobTurn
	was  *wasFigures // figures before the last turn; until the next key
}

// knobTurn is one change of a policy, for undo.
type knobTurn struct {
	pane   int
	before session.Policy
	after  session.Policy
	what   string
}

// wasFigures are a pane's figures before its policy was changed.
type wasFigures struct {
	pane     int
	tokens   int
	saved    float64
	input    int
	lost     int
	acted    int
	value    string
	knob     string
	hasTotal bool
}

// knobRow is one knob of a policy with the stage that it belongs to.
type knobRow struct {
	stage    int
	strategy *strategy.Strategy
	knob     strategy.Knob
	value    float64
}

// knobsOf lists a policy's knobs in the order of its stages.
func knobsOf(p session.Policy) []knobRow {
	var out []knobRow
	for i, st := range p.Stages {
		s, err := strategy.Get(st.Strategy)
		if err != nil {
			continue
		}
		v := s.Values(st.Knobs)
		for _, k := range s.Knobs {
			out = append(out, knobRow{i, s, k, v[k.Key]})
		}
	}
	return out
}

// follow makes the column show the focused pane's policy.
func (k *knobsPane) follow(m *Model) {
	if k.pane != m.focus {
		k.pane, k.at, k.top = m.focus, 0, 0
	}
}

// before is what a pane's figures were before the last turn.
func (k *knobsPane) before(pane int) (wasFigures, bool) {
	if k.was == nil || k.was.pane != pane {
		return wasFigures{}, false
	}
	return *k.was, true
}

func (m *Model) doKnobs() tea.Cmd {
	if m.side == sideKnobs && m.onSide {
		m.side, m.onSide = sideNone, false
	} else {
		m.side, m.onSide = sideKnobs, true
		m.zoom = false
		m.knobs.follow(m)
		if len(knobsOf(m.panes[m.focus].policy)) == 0 {
			m.toKnobs()
		}
	}
	m.arrange()
	m.clampView()
	return nil
}

// toKnobs moves the focus to the first shown pane that has a knob.
func (m *Model) toKnobs() {
	for _, i := range m.shownPanes() {
		if len(knobsOf(m.panes[i].policy)) > 0 {
			m.focus = i
			m.knobs.follow(m)
			return
		}
	}
}

func (m *Model) noKnobs() string {
	if len(knobsOf(m.panes[m.focus].policy)) == 0 {
		return fmt.Sprintf("%s has no knobs; %s goes to another pane", m.panes[m.focus].policy.Name, m.key("next-pane"))
	}
	return ""
}

func (m *Model) doMore() tea.Cmd { return m.turn(1) }
func (m *Model) doLess() tea.Cmd { return m.turn(-1) }

// press takes the keys that mean something else while the knobs have them.
func (k *knobsPane) press(m *Model, action string) (tea.Cmd, bool) {
	n := len(knobsOf(m.panes[k.pane].policy))
	if n == 0 {
		return nil, false
	}
	switch action {
	case "down":
		k.at = min(k.at+1, n-1)
	case "up":
		k.at = max(k.at-1, 0)
	case "page-down", "bottom":
		k.at = n - 1
	case "page-up", "top":
		k.at = 0
	case "right":
		return m.turn(1), true
	case "left":
		return m.turn(-1), true
	default:
		return nil, false
	}
	return nil, true
}

// turn changes the chosen knob by some steps.
func (m *Model) turn(by float64) tea.Cmd {
	m.knobs.follow(m)
	rows := knobsOf(m.panes[m.knobs.pane].policy)
	m.knobs.at = min(m.knobs.at, len(rows)-1)
	r := rows[m.knobs.at]
	step := r.knob.Step
	if step <= 0 {
		step = 1
	}
	if r.knob.Type == strategy.Choice || r.knob.Type == strategy.Bool {
		n := float64(max(len(r.knob.Choices), 2))
		return m.setKnob(r, math.Mod(r.value+by+n, n))
	}
	to := r.knob.Clamp(r.value + by*step)
	if to == r.value {
		m.say(levelWarn, fmt.Sprintf("%s takes %s to %s", r.knob.Key, knobText(r.knob, r.knob.Min), knobText(r.knob, r.knob.Max)))
		return nil
	}
	return m.setKnob(r, to)
}

// setKnob gives a knob of the focused pane's policy a value.
func (m *Model) setKnob(r knobRow, to float64) tea.Cmd {
	p := m.panes[m.knobs.pane].policy.Clone()
	st := &p.Stages[r.stage]
	if st.Knobs == nil {
		st.Knobs = strategy.Values{}
	}
	st.Knobs[r.knob.Key] = to
	if to == r.knob.Default {
		delete(st.Knobs, r.knob.Key)
	}
	return m.changePolicy(p, r.knob.Key, knobText(r.knob, r.value))
}

// changePolicy gives the knobs' pane another form of its policy and remembers
// the figures of before, to stand beside the new ones until the next key.
func (m *Model) changePolicy(to session.Policy, knob, was string) tea.Cmd {
	pane := m.knobs.pane
	m.knobs.undo = append(m.knobs.undo, knobTurn{pane, m.panes[pane].policy, to, knob})
	m.knobs.redo = nil
	return m.put(pane, to, knob, was)
}

func (m *Model) put(pane int, to session.Policy, knob, was string) tea.Cmd {
	w := wasFigures{pane: pane, knob: knob, value: was}
	for n, i := range m.shownPanes() {
		if d := m.docOf(n); i == pane && d != nil {
			w.tokens, w.saved = d.rendered.Tokens, d.saved()
		}
	}
	if f, ok := m.figuresOf(m.panes[pane].policy.Name); ok {
		s := f.upTo(m.tl, m.at)
		w.input, w.lost, w.acted, w.hasTotal = s.input, len(s.lost), s.acted, true
	}
	m.knobs.was = &w
	m.panes[pane].policy = to
	return m.refresh()
}

func (m *Model) noUndo() string {
	if len(m.knobs.undo) == 0 {
		return "no knob was turned yet"
	}
	return ""
}

func (m *Model) noRedo() string {
	if len(m.knobs.redo) == 0 {
		return "there is nothing to do again"
	}
	return ""
}

func (m *Model) doUndo() tea.Cmd {
	k := &m.knobs
	t := k.undo[len(k.undo)-1]
	k.undo = k.undo[:len(k.undo)-1]
	k.redo = append(k.redo, t)
	m.say(levelInfo, "undone: "+t.what)
	return m.put(t.pane, t.before, t.what, "")
}

func (m *Model) doRedo() tea.Cmd {
	k := &m.knobs
	t := k.redo[len(k.redo)-1]
	k.redo = k.redo[:len(k.redo)-1]
	k.undo = append(k.undo, t)
	m.say(levelInfo, "done again: "+t.what)
	return m.put(t.pane, t.after, t.what, "")
}

func (m *Model) noReset() string {
	p := m.panes[m.focus]
	if policyKey(p.policy) == policyKey(p.origin) {
		return "all knobs of " + p.policy.Name + " are as they came"
	}
	return ""
}

func (m *Model) doReset() tea.Cmd {
	m.knobs.follow(m)
	cmd := m.changePolicy(m.panes[m.knobs.pane].origin.Clone(), "reset", "")
	m.say(levelInfo, "all knobs are as they came; "+m.key("undo")+" takes that back")
	return cmd
}

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

// draw lists the knobs of the focused policy.
func (k *knobsPane) draw(m *Model, r rect) {
	c, th := m.cv, m.th
	p := m.panes[k.pane].policy
	head := th.strong
	mark := " "
	if m.onSide {
		head, mark = th.accent, "▸"
	}
	x := c.put(r.x, r.y, r.x+r.w, mark+"knobs", head)
	c.text(rect{x + 1, r.y, r.x + r.w - x - 2, 1}, p.Name, th.dim)
	rows := knobsOf(p)
	if len(rows) == 0 {
		c.text(r.row(2).inset(1, 1), p.Name+" has no knobs", th.dim)
		return
	}
	foot := min(9, max(0, r.h-6))
	if foot < 4 { // too low to explain: what a turn did still has to be seen
		foot = min(2, r.h-2)
	}
	body := rect{r.x, r.y + 1, r.w, r.h - 1 - foot}
	lines := k.lines(rows)
	at := 0
	for i, l := range lines {
		if l.row == k.at {
			at = i
		}
	}
	k.top = max(min(k.top, at-1), at-body.h+2, 0)
	for i := 0; i < body.h && k.top+i < len(lines); i++ {
		k.drawLine(m, body.row(i), lines[k.top+i], rows)
	}
	k.drawFoot(m, rect{r.x, r.y + r.h - foot, r.w, foot}, rows[min(k.at, len(rows)-1)])
}

// knobLine is a line of the column: a strategy's name or one of its knobs.
type knobLine struct {
	name string
	row  int // -1: a name
}

func (k *knobsPane) lines(rows []knobRow) []knobLine {
	var out []knobLine
	last := -1
	for i, r := range rows {
		if r.stage != last {
			out = append(out, knobLine{r.strategy.Name, -1})
			last = r.stage
		}
		out = append(out, knobLine{r.knob.Key, i})
	}
	return out
}

func (k *knobsPane) drawLine(m *Model, r rect, l knobLine, rows []knobRow) {
	c, th := m.cv, m.th
	if l.row < 0 {
		c.text(r.inset(1, 1), l.name, th.dim)
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
	c.fill(r.row(0).inset(1, 1), "─", th.faint)
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
	if w, ok := k.before(k.pane); ok {
		k.drawWas(m, rect{r.x, r.y + y, r.w, r.h - y}, w)
		return
	}
	keys := fmt.Sprintf("%s %s turn · %s reset · %s undo", m.key("more"), m.key("less"), m.key("reset"), m.key("undo"))
	c.text(r.row(r.h-1).inset(1, 1), safetext.Cut(keys, r.w-2), th.faint)
}

// drawBrief is the foot in two lines: what the knob does, or old → new.
func (k *knobsPane) drawBrief(m *Model, r rect, kr knobRow) {
	w, ok := k.before(k.pane)
	d := m.docOf(m.focusAt())
	if !ok || d == nil {
		m.cv.text(r.row(0).inset(1, 1), kr.knob.Doc, m.th.text)
		m.cv.text(r.row(1).inset(1, 1), "default "+knobText(kr.knob, kr.knob.Default), m.th.dim)
		return
	}
	m.cv.text(r.row(0).inset(1, 1), fmt.Sprintf("tokens %s → %s   saved %s → %s",
		thousands(w.tokens), thousands(d.rendered.Tokens), delta(w.saved), delta(d.saved())), m.th.strong)
	if f, ok := m.figuresOf(m.panes[k.pane].policy.Name); ok && w.hasTotal {
		s := f.upTo(m.tl, m.at)
		m.cv.text(r.row(1).inset(1, 1), fmt.Sprintf("carried %s → %s   survival %d/%d → %d/%d",
			short(w.input), short(s.input), w.acted-w.lost, w.acted, s.acted-len(s.lost), s.acted), m.th.strong)
	}
}

// drawWas shows old → new: tokens, saved, carried so far and survival.
func (k *knobsPane) drawWas(m *Model, r rect, w wasFigures) {
	c, th := m.cv, m.th
	line := func(y int, label, was, now string, look style) {
		row := r.row(y).inset(1, 1)
		x := c.text(row.clipRight(9), label, th.dim)
		x = max(x+1, row.x+9)
		x = c.put(x, row.y, row.x+row.w, was, th.dim)
		x = c.put(x, row.y, row.x+row.w, " → ", th.dim)
		c.put(x, row.y, row.x+row.w, now, look)
	}
	var d *doc
	for n, i := range m.shownPanes() {
		if i == k.pane {
			d = m.docOf(n)
		}
	}
	if d == nil {
		return
	}
	better := func(was, now int) style {
		return th.savings(float64(was - now)).as(bold) // whole numbers: any difference counts
	}
	line(0, "tokens", thousands(w.tokens), thousands(d.rendered.Tokens), better(w.tokens, d.rendered.Tokens))
	line(1, "saved", delta(w.saved), delta(d.saved()), better(w.tokens, d.rendered.Tokens))
	f, ok := m.figuresOf(m.panes[k.pane].policy.Name)
	if !ok || !w.hasTotal || f.key != policyKey(m.panes[k.pane].policy) {
		return
	}
	s := f.upTo(m.tl, m.at)
	line(2, "carried", short(w.input), short(s.input), better(w.input, s.input))
	line(3, "survival", fmt.Sprintf("%d/%d", w.acted-w.lost, w.acted), fmt.Sprintf("%d/%d", s.acted-len(s.lost), s.acted),
		better(len(s.lost)*-1, w.lost*-1))
}
