package session

import (
	"context"
	"errors"
)

// Driver is what a live session needs of a browser. session/browser has it.
type Driver interface {
	// Do carries out one action, waits until the page is quiet and captures it.
	// A failed action is a Result with OK false and still holds the page as it
	// is where that can be had; the error is for a browser that is gone.
	Do(ctx context.Context, a Action) (*Result, error)
	// Close ends the browser (or lets go of one that was attached to) and
	// leaves no process and no folder behind.
	Close() error
}

// Sink takes events as they happen; a recording is one.
type Sink interface {
	Append(e Event) error
	Sync() error
}

// Mode says what an engine's session comes from.
type Mode string

// The modes.
const (
	ModeLive   Mode = "live"
	ModeReplay Mode = "replay"
	ModeFollow Mode = "follow" // a file another program is writing
)

// Info is what a view may say about where it is.
type Info struct {
	Mode      Mode
	Name      string
	Recording string // the file being written; empty: none
	Planned   int    // steps there will be, when known
}

// ErrRecorded is answered to an action on a session that has already happened.
var ErrRecorded = errors.New("this session is a recording: it can be looked at, not acted on; open the page with snapscope open to act")

// Engine makes a session grow, one step at a time. A live browser and a
// recording are the same to whoever looks.
type Engine interface {
	Info() Info
	// Step carries out or reveals the next step and answers the events it made,
	// in order. io.EOF: there is no next step (now).
	Step(ctx context.Context) ([]Event, error)
	// Do carries out one action out of turn.
	Do(ctx context.Context, a Action) ([]Event, error)
	// Pending lists the steps that will come, as far as they are known.
	Pending() []Action
	// Changed is signalled when Step may have more to give after io.EOF. It may
	// be nil.
	Changed() <-chan struct{}
	Close() error
}
