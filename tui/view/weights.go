package view

import (
	"fmt"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
)

// Weights are the tokens of every branch of the page as a pane's text has it: those
// of a line and of all lines that lie within it. They are made in a command and
// never changed.
type Weights struct {
	Frame *Frame
	Doc   *Doc
	Of    []int32 // by line of the page
	Total int     // of the pane's whole text
}

// MakeWeights counts a pane's lines one by one. A line's tokens are those of its text
// and its newline, so that the lines of a text sum up to it.
func MakeWeights(f *Frame, d *Doc, count func(string) int) *Weights {
	w := &Weights{Frame: f, Doc: d, Of: make([]int32, len(f.Page.Lines)), Total: d.Rendered.Tokens}
	for _, l := range d.Lines {
		if l.Page >= 0 {
			w.Of[l.Page] += int32(count(l.Text + "\n"))
		}
	}
	for i := len(w.Of) - 1; i > 0; i-- {
		if p := f.Page.text.Parent(i); p >= 0 && p < i {
			w.Of[p] += w.Of[i]
		}
	}
	return w
}

// Share is a branch's share of the pane's text.
func (w *Weights) Share(line int32) float64 {
	return float64(w.Of[line]) / float64(max(1, w.Total))
}

// WeightsHere are the weights of the focused pane as it is now; nil: they are not
// wanted, or not there yet.
func (m *State) WeightsHere() *Weights {
	w := m.Weights
	if !m.Weigh || w == nil || w.Frame != m.Fr || w.Doc != m.DocOf(m.FocusAt()) {
		return nil
	}
	return w
}

// ToggleWeights shows the tokens of every branch in the focused pane, or hides them.
func (m *State) ToggleWeights() {
	m.Weigh = !m.Weigh
	if m.Weigh {
		m.Ask(WantWeights)
		m.Say(LevelInfo, "tokens of each line with all that lies within it · "+m.Keys.Label("heaviest")+" goes to the heaviest branch, again into it · "+m.Keys.Label("weigh")+" hides them")
	}
}

// ToHeaviest goes to the heaviest branch of the page: the innermost line that still
// holds half of it. Pressed on that line it goes on into it.
func (m *State) ToHeaviest() {
	m.Weigh = true
	w := m.WeightsHere()
	if w == nil {
		m.When(WantWeights, func() bool {
			known := m.WeightsHere() != nil
			if known {
				m.ToHeaviest()
			}
			return known
		})
		m.Ask(WantWeights)
		m.Say(LevelInfo, "counting the page …")
		return
	}
	from := int32(-1)
	if m.Row < m.Grid.Len() && m.Grid.Page[m.Row] >= 0 && m.heavyAt == m.Grid.Page[m.Row]+1 {
		from = m.heavyAt - 1
	}
	to := w.heaviest(m.Fr.Page, from)
	if to < 0 { // nothing lies within it: from the top again
		to = w.heaviest(m.Fr.Page, -1)
	}
	if to < 0 {
		m.Say(LevelInfo, "no line of the page has tokens here")
		return
	}
	m.heavyAt = to + 1
	m.LeapTo(int(m.Grid.ofPage[to]))
	m.Say(LevelInfo, fmt.Sprintf("%s of %s tokens, %s: %s · %s goes on into it", wording.Count(int(w.Of[to])), wording.Count(w.Total),
		wording.Percent(w.Share(to)), wording.OneLine(ElementOf(m.Fr.Page.Lines[to]), 60), m.Keys.Label("heaviest")))
}

// heaviest is the innermost line below from (-1: the page) that still holds half of
// it; where none does, the heaviest one right below it; -1: nothing is.
func (w *Weights) heaviest(p *Page, from int32) int32 {
	half, at := int32(w.Total/2), from
	if from >= 0 {
		half = w.Of[from] / 2
	}
	for {
		best := w.heaviestChild(p, at)
		switch {
		case best < 0 && at == from:
			return -1
		case best < 0:
			return at
		case w.Of[best] < half && at != from:
			return at
		}
		at = best
		if w.Of[at] < half {
			return at
		}
	}
}

// heaviestChild is the heaviest of the lines that lie right within one; -1: none.
func (w *Weights) heaviestChild(p *Page, of int32) int32 {
	best := int32(-1)
	end := int32(len(w.Of))
	if of >= 0 {
		end = int32(p.text.End(int(of)))
	}
	for i := of + 1; i < end; {
		if w.Of[i] > 0 && (best < 0 || w.Of[i] > w.Of[best]) {
			best = i
		}
		i = max(i+1, int32(p.text.End(int(i))))
	}
	return best
}

// Weighed reports that a row of a pane has a weight of its own: a line of the page
// that the pane shows.
func (d *Doc) Weighed(line int32) bool {
	return line >= 0 && d.Lines[line].Page >= 0 && d.Lines[line].Mark != strategy.Gap
}
