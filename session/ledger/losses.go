package ledger

import (
	"context"
	"math"

	"snapscope/session"
	"snapscope/session/guard"
	"snapscope/session/policy"
)

// Losses answers what LostAt does, of a session that grows: what its agent has been
// told so far is kept, and a question costs what has come since the one before, however
// long the session is. Not safe for concurrent use, nor beside who appends.
type Losses struct {
	t *session.Timeline
	r *policy.Renderer

	m     *machine
	next  int  // the first event that is not in the history
	calls int  // so many model calls were made
	told  int  // so many places were looked at for a page
	pages bool // one was found
	real  bool // the session tells of its model calls
}

// NewLosses begins with a session as it stands.
func NewLosses(t *session.Timeline, r *policy.Renderer) *Losses { return &Losses{t: t, r: r} }

// Next tells which elements an action would act on that the agent cannot read, if it
// were chosen now.
func (l *Losses) Next(a *session.Action) (lost []Lost, err error) {
	err = l.do(func() {
		own := len(l.t.Open()) == 0 && !l.real // else it shares the call of what is under way
		if own {
			l.m.events(&l.next, l.m.end+1)
		}
		lost = l.judge(&session.Step{N: len(l.t.Steps) + 1, Action: a})
		for i := range lost {
			lost[i].Call += b2i(own)
		}
	})
	return lost, err
}

// At tells which elements a step that has happened acted on that the agent could not
// read.
func (l *Losses) At(step int) (lost []Lost, err error) {
	if step < 1 || step > len(l.t.Steps) {
		return nil, nil
	}
	s, passed := &l.t.Steps[step-1], false
	err = l.do(func() {
		if passed = s.Call != l.calls-1 || s.Call < 0 || l.next > l.t.Calls()[s.Call].Seq; !passed {
			lost = l.judge(s)
		}
	})
	if err == nil && passed { // it was told more than it knew then
		return LostAt(context.Background(), l.t, step, l.r)
	}
	return lost, err
}

// do runs f on the history as it stood when the last model call was made. After a
// fault all of it is made anew.
func (l *Losses) do(f func()) error {
	err := guard.Do("looking for what the agent cannot read", func() (err error) {
		o := Options{Renderer: l.r, CountOnly: true, asSent: true, only: math.MaxInt}
		calls := l.t.Calls()
		if real := len(calls) > 0 && calls[0].Model != nil; l.m == nil || l.real != real { // then the calls are others
			*l = Losses{t: l.t, r: l.r, next: 1, real: real}
			p := policy.Policy{Name: AsSentName}
			if l.m, err = newMachine(context.Background(), l.t, p, o, l.r.Plan(p), 0); err != nil {
				return err
			}
		}
		m := l.m
		m.end = len(l.t.Events)
		m.h.grows()
		for m.byCall = longer(m.byCall, len(calls)); l.calls < len(calls); l.calls++ {
			m.events(&l.next, calls[l.calls].Seq)
			m.call(&calls[l.calls])
		}
		f()
		return nil
	})
	if err != nil {
		l.m = nil
	}
	return err
}

func (l *Losses) judge(s *session.Step) []Lost {
	m := l.m
	m.rep.Survival, m.rep.lost = Survival{}, nil
	only := m.o.only
	m.o.only = s.N
	m.judge(s)
	m.o.only = only
	for told := l.t.Told(); !l.pages && l.told < len(told); l.told++ {
		e := &l.t.Events[told[l.told]-1]
		i, was := m.h.steps[e.Seq].result, seen(e.Result)
		l.pages = !m.h.byHand(e) && (i > 0 && l.t.Steps[i-1].Snap >= 0 || was == session.SeenExcerpt || was != "" && was.Readable())
	}
	if !l.pages {
		return nil // nothing is known
	}
	return m.rep.Survival.Lost
}
