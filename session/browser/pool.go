package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Pool is a fleet of browsers that sessions are carried out on, one after the
// other or side by side. An endpoint that is gone is not tried again.
type Pool struct {
	mu   sync.Mutex
	ends []Endpoint
	gone []error // by endpoint; nil: it may be tried
	next int
}

// NewPool makes a pool. Its first session begins at the first endpoint, the next
// one at the second, and so on around.
func NewPool(ends ...Endpoint) *Pool {
	return &Pool{ends: ends, gone: make([]error, len(ends))}
}

// Attach begins a session, in a browser context of its own where o says so, on
// the next endpoint that takes one. said is told of those that do not. The error,
// when none does, names each with its reason.
func (p *Pool) Attach(ctx context.Context, o Options, said func(error)) (*Browser, error) {
	for range p.ends {
		i, ok := p.turn()
		if !ok {
			break
		}
		b, err := Attach(ctx, p.ends[i], o)
		if err == nil || ctx.Err() != nil {
			return b, err
		}
		p.lost(i, err)
		if said != nil {
			said(err)
		}
	}
	return nil, p.none()
}

// Lost notes that the endpoint of a browser is gone.
func (p *Pool) Lost(b *Browser, why error) {
	for i, e := range p.ends {
		if e.String() == b.Where() {
			p.lost(i, why)
		}
	}
}

// Left is how many endpoints may still be tried.
func (p *Pool) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, err := range p.gone {
		if err == nil {
			n++
		}
	}
	return n
}

func (p *Pool) turn() (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range p.ends {
		i := p.next
		p.next = (p.next + 1) % len(p.ends)
		if p.gone[i] == nil {
			return i, true
		}
	}
	return 0, false
}

func (p *Pool) lost(i int, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone[i] = why
}

func (p *Pool) none() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.ends) == 1 {
		return p.gone[0]
	}
	var b strings.Builder
	for i, e := range p.ends {
		fmt.Fprintf(&b, "; %s: %v", e, p.gone[i])
	}
	return errors.New("none of the browsers can be used" + b.String())
}
