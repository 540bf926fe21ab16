package replay

import (
	"context"
	"io"
	"sync"

	"snapscope/session"
	"snapscope/session/guard"
)

// Source gives a Feed its events. It runs on its own goroutine until the
// session is over, its context ends or it fails.
type Source func(ctx context.Context, in *Inlet) error

// Inlet is where a Source puts events. Its methods are for one goroutine.
type Inlet struct{ feed *Feed }

// Put gives one event; it is not to be changed afterwards.
func (in *Inlet) Put(e session.Event) {
	f := in.feed
	f.mu.Lock()
	e.Seq = len(f.events) + 1
	f.events = append(f.events, e)
	if e.Result != nil {
		f.results++
	}
	f.idle = false
	wake := f.waiting
	f.mu.Unlock()
	if wake {
		signal(f.grown)
	}
}

// Idle tells that everything there is for now has been put.
func (in *Inlet) Idle() {
	f := in.feed
	f.mu.Lock()
	f.idle = true
	f.mu.Unlock()
	signal(f.grown)
	signal(f.changed)
}

// Feed is a session.Engine over events that a Source brings: a file that is
// still being read, or still being written.
type Feed struct {
	info    session.Info
	cancel  context.CancelFunc
	done    chan struct{} // closed when the source has returned
	grown   chan struct{} // to a waiting Step
	changed chan struct{} // to whoever waits after io.EOF

	mu      sync.Mutex
	events  []session.Event
	results int // among events: the steps known so far
	pos     int
	idle    bool // the source has put all there is for now
	ended   bool
	waiting bool
	err     error
}

// NewFeed starts source and plays what it brings.
func NewFeed(info session.Info, source Source) *Feed {
	ctx, cancel := context.WithCancel(context.Background())
	f := &Feed{
		info: info, cancel: cancel, done: make(chan struct{}),
		grown: make(chan struct{}, 1), changed: make(chan struct{}, 1),
	}
	go func() {
		defer close(f.done)
		err := guard.Do("playing "+info.Name, func() error { return source(ctx, &Inlet{f}) })
		f.mu.Lock()
		f.ended = true
		if ctx.Err() == nil {
			f.err = err
		}
		f.mu.Unlock()
		signal(f.grown)
		signal(f.changed)
	}()
	return f
}

// Info says what is played; Planned is the number of its steps that are known
// by now.
func (f *Feed) Info() session.Info {
	f.mu.Lock()
	defer f.mu.Unlock()
	info := f.info
	info.Planned = f.results
	return info
}

// Step reveals the next step, waiting for it while the source is at work.
// io.EOF: there is none now. What a session ends with after its last result, an
// action still running for instance, is revealed as a step of its own once the
// source is idle. A source's failure is answered once, after everything it
// brought.
func (f *Feed) Step(ctx context.Context) ([]session.Event, error) {
	for {
		f.mu.Lock()
		end, whole := stepEnd(f.events, f.pos)
		atRest := f.idle || f.ended
		if (whole && (end < len(f.events) || atRest)) || (atRest && end > f.pos) {
			out := f.events[f.pos:end:end]
			f.pos, f.waiting = end, false
			f.mu.Unlock()
			return out, nil
		}
		if atRest {
			err := f.err
			f.err, f.waiting = nil, false
			f.mu.Unlock()
			if err == nil {
				err = io.EOF
			}
			return nil, err
		}
		f.waiting = true
		f.mu.Unlock()
		select {
		case <-f.grown:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Do answers session.ErrRecorded.
func (f *Feed) Do(context.Context, session.Action) ([]session.Event, error) {
	return nil, session.ErrRecorded
}

// Pending lists the actions that are known and not revealed yet.
func (f *Feed) Pending() []session.Action {
	f.mu.Lock()
	defer f.mu.Unlock()
	return pending(f.events[f.pos:])
}

// Changed is signalled when the source has brought more, or has ended.
func (f *Feed) Changed() <-chan struct{} { return f.changed }

// Close ends the source and waits for it.
func (f *Feed) Close() error {
	f.cancel()
	<-f.done
	return nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
