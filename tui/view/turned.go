package view

import (
	"fmt"
	"math"
	"strings"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
	"snapscope/tui/format"
	"snapscope/tui/layout"
)

// KnobText is a knob's value for people: 20 %, 100, unified, off.
func KnobText(k strategy.Knob, v float64) string {
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
	return wording.Count(int(v))
}

// Slider is a knob's place in its range: ▕━━●────▏
func Slider(k strategy.Knob, v float64, width int) string {
	if k.Max <= k.Min || width < 3 {
		return ""
	}
	n := SliderCell(k, v, width)
	return "▕" + strings.Repeat("━", n) + "●" + strings.Repeat("─", width-1-n) + "▏"
}

// SliderCell is the cell of a slider of a width that a value stands on.
func SliderCell(k strategy.Knob, v float64, width int) int {
	if k.Max <= k.Min {
		return 0
	}
	return int(math.Round(share(k, v) * float64(width-1)))
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

// knobsBeside is the width from which a low column explains the chosen knob beside
// the list, not below it.
const knobsBeside = 100

// SplitKnobs parts the column into the list and what explains the chosen knob: below
// it, or beside it where the column is wide and low. Where it is too low to
// explain, what a turn did still has to be seen.
func SplitKnobs(r layout.Rect, lines int) (body, foot layout.Rect) {
	if r.W >= knobsBeside && r.H < lines+10 {
		w := r.W / 2
		return layout.R(r.X, r.Y+1, w-2, max(0, r.H-1)), layout.R(r.X+w, r.Y, r.W-w, r.H)
	}
	h := min(9, max(0, r.H-6))
	if h < 4 {
		h = min(2, r.H-2)
	}
	body = layout.R(r.X, r.Y+1, r.W, max(0, r.H-1-h))
	return body, layout.R(r.X, r.Y+r.H-h, r.W, h)
}

// scrollTo brings the chosen knob into sight, with the name above it.
func (m *KnobsPane) scrollTo(lines []KnobLine, height int) {
	at := 0
	for i, l := range lines {
		if l.Row == m.Cur {
			at = i
		}
	}
	m.First = max(min(m.First, at-1), at-height+2, 0)
	m.First = min(m.First, max(0, len(lines)-height))
	if at >= m.First+height {
		m.First = at - height + 1
	}
}

// KnobLine is a line of the column: whose knobs follow, or one of them.
type KnobLine struct {
	Name string
	Row  int // -1: a name
}

func (m *KnobsPane) Lines(rows []KnobRow) []KnobLine {
	var out []KnobLine
	for i, r := range rows {
		if i == 0 || r.Pane != rows[i-1].Pane || r.stage != rows[i-1].stage {
			out = append(out, KnobLine{m.KnobOwner(r), -1})
		}
		out = append(out, KnobLine{r.Knob.Key, i})
	}
	return out
}

// KnobOwner names the policy, and where it is made of several the strategy, that
// a knob belongs to.
func (m *PaneSet) KnobOwner(r KnobRow) string {
	if r.Pane == rulePane {
		return "expiry · " + r.strategy.Name
	}
	name := m.Panes[r.Pane].Policy.Name
	if name == r.strategy.Name {
		return name
	}
	return name + " · " + r.strategy.Name
}

// Turned is one figure before and after a knob was turned.
type Turned struct {
	Label, Was, Now string
	Gain            int // over 0: better
}

// OldAndNew are the figures that a turn of a knob changed: what the pane shows,
// and, once they are known, what the session carried and lost.
func (m *KnobsPane) OldAndNew(pane int, w WasFigures) []Turned {
	var out []Turned
	if d := m.docOfPane(pane); d != nil {
		gain := w.Tokens - d.Rendered.Tokens
		out = append(out,
			Turned{"tokens", wording.Count(w.Tokens), wording.Count(d.Rendered.Tokens), gain},
			Turned{"saved", format.Delta(w.saved), format.Delta(d.Saved()), gain})
	}
	f, ok := m.figuresAt(pane)
	if !ok || !w.hasTotal || m.Set.events != len(m.Tl.Events) || f.Key != m.Knobbed(pane).Policy.Key() {
		return out
	}
	s := f.UpTo(m.Tl, m.At)
	if pane == rulePane {
		now := m.expired()
		out = append(out, Turned{"expired", wording.Plural(w.expired, "snapshot"), wording.Count(now), 0})
	}
	was, now := format.Short(w.input), format.Short(s.Input)
	if was == now && w.input != s.Input { // what changed has to be seen
		was, now = wording.Count(w.input), wording.Count(s.Input)
	}
	return append(out,
		Turned{"input", was, now, w.input - s.Input},
		Turned{"survival", fmt.Sprintf("%d/%d", w.acted-w.lost, w.acted), fmt.Sprintf("%d/%d", s.Acted-len(s.Lost), s.Acted), w.lost - len(s.Lost)})
}
