package sweep

import (
	"cmp"
	"slices"

	"snapscope/session/policy"
	"snapscope/snapshot/wording"
)

// Table sums outcomes into a result. What is added twice counts once, and the
// order does not matter.
type Table struct {
	policy policy.Policy
	axes   []Axis
	points []Point
	seen   map[int]Outcome
}

// NewTable begins a table for the grid of a policy's axes.
func NewTable(p policy.Policy, axes []Axis) (*Table, error) {
	points, err := Grid(p, axes)
	if err != nil {
		return nil, err
	}
	return &Table{policy: p, axes: axes, points: points, seen: map[int]Outcome{}}, nil
}

// Points are the settings, in the order of the grid.
func (t *Table) Points() []Point { return t.points }

// Add takes one recording's outcome. One that was counted takes the place of one
// that failed.
func (t *Table) Add(o Outcome) {
	if old, ok := t.seen[o.Index]; ok && old.Error == "" {
		return
	}
	t.seen[o.Index] = o
}

// Failure is a recording that is not counted, and why.
type Failure struct{ Recording, Error string }

// Result is what was added, summed. The table can go on after it.
func (t *Table) Result() *Result {
	res := &Result{Policy: t.policy, Axes: t.axes, rows: t.seen}
	order := make([]int, 0, len(t.seen))
	for i := range t.seen {
		order = append(order, i)
	}
	slices.Sort(order)
	sums := make([]summer, len(t.points))
	for _, i := range order {
		o := t.seen[i]
		if o.Error != "" {
			res.Failed = append(res.Failed, Failure{o.Recording, o.Error})
			continue
		}
		if o.Partial > 0 {
			why := wording.Plural(o.Partial, "page") + " known in part only: what full would have sent is not known"
			res.LeftOut = append(res.LeftOut, Failure{o.Recording, why})
			continue
		}
		res.Recordings = append(res.Recordings, o.Recording)
		res.Full += o.Full
		for k, row := range o.Rows {
			sums[k].add(row)
		}
	}
	points := slices.Clone(t.points)
	for i := range points {
		points[i].at = i
		sums[i].put(&points[i], res.Full)
	}
	front(points)
	slices.SortStableFunc(points, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(b.Survived, a.Survived))
	})
	res.Points = points
	return res
}

// summer adds up one point over the recordings.
type summer struct {
	row      Row
	nano     int64
	unpriced bool
}

func (s *summer) add(r Row) {
	s.row.Input += r.Input
	s.row.Appended += r.Appended
	s.row.Peak = max(s.row.Peak, r.Peak)
	s.row.Cached += r.Cached
	s.row.Acted += r.Acted
	s.row.Survived += r.Survived
	if r.Nano == nil {
		s.unpriced = true
	} else {
		s.nano += *r.Nano
	}
}

func (s *summer) put(p *Point, full int) {
	p.Input, p.Appended, p.Peak, p.Cached = s.row.Input, s.row.Appended, s.row.Peak, s.row.Cached
	p.Acted, p.Survived = s.row.Acted, s.row.Survived
	p.Saved, p.Cost = 0, nil
	if full > 0 {
		p.Saved = 1 - float64(p.Input)/float64(full)
	}
	if !s.unpriced {
		c := float64(s.nano) / 1e9
		p.Cost = &c
	}
}

// Pick is the point that a person would take without further wishes: of those
// that keep the most the cheapest. nil where nothing was counted.
func (r *Result) Pick() *Point {
	var best *Point
	for i := range r.Points {
		p := &r.Points[i]
		if best == nil || p.Survived > best.Survived || p.Survived == best.Survived && p.Input < best.Input {
			best = p
		}
	}
	if best == nil || len(r.Recordings) == 0 {
		return nil
	}
	return best
}

// Group sums a point over recordings that have something in common.
type Group struct {
	By, Name   string // site, model or format; its value
	Recordings int
	Full       int
	Input      int
	Acted      int
	Survived   int
}

// Saved is the share of policy full's tokens that the point leaves out.
func (g Group) Saved() float64 {
	if g.Full == 0 {
		return 0
	}
	return 1 - float64(g.Input)/float64(g.Full)
}

// By sums a point by site, model or format, the most tokens first.
func (r *Result) By(p *Point, by string) []Group {
	at := map[string]int{}
	var out []Group
	for _, o := range r.counted() {
		name := map[string]string{"site": o.Site, "model": o.Model, "format": o.Format}[by]
		if name == "" {
			name = "not known"
		}
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			out = append(out, Group{By: by, Name: name})
		}
		g, row := &out[i], o.Rows[p.at]
		g.Recordings++
		g.Full += o.Full
		g.Input += row.Input
		g.Acted += row.Acted
		g.Survived += row.Survived
	}
	slices.SortStableFunc(out, func(a, b Group) int { return cmp.Or(cmp.Compare(b.Full, a.Full), cmp.Compare(a.Name, b.Name)) })
	return out
}

// counted are the outcomes with rows, in the order of the input.
func (r *Result) counted() []Outcome {
	out := make([]Outcome, 0, len(r.rows))
	for _, o := range r.rows {
		if o.Error == "" && o.Partial == 0 {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b Outcome) int { return cmp.Compare(a.Index, b.Index) })
	return out
}

// Outlier is a recording that loses more than the others.
type Outlier struct {
	Recording string
	Lost      int
	Acted     int
}

// Outliers are the recordings that lose most under a point, worst first, at most
// n.
func (r *Result) Outliers(p *Point, n int) []Outlier {
	var out []Outlier
	for _, o := range r.counted() {
		if row := o.Rows[p.at]; row.Survived < row.Acted {
			out = append(out, Outlier{o.Recording, row.Acted - row.Survived, row.Acted})
		}
	}
	slices.SortStableFunc(out, func(a, b Outlier) int { return cmp.Compare(b.Lost, a.Lost) })
	return out[:min(n, len(out))]
}
