package join

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"snapscope/session"
)

// Grows is a recording that is still being written: replay.Follow's engine.
type Grows interface {
	// Step answers what came since; io.EOF: nothing for now.
	Step(ctx context.Context) ([]session.Event, error)
	// Changed is signalled when there may be more.
	Changed() <-chan struct{}
}

// Alone is the note of a session whose model calls do not pass their seat.
const Alone = "no model call passes the seat before the model API, so only the tools' side is told: is the agent pointed at it?"

// lateness is how long an event of the model's side waits for its other half, once
// the model has been given the answer: by then the other half is written, or about
// to be. Of a tool that is not of this server there is none.
const lateness = 500 * time.Millisecond

// Follow joins two recordings while they grow, until ctx ends or both have: put
// gets each event once, in the order of Join, idle is called whenever there is
// no more for now.
//
//	model's side ──▶ in order ──▶ (waits for its other half) ──▶ put
//	server's side ─▶ by call ─────────┘
func Follow(ctx context.Context, api, mcp Grows, put func(session.Event), idle func()) error {
	f := follower{api: api, mcp: mcp, put: put}
	for ctx.Err() == nil {
		err := f.read(ctx)
		wait := f.joinAll(time.Now(), false)
		if err != nil {
			f.joinAll(time.Now(), true)
			idle()
			return err
		}
		if wait <= 0 {
			idle()
			wait = time.Hour
		}
		if err := f.changed(ctx, wait); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// follower is a joiner that is fed as the recordings grow.
type follower struct {
	api, mcp Grows
	put      func(session.Event)
	j        joiner
	queue    []session.Event // of the model's side, not joined yet
	since    time.Time       // when the first of them began to wait
	raw      []session.Event // of the server's side, until a model call is heard of
	heard    bool            // the model's side tells of calls
	deaf     time.Time       // since when it tells of none though tools are called
	alone    bool            // the server's side is told alone
}

// read takes in all that both recordings hold now.
func (f *follower) read(ctx context.Context) error {
	server, err := all(ctx, f.mcp)
	for _, e := range server {
		f.server(e)
	}
	if err != nil {
		return err
	}
	model, err := all(ctx, f.api)
	f.queue = append(f.queue, model...)
	f.heard = f.heard || slices.ContainsFunc(model, func(e session.Event) bool { return e.Call != nil })
	if f.heard {
		f.raw = nil
	}
	return err
}

// onlyTools tells the server's side as it is where tools are called and no model
// call was ever heard of, which comes before them. wait is as in joinAll.
func (f *follower) onlyTools(now time.Time) (wait time.Duration) {
	if !f.alone {
		if !slices.ContainsFunc(f.raw, func(e session.Event) bool { return e.Action != nil }) {
			return 0
		}
		if f.deaf.IsZero() {
			f.deaf = now
		}
		if left := 4*lateness - now.Sub(f.deaf); left > 0 {
			return left
		}
		f.alone = true
		f.raw = append(f.raw, session.Event{Kind: session.KindNote, Time: now, Note: &session.Note{Text: Alone}})
	}
	for _, e := range f.raw {
		f.put(e)
	}
	f.raw = nil
	return 0
}

func all(ctx context.Context, g Grows) (out []session.Event, err error) {
	for {
		events, err := g.Step(ctx)
		out = append(out, events...)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
}

func (f *follower) server(e session.Event) {
	if !f.heard {
		f.raw = append(f.raw, e)
	}
	f.j.server(e)
}

// joinAll puts what has its other half, or has waited for it long enough; force:
// all there is. wait is how long the next event may still wait; 0: as long as it
// takes.
func (f *follower) joinAll(now time.Time, force bool) (wait time.Duration) {
	if f.alone || !f.heard {
		return f.onlyTools(now)
	}
	for len(f.queue) > 0 {
		e := f.queue[0]
		if f.lacks(e) && !force {
			if !f.due(e) { // a call that is held, or that the server is at
				return 0
			}
			if f.since.IsZero() {
				f.since = now
			}
			if left := lateness - now.Sub(f.since); left > 0 {
				return left
			}
		}
		f.queue, f.since = f.queue[1:], time.Time{}
		f.j.take(e)
		for _, e := range f.j.out {
			f.put(e)
		}
		f.j.out = f.j.out[:0]
	}
	return 0
}

// lacks reports whether the other half of an event is not there yet.
func (f *follower) lacks(e session.Event) bool {
	switch {
	case e.Action != nil:
		return f.j.find(e.Action) < 0
	case e.Result != nil:
		s := f.j.pair[e.Result.Action]
		return s != nil && s.result == nil
	}
	return false
}

// due reports whether the model has been given a call's answer.
func (f *follower) due(e session.Event) bool {
	if e.Result != nil {
		return true
	}
	return slices.ContainsFunc(f.queue, func(o session.Event) bool {
		return o.Call != nil || o.Result != nil && o.Result.Action == e.Action.ID
	})
}

// changed waits until either recording grew, at most for a time.
func (f *follower) changed(ctx context.Context, most time.Duration) error {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-f.api.Changed():
	case <-f.mcp.Changed():
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
