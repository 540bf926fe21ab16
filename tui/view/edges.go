package view

import (
	"context"
	"fmt"
	"math"

	"snapscope/session"
	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
)

// Edges say where along a knob's slider elements are lost. They are made in a
// command, each value simulated, and never changed.
type Edges struct {
	Loses [edgeCells]bool // by cell of the slider: a value there loses more than the best does
	Text  string          // where losses begin, in words
}

// edgeCells is how many values along a slider are tried.
const edgeCells = 14

// EdgeAsk is what edges are made from.
type EdgeAsk struct {
	Key    string
	View   *session.Timeline
	Policy policy.Policy
	Stage  int
	Knob   strategy.Knob
	Opt    ledger.Options
}

// MakeEdges tries values all along a knob's slider, and between two neighbours of
// which one loses more, every value it takes to find where that begins. nil: ctx
// ended first.
func MakeEdges(ctx context.Context, ask EdgeAsk) *Edges {
	known := map[float64]int{}
	lost := func(v float64) int {
		if n, ok := known[v]; ok || ctx.Err() != nil {
			return n
		}
		p := ask.Policy.Clone()
		st := &p.Stages[ask.Stage]
		if st.Knobs == nil {
			st.Knobs = strategy.Values{}
		}
		st.Knobs[ask.Knob.Key] = v
		r, err := ledger.Run(ctx, ask.View, p, ask.Opt)
		if err != nil {
			guard.Raise(err)
			return 0
		}
		n := 0
		for _, l := range r.Survival.Lost {
			if !l.Never {
				n++
			}
		}
		known[v] = n
		return n
	}
	e := &Edges{}
	var values [edgeCells]float64
	least := math.MaxInt
	for i := range values {
		values[i] = valueAt(ask.Knob, float64(i)/(edgeCells-1))
		least = min(least, lost(values[i]))
	}
	for i, v := range values {
		e.Loses[i] = lost(v) > least
	}
	e.Text = "no value of it loses more than another"
	for i := 1; i < edgeCells; i++ {
		if e.Loses[i] == e.Loses[i-1] {
			continue
		}
		good, bad := values[i-1], values[i]
		if e.Loses[i-1] {
			good, bad = bad, good
		}
		good = e.between(ask.Knob, good, bad, func(v float64) bool { return lost(v) <= least })
		side := "below"
		if bad > good {
			side = "above"
		}
		e.Text = fmt.Sprintf("losses begin %s %s", side, KnobText(ask.Knob, good))
		if least > 0 {
			e.Text += "; " + wording.Plural(least, "element") + " whatever it is"
		}
		break
	}
	if ctx.Err() != nil {
		return nil
	}
	return e
}

// between halves the way from a value that keeps to one that loses.
func (e *Edges) between(k strategy.Knob, good, bad float64, keeps func(float64) bool) float64 {
	unit := 1.0
	if k.Type == strategy.Ratio {
		unit = 0.01
	}
	for math.Abs(good-bad) > unit*1.5 {
		mid := k.Clamp(math.Round((good+bad)/2/unit) * unit)
		if mid == good || mid == bad {
			break
		}
		if keeps(mid) {
			good = mid
		} else {
			bad = mid
		}
	}
	return good
}

// valueAt is the value at a share of a knob's slider: the inverse of share.
func valueAt(k strategy.Knob, at float64) float64 {
	lo, hi := k.Min, k.Max
	if k.Type == strategy.Int && hi-lo > 200 {
		return k.Clamp(lo + math.Round(math.Expm1(at*math.Log1p(hi-lo))))
	}
	v := lo + at*(hi-lo)
	if k.Type == strategy.Ratio {
		return k.Clamp(math.Round(v*100) / 100)
	}
	return k.Clamp(math.Round(v))
}

// At reports that the value under a cell of a slider of so many cells loses.
func (e *Edges) At(cell, cells int) bool {
	if e == nil {
		return false
	}
	return e.Loses[min(edgeCells-1, (cell*(edgeCells-1)+(cells-1)/2)/max(1, cells-1))]
}

// edgeKey names what the edges of a knob depend on: its policy but for the knob, and
// the session.
func (m *KnobsPane) edgeKey(r KnobRow) string {
	p := m.Knobbed(r.Pane).Policy.Clone()
	if st := &p.Stages[r.stage]; st.Knobs != nil {
		delete(st.Knobs, r.Knob.Key)
	}
	return fmt.Sprint(r.Pane, " ", r.stage, " ", r.Knob.Key, " ", len(m.Tl.Events), " ", p.Key())
}

// EdgesOf is where a knob begins to lose; nil: that is not known (yet).
func (m *KnobsPane) EdgesOf(r KnobRow) *Edges { return m.edges[m.edgeKey(r)] }

// EdgesWanted is the chosen knob where its edges are not known yet.
func (m *KnobsPane) EdgesWanted() (EdgeAsk, bool) {
	r, ok := m.Chosen()
	if !ok || m.Side != SideKnobs || m.Job != nil || r.Knob.Type != strategy.Int && r.Knob.Type != strategy.Ratio {
		return EdgeAsk{}, false
	}
	key := m.edgeKey(r)
	if _, known := m.edges[key]; known {
		return EdgeAsk{}, false
	}
	return EdgeAsk{Key: key, View: m.Tl.View(), Policy: m.Knobbed(r.Pane).Policy.Clone(), Stage: r.stage, Knob: r.Knob}, true
}

// TakeEdges takes in where a knob begins to lose; nil: that cannot be known.
func (m *KnobsPane) TakeEdges(key string, e *Edges) {
	if m.edges == nil || len(m.edges) > 200 {
		m.edges = map[string]*Edges{}
	}
	m.edges[key] = e
}
