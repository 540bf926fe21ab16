package tui

import (
	"strings"

	"snapscope/snapshot/strategy"
	"snapscope/tui/safetext"
)

// drawLine draws one line of a doc with its sign, syntax and highlights.
func (m *Model) drawLine(r rect, d *doc, l, row int) {
	th := m.th
	ln := d.lines[l]
	line, sign, look, ground := m.lineLook(d, ln)
	if sign != "" {
		m.cv.put(r.x+1, r.y, r.x+2, sign, look)
	}
	if ground != (style{}) {
		m.cv.paint(rect{r.x + 1, r.y, r.w - 1, 1}, ground)
	}
	if ln.mark == strategy.Message || ln.mark == strategy.Gap && ln.page < 0 {
		st := th.message
		if ln.mark == strategy.Gap {
			st = th.gap
		}
		x := r.x + gutter - m.shift
		m.cv.putFrom(x, r.y, r.x+gutter, r.x+r.w-1, line, st.with(ground))
		if x+safetext.Width(line) > r.x+r.w-1 {
			m.cv.put(r.x+r.w-2, r.y, r.x+r.w-1, "…", m.th.faint.with(ground))
		}
		return
	}
	m.drawParts(r, line, m.highlights(d, ln, line, row), ground)
}

// lineLook is the text of a line without its sign, the sign, and its colours.
func (m *Model) lineLook(d *doc, ln docLine) (line, sign string, look, ground style) {
	th := m.th
	line = ln.text
	if d.prefix > 0 && ln.mark != strategy.Message && ln.mark != strategy.Gap && len(line) >= d.prefix {
		line = line[d.prefix:]
	}
	switch ln.mark {
	case strategy.Added:
		return line, "+", th.add, th.addLine
	case strategy.Removed:
		return line, minus, th.del, th.delLine
	case strategy.Gap, strategy.Message:
		return line, "", style{}, style{}
	}
	if d.prefix > 0 || ln.page < 0 || int(ln.page) >= len(m.fr.page.mark) {
		return line, "", style{}, style{}
	}
	switch m.fr.page.mark[ln.page] {
	case markAdded:
		return line, "+", th.add, th.addLine
	case markChanged:
		return line, "~", th.change, th.changeLine
	}
	if m.fr.page.lost[ln.page] > 0 {
		return line, "▔", th.del, style{}
	}
	return line, "", style{}, style{}
}

// highlight is a run of bytes of a line that stands out.
type highlight struct {
	from, to int
	style    style
}

// highlights are the changed words and the search matches of a line, later ones
// over earlier ones.
func (m *Model) highlights(d *doc, ln docLine, line string, row int) []highlight {
	var out []highlight
	if ln.page >= 0 && ln.mark != strategy.Removed {
		if was, ok := m.fr.page.was[ln.page]; ok && (d.prefix == 0 || ln.mark == strategy.Added) {
			for _, w := range wordDiff(was, line) {
				out = append(out, highlight{w.from, w.to, m.th.addWord})
			}
		}
	}
	if ln.mark == strategy.Removed {
		if now, ok := m.fr.page.became[line]; ok {
			for _, w := range wordDiff(m.fr.page.lines[now], line) {
				out = append(out, highlight{w.from, w.to, m.th.delWord})
			}
		}
	}
	return append(out, m.search.in(line, row, m)...)
}

// tightBelow is the pane width under which a level is indented by one column
// instead of two: the text is worth more than the staircase.
const tightBelow = 64

func tight(indent, paneWidth int) int {
	if paneWidth < tightBelow {
		return indent / 2
	}
	return indent
}

// drawParts writes a snapshot line in its syntax colours.
func (m *Model) drawParts(r rect, line string, hs []highlight, ground style) {
	m.parts = lineParts(line, m.parts)
	x := r.x + gutter + tight(indentOf(line), r.w) - m.shift
	left, right := r.x+gutter, r.x+r.w-1
	if m.shift == 0 && len(hs) > 0 {
		if short, moved, ok := elide(line, m.parts, hs, right-x); ok {
			line, hs = short, moved
			m.parts = lineParts(line, m.parts)
		}
	}
	last := -1
	for _, p := range m.parts {
		if p.kind == partBullet {
			last = p.to
			continue
		}
		if last >= 0 && p.from > last {
			x = m.cv.putFrom(x, r.y, left, right, line[last:p.from], m.th.faint.with(ground))
		}
		fits := x+safetext.Width(line[p.from:p.to]) <= right
		x = m.drawPart(x, r.y, left, right, line, p, hs, ground)
		last = p.to
		if !fits || x >= right && p.to < len(line) {
			m.cv.put(right-1, r.y, right, "…", m.th.faint.with(ground))
			return
		}
	}
}

// leastName is how many cells of a name stay when its line is elided.
const leastName = 6

// elide shortens the name of a line that is too long for its room, so that what
// stands out behind the name, such as a state that changed, is seen. It does so
// only where nothing that stands out is in sight already.
func elide(line string, parts []part, hs []highlight, room int) (string, []highlight, bool) {
	var name part
	start, first := 0, hs[0]
	for _, p := range parts {
		switch p.kind {
		case partBullet:
			start = p.to
		case partName:
			name = p
		}
	}
	for _, h := range hs {
		if h.from < first.from {
			first = h
		}
	}
	over := safetext.Width(line[start:first.to]) - (room - 2) // the two cuts
	if over <= 0 || name.to-name.from < 3 || first.from < name.to {
		return "", nil, false
	}
	inner := line[name.from+1 : name.to-1]
	keep := safetext.Width(inner) - over
	if keep < leastName {
		return "", nil, false
	}
	short := line[:name.from+1] + safetext.Cut(inner, keep+1) + line[name.to-1:]
	moved := make([]highlight, len(hs))
	for i, h := range hs {
		by := len(short) - len(line)
		moved[i] = highlight{h.from + by, h.to + by, h.style}
	}
	return short, moved, true
}

// drawPart writes one part, broken where highlights begin and end.
func (m *Model) drawPart(x, y, left, right int, line string, p part, hs []highlight, ground style) int {
	plain := m.th.styleOf(p.kind).with(ground)
	if p.kind == partState && strings.HasPrefix(line[p.from:], "[cursor=") {
		plain = m.th.ref.with(ground) // of every link and button: it tells nothing
	}
	for at := p.from; at < p.to; {
		end, look := p.to, plain
		for _, h := range hs {
			switch {
			case at >= h.from && at < h.to:
				look = plain.with(h.style)
				end = min(end, h.to)
			case h.from > at:
				end = min(end, h.from)
			}
		}
		x = m.cv.putFrom(x, y, left, right, line[at:end], look)
		at = end
	}
	return x
}
