package tune

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"

	"snapscope/session/guard"
	"snapscope/session/policy"
)

// memo remembers what every policy came to in every session, so that nothing is
// evaluated twice, in the search or in its folds.
type memo struct {
	sessions []Session
	o        Options
	base     []Figures // under policy full

	mu    sync.Mutex
	seen  map[string][]*Figures // by policy key, a place for each session
	count int
	doing string
	lead  *Candidate // the best of the whole search so far, for progress

	broken []error // evaluations that could not be made, the first few
}

func newMemo(sessions []Session, o Options) *memo {
	return &memo{sessions: sessions, o: o, seen: map[string][]*Figures{}}
}

// full evaluates policy full everywhere.
func (m *memo) full(ctx context.Context) error {
	all := make([]int, len(m.sessions))
	for i := range all {
		all[i] = i
	}
	if err := m.evaluate(ctx, []policy.Policy{policy.Full()}, all); err != nil {
		return err
	}
	for i := range all {
		f, _ := m.known(policy.Full(), i)
		m.base = append(m.base, f)
	}
	return nil
}

// baseOf is policy full over some sessions.
func (m *memo) baseOf(over []int) Figures {
	var f Figures
	for _, i := range over {
		f = f.add(m.base[i])
	}
	return f
}

func (m *memo) known(p policy.Policy, session int) (Figures, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if row := m.seen[p.Key()]; row != nil && row[session] != nil {
		return *row[session], true
	}
	return Figures{}, false
}

func (m *memo) evaluations() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count
}

// pair is one evaluation to be done.
type pair struct {
	p       policy.Policy
	key     string
	session int
}

// evaluate makes sure that the policies are known for the sessions. The error is
// ctx's own, or the first that an evaluation answered.
func (m *memo) evaluate(ctx context.Context, ps []policy.Policy, over []int) error {
	var todo []pair
	queued := map[string]bool{}
	m.mu.Lock()
	for _, p := range ps {
		key := p.Key()
		if queued[key] {
			continue
		}
		queued[key] = true
		row := m.seen[key]
		for _, i := range over {
			if row == nil || row[i] == nil {
				todo = append(todo, pair{p, key, i})
			}
		}
	}
	m.mu.Unlock()
	errs := make([]error, len(todo))
	err := guard.Each(ctx, m.parallel(), len(todo), "evaluating policies", func(i int) error {
		t := todo[i]
		s := m.sessions[t.session]
		errs[i] = guard.Do("evaluating a policy", func() error {
			f, err := s.Evaluate(ctx, t.p)
			if err == nil {
				m.put(t, f)
			}
			return err
		})
		if errs[i] != nil && ctx.Err() == nil {
			errs[i] = fmt.Errorf("%s: %w", s.Name, errs[i])
			m.fail(errs[i])
		}
		return ctx.Err() // the others go on
	})
	return cmp.Or(err, cmp.Or(errs...))
}

// maxBroken is how many evaluations that broke are told one by one.
const maxBroken = 5

func (m *memo) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.broken) < maxBroken {
		m.broken = append(m.broken, err)
	}
}

func (m *memo) parallel() int {
	if m.o.Parallel > 0 {
		return m.o.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

func (m *memo) put(t pair, f Figures) {
	m.mu.Lock()
	defer m.mu.Unlock()
	row := m.seen[t.key]
	if row == nil {
		row = make([]*Figures, len(m.sessions))
		m.seen[t.key] = row
	}
	row[t.session] = &f
	m.count++
	if m.o.Progress != nil {
		m.o.Progress(Progress{Evaluations: m.count, Doing: m.doing, Best: m.lead})
	}
}

// say notes what is being tuned, and the best so far.
func (m *memo) say(doing string, lead *Candidate) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.doing = doing
	if lead != nil {
		m.lead = lead
	}
}
