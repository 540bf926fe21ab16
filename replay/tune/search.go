package tune

import (
	"context"
	"math"
	"slices"

	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// search is one search over some of the sessions.
type search struct {
	m     *memo
	over  []int
	o     Options
	tried map[string]policy.Policy // every policy that was looked at, by key
	alone []Candidate              // each strategy tuned alone
}

func newSearch(m *memo, over []int, o Options) *search {
	return &search{m: m, over: over, o: o, tried: map[string]policy.Policy{}}
}

const (
	// finalists is how many combinations are tuned as a whole.
	finalists = 6
	// few is how many sessions a combination is first tried on, where there are
	// more: only the better half goes on to all of them.
	few = 4
	// rounds bounds how often all knobs of a policy are gone through.
	rounds = 3
)

// run goes from single strategies to combinations. What it found stands in
// tried, also when ctx ended it.
func (s *search) run(ctx context.Context) {
	if s.o.Only != nil {
		c, ok := s.tuneAlone(ctx, *s.o.Only)
		if ok {
			s.alone = append(s.alone, s.tidy(ctx, c))
		}
		return
	}
	for _, p := range s.starts(ctx) {
		if c, ok := s.tuneAlone(ctx, p); ok {
			s.alone = append(s.alone, s.tidy(ctx, c))
		}
		if ctx.Err() != nil {
			return
		}
	}
	combos := s.combine()
	if len(s.over) > few {
		combos = s.halve(ctx, combos)
	}
	s.try(ctx, combos)
	ranked := s.ranked(combos)
	for _, c := range ranked[:min(finalists, len(ranked))] {
		if ctx.Err() != nil {
			return
		}
		if c, ok := s.tuneKnobs(ctx, c.Policy); ok {
			s.tidy(ctx, c)
		}
	}
}

// tidy brings every knob as near to its default as it can stand without costing
// anything: what a person reads should differ only where it matters.
func (s *search) tidy(ctx context.Context, c Candidate) Candidate {
	for i, st := range c.Policy.Stages {
		for _, k := range st.Strategy.Knobs {
			now, to := c.Policy.Stages[i].Values()[k.Key], st.Strategy.Values(nil)[k.Key]
			if k.Key == "enabled" || now == to {
				continue
			}
			good, bad := now, to
			for first := true; first || k.Type < strategy.Bool && math.Abs(good-bad) > unit(k)*1.5; first = false {
				v := bad
				if !first {
					v = k.Clamp((good + bad) / 2)
				}
				got := s.turned(ctx, c, i, k, []float64{v})
				if len(got) == 0 || !first && (v == good || v == bad) {
					break
				}
				if got[0].c.feasible(s.o) == c.feasible(s.o) && got[0].c.Saved >= c.Saved && got[0].c.Losses <= c.Losses {
					c, good = got[0].c, v
					if first {
						break
					}
				} else {
					bad = v
				}
			}
		}
	}
	return c
}

// try evaluates policies over the search's sessions and remembers them.
func (s *search) try(ctx context.Context, ps []policy.Policy) {
	_ = s.m.evaluate(ctx, ps, s.over) // what is missing is not known, and so not chosen
	for _, p := range ps {
		s.tried[p.Key()] = p
	}
}

// look is the candidate of a policy, evaluated if need be.
func (s *search) look(ctx context.Context, ps ...policy.Policy) []Candidate {
	s.try(ctx, ps)
	out := make([]Candidate, 0, len(ps))
	for _, p := range ps {
		if c, ok := s.m.candidate(p, s.over); ok {
			out = append(out, c)
		}
	}
	return out
}

// ranked are the policies that are known, best first.
func (s *search) ranked(ps []policy.Policy) []Candidate {
	var out []Candidate
	for _, p := range ps {
		if c, ok := s.m.candidate(p, s.over); ok {
			out = append(out, c)
		}
	}
	sortCandidates(out, s.o)
	return out
}

// candidates are all policies that were looked at, best first.
func (s *search) candidates() []Candidate {
	ps := make([]policy.Policy, 0, len(s.tried))
	for _, p := range s.tried {
		ps = append(ps, p)
	}
	return s.ranked(ps)
}

// best is the best feasible policy that costs less than full; nil none.
func (s *search) best() *Candidate {
	all := s.candidates()
	if len(all) == 0 || !all[0].feasible(s.o) || all[0].Saved <= 0 {
		return nil
	}
	return &all[0]
}

// singles are the strategies tuned alone that keep enough and save something,
// best first.
func (s *search) singles() []Candidate {
	var out []Candidate
	for _, c := range s.alone {
		if c.feasible(s.o) && c.Saved > 0 {
			out = append(out, c)
		}
	}
	sortCandidates(out, s.o)
	return out
}

// halve tries the combinations on few sessions first and drops the worse half.
func (s *search) halve(ctx context.Context, ps []policy.Policy) []policy.Policy {
	part := make([]int, 0, few)
	for i := range few { // spread over the list: neighbours are often alike
		part = append(part, s.over[i*len(s.over)/few])
	}
	sub := newSearch(s.m, part, s.o)
	sub.try(ctx, ps)
	ranked := sub.ranked(ps)
	out := make([]policy.Policy, 0, len(ranked)/2+1)
	for _, c := range ranked[:(len(ranked)+1)/2] {
		out = append(out, c.Policy)
	}
	return out
}

// tuneAlone tunes a policy from where it stands and, when it loses too much
// there, from its loosest setting too. From the former the one knob that serves
// best is turned first: a knob that switches the whole strategy off would keep
// everything as well, and then nothing else matters any more.
func (s *search) tuneAlone(ctx context.Context, p policy.Policy) (Candidate, bool) {
	got := s.look(ctx, p)
	if len(got) == 0 {
		return Candidate{}, false
	}
	if got[0].feasible(s.o) {
		return s.tuneKnobs(ctx, p)
	}
	best := got[0]
	starts := []policy.Policy{loosest(p)}
	for i, st := range p.Stages {
		for _, k := range st.Strategy.Knobs {
			if k.Key != "enabled" && ctx.Err() == nil {
				s.m.say(st.Strategy.Name+"."+k.Key, nil)
				if c := s.tuneKnob(ctx, got[0], i, k); better(&c, &best, s.o) {
					best = c
				}
			}
		}
	}
	starts = append(starts, best.Policy)
	for _, start := range starts {
		if c, ok := s.tuneKnobs(ctx, start); ok && better(&c, &best, s.o) {
			best = c
		}
	}
	return best, true
}

// loosest has every number at its highest: most such knobs are limits.
func loosest(p policy.Policy) policy.Policy {
	p = p.Clone()
	for i := range p.Stages {
		st := &p.Stages[i]
		if st.Knobs == nil {
			st.Knobs = strategy.Values{}
		}
		for _, k := range st.Strategy.Knobs {
			if k.Type == strategy.Int {
				st.Knobs[k.Key] = k.Max
			}
		}
	}
	return p
}

// tuneKnobs turns one knob after the other until none of them makes the policy
// better. ok is false when nothing could be evaluated.
func (s *search) tuneKnobs(ctx context.Context, p policy.Policy) (Candidate, bool) {
	got := s.look(ctx, p)
	if len(got) == 0 {
		return Candidate{}, false
	}
	best := got[0]
	for range rounds {
		before := best.Policy.Key()
		for i, st := range best.Policy.Stages {
			for _, k := range st.Strategy.Knobs {
				if k.Key == "enabled" || ctx.Err() != nil {
					continue
				}
				s.m.say(st.Strategy.Name+"."+k.Key, s.leader(&best))
				best = s.tuneKnob(ctx, best, i, k)
			}
		}
		if best.Policy.Key() == before {
			break
		}
	}
	return best, true
}

// leader is what progress shows as the best so far: of the whole search only.
func (s *search) leader(c *Candidate) *Candidate {
	if len(s.over) < len(s.m.sessions) || !c.feasible(s.o) {
		return nil
	}
	if s.m.lead != nil && !better(c, s.m.lead, s.o) {
		return nil
	}
	return c
}

// tuneKnob answers the best policy that differs from c in one knob only.
func (s *search) tuneKnob(ctx context.Context, c Candidate, stage int, k strategy.Knob) Candidate {
	if k.Type == strategy.Bool || k.Type == strategy.Choice {
		var vs []float64
		for v := k.Min; v <= max(k.Max, b2f(k.Type == strategy.Bool)); v++ {
			vs = append(vs, v)
		}
		return s.pick(s.turned(ctx, c, stage, k, vs), c)
	}
	now := c.Policy.Stages[stage].Values()[k.Key]
	points := s.turned(ctx, c, stage, k, []float64{k.Min, now, k.Max})
	if flat(points) {
		return c // the knob does nothing here
	}
	points = append(points, s.turned(ctx, c, stage, k, between(k, now))...)
	points = s.bisect(ctx, c, stage, k, points)
	return s.pick(s.refine(ctx, c, stage, k, points), c)
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// between are two values on each side of now, on a scale that is finer near it:
// most knobs range over orders of magnitude.
func between(k strategy.Knob, now float64) []float64 {
	var out []float64
	for _, end := range []float64{k.Min, k.Max} {
		if d := end - now; d != 0 {
			out = append(out, k.Clamp(now+d/4), k.Clamp(now+d/20))
		}
	}
	return out
}

// knobPoint is a knob's value with what comes of it.
type knobPoint struct {
	v float64
	c Candidate
}

// turned evaluates values of one knob.
func (s *search) turned(ctx context.Context, c Candidate, stage int, k strategy.Knob, vs []float64) []knobPoint {
	ps := make([]policy.Policy, 0, len(vs))
	for _, v := range vs {
		p := c.Policy.Clone()
		if p.Stages[stage].Knobs == nil {
			p.Stages[stage].Knobs = strategy.Values{}
		}
		p.Stages[stage].Knobs[k.Key] = k.Clamp(v)
		ps = append(ps, p)
	}
	s.try(ctx, ps)
	var out []knobPoint
	for i, p := range ps {
		if c, ok := s.m.candidate(p, s.over); ok {
			out = append(out, knobPoint{k.Clamp(vs[i]), c})
		}
	}
	return out
}

// flat reports that all points come to the same.
func flat(points []knobPoint) bool {
	for _, p := range points {
		if p.c.Total != points[0].c.Total {
			return false
		}
	}
	return true
}

// bisect finds, between every two neighbouring values of which one keeps enough
// and the other does not, the last one that does.
func (s *search) bisect(ctx context.Context, c Candidate, stage int, k strategy.Knob, points []knobPoint) []knobPoint {
	sortPoints(points)
	out := slices.Clone(points)
	for i := 1; i < len(points); i++ {
		good, bad := points[i-1], points[i]
		if good.c.feasible(s.o) == bad.c.feasible(s.o) {
			continue
		}
		if bad.c.feasible(s.o) {
			good, bad = bad, good
		}
		for math.Abs(good.v-bad.v) > unit(k)*1.5 {
			got := s.turned(ctx, c, stage, k, []float64{(good.v + bad.v) / 2})
			if len(got) == 0 || got[0].v == good.v || got[0].v == bad.v {
				break
			}
			out = append(out, got[0])
			if got[0].c.feasible(s.o) {
				good = got[0]
			} else {
				bad = got[0]
			}
		}
	}
	sortPoints(out)
	return out
}

// unit is the smallest turn that is worth telling apart.
func unit(k strategy.Knob) float64 {
	if k.Type == strategy.Ratio {
		return 0.01
	}
	return 1
}

// refine looks between the best point and its neighbours while that makes it
// better.
func (s *search) refine(ctx context.Context, c Candidate, stage int, k strategy.Knob, points []knobPoint) []knobPoint {
	for range 4 {
		at := 0
		for i := range points {
			if better(&points[i].c, &points[at].c, s.o) {
				at = i
			}
		}
		var vs []float64
		for _, side := range []int{at - 1, at + 1} {
			if side < 0 || side >= len(points) || math.Abs(points[side].v-points[at].v) <= unit(k)*1.5 ||
				points[side].c.Total == points[at].c.Total || !points[side].c.feasible(s.o) {
				continue
			}
			vs = append(vs, (points[side].v+points[at].v)/2)
		}
		got := s.turned(ctx, c, stage, k, vs)
		if len(got) == 0 {
			return points
		}
		points = append(points, got...)
		sortPoints(points)
	}
	return points
}

func sortPoints(points []knobPoint) {
	slices.SortFunc(points, func(a, b knobPoint) int {
		switch {
		case a.v < b.v:
			return -1
		case a.v > b.v:
			return 1
		}
		return 0
	})
}

// pick is the best of the points, or c where none is better: a knob is not moved
// for nothing.
func (s *search) pick(points []knobPoint, c Candidate) Candidate {
	for i := range points {
		p := &points[i].c
		if p.feasible(s.o) != c.feasible(s.o) && p.feasible(s.o) || p.feasible(s.o) == c.feasible(s.o) && (p.Saved > c.Saved || !c.feasible(s.o) && p.Kept > c.Kept) {
			if better(p, &c, s.o) {
				c = *p
			}
		}
	}
	return c
}
