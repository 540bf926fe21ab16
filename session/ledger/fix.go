package ledger

import (
	"context"
	"fmt"
	"math"

	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// fix looks, for each lost element, for the smallest change of one knob that
// would have kept it: of the knob whose rule hid it where that does, else of any.
// What is answered has been simulated, not reasoned.
func (m *machine) fix(ctx context.Context) error {
	f := fixer{m: m, ctx: ctx, lost: map[string]map[int]bool{}}
	for i := range m.rep.Survival.Lost {
		l := &m.rep.Survival.Lost[i]
		if l.Never {
			continue
		}
		l.Keep = f.search(l)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if l.Keep == nil {
			l.Why += "; no change of one knob keeps it"
		} else {
			l.Why += fmt.Sprintf("; %s %s would keep it", l.Keep.Strategy+"."+l.Keep.Knob, l.Keep.To)
		}
	}
	return nil
}

// fixer tries knob values; a value tried for one loss is known for all.
type fixer struct {
	m    *machine
	ctx  context.Context
	lost map[string]map[int]bool // by change: the steps that lose their target
}

func (f *fixer) search(l *Lost) *Fix {
	var best *Fix
	far := math.Inf(1)
	for _, st := range f.m.p.Stages {
		s, v := st.Strategy, st.Values()
		for _, k := range s.Knobs {
			// A rewrite says which knob hid the line; a retention rule only what it
			// counted, so there the smallest change of any knob is the answer.
			named := s.Apply != nil && s.Name == l.Strategy && k.Key == l.Knob
			if far < 0 && !named {
				continue // the rule's own knob does it
			}
			to, ok := f.knob(l, s, k, v[k.Key])
			if !ok {
				continue
			}
			d := math.Abs(to-v[k.Key]) / math.Max(k.Max-k.Min, 1e-9)
			if named {
				d = -1
			}
			if d < far {
				far = d
				best = &Fix{Strategy: s.Name, Knob: k.Key, From: k.Format(v[k.Key]), To: k.Format(to), value: to}
			}
		}
	}
	return best
}

// knob answers the value nearest to now at which a knob keeps the element.
func (f *fixer) knob(l *Lost, s *strategy.Strategy, k strategy.Knob, now float64) (float64, bool) {
	if k.Type == strategy.Bool || k.Type == strategy.Choice {
		for v := k.Min; v <= k.Max; v++ {
			if v != now && f.keeps(l, s, k, v) {
				return v, true
			}
		}
		return 0, false
	}
	unit := 1.0
	if k.Type == strategy.Ratio {
		unit = 0.01
	}
	up, okUp := f.toward(l, s, k, now, unit)
	down, okDown := f.toward(l, s, k, now, -unit)
	if okUp && (!okDown || up-now <= now-down) {
		return up, true
	}
	return down, okDown
}

// toward walks from now in ever longer strides until a value keeps the element
// and then halves the last stride down to one unit.
func (f *fixer) toward(l *Lost, s *strategy.Strategy, k strategy.Knob, now, unit float64) (float64, bool) {
	bad := now
	for stride := unit; ; stride *= 2 {
		v := k.Clamp(now + stride)
		if v == bad || f.ctx.Err() != nil {
			return 0, false
		}
		if !f.keeps(l, s, k, v) {
			bad = v
			continue
		}
		good := v
		for math.Abs(good-bad) > math.Abs(unit)*1.5 {
			mid := k.Clamp(bad + math.Round((good-bad)/(2*unit))*unit)
			if mid == good || mid == bad {
				break
			}
			if f.keeps(l, s, k, mid) {
				good = mid
			} else {
				bad = mid
			}
		}
		return good, true
	}
}

// keeps reports whether the session keeps the element with one knob at v.
func (f *fixer) keeps(l *Lost, s *strategy.Strategy, k strategy.Knob, v float64) bool {
	change := Fix{Strategy: s.Name, Knob: k.Key, value: v}
	p := change.Apply(f.m.p)
	if s.Apply != nil && !f.glimpse(l, p) {
		return false
	}
	key := s.Name + "." + k.Key + "=" + k.Format(v)
	lost, ok := f.lost[key]
	if !ok {
		o := f.m.o
		o.Fixes, o.Progress, o.Full = false, nil, nil
		m, err := simulate(f.ctx, f.m.t, p, o)
		if err != nil {
			return false
		}
		lost = map[int]bool{}
		for _, x := range m.rep.Survival.Lost {
			lost[x.Step] = true
		}
		f.lost[key] = lost
	}
	return !lost[l.Step]
}

// glimpse renders only the snapshot that last showed the element: a change that
// leaves it out there need not be simulated.
func (f *fixer) glimpse(l *Lost, p policy.Policy) bool {
	if l.From < 1 || l.From > len(f.m.t.Steps) {
		return true
	}
	step := f.m.t.Steps[l.From-1]
	var w want
	for _, x := range wants(f.m.t.Steps[l.Step-1].Action) {
		if label := x.label(); label == l.Ref || label == l.Target {
			w = x
			break
		}
	}
	if step.Snap < 0 || w == (want{}) {
		return true
	}
	it := item{snap: step.Snap, rendered: f.m.o.Renderer.Render(f.m.t, step.Snap, p)}
	return it.rendered.Base >= 0 || it.shows(w.line(f.m.h.page(&it)), w.ref != "")
}
