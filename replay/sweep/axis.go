package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// Axis is one knob of a policy with the values to try.
type Axis struct {
	Strategy string
	Knob     string
	Values   []float64
}

// Key is the knob as Policy.Set names it.
func (a Axis) Key() string { return a.Strategy + "." + a.Knob }

// maxValues bounds one axis and maxPoints the grid: a sweep is to be read.
const (
	maxValues = 1000
	maxPoints = 10_000
)

// ParseAxis reads one knob of policy p with its values:
//
//	compress.keep_n              the values its table recommends
//	compress.keep_n=5,10,20      these
//	compress.keep_n=5..50/15     from 5 to 50 in steps of 15
//	keep_n=5..50,100             the strategy may be left out where it is clear
//
// Without a step a range takes the knob's own. The error says what is allowed.
func ParseAxis(p policy.Policy, text string) (Axis, error) {
	key, list, given := strings.Cut(text, "=")
	i, k, err := p.Knob(key)
	if err != nil {
		return Axis{}, err
	}
	s := p.Stages[i].Strategy
	a := Axis{Strategy: s.Name, Knob: k.Key}
	if !given {
		a.Values = usual(k)
		return a, nil
	}
	for part := range strings.SplitSeq(list, ",") {
		vs, err := values(k, strings.TrimSpace(part))
		if err != nil {
			return Axis{}, fmt.Errorf("%s: %w", s.Name, err)
		}
		a.Values = append(a.Values, vs...)
		if len(a.Values) > maxValues {
			return Axis{}, fmt.Errorf("%s has more than %d values: take a larger step", a.Key(), maxValues)
		}
	}
	slices.Sort(a.Values)
	a.Values = slices.Compact(a.Values)
	return a, nil
}

// values reads one item of a list: a value or a range.
func values(k strategy.Knob, text string) ([]float64, error) {
	from, rest, ranged := strings.Cut(text, "..")
	if !ranged {
		v, err := k.Parse(text)
		return []float64{v}, err
	}
	if k.Type == strategy.Bool || k.Type == strategy.Choice {
		return nil, fmt.Errorf("%s takes single values, not the range %q", k.Key, text)
	}
	to, by, stepped := strings.Cut(rest, "/")
	lo, err := k.Parse(from)
	if err != nil {
		return nil, err
	}
	hi, err := k.Parse(to)
	if err != nil {
		return nil, err
	}
	step := k.Step
	if stepped {
		if step, err = strconv.ParseFloat(strings.TrimSpace(by), 64); err != nil {
			return nil, fmt.Errorf("%s: the step of %q is not a number", k.Key, text)
		}
	}
	if !(step > 0) || math.IsInf(step, 0) || lo > hi {
		return nil, fmt.Errorf("%s: the range %q goes nowhere: it takes low..high/step", k.Key, text)
	}
	if (hi-lo)/step >= maxValues {
		return nil, fmt.Errorf("%s: the range %q has more than %d values: take a larger step", k.Key, text, maxValues)
	}
	var out []float64
	for i := 0; ; i++ {
		v := k.Clamp(lo + float64(i)*step)
		if v > hi+1e-9 || len(out) > 0 && v == out[len(out)-1] && v >= hi {
			return out, nil
		}
		out = append(out, v)
		if lo+float64(i+1)*step > hi+1e-9 {
			return out, nil
		}
	}
}

// usual are the values that the knob's table recommends, else a few around its
// default.
func usual(k strategy.Knob) []float64 {
	if len(k.Sweep) > 0 {
		return k.Sweep
	}
	var out []float64
	if k.Type == strategy.Bool || k.Type == strategy.Choice {
		for v := k.Min; v <= k.Max; v++ {
			out = append(out, v)
		}
		return out
	}
	around := k.Default
	if around == 0 {
		around = k.Step * 4
		out = append(out, k.Clamp(0))
	}
	for _, f := range [...]float64{0.25, 0.5, 1, 2, 4} {
		out = append(out, k.Clamp(around*f))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// usualPoints is how many settings a sweep tries at most when no knob is named.
const usualPoints = 150

// Axes are the knobs that a sweep of policy p turns when none is named: those
// with recommended values, of each strategy the first, then the second, as long
// as the grid stays small. A strategy that is switched off is left alone.
func Axes(p policy.Policy) []Axis {
	var out []Axis
	points := 1
	for round := 0; ; round++ {
		more := false
		for _, st := range p.Stages {
			ks := sweepable(st)
			if round >= len(ks) {
				continue
			}
			more = true
			if n := points * len(ks[round].Values); n <= usualPoints {
				points = n
				out = append(out, ks[round])
			}
		}
		if !more {
			return out
		}
	}
}

// sweepable lists a stage's knobs with recommended values.
func sweepable(st policy.Stage) []Axis {
	s := st.Strategy
	if _, ok := s.Knob("enabled"); ok && !st.Values().Bool("enabled") {
		return nil
	}
	var out []Axis
	for _, k := range s.Knobs {
		if len(k.Sweep) > 0 {
			out = append(out, Axis{Strategy: s.Name, Knob: k.Key, Values: k.Sweep})
		}
	}
	return out
}

// Base is the policy that a list of knobs speaks of when none is named: the
// strategies before the dots, rewrites first.
func Base(knobs []string) (policy.Policy, error) {
	var names []string
	for _, text := range knobs {
		key, _, _ := strings.Cut(text, "=")
		name, _, dotted := strings.Cut(strings.TrimSpace(key), ".")
		if !dotted {
			return policy.Policy{}, fmt.Errorf("%q names no strategy: write strategy.knob=…, or name a policy", key)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return policy.Compose(names...)
}
