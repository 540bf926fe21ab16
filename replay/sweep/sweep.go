// Package sweep tries many knob values on many recordings and says which are
// worth having: those on the Pareto front of tokens against survival, where no
// other setting carries fewer tokens and keeps as much.
//
//	policy × axes ─▶ grid of policies ─┐
//	                     recordings ───┼─▶ ledger, some at a time ─▶ points ─▶ front
//
// It only puts settings to the ledger and sums what comes back; all rules are
// the ledger's.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// Recording is one session to try the settings on.
type Recording struct {
	Name     string
	Timeline *session.Timeline
}

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
	Cost     *float64 // nil: a recording's model has no price
	Front    bool     // no other point is better in one and as good in the other
}

// Survival is Survived of Acted, 1 where nothing was acted on.
func (p Point) Survival() float64 {
	return ledger.Survival{Acted: p.Acted, Survived: p.Survived}.Ratio()
}

// Result is a sweep.
type Result struct {
	Policy     policy.Policy
	Axes       []Axis
	Recordings []string
	Full       int     // tokens under policy full
	Points     []Point // by tokens, fewest first
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
		s, err := strategy.Get(a.Strategy)
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

// Run tries every combination on every recording. The error is ctx's own or
// says what cannot be swept.
func Run(ctx context.Context, recs []Recording, p policy.Policy, axes []Axis, o Options) (*Result, error) {
	if len(recs) == 0 {
		return nil, errors.New("no recording to sweep over")
	}
	points, err := Grid(p, axes)
	if err != nil {
		return nil, err
	}
	res := &Result{Policy: p, Axes: axes}
	done, total := 0, len(recs)*len(points)
	sums := make([]summer, len(points))
	for _, rec := range recs {
		res.Recordings = append(res.Recordings, rec.Name)
		lo := o.Ledger
		lo.Renderer, lo.Fixes, lo.Progress = policy.NewRenderer(o.Count), false, nil
		full, err := ledger.Run(ctx, rec.Timeline, policy.Full(), lo)
		if err != nil {
			return nil, err
		}
		res.Full += full.InputTokens
		lo.Full = full
		tick := func() {
			done++
			if o.Progress != nil {
				o.Progress(done, total)
			}
		}
		if err := one(ctx, rec.Timeline, points, sums, lo, o.Parallel, tick); err != nil {
			return nil, err
		}
	}
	for i := range points {
		sums[i].put(&points[i], res.Full)
	}
	front(points)
	slices.SortStableFunc(points, func(a, b Point) int {
		if a.Input != b.Input {
			return a.Input - b.Input
		}
		return b.Survived - a.Survived
	})
	res.Points = points
	return res, nil
}

// one tries all points on one recording, some at a time.
func one(ctx context.Context, t *session.Timeline, points []Point, sums []summer, o ledger.Options, parallel int, tick func()) error {
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	next := make(chan int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(parallel, len(points)) {
		wg.Go(func() {
			for i := range next {
				r, err := ledger.Run(ctx, t, points[i].Policy, o)
				if err != nil {
					continue // only ctx fails it, and that is answered below
				}
				mu.Lock()
				sums[i].add(r)
				tick()
				mu.Unlock()
			}
		})
	}
	for i := range points {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	wg.Wait()
	return ctx.Err()
}

// summer adds up one point over the recordings.
type summer struct {
	point    Point
	cost     float64
	unpriced bool
}

func (s *summer) add(r *ledger.Report) {
	s.point.Input += r.InputTokens
	s.point.Appended += r.AppendedTokens
	s.point.Peak = max(s.point.Peak, r.PeakTokens)
	s.point.Cached += r.CachedTokens
	s.point.Acted += r.Survival.Acted
	s.point.Survived += r.Survival.Survived
	if r.Cost == nil {
		s.unpriced = true
	} else {
		s.cost += *r.Cost
	}
}

func (s *summer) put(p *Point, full int) {
	policy, settings := p.Policy, p.Settings
	*p = s.point
	p.Policy, p.Settings = policy, settings
	if full > 0 {
		p.Saved = 1 - float64(p.Input)/float64(full)
	}
	if !s.unpriced {
		p.Cost = &s.cost
	}
}

// front marks the points that no other dominates: fewer tokens and at least as
// much survival, or as many tokens and more. Equal points stand together.
func front(points []Point) {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if points[a].Input != points[b].Input {
			return points[a].Input - points[b].Input
		}
		return points[b].Survived - points[a].Survived
	})
	best, at := -1, 0
	for _, i := range order {
		p := &points[i]
		if p.Survived > best {
			best, at = p.Survived, p.Input
			p.Front = true
		} else if p.Survived == best && p.Input == at {
			p.Front = true
		}
	}
}
