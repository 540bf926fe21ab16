package sweep

import (
	"cmp"
	"slices"
	"strings"

	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/wording"
)

// Table sums outcomes into a result. What is added twice counts once, and the
// order does not matter. It keeps sums and not the outcomes: what it takes grows
// with the settings, with what is told apart, and by a name for each recording.
type Table struct {
	policy policy.Policy
	axes   []Axis
	points []Point
	by     []string

	state   []state // by the recording's index
	names   []string
	trouble map[int]string // why a recording has no figures, by its index
	full    int
	sums    []summer
	worst   [][]loser // by point, worst first
	groups  []map[string]*group
}

// state is what is known of a recording.
type state uint8

const (
	unseen state = iota
	failed
	leftOut
	counted
)

// group is what recordings with something in common come to.
type group struct {
	recordings, full int
	sums             []groupSum // by point
}

type groupSum struct {
	input, acted, survived, quotes, read int
	runs                                 ledger.Runs
}

// loser is a recording that loses something under a point.
type loser struct{ index, lost, acted int }

// worstKept is how many of the recordings that lose most are named.
const worstKept = 5

// NewTable begins a table for the grid of a policy's axes, in which recordings
// are also summed by site, model or format as told.
func NewTable(p policy.Policy, axes []Axis, by ...string) (*Table, error) {
	points, err := Grid(p, axes)
	if err != nil {
		return nil, err
	}
	t := &Table{
		policy: p, axes: axes, points: points, by: by, trouble: map[int]string{},
		sums: make([]summer, len(points)), worst: make([][]loser, len(points)),
	}
	for range by {
		t.groups = append(t.groups, map[string]*group{})
	}
	return t, nil
}

// Points are the settings, in the order of the grid.
func (t *Table) Points() []Point { return t.points }

// Add takes one recording's outcome. One that was counted takes the place of one
// that failed.
func (t *Table) Add(o Outcome) {
	for len(t.state) <= o.Index {
		t.state, t.names = append(t.state, unseen), append(t.names, "")
	}
	old := t.state[o.Index]
	if old > failed {
		return
	}
	t.names[o.Index] = o.Recording
	switch {
	case o.Error != "":
		if old == unseen || o.Error < t.trouble[o.Index] { // whichever came first
			t.trouble[o.Index] = o.Error
		}
		t.state[o.Index] = failed
		return
	case o.Partial > 0:
		t.trouble[o.Index] = wording.Plural(o.Partial, "page") + " known in part only: what full would have sent is not known"
		t.state[o.Index] = leftOut
		return
	}
	delete(t.trouble, o.Index)
	t.state[o.Index] = counted
	t.sum(o)
}

func (t *Table) sum(o Outcome) {
	t.full += o.Full
	for _, f := range o.Figures {
		t.sums[f.Point].add(f)
		if lost := f.Acted - f.Survived + f.Quotes - f.Read; lost > 0 {
			t.worst[f.Point] = keep(t.worst[f.Point], loser{o.Index, lost, f.Acted + f.Quotes})
		}
	}
	for i, by := range t.by {
		name := map[string]string{"site": o.Site, "model": o.Model, "format": o.Format}[by]
		if name == "" {
			name = "not known"
		}
		g := t.groups[i][name]
		if g == nil {
			g = &group{sums: make([]groupSum, len(t.points))}
			t.groups[i][name] = g
		}
		g.recordings++
		g.full += o.Full
		for _, f := range o.Figures {
			s := &g.sums[f.Point]
			s.input += f.Input
			s.acted += f.Acted
			s.survived += f.Survived
			s.quotes += f.Quotes
			s.read += f.Read
			s.runs.Join(f.runs())
		}
	}
}

// keep puts a loser into its place among the worst.
func keep(worst []loser, l loser) []loser {
	order := func(a, b loser) int { return cmp.Or(cmp.Compare(b.lost, a.lost), cmp.Compare(a.index, b.index)) }
	at, _ := slices.BinarySearchFunc(worst, l, order)
	if at == worstKept {
		return worst
	}
	worst = slices.Insert(worst, at, l)
	return worst[:min(len(worst), worstKept)]
}

// Failure is a recording that is not counted, and why.
type Failure struct{ Recording, Error string }

// String is the recording with the error behind it, once where the error names it too.
func (f Failure) String() string {
	rest, named := strings.CutPrefix(f.Error, f.Recording)
	switch {
	case named && strings.HasPrefix(rest, ":"):
		return f.Error
	case named && strings.HasPrefix(rest, " "):
		return f.Recording + ":" + rest
	}
	return f.Recording + ": " + f.Error
}

// Result is what was added, summed. The table can go on after it.
func (t *Table) Result() *Result {
	res := &Result{Policy: t.policy, Axes: t.axes, Full: t.full}
	for i, s := range t.state {
		switch s {
		case failed:
			res.Failed = append(res.Failed, Failure{t.names[i], t.trouble[i]})
		case leftOut:
			res.LeftOut = append(res.LeftOut, Failure{t.names[i], t.trouble[i]})
		case counted:
			res.Recordings = append(res.Recordings, t.names[i])
		}
	}
	points := slices.Clone(t.points)
	for i := range points {
		points[i].at = i
		t.sums[i].put(&points[i], t.full)
	}
	front(points)
	slices.SortStableFunc(points, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(b.kept(), a.kept()))
	})
	res.Points = points
	if p := res.Pick(); p != nil {
		res.Groups = t.grouped(p.at)
		for _, l := range t.worst[p.at] {
			res.Outliers = append(res.Outliers, Outlier{t.names[l.index], l.lost, l.acted})
		}
	}
	return res
}

// grouped sums a point by what was asked for, the most tokens first.
func (t *Table) grouped(point int) []Group {
	var out []Group
	for i, by := range t.by {
		from := len(out)
		for name, g := range t.groups[i] {
			s := g.sums[point]
			out = append(out, Group{by, name, g.recordings, g.full, s.input, s.acted, s.survived, s.quotes, s.read, s.runs})
		}
		slices.SortFunc(out[from:], func(a, b Group) int { return cmp.Or(cmp.Compare(b.Full, a.Full), cmp.Compare(a.Name, b.Name)) })
	}
	return out
}

// runs is the recording as one of several.
func (f *Figures) runs() (out ledger.Runs) {
	out.Count(f.Lost, f.Quotes-f.Read)
	return out
}

// summer adds up one point over the recordings.
type summer struct {
	sum      Figures
	runs     ledger.Runs
	nano     int64
	unpriced bool
}

func (s *summer) add(f Figures) {
	s.sum.Input += f.Input
	s.sum.Appended += f.Appended
	s.sum.Peak = max(s.sum.Peak, f.Peak)
	s.sum.Cached += f.Cached
	s.sum.Acted += f.Acted
	s.sum.Survived += f.Survived
	s.sum.Quotes += f.Quotes
	s.sum.Read += f.Read
	s.runs.Join(f.runs())
	if f.Nano == nil {
		s.unpriced = true
	} else {
		s.nano += *f.Nano
	}
}

func (s *summer) put(p *Point, full int) {
	p.Input, p.Appended, p.Peak, p.Cached = s.sum.Input, s.sum.Appended, s.sum.Peak, s.sum.Cached
	p.Acted, p.Survived, p.Quotes, p.Read, p.Runs = s.sum.Acted, s.sum.Survived, s.sum.Quotes, s.sum.Read, s.runs
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
		if best == nil || p.kept() > best.kept() || p.kept() == best.kept() && p.Input < best.Input {
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
	Quotes     int
	Read       int
	Runs       ledger.Runs
}

// Saved is the share of policy full's tokens that the point leaves out.
func (g Group) Saved() float64 {
	if g.Full == 0 {
		return 0
	}
	return 1 - float64(g.Input)/float64(g.Full)
}

// Outlier is a recording that loses more than the others.
type Outlier struct {
	Recording string
	Lost      int
	Acted     int
}
