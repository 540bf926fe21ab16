package view

import (
	"fmt"
	"strings"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
	"snapscope/tui/safetext"
)

// Gutter is the columns before a line's text: cursor and sign.
const Gutter = 2

// DocOf is the doc of the n-th shown pane; nil until its frame has come.
func (m *Reader) DocOf(n int) *Doc {
	if m.Fr == nil || n >= len(m.Fr.Docs) {
		return nil
	}
	return m.Fr.Docs[n]
}

// Reason is what a pane says of itself: which rule fired, with its numbers, or
// that the agent never had the page. A loss takes its place, louder than all
// else.
func (m *State) Reason(pane int, d *Doc) (text string, t Tone) {
	if l, ok := m.LossAt(pane); ok {
		return "✗ LOST " + l.Ref + " · " + l.Why, ToneLoss
	}
	if why := m.WrongAt(m.At); why != "" && isSent(m.Panes[pane].Policy) {
		return "! " + why + " · " + d.Reason(), ToneWarn
	}
	if f := m.Fr; f.Stale == 0 && f.Unread() != "" && d.Why == "" {
		return f.Unread(), ToneWarn
	}
	text = d.Reason()
	if part := m.Fr.InPart(); part != "" && d.Why == "" && len(d.Rendered.Stages) == 0 {
		text = "what if in full: " + part
	}
	if m.Fr.Stale > 0 {
		text = fmt.Sprintf("no snapshot here; step %d's · %s", m.Fr.Stale, text)
	}
	return text, ToneDim
}

// Reason says why a pane's text is as it is.
func (d *Doc) Reason() string {
	if d.Why != "" {
		return d.Why
	}
	if d.Taught > 0 {
		return d.Rendered.Reason() + " · " + wording.Count(d.Taught) + " of the tokens explain the notation, once"
	}
	return d.Rendered.Reason()
}

// reasonRows is how many rows the reasons of the visible panes take: two where
// one is too long for its pane and the panes are high enough.
func (m *State) reasonRows() int {
	shown := m.ShownPanes()
	for i, r := range m.Lay.Panes {
		n := m.Lay.First + i
		if n >= len(shown) || r.H < tallReason {
			return 1
		}
		if d := m.DocOf(n); d != nil {
			if text, _ := m.Reason(shown[n], d); safetext.Width(text) > r.W-2 {
				return 2
			}
		}
	}
	return 1
}

// tallReason is how many rows a pane must have to give two to its reason.
const tallReason = 16

// maxSticky is how many ancestors of the first line stay on top.
const maxSticky = 3

// StickyLines are the ancestors of the first visible line that have scrolled
// away, innermost last. All panes show the same ones.
func (m *Reader) StickyLines(h int) []int {
	if h < 8 || m.Top == 0 {
		return nil
	}
	var out []int
	for k := 0; k <= maxSticky; k++ {
		row := m.Top + k
		if row >= m.Grid.Len() || m.Grid.Page[row] < 0 {
			continue
		}
		out = out[:0]
		for _, a := range m.Fr.Page.ancestors(int(m.Grid.Page[row])) {
			if int(m.Grid.ofPage[a]) < m.Top+k && telling(m.Fr.Page.Line(a).Role) {
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
func telling(role string) bool {
	return role != "generic" && role != "rowgroup" && role != ""
}

// RunBegins reports that the row above a dropped one is none of its run: a line of
// the pane other than a strategy's own gap, which has its note. What is folded
// away between two rows of one run does not part them.
func (m *Reader) RunBegins(row, n int, d *Doc) bool {
	above := row - 1
	for above >= 0 && m.Grid.Fold(above) > 0 {
		above--
	}
	if above < 0 {
		return true
	}
	if above < row-1 { // the run goes on below the fold
		s, ok := d.SpanAt(m.Grid.Page[row])
		return !ok || m.Grid.Page[above] < s.From
	}
	l := m.Grid.Line(above, n)
	return l >= 0 && (d.Lines[l].Mark != strategy.Gap || m.Grid.Page[above] < 0)
}

// InDropped reports a row of another pane's amid lines that this pane dropped.
func (m *Reader) InDropped(row int, d *Doc) bool {
	near := func(by int) bool {
		for r := row + by; r >= 0 && r < m.Grid.Len(); r += by {
			if l := m.Grid.Page[r]; l >= 0 {
				return d.ByPage[l] < 0
			}
		}
		return false
	}
	return near(-1) && near(1)
}

// ElementOf is a line without its indent and bullet.
func ElementOf(line string) string {
	return strings.TrimPrefix(strings.TrimSpace(line), "- ")
}

// SpanNote is what a dropped run is called: how many lines, and by which rule.
func (d *Doc) SpanNote(s span) string {
	n := int(s.To - s.From)
	what := wording.Plural(n, "line")
	switch d.Rendered.Kind {
	case strategy.KindDelta, strategy.KindUnchanged:
		return "⋯ " + what + " unchanged"
	case strategy.KindCompressed:
		what += " collapsed"
	default:
		what += " left out"
	}
	if s.Rule != "" {
		what += " · " + s.Rule
	}
	return "⋯ " + what
}

// IsDelta reports that what is not shown is what the agent has already.
func (d *Doc) IsDelta() bool {
	return d.Rendered.Kind == strategy.KindDelta || d.Rendered.Kind == strategy.KindUnchanged
}
