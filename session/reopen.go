package session

import (
	"context"
	"errors"
	"fmt"
)

// Watcher is a driver that notices between two steps what a person does to the
// page in the browser's own window.
type Watcher interface {
	// Watch waits until something was done. The error is ctx's, or says that the
	// browser is gone.
	Watch(ctx context.Context) error
}

// ErrUnwatched is a driver that notices nothing between its steps.
var ErrUnwatched = errors.New("this browser does not tell what is done in it")

// Watch waits until a person has done something to the page in the browser's own
// window. The error is ctx's, ErrUnwatched, or says that the browser is gone.
func (l *Live) Watch(ctx context.Context) error {
	if w, ok := l.driver().(Watcher); ok {
		return w.Watch(ctx)
	}
	return ErrUnwatched
}

func (l *Live) driver() Driver {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.o.Driver
}

// Gone is why the browser is gone; nil: it is there.
func (l *Live) Gone() error { return l.dead }

// Reopen starts another browser in place of one that is gone and goes to the page
// that the session was on last.
func (l *Live) Reopen(ctx context.Context) ([]Event, error) {
	if l.o.Reopen == nil {
		return nil, errors.New("this browser cannot be started again from here")
	}
	_ = l.driver().Close() // it is gone
	d, err := l.o.Reopen(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting the browser again: %w", err)
	}
	l.mu.Lock()
	l.o.Driver = d
	l.mu.Unlock()
	l.dead = nil
	if l.at == "" {
		return nil, nil
	}
	return l.Do(ctx, Action{Verb: VerbGoto, Tool: string(VerbGoto), Args: map[string]any{"url": l.at}})
}
