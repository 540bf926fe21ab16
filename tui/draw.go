package tui

import (
	"fmt"
	"strings"

	"snapscope/session"
	"snapscope/tui/keymap"
	"snapscope/tui/safetext"
)

// draw puts the whole screen on the canvas.
func (m *Model) draw() {
	m.cv.reset(m.w, m.h)
	if m.th.text.bg != 0 {
		m.cv.fill(rect{0, 0, m.w, m.h}, " ", m.th.text)
	}
	m.arrange()
	if m.lay.mode == layoutTooSmall {
		m.drawTooSmall()
		return
	}
	m.drawHeader(m.lay.header)
	if m.eng == nil && m.over != nil { // nothing is looked at yet
		m.over.draw(m, rect{0, 1, m.w, m.h - 2})
		m.drawHint(m.lay.hint)
		return
	}
	for _, r := range m.lay.rules {
		m.cv.fill(r, "─", m.th.faint)
	}
	for _, r := range m.lay.bars {
		m.cv.fill(r, "│", m.th.faint)
	}
	m.drawPanes()
	m.drawSide(m.lay.side)
	m.drawSteps(m.lay.steps)
	m.drawExpiry(m.lay.expiry)
	m.drawTotals(m.lay.totals)
	m.drawHint(m.lay.hint)
	if m.over != nil {
		m.over.draw(m, rect{0, 1, m.w, m.h - 2})
	}
	if m.input != nil {
		m.input.draw(m)
	}
}

// drawTooSmall says in one sentence what the screen needs.
func (m *Model) drawTooSmall() {
	text := fmt.Sprintf("snapscope needs %d×%d, this terminal is %d×%d", minWidth, minHeight, m.w, m.h)
	for y, line := range wrapWords(text, m.w) {
		m.cv.text(rect{0, y, m.w, 1}.clip(m.w, m.h), line, m.th.text)
	}
}

// clip leaves of r what lies on a screen of w by h.
func (r rect) clip(w, h int) rect {
	r.w, r.h = min(r.w, w-r.x), min(r.h, h-r.y)
	return r
}

// wrapWords breaks a sentence into lines of at most width cells.
func wrapWords(text string, width int) []string {
	if width <= 0 {
		return nil
	}
	var out []string
	for _, para := range strings.Split(text, "\n") {
		line := ""
		for _, w := range strings.Fields(para) {
			switch {
			case line == "":
				line = w
			case safetext.Width(line)+1+safetext.Width(w) <= width:
				line += " " + w
			default:
				out = append(out, line)
				line = w
			}
		}
		out = append(out, line)
	}
	return out
}

// drawHeader says where the person is: mode, session, page, step, recording.
func (m *Model) drawHeader(r rect) {
	c, th := m.cv, m.th
	x := c.put(r.x+1, r.y, r.x+r.w, "snapscope", th.strong)
	mode, look := m.modeMark()
	x = c.put(x+2, r.y, r.x+r.w, mode, look)
	right := m.stepMark()
	var tail []string
	if m.info.Recording != "" {
		tail = append(tail, "● rec "+base(m.info.Recording))
	}
	if r.w >= 100 {
		tail = append(tail, m.encoding())
	}
	if len(tail) > 0 {
		right += "  " + strings.Join(tail, "  ")
	}
	at := c.right(r.inset(0, 1), right, th.dim)
	c.put(at, r.y, r.x+r.w, m.stepMark(), th.strong)
	if m.info.Recording != "" {
		c.put(at+safetext.Width(m.stepMark())+2, r.y, r.x+r.w, "●", th.bad)
	}
	mid := rect{x + 2, r.y, at - x - 4, 1}
	if mid.w < 8 || m.fr == nil {
		return
	}
	name := base(m.info.Name)
	if name != "" && r.w >= 110 {
		mid.x = c.text(mid.clipRight(24), name, th.dim) + 2
		mid.w = at - mid.x - 2
	}
	if m.fr.url != "" {
		end := c.text(mid.clipRight(max(mid.w*3/5, 20)), m.fr.url, th.accent)
		mid.w -= end + 2 - mid.x
		mid.x = end + 2
		if mid.w > 4 {
			c.text(mid, m.fr.title, th.dim)
		}
	}
}

// clipRight makes r at most w cells wide.
func (r rect) clipRight(w int) rect {
	r.w = min(r.w, w)
	return r
}

func base(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[i+1:]
	}
	return path
}

// encoding is the counter's name; an estimate says that it is one.
func (m *Model) encoding() string {
	name := strings.TrimSuffix(m.encName, "_base")
	if m.estimate && name != "" {
		return "~" + name
	}
	return name
}

// modeMark says what the session comes from, and that one looks at the past.
func (m *Model) modeMark() (string, style) {
	past := m.at >= 0 && m.at < len(m.tl.Steps)-1
	switch {
	case !m.open:
		return "", m.th.dim
	case m.info.Mode == session.ModeLive && past:
		return "◐ looking at the past", m.th.warn
	case m.info.Mode == session.ModeLive:
		return "● live", m.th.good
	case m.info.Mode == session.ModeFollow:
		return "◉ following", m.th.good
	}
	return "▷ replay", m.th.dim
}

// stepMark is the step looked at and how many there are.
func (m *Model) stepMark() string {
	if !m.open {
		return ""
	}
	total := max(len(m.tl.Steps), m.info.Planned)
	if total == 0 {
		return "no steps yet"
	}
	n := 0
	if s := m.step(); s != nil {
		n = s.N
	}
	return fmt.Sprintf("step %d/%d", n, total)
}

// drawHint says what can be done now, or the last thing that was said, or what
// is running.
func (m *Model) drawHint(r rect) {
	c, th := m.cv, m.th
	if m.job != nil {
		m.drawJob(r)
		return
	}
	if m.msg.text != "" {
		mark, look := "", th.text
		switch m.msg.level {
		case levelGood:
			mark, look = "✓ ", th.good
		case levelStop:
			mark, look = "◆ ", th.accent
		case levelWarn:
			mark, look = "! ", th.warn
		case levelError:
			mark, look = "✗ ", th.bad
		}
		c.text(r.inset(1, 1), mark+m.msg.text, look)
		return
	}
	if m.over != nil { // the other keys are not its own: they close it
		if o, ok := m.over.(interface{ hints() []string }); ok {
			c.text(r.inset(1, 1), firstFitting(o.hints(), r.w-2), th.dim)
		}
		return
	}
	if m.onSide && m.side == sideKnobs {
		m.drawKnobHint(r)
		return
	}
	x := r.x + 1
	for _, a := range m.hints(r.w - 2) {
		if m.whyNot(a.Name) != "" {
			x = c.put(x, r.y, r.x+r.w, a.Label()+" "+a.Short, th.faint) + hintGap
			continue
		}
		x = c.put(x, r.y, r.x+r.w, a.Label(), th.key)
		x = c.put(x+1, r.y, r.x+r.w, a.Short, th.dim) + hintGap
	}
}

// drawKnobHint names the keys that the knobs have while they are chosen.
func (m *Model) drawKnobHint(r rect) {
	x := r.x + 1
	for _, h := range [][2]string{
		{keymap.Pretty("down") + keymap.Pretty("up"), "knob"},
		{m.keys.Label("more") + " " + m.keys.Label("less"), "turn"},
		{m.keys.Label("reset"), "reset"},
		{m.keys.Label("undo"), "undo"},
		{m.keys.Label("step"), "step"},
		{m.keys.Label("next-pane"), "back to the panes"},
		{m.keys.Label("knobs"), "closes"},
		{m.keys.Label("help"), "help"},
	} {
		if x+safetext.Width(h[0]+h[1])+1 > r.x+r.w {
			return
		}
		x = m.cv.put(x, r.y, r.x+r.w, h[0], m.th.key)
		x = m.cv.put(x+1, r.y, r.x+r.w, h[1], m.th.dim) + hintGap
	}
}

// firstFitting is the first of some texts that fits into width cells, else the
// last.
func firstFitting(texts []string, width int) string {
	for _, t := range texts {
		if safetext.Width(t) <= width {
			return t
		}
	}
	return texts[len(texts)-1]
}

// hintGap is the room between two hints.
const hintGap = 3

// firstHints are named even where there is room for few: without them a person
// would be lost.
var firstHints = []string{"step", "continue", "command", "help", "quit"}

// hints are the actions named on a hint line of a width, in the order of the
// key table.
func (m *Model) hints(width int) []*keymap.Action {
	chosen := map[*keymap.Action]bool{}
	left := width
	take := func(a *keymap.Action) {
		if cost := safetext.Width(a.Label()+a.Short) + 1 + hintGap; a.Short != "" && len(a.Keys) > 0 && !chosen[a] && cost <= left {
			chosen[a] = true
			left -= cost
		}
	}
	for _, name := range firstHints {
		take(m.keys.ByName[name])
	}
	for _, a := range m.keys.Actions {
		take(a)
	}
	var out []*keymap.Action
	for _, a := range m.keys.Actions {
		if chosen[a] {
			out = append(out, a)
		}
	}
	return out
}

// spinner turns with the clock of a running job.
var spinner = []string{"◐", "◓", "◑", "◒"}

func (m *Model) drawJob(r rect) {
	c, th := m.cv, m.th
	spent := m.clock().Sub(m.job.since)
	mark := spinner[int(spent/(2*tickEvery))%len(spinner)]
	x := c.put(r.x+1, r.y, r.x+r.w, mark+" ", th.accent)
	what := m.job.what
	if m.job.mode == jobContinue && m.job.done > 0 {
		what = fmt.Sprintf("%s · %s done · now %s", what, plural(m.job.done, "step"), m.nextName())
	}
	if m.job.cancelled {
		what = "stopping: " + what
	}
	tail := fmt.Sprintf("  %s   %s ", duration(spent), "esc stops it")
	if m.job.cancelled {
		tail = fmt.Sprintf("  %s   %s ", duration(spent), "esc again lets go of it")
	}
	x = c.text(rect{x, r.y, r.x + r.w - x - safetext.Width(tail), 1}, what, th.text)
	c.put(x, r.y, r.x+r.w, tail, th.dim)
}

// wrapCells breaks a text into lines of at most width cells, words or not, and
// cuts it after most lines.
func wrapCells(text string, width, most int) []string {
	if width <= 0 {
		return nil
	}
	var out []string
	for _, para := range strings.Split(text, "\n") {
		for {
			if len(out) == most {
				out[most-1] = safetext.Cut(strings.TrimRight(out[most-1], " ")+" …", width)
				return out
			}
			if safetext.Width(para) <= width {
				out = append(out, para)
				break
			}
			n := cellsPrefix(para, width)
			if i := strings.LastIndexByte(para[:n], ' '); i > width/2 {
				n = i + 1
			}
			out = append(out, para[:n])
			para = para[n:]
		}
	}
	return out
}

// cellsPrefix is how many bytes of s fit into width cells, at least one piece.
func cellsPrefix(s string, width int) int {
	n, w := 0, 0
	for n < len(s) {
		p := safetext.Next(s[n:])
		if w += p.Width; w > width && n > 0 {
			break
		}
		n += p.Size
	}
	return n
}
