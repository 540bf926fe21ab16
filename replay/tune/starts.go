package tune

import (
	"cmp"
	"context"
	"slices"

	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

// starts looks at every built-in policy and answers the strategies to be tuned,
// that which saves most first, whatever it loses before its knobs are turned. A search that runs out of time has tried every policy
// that a person can name, and has spent the rest where most can be won. Retention
// rules come before rewrites: they are evaluated in a fraction of the time.
func (s *search) starts(ctx context.Context) []policy.Policy {
	s.m.say("the built-in policies", nil)
	var retain, rewrite, starts []policy.Policy
	for _, p := range policy.Builtin() {
		if _, ok := p.Retention(); ok && !p.Rewrites() {
			retain = append(retain, p)
		} else if len(p.Stages) > 0 {
			rewrite = append(rewrite, p)
		}
	}
	for _, p := range slices.Concat(retain, rewrite) {
		if c := s.look(ctx, p); len(c) > 0 {
			s.m.say("the built-in policies", s.leader(&c[0]))
		}
	}
	for _, st := range registry.All() {
		if p := switchedOn(st); len(p.Stages) > 0 {
			starts = append(starts, p)
		}
	}
	found := s.look(ctx, starts...)
	slices.SortStableFunc(found, func(a, b Candidate) int { return cmp.Compare(b.Saved, a.Saved) })
	starts = starts[:0]
	for _, c := range found {
		starts = append(starts, c.Policy)
	}
	return starts
}

// switchedOn is the policy of one strategy that is sure to do something: a
// strategy that is off by its own default is turned on.
func switchedOn(st *strategy.Strategy) policy.Policy {
	p := policy.Single(st)
	if k, ok := st.Knob("enabled"); ok && k.Default == 0 && len(p.Stages) == 1 {
		p.Stages[0].Knobs = strategy.Values{k.Key: 1}
	}
	return p
}

// combine puts the strategies together, each as it was tuned alone: one or two
// that shrink a page, then one that compares pages, then one retention rule.
func (s *search) combine() []policy.Policy {
	var shrink, compare, retain []policy.Stage
	for _, c := range s.alone {
		if c.Saved <= 0 {
			continue
		}
		st := c.Policy.Stages[0]
		switch {
		case st.Strategy.Retain != nil:
			retain = append(retain, st)
		case st.Strategy.Base != nil:
			compare = append(compare, st)
		default:
			shrink = append(shrink, st)
		}
	}
	rows := [][]policy.Stage{nil}
	for i := range shrink {
		rows = append(rows, shrink[i:i+1])
		for j := range shrink {
			if i != j {
				rows = append(rows, []policy.Stage{shrink[i], shrink[j]})
			}
		}
	}
	rows = with(rows, compare)
	rows = with(rows, retain)
	var out []policy.Policy
	for _, stages := range rows {
		if len(stages) > 1 { // those alone are known
			out = append(out, policy.Policy{Name: "tuned", Stages: stages}.Clone())
		}
	}
	return out
}

// with answers the rows as they are and with each of the stages behind them.
func with(rows [][]policy.Stage, more []policy.Stage) [][]policy.Stage {
	out := slices.Clone(rows)
	for _, r := range rows {
		for _, st := range more {
			out = append(out, append(slices.Clone(r), st))
		}
	}
	return out
}
