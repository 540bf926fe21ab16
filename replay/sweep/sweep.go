// Package sweep tries many knob values on many recordings and says which are
// worth having: those on the Pareto front of tokens against what stays readable, elements
// and quotes, where no other setting carries fewer tokens and keeps as much.
//
//	policy × axes ─▶ grid ─┐
//	recordings, one a core ─┴▶ ledger ─▶ outcome a recording ─┬▶ table: points, front, by site, outliers
//	(opened when their turn comes, let go when counted)       └▶ parts: files of rows that a later call goes on from
//
// It only puts settings to the ledger and sums what comes back; all rules are
// the ledger's. Everything that is summed is a whole number, money in billionths
// of a dollar, so that no order, division or repetition of the work changes a
// figure. A recording that cannot be read is a row with its error; the rest goes
// on.
package sweep

import (
	"fmt"
	"slices"

	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy/registry"
)

// Setting is one knob of a point.
type Setting struct {
	Key   string // strategy.knob
	Value string // as Knob.Format writes it
}

// Point is one setting of all axes over all recordings.
type Point struct {
	Policy   policy.Policy
	Settings []Setting
	Input    int // tokens that all model calls carried
	Appended int // tokens that all results added once
	Peak     int // the largest call
	Saved    float64
	Cached   int
	Acted    int
	Survived int
	Quotes   int         // pieces of page text that the agent used
	Read     int         // of these, readable when it used them
	Runs     ledger.Runs // sessions that lose nothing
	Cost     *float64    // nil: a recording's model has no price
	Front    bool        // no other point is better in one and as good in the other

	at int // its place in the grid
}

// Result is a sweep.
type Result struct {
	Policy     policy.Policy
	Axes       []Axis
	Recordings []string
	Full       int       // tokens under policy full
	Points     []Point   // by tokens, fewest first
	Failed     []Failure // recordings that could not be counted, in the order of the input
	LeftOut    []Failure // recordings of which some pages are known in part only
	Groups     []Group   // Pick by site, model or format, as the table was told to
	Outliers   []Outlier // the recordings that lose most under Pick, worst first

	Reading string                     // flags by which the recordings are read, a space before each
	Words   func(policy.Policy) string // flags that name a policy with its knobs; nil: by its name and the settings
}

// Options say how to sweep.
type Options struct {
	// Count is the tokenizer. Required; it is called from several goroutines.
	Count func(string) int
	// Ledger holds prices, model and fixed sizes; its renderer is not used.
	Ledger ledger.Options
	// Parallel bounds how many settings are tried at once; 0: one a core.
	Parallel int
	// Progress is told how many of all simulations are done, never from two
	// goroutines at once.
	Progress func(done, total int)
}

// Grid is every combination of the axes' values over policy p, the last axis
// turning fastest, so that neighbours share their first stages.
func Grid(p policy.Policy, axes []Axis) ([]Point, error) {
	n := 1
	for _, a := range axes {
		if len(a.Values) == 0 {
			return nil, fmt.Errorf("%s has no values to try", a.Key())
		}
		if n *= len(a.Values); n > maxPoints {
			return nil, fmt.Errorf("the sweep has more than %d settings: name fewer knobs or values", maxPoints)
		}
	}
	points := []Point{{Policy: p.Clone()}}
	for _, a := range axes {
		s, err := registry.Get(a.Strategy)
		if err != nil {
			return nil, err
		}
		k, ok := s.Knob(a.Knob)
		if !ok {
			return nil, fmt.Errorf("%s has no knob %q", a.Strategy, a.Knob)
		}
		next := make([]Point, 0, len(points)*len(a.Values))
		for _, pt := range points {
			for _, v := range a.Values {
				q := Point{Policy: pt.Policy.Clone(), Settings: append(slices.Clone(pt.Settings), Setting{a.Key(), k.Format(v)})}
				if err := q.Policy.Set(a.Key() + "=" + k.Format(v)); err != nil {
					return nil, err
				}
				next = append(next, q)
			}
		}
		points = next
	}
	return points, nil
}

// kept is how many elements and quotes the point keeps readable.
func (p *Point) kept() int { return p.Survived + p.Read }

// front marks the points that no other dominates: fewer tokens and at least as many
// elements and quotes kept, or as many tokens and more. Equal points stand together.
func front(points []Point) {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if points[a].Input != points[b].Input {
			return points[a].Input - points[b].Input
		}
		return points[b].kept() - points[a].kept()
	})
	best, at := -1, 0
	for _, i := range order {
		p := &points[i]
		if p.kept() > best {
			best, at = p.kept(), p.Input
			p.Front = true
		} else if p.kept() == best && p.Input == at {
			p.Front = true
		}
	}
}
