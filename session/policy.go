package session

import (
	"fmt"
	"strings"

	"snapscope/snapshot/strategy"
)

// Stage is one strategy of a policy with the knobs that differ from its
// defaults.
type Stage struct {
	Strategy string          `json:"strategy"`
	Knobs    strategy.Values `json:"knobs,omitempty"`
}

// Policy is a named row of strategies: rewrites, each given what the one before
// answered, and at most one retention rule.
type Policy struct {
	Name   string  `json:"name"`
	Title  string  `json:"title,omitempty"`
	Stages []Stage `json:"stages"`
}

// Full is the policy that leaves every snapshot as it is and expires none.
func Full() Policy { return Policy{Name: "full", Title: "every snapshot in full"} }

// Seeds is the five documents' defaults together, in their order: filter and
// budget, compress, delta, response diff (off by its own default), expiry.
func Seeds() Policy {
	return Policy{Name: "seeds", Title: "the five documents' defaults together", Stages: []Stage{
		{Strategy: "budget"},
		{Strategy: "compress"},
		{Strategy: "passmark"},
		{Strategy: "response-diff"},
		{Strategy: "openclaw"},
	}}
}

// Single is the policy of one strategy alone, with the defaults of its own
// document. A strategy that is off by default stays off and says so in its
// reason.
func Single(s *strategy.Strategy) Policy {
	p := Policy{Name: s.Name, Title: s.Title}
	if s.Name != "full" {
		p.Stages = []Stage{{Strategy: s.Name}}
	}
	return p
}

// Builtin lists the policies that always exist: full, seeds, one a strategy
// that differs from full, and presets under the names their systems are known
// by.
func Builtin() []Policy {
	out := []Policy{Full(), Seeds()}
	for _, s := range strategy.All() {
		if s.Name != "full" {
			out = append(out, Single(s))
		}
	}
	return append(out, presets()...)
}

// presets are policies under another name than their strategy's.
func presets() []Policy {
	var out []Policy
	for _, p := range []Policy{{
		Name: "anthropic-clear", Title: "Anthropic context editing at its defaults",
		Stages: []Stage{{Strategy: "clear-tool-uses"}},
	}} {
		if _, err := strategy.Get(p.Stages[0].Strategy); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// FindPolicy finds a policy by name, first in own, then among the built-in
// ones. The error lists the names there are.
func FindPolicy(name string, own []Policy) (Policy, error) {
	var names []string
	for _, p := range append(append([]Policy(nil), own...), Builtin()...) {
		if p.Name == name {
			return p.Clone(), nil
		}
		names = append(names, p.Name)
	}
	return Policy{}, fmt.Errorf("no policy %q; there are %s", name, strings.Join(names, ", "))
}

// Clone is a deep copy.
func (p Policy) Clone() Policy {
	st := make([]Stage, len(p.Stages))
	for i, s := range p.Stages {
		st[i] = Stage{Strategy: s.Strategy}
		if s.Knobs != nil {
			st[i].Knobs = make(strategy.Values, len(s.Knobs))
			for k, v := range s.Knobs {
				st[i].Knobs[k] = v
			}
		}
	}
	p.Stages = st
	return p
}

// Set reads "strategy.knob=value", or "knob=value" where only one stage of the
// policy has such a knob.
func (p *Policy) Set(assignment string) error {
	key, val, ok := strings.Cut(assignment, "=")
	if !ok {
		return fmt.Errorf("%q is not knob=value", assignment)
	}
	name, knob, dotted := strings.Cut(strings.TrimSpace(key), ".")
	if !dotted {
		name, knob = "", name
	}
	var found []int
	var has []string
	for i, st := range p.Stages {
		s, err := strategy.Get(st.Strategy)
		if err != nil {
			return err
		}
		for _, k := range s.Knobs {
			has = append(has, s.Name+"."+k.Key)
		}
		if name != "" && name != s.Name {
			continue
		}
		if _, ok := s.Knob(knob); ok {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		if has == nil {
			return fmt.Errorf("policy %s has no knob %q; it has none", p.Name, key)
		}
		return fmt.Errorf("policy %s has no knob %q; it has %s", p.Name, key, strings.Join(has, ", "))
	case 1:
		st := &p.Stages[found[0]]
		s, err := strategy.Get(st.Strategy)
		if err != nil {
			return err
		}
		if st.Knobs == nil {
			st.Knobs = strategy.Values{}
		}
		return s.Set(st.Knobs, knob+"="+val)
	}
	return fmt.Errorf("several strategies of policy %s have a knob %q: write strategy.%s=…", p.Name, knob, knob)
}

// Retention is the policy's retention stage; ok is false where it has none.
func (p Policy) Retention() (s *strategy.Strategy, v strategy.Values, ok bool) {
	for _, st := range p.Stages {
		if s, err := strategy.Get(st.Strategy); err == nil && s.Retain != nil {
			return s, s.Values(st.Knobs), true
		}
	}
	return nil, nil, false
}
