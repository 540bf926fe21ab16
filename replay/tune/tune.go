// Package tune searches for the policy that costs least over a set of recorded
// sessions and still shows the agent what it acts on, and says how far that can
// be trusted.
//
//	sessions ─▶ Evaluate (the ledger) ─▶ memo ─▶ search ─▶ best, best of each strategy, front
//	                                       │
//	                                       └──▶ folds: the search again without some of the
//	                                            sessions, measured on those ─▶ interval
//
// The search goes from the simple to the composed (search.go). Every strategy is
// tuned alone: knobs one after the other, whole numbers and ratios by bisection
// of where losses begin, the others by trying their values. What came of it is
// combined, at most two rewrites that shrink a page, one delta behind them, one
// retention rule, and the best combinations are tuned again. Everything that was
// ever evaluated is remembered by session, so that a fold repeats mostly what is
// known.
//
// The objective is net: what the model calls carried and what bringing back the
// lost elements would take (see ledger.Report.Recovery). A policy is feasible when
// of the elements and quotes that can be read under policy full it keeps the share
// asked for.
//
// The search is deterministic; only the time limit can make two runs differ, and
// a result says when it was stopped.
package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// Measure is what a search makes small.
type Measure string

// The measures.
const (
	Cost  Measure = "cost"  // US dollars of all model input, cache rules applied
	Input Measure = "input" // input tokens of all model calls
	Peak  Measure = "peak"  // the largest model call, in tokens
)

// Measures lists them, for help and errors.
func Measures() []Measure { return []Measure{Cost, Input, Peak} }

// ParseMeasure reads a measure's name.
func ParseMeasure(s string) (Measure, error) {
	var names []string
	for _, m := range Measures() {
		if string(m) == s {
			return m, nil
		}
		names = append(names, string(m))
	}
	return "", fmt.Errorf("no measure %q; there are %s", s, strings.Join(names, ", "))
}

// Figures are what one session comes to under one policy.
type Figures struct {
	Input           int     // tokens that all model calls carried
	Recovery        int     // tokens that bringing back the lost elements would take
	Peak            int     // the largest call, in tokens
	Dollars         float64 // of Input; 0 where the model has no price
	RecoveryDollars float64 // dollars of Recovery
	Acted           int     // elements acted on, and quotes
	Kept            int     // of them, those that could be read
	Quotes          int     // of Kept, those that are quotes
	Lost            int     // elements that a page had shown and that were lost, each once; the rest of what is not kept are quotes
}

// beyond is how many elements and quotes a session loses that it keeps under full.
func (f Figures) beyond(full Figures) (elements, quotes int) {
	return max(0, f.Lost-full.Lost), max(0, full.Quotes-f.Quotes)
}

// value is what the measure says of the figures, losses paid for.
func (f Figures) value(m Measure) float64 {
	switch m {
	case Cost:
		return f.Dollars + f.RecoveryDollars
	case Peak:
		return float64(f.Peak)
	}
	return float64(f.Input + f.Recovery)
}

// add sums sessions; of peaks the highest stays.
func (f Figures) add(g Figures) Figures {
	return Figures{
		Input: f.Input + g.Input, Recovery: f.Recovery + g.Recovery, Peak: max(f.Peak, g.Peak),
		Dollars: f.Dollars + g.Dollars, RecoveryDollars: f.RecoveryDollars + g.RecoveryDollars, Acted: f.Acted + g.Acted, Kept: f.Kept + g.Kept,
		Quotes: f.Quotes + g.Quotes, Lost: f.Lost + g.Lost,
	}
}

// Session is one recorded session as a search sees it.
type Session struct {
	Name string // its file
	Site string // the host of its first page; "" not known
	Kind string // the agent or format that recorded it
	// Timeline is what was recorded, for the command that is advised for the next one.
	Timeline *session.Timeline
	// Evaluate answers the session's figures under a policy. It is called from
	// several goroutines. The error is ctx's own.
	Evaluate func(ctx context.Context, p policy.Policy) (Figures, error)
}

// Options say what is searched for.
type Options struct {
	// Keep is the share of the elements and quotes readable under policy full that must
	// stay readable, 0 to 1: a quote counts as an element does.
	Keep float64
	// KeepRuns is the share of the sessions that must lose nothing at all, 0 to 1; 0: none
	// is asked for.
	KeepRuns float64
	// Minimize is the measure; "" takes Input.
	Minimize Measure
	// Only restricts the search to the knobs of this policy, as it is composed;
	// nil: every strategy and every sensible composition of them.
	Only *policy.Policy
	// Folds is into how many parts the sessions are divided to measure the search
	// on sessions that it did not see; 0: five, or one a session where there are
	// fewer.
	Folds int
	// Seed draws the folds and the interval.
	Seed uint64
	// Parallel bounds the evaluations at a time; 0: one a core.
	Parallel int
	// Progress is told of every evaluation, never from two goroutines at once.
	Progress func(Progress)
}

// Progress is how far a search has come.
type Progress struct {
	Evaluations int
	Doing       string     // what is being tuned
	Best        *Candidate // so far; nil none yet
}

// Candidate is a policy with what it comes to over all sessions.
type Candidate struct {
	Policy  policy.Policy
	Total   Figures
	Saved   float64 // of policy full's value, losses paid for; negative: it costs more
	Kept    float64 // share of the elements readable under full
	Losses  int     // elements and quotes readable under full that are not under the policy
	Runs    ledger.Runs
	Knee    bool // the point of the front from which the next loss buys the least
	Session []Figures

	untested bool // it leaves something out, and the sessions have no act that could tell
}

// Result is what a search found.
type Result struct {
	Options  Options
	Sessions []Session
	Full     Figures // policy full over all sessions
	PerFull  []Figures
	// Best is nil where no policy is better than full.
	Best *Candidate
	// Each is the best of every strategy alone, best first; those that keep too
	// little at every setting are left out.
	Each []Candidate
	// Front holds the policies that no other beats in both value and survival,
	// cheapest first.
	Front       []Candidate
	Evaluations int  // policies tried, times sessions
	Stopped     bool // by time or by a person, before it was through
	// Broken are evaluations that could not be made, the first few: what a policy comes
	// to is not known then, and it is not chosen.
	Broken []error
	Trust  *Trust
}

// ErrNothing says that there is no session to tune on.
var ErrNothing = errors.New("no session to tune on")

// ErrNoPrice says that costs were to be compared of sessions without a price.
var ErrNoPrice = errors.New("the sessions' model has no price: name one with --model, or minimize input")

// Run searches. It stops when ctx ends, and answers what it has by then; the
// error is of sessions that cannot be evaluated at all.
func Run(ctx context.Context, sessions []Session, o Options) (*Result, error) {
	if len(sessions) == 0 {
		return nil, ErrNothing
	}
	if o.Minimize == "" {
		o.Minimize = Input
	}
	m := newMemo(sessions, o)
	all := make([]int, len(sessions))
	for i := range all {
		all[i] = i
	}
	if err := m.full(ctx); err != nil {
		return nil, fmt.Errorf("evaluating policy full: %w", err)
	}
	if o.Minimize == Cost && !Priced(m.base) {
		return nil, ErrNoPrice
	}
	s := newSearch(m, all, o)
	s.run(ctx)
	res := &Result{Options: o, Sessions: sessions, PerFull: m.base, Full: m.baseOf(all)}
	res.Best, res.Each, res.Front = s.best(), s.singles(), s.front()
	if res.Best != nil {
		res.Trust = trust(ctx, m, o)
	}
	res.Evaluations, res.Stopped, res.Broken = m.evaluations(), ctx.Err() != nil, m.broken
	return res, nil
}

// candidate sums a policy over some sessions. ok is false while it is not known
// for all of them.
func (m *memo) candidate(p policy.Policy, over []int) (Candidate, bool) {
	c := Candidate{Policy: p, Session: make([]Figures, 0, len(over))}
	var base Figures
	kept := 0
	for _, i := range over {
		f, ok := m.known(p, i)
		if !ok {
			return c, false
		}
		c.Total = c.Total.add(f)
		c.Session = append(c.Session, f)
		base = base.add(m.base[i])
		kept += min(f.Kept, m.base[i].Kept) // what full loses, no policy is asked for
		c.Runs.Count(f.beyond(m.base[i]))
	}
	c.Losses, c.Kept = base.Kept-kept, 1
	c.untested = base.Kept == base.Quotes && m.o.Only == nil && !p.Exact()
	if base.Kept > 0 {
		c.Kept = float64(kept) / float64(base.Kept)
	}
	if v := base.value(m.o.Minimize); v > 0 {
		c.Saved = 1 - c.Total.value(m.o.Minimize)/v
	}
	return c, true
}

// feasible reports that a candidate keeps enough, as far as the sessions tell: where
// nothing was acted on, one that leaves something out is not known to.
func (c *Candidate) feasible(o Options) bool {
	return !c.untested && c.Kept >= o.Keep-1e-12 && c.Runs.NoLoss() >= o.KeepRuns-1e-12
}

// better orders candidates: feasible ones first, then by saving; among the others
// by what they keep. Of equal ones the simpler policy is better.
func better(a, b *Candidate, o Options) bool {
	fa, fb := a.feasible(o), b.feasible(o)
	switch {
	case fa != fb:
		return fa
	case !fa && a.Kept != b.Kept:
		return a.Kept > b.Kept
	case a.Saved != b.Saved:
		return a.Saved > b.Saved
	case len(a.Policy.Stages) != len(b.Policy.Stages):
		return len(a.Policy.Stages) < len(b.Policy.Stages)
	case a.turns() != b.turns():
		return a.turns() < b.turns()
	}
	return a.Policy.Key() < b.Policy.Key()
}

// turns is how far the policy's knobs stand from their defaults, in shares of
// their ranges.
func (c *Candidate) turns() float64 {
	far := 0.0
	for _, st := range c.Policy.Stages {
		for _, k := range st.Strategy.Knobs {
			if v, ok := st.Knobs[k.Key]; ok && v != k.Default {
				far += 1 + math.Abs(v-k.Default)/max(k.Max-k.Min, 1)
			}
		}
	}
	return far
}

func sortCandidates(cs []Candidate, o Options) {
	slices.SortFunc(cs, func(a, b Candidate) int {
		switch {
		case better(&a, &b, o):
			return -1
		case better(&b, &a, o):
			return 1
		}
		return 0
	})
}
