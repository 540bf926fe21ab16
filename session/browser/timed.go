package browser

import (
	"context"
	"fmt"
	"time"

	"snapscope/session"
)

// timed waits as an agent's tool does: fixed times, whatever the page does in
// them (see PlaywrightMCP for where the rules come from).
func (s *settling) timed(ctx context.Context) (session.Rest, error) {
	switch s.how {
	case mannerNothing:
		return session.RestAtOnce, s.framesArrive(ctx)
	case mannerArrive:
		return session.RestTimed, s.navigation(ctx)
	}
	// A document that the action itself asked for is what the time counts from.
	if err := s.arrival(ctx); err != nil {
		return "", err
	}
	if err := s.sleep(ctx, s.p.After); err != nil {
		return "", err
	}
	s.b.mu.Lock()
	root := s.t.root
	coming := root != nil && (root.requested || root.loading && root.from == root.loader && root.loaded)
	came := root != nil && root.loader != s.was
	s.b.mu.Unlock()
	switch {
	case coming: // it comes later than the time allows
		if err := s.arrival(ctx); err != nil {
			return "", err
		}
		return session.RestTimed, s.sleep(ctx, s.p.Arrived)
	case came:
		return session.RestTimed, s.navigation(ctx)
	}
	any, err := s.answers(ctx)
	if err == nil && any {
		err = s.sleep(ctx, s.p.Again)
	}
	if err != nil {
		return "", err
	}
	return session.RestTimed, s.framesArrive(ctx)
}

// sleep waits a fixed time.
func (s *settling) sleep(ctx context.Context, d time.Duration) error {
	s.fixed += d
	s.b.mu.Lock()
	s.b.phase = phase{"waiting as the agent's tool does", time.Now(), d}
	s.b.mu.Unlock()
	return pause(ctx, nil, d)
}

// arrival waits until a main document that was asked for has begun to come.
func (s *settling) arrival(ctx context.Context) error {
	return s.while(ctx, func() (busy, bool) {
		what, any := s.look()
		came := s.t.root != nil && s.t.root.loader != s.was && what.key != "req"
		return what, any && !came && what.rest != session.RestFrame
	})
}

// answers waits for the requests that the action has set off up to now, at most
// the profile's time. any tells whether there were some, answered or not.
func (s *settling) answers(ctx context.Context) (any bool, err error) {
	s.b.mu.Lock()
	any = s.t.lastAsk == s.b.steps
	var mine []string
	for id, r := range s.t.open {
		if r.step == s.b.steps {
			mine = append(mine, id)
		}
	}
	s.b.mu.Unlock()
	if any {
		s.requests++
	}
	begun := time.Now()
	for {
		s.b.mu.Lock()
		open, key := 0, ""
		for _, id := range mine {
			if r := s.t.open[id]; r != nil {
				open, key = open+1, r.key
			}
		}
		changed := s.b.changed
		s.b.phase = phase{answersOf(open), begun, s.p.RequestsMax}
		s.b.mu.Unlock()
		left := s.p.RequestsMax - time.Since(begun)
		if open == 0 {
			return any, nil
		}
		if left <= 0 {
			s.late(session.RestRequests, "a request was still open: "+key)
			return any, nil
		}
		if err := pause(ctx, changed, left); err != nil {
			return any, err
		}
	}
}

// framesArrive waits for the documents of frames that are on their way, as the
// capture of the agent's tool does.
func (s *settling) framesArrive(ctx context.Context) error {
	begun := time.Now()
	return s.while(ctx, func() (busy, bool) {
		for _, f := range s.t.frames {
			if f.parent == nil || s.skip[string(f.id)] {
				continue
			}
			if f.requested || f.loading && (f.from == f.loader || !f.parsed) {
				return s.frameLoading(f, begun), true
			}
		}
		return busy{}, false
	})
}

// answersOf is what is done while requests are open.
func answersOf(n int) string {
	if n == 1 {
		return "waiting for the answer of 1 request"
	}
	return fmt.Sprintf("waiting for the answers of %d requests", n)
}
