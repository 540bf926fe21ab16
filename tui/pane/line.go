package pane

import (
	"cmp"
	"slices"
	"strings"

	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
	"snapscope/tui/draw"
	"snapscope/tui/layout"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// drawLine draws one line of a doc with its sign, syntax and highlights.
func (m *onePane) drawLine(r layout.Rect, l, row int) {
	th := m.Th
	ln := m.d.Lines[l]
	line, sign, look, ground := m.lineLook(ln)
	if sign != "" {
		m.Cv.Put(r.X+1, r.Y, r.X+2, sign, look)
	}
	if ground != (draw.Style{}) {
		m.Cv.Paint(layout.R(r.X+1, r.Y, r.W-1, 1), ground)
	}
	if ln.Mark == strategy.Message || ln.Mark == strategy.Gap && ln.Page < 0 {
		st := th.Message
		if ln.Mark == strategy.Gap {
			st = th.Gap
		}
		x := r.X + view.Gutter - m.S.Shift
		m.Cv.PutFrom(x, r.Y, r.X+view.Gutter, r.X+r.W-1, line, st.With(ground))
		if x+safetext.Width(line) > r.X+r.W-1 {
			m.Cv.Put(r.X+r.W-2, r.Y, r.X+r.W-1, "…", m.Th.Faint.With(ground))
		}
		return
	}
	m.drawParts(r, line, m.highlights(ln, line, row), ground)
}

// lineLook is the text of a line without its sign, the sign, and its colours.
func (m *onePane) lineLook(ln view.DocLine) (line, sign string, look, ground draw.Style) {
	d, th := m.d, m.Th
	line = ln.Text
	if d.Prefix > 0 && ln.Mark != strategy.Message && ln.Mark != strategy.Gap && len(line) >= d.Prefix {
		line = line[d.Prefix:]
	}
	switch ln.Mark {
	case strategy.Added:
		return line, "+", th.Add, th.AddLine
	case strategy.Removed:
		return line, wording.Minus, th.Del, th.DelLine
	case strategy.Gap, strategy.Message:
		return line, "", draw.Style{}, draw.Style{}
	}
	if d.Prefix > 0 || ln.Page < 0 || int(ln.Page) >= len(m.S.Fr.Page.Mark) {
		return line, "", draw.Style{}, draw.Style{}
	}
	switch m.S.Fr.Page.Mark[ln.Page] {
	case view.MarkAdded:
		return line, "+", th.Add, th.AddLine
	case view.MarkChanged:
		return line, "~", th.Change, th.ChangeLine
	}
	if m.S.Fr.Page.Lost[ln.Page] > 0 {
		return line, "▔", th.Del, draw.Style{}
	}
	return line, "", draw.Style{}, draw.Style{}
}

// highlight is a run of bytes of a line that stands out.
type highlight struct {
	from, to int
	style    draw.Style
}

// highlights are the changed words and the search matches of a line, later ones
// over earlier ones.
func (m *onePane) highlights(ln view.DocLine, line string, row int) []highlight {
	var out []highlight
	if ln.Page >= 0 && ln.Mark != strategy.Removed {
		if was, ok := m.S.Fr.Page.Was[ln.Page]; ok && (m.d.Prefix == 0 || ln.Mark == strategy.Added) {
			for _, w := range view.WordDiff(was, line) {
				out = append(out, highlight{w.From, w.To, m.Th.AddWord})
			}
		}
	}
	if ln.Mark == strategy.Removed {
		if now, ok := m.S.Fr.Page.Became[line]; ok {
			for _, w := range view.WordDiff(m.S.Fr.Page.Lines[now], line) {
				out = append(out, highlight{w.From, w.To, m.Th.DelWord})
			}
		}
	}
	return append(out, m.matches(line, row)...)
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
func (m *onePane) drawParts(r layout.Rect, line string, hs []highlight, ground draw.Style) {
	m.parts = view.LineParts(line, m.S.Fr.Page.Dialect(), m.parts)
	x := r.X + view.Gutter + tight(notation.Indent(line), r.W) - m.S.Shift
	left, right := r.X+view.Gutter, r.X+r.W-1
	skip := ""
	if m.S.Shift == 0 {
		skip = leastTelling(line, m.parts, hs, right-x)
		if short, moved, ok := elide(line, m.parts, hs, right-x+max(0, len(skip)-1)); ok {
			line, hs = short, moved
			m.parts = view.LineParts(line, m.S.Fr.Page.Dialect(), m.parts)
		}
	}
	last := -1
	for _, p := range m.parts {
		if p.Kind == view.PartBullet {
			last = p.To
			continue
		}
		if last >= 0 && p.From > last {
			x = m.Cv.PutFrom(x, r.Y, left, right, line[last:p.From], m.Th.Faint.With(ground))
		}
		if skip != "" && p.Kind == view.PartState && line[p.From:p.To] == skip {
			x = m.Cv.PutFrom(x, r.Y, left, right, "…", m.Th.Faint.With(ground))
			last = p.To
			if right-x < leastName { // nothing of what follows would be seen
				return
			}
			continue
		}
		fits := x+safetext.Width(line[p.From:p.To]) <= right
		x = m.drawPart(x, r.Y, left, right, line, p, hs, ground)
		last = p.To
		if !fits || x >= right && p.To < len(line) {
			m.Cv.Put(right-1, r.Y, right, "…", m.Th.Faint.With(ground))
			return
		}
	}
}

// places are where a line's text starts behind its bullet, its name, and where its ref
// ends.
func places(parts []view.Part) (start int, name view.Part, ref int) {
	for _, p := range parts {
		switch p.Kind {
		case view.PartBullet:
			start = p.To
		case view.PartName:
			name = p
		case view.PartRef:
			if ref == 0 {
				ref = p.To
			}
		}
	}
	return start, name, ref
}

// leastTelling is the state that gives way to a sign where a line is too long: where
// the focus is, or that the mouse shows a hand, unless that is all that stands out, or
// nothing behind it needs the room. Empty: none.
func leastTelling(line string, parts []view.Part, hs []highlight, room int) string {
	start, _, last := places(parts) // what is to be seen ends with the ref
	if safetext.Width(line[start:]) <= room {
		return ""
	}
	for _, h := range hs {
		last = max(last, h.to)
	}
	for _, least := range []string{"active", "cursor=pointer"} {
		for _, p := range parts {
			state := line[p.From:p.To]
			if p.Kind != view.PartState || strings.Trim(state, "[]") != least || p.To >= last {
				continue
			}
			alone := len(hs) > 0
			for _, h := range hs {
				alone = alone && h.from >= p.From && h.to <= p.To
			}
			if !alone {
				return state
			}
		}
	}
	return ""
}

// leastName is how many cells of a name stay when its line is elided.
const leastName = 4

// elide shortens the name of a line that is too long for its room, so that what is
// behind the name is seen: what stands out, such as a state that changed, else the
// element's ref. It does so only where that is not in sight already.
func elide(line string, parts []view.Part, hs []highlight, room int) (string, []highlight, bool) {
	start, name, until := places(parts)
	if safetext.Width(line[start:]) <= room || name.To-name.From < 3 {
		return "", nil, false
	}
	for i, h := range hs {
		if i == 0 || h.from < name.To || h.to > until {
			until = max(h.to, until)
		}
	}
	if until <= name.To { // there is nothing behind the name
		return "", nil, false
	}
	inner := line[name.From+1 : name.To-1]
	keep := func(end int) int { return safetext.Width(inner) - (safetext.Width(line[start:end]) - (room - 2)) } // the two cuts
	if keep(until) < leastName && len(hs) > 0 {
		first := slices.MinFunc(hs, func(a, b highlight) int { return cmp.Compare(a.to, b.to) })
		until = first.to
		if i := strings.IndexByte(line[first.from:until], ']'); i >= 0 && keep(max(until, start)) < leastName {
			until = first.from + i + 1 // the first of several states
		}
	}
	if until <= name.To {
		return "", nil, false
	}
	left := keep(until)
	if left >= safetext.Width(inner) || left < leastName {
		return "", nil, false
	}
	cut := safetext.Cut(inner, left+1)
	short := line[:name.From+1] + cut + line[name.To-1:]
	same := name.From + 1 // up to here the two say the same, byte for byte
	for same < name.To-1 && same < len(short) && short[same] == line[same] {
		same++
	}
	moved := make([]highlight, len(hs))
	for i, h := range hs {
		moved[i] = h
		switch {
		case h.from >= name.To-1:
			moved[i].from, moved[i].to = h.from+len(short)-len(line), h.to+len(short)-len(line)
		case h.to > same: // it stands out in what would be cut or spelled out
			return "", nil, false
		}
	}
	return short, moved, true
}

// drawPart writes one part, broken where highlights begin and end.
func (m *onePane) drawPart(x, y, left, right int, line string, p view.Part, hs []highlight, ground draw.Style) int {
	plain := styleOf(m.Th, p.Kind).With(ground)
	if p.Kind == view.PartState && strings.HasPrefix(line[p.From:], "[cursor=") {
		plain = m.Th.Ref.With(ground) // of every link and button: it tells nothing
	}
	for at := p.From; at < p.To; {
		end, look := p.To, plain
		for _, h := range hs {
			switch {
			case at >= h.from && at < h.to:
				look = plain.With(h.style)
				end = min(end, h.to)
			case h.from > at:
				end = min(end, h.from)
			}
		}
		x = m.Cv.PutFrom(x, y, left, right, line[at:end], look)
		at = end
	}
	return x
}

// styleOf is how a part of a line looks.
func styleOf(t *draw.Theme, k view.PartKind) draw.Style {
	switch k {
	case view.PartRole:
		return t.Role
	case view.PartName:
		return t.Label
	case view.PartState:
		return t.State
	case view.PartRef:
		return t.Ref
	case view.PartValue:
		return t.Value
	case view.PartBullet:
		return t.Faint
	}
	return t.Text
}

// matches lists the places within a drawn line that were searched for.
func (m *onePane) matches(line string, row int) []highlight {
	s := &m.S.Search
	if s.Text == "" {
		return nil
	}
	look := m.Th.Match
	if row == m.S.Row {
		look = m.Th.MatchNow
	}
	var out []highlight
	p := s.Pattern()
	for at, end := p.Find(line, 0); at >= 0; at, end = p.Find(line, end) {
		out = append(out, highlight{at, end, look})
	}
	return out
}
