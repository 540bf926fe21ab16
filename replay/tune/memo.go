package tune

import (
	"context"
	"runtime"
	"sync"

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
	next := make(chan pair)
	errs := make(chan error, 1)
	var wg sync.WaitGroup
	for range min(max(1, m.parallel()), len(todo)) {
		wg.Go(func() {
			for t := range next {
				f, err := m.sessions[t.session].Evaluate(ctx, t.p)
				if err != nil {
					select {
					case errs <- err:
					default: // the first is told
					}
					continue
				}
				m.put(t, f)
			}
		})
	}
feed:
	for _, t := range todo {
		select {
		case next <- t:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case err := <-errs:
		return err
	default:
		return nil
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
