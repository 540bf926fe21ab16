package ledger

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// fix looks, for each lost element and for the first lost quotes, for the smallest change of one knob that
// would have kept it: of the knob whose rule hid it where that does, else of any.
// What is answered has been simulated, not reasoned.
func (m *machine) fix(ctx context.Context) error {
	f := fixer{m: m, ctx: ctx, lost: map[string][]Lost{}, at: map[string]map[act]bool{}, plans: map[string]policy.Plan{}, all: map[string]*Fix{}}
	var all []*Lost
	for i := range m.rep.Survival.Lost {
		all = append(all, &m.rep.Survival.Lost[i])
	}
	for i := range m.rep.Reading.Lost {
		if l := &m.rep.Reading.Lost[i]; l.Uses > 0 && len(all) < len(m.rep.Survival.Lost)+mostLines {
			all = append(all, l)
		}
	}
	for _, l := range all {
		if l.Never {
			continue
		}
		l.Keep = f.search(l)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if l.Keep == nil {
			l.Why += "; no single setting keeps it"
		} else {
			l.Keep.whole(&f, len(m.rep.losses()))
			l.Why += fmt.Sprintf("; %s %s would keep it", l.Keep.Strategy+"."+l.Keep.Knob, l.Keep.To)
			if len(l.Keep.Still) > 0 {
				l.Why += ", but " + l.Keep.Loses() + "; " + l.Keep.Better()
			}
		}
	}
	return nil
}

// fixer tries knob values; a value tried for one loss is known for all.
type fixer struct {
	m    *machine
	ctx  context.Context
	lost map[string][]Lost       // by change: what the session still loses
	at   map[string]map[act]bool // by change: what is lost
	// plans are the policies with one knob turned, ready to render, by knob and value.
	plans map[string]policy.Plan
	all   map[string]*Fix // by knob: the value that keeps everything; nil none does
}

// act is what lost something: a step, or a quote of a call.
type act struct {
	step  int
	quote string
	call  int
}

func (l *Lost) act() act {
	if l.Quote != "" {
		return act{quote: l.Quote, call: l.Call}
	}
	return act{step: l.Step}
}

// whole works out what the changed policy does to the whole session, of which lost
// elements are lost without the change.
func (x *Fix) whole(f *fixer, lost int) {
	for _, l := range f.lost[x.Assignment()] {
		if l.Uses > 0 {
			x.Still = append(x.Still, Act{l.Step, l.Ref})
		}
	}
	if len(x.Still) > 0 {
		x.All, x.lost = f.everything(x), lost
	}
}

// Loses says what the whole session still loses with the change; "" nothing.
func (x *Fix) Loses() string {
	if len(x.Still) == 0 {
		return ""
	}
	text := fmt.Sprintf("still loses %s at step %d", x.Still[0].Ref, x.Still[0].Step)
	if n := len(x.Still) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// Better says which value of the same knob loses nothing, where the change still loses
// something; "" it does not.
func (x *Fix) Better() string {
	switch {
	case len(x.Still) == 0:
		return ""
	case x.All == nil:
		return "no value of " + x.Knob + " keeps all"
	case x.lost == 2:
		return x.All.To + " keeps both"
	}
	return x.All.To + " keeps all"
}

// everything is the value of a change's knob, nearest to it and farther from what it is
// now, at which the session loses nothing; nil none does.
func (f *fixer) everything(x *Fix) *Fix {
	key := x.Strategy + "." + x.Knob
	if all, known := f.all[key]; known {
		return all
	}
	f.all[key] = nil
	for _, st := range f.m.p.Stages {
		k, ok := st.Strategy.Knob(x.Knob)
		if !ok || st.Strategy.Name != x.Strategy {
			continue
		}
		unit := math.Copysign(1, x.value-st.Values()[k.Key])
		if k.Type == strategy.Ratio {
			unit *= 0.01
		}
		none := func(v float64) bool { return len(f.under(st.Strategy, k, v)) == 0 }
		to, ok := 0.0, false
		if k.Type == strategy.Bool || k.Type == strategy.Choice {
			for v := k.Min; v <= k.Max && !ok; v++ {
				to, ok = v, none(v)
			}
		} else {
			to, ok = f.toward(k, x.value, unit, none)
		}
		if ok && f.ctx.Err() == nil {
			f.all[key] = &Fix{Strategy: x.Strategy, Knob: x.Knob, From: x.From, To: k.Format(to), value: to}
		}
	}
	return f.all[key]
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
	keeps := func(v float64) bool { return f.keeps(l, s, k, v) }
	up, okUp := f.toward(k, now, unit, keeps)
	down, okDown := f.toward(k, now, -unit, keeps)
	if okUp && (!okDown || up-now <= now-down) {
		return up, true
	}
	return down, okDown
}

// toward walks from now in ever longer strides until a value keeps what is to be kept
// and then halves the last stride down to one unit.
func (f *fixer) toward(k strategy.Knob, now, unit float64, keeps func(v float64) bool) (float64, bool) {
	bad := now
	for stride := unit; ; stride *= 2 {
		v := k.Clamp(now + stride)
		if v == bad || f.ctx.Err() != nil {
			return 0, false
		}
		if !keeps(v) {
			bad = v
			continue
		}
		good := v
		for math.Abs(good-bad) > math.Abs(unit)*1.5 {
			mid := k.Clamp(bad + math.Round((good-bad)/(2*unit))*unit)
			if mid == good || mid == bad {
				break
			}
			if keeps(mid) {
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
	if s.Apply != nil && !f.glimpse(l, f.plan(Fix{Strategy: s.Name, Knob: k.Key, value: v})) {
		return false
	}
	f.under(s, k, v)
	change := Fix{Strategy: s.Name, Knob: k.Key, To: k.Format(v)}
	return f.ctx.Err() == nil && f.at[change.Assignment()] != nil && !f.at[change.Assignment()][l.act()]
}

// plan is the policy with a change.
func (f *fixer) plan(change Fix) policy.Plan {
	key := change.Strategy + "." + change.Knob + "=" + strconv.FormatFloat(change.value, 'g', -1, 64)
	p, ok := f.plans[key]
	if !ok {
		p = f.m.o.Renderer.Plan(change.Apply(f.m.p))
		f.plans[key] = p
	}
	return p
}

// under is what the session loses with one knob at v, that no page showed apart.
func (f *fixer) under(s *strategy.Strategy, k strategy.Knob, v float64) []Lost {
	change := Fix{Strategy: s.Name, Knob: k.Key, To: k.Format(v), value: v}
	lost, ok := f.lost[change.Assignment()]
	if !ok {
		o := f.m.o
		o.Fixes, o.Progress, o.Full = false, nil, nil
		m, err := simulate(f.ctx, f.m.t, change.Apply(f.m.p), o)
		if err != nil {
			return []Lost{{}} // ctx has ended: nothing is known to be kept
		}
		at := map[act]bool{}
		for _, x := range m.rep.Survival.Lost {
			if !x.Never {
				lost, at[x.act()] = append(lost, x), true
			}
		}
		for i := range m.rep.Reading.Lost {
			at[m.rep.Reading.Lost[i].act()] = true
		}
		f.at[change.Assignment()] = at
		f.lost[change.Assignment()] = lost
	}
	return lost
}

// glimpse renders only the snapshot that last showed the element: a change that
// leaves it out there need not be simulated.
func (f *fixer) glimpse(l *Lost, p policy.Plan) bool {
	if l.From < 1 || l.From > len(f.m.t.Steps) {
		return true
	}
	step := f.m.t.Steps[l.From-1]
	if l.Quote != "" {
		return step.Snap < 0 || f.m.quoted.glimpse(f.m.t.Snaps[step.Snap].Snap.Hash, step.Snap, l, p.Render(f.m.t, step.Snap))
	}
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
	it := item{snap: step.Snap, rendered: p.Render(f.m.t, step.Snap)}
	return it.rendered.Base >= 0 || it.shows(w.line(f.m.h.page(&it)), w.ref != "")
}
