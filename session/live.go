package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"snapscope/snapshot"
	"snapscope/snapshot/mask"
)

// LiveOptions say what a live session is made of.
type LiveOptions struct {
	Driver    Driver
	Script    []Action // steps to come, in order
	Sink      Sink     // nil: nothing is recorded
	Start     Start
	Recording string           // the sink's file, for views
	Clock     func() time.Time // times of events
	// Reopen starts another browser in place of one that is gone; nil: there is no way.
	Reopen func(ctx context.Context) (Driver, error)
	// OnAsk models an agent that is shown the page by the snapshot action alone.
	// Else every answer holds it, but those of blind verbs.
	OnAsk bool
	// KeepSecrets leaves typed passwords, tokens and cookies as they stand in
	// the events. Without it the browser gets them, and nobody else.
	KeepSecrets bool
}

// SecretFields is a driver that knows which fields take secrets.
type SecretFields interface {
	TakesSecret(ctx context.Context, a Action) bool
}

// Live is the engine of a session that happens now. It is not safe for
// concurrent use, apart from Close.
type Live struct {
	o       LiveOptions
	pending []Action
	early   []Event // made before the first step: handed out with it
	seq     int
	ids     int
	dead    error
	mask    *mask.Masker
	page    *snapshot.Snapshot // the last one
	at      string             // URL of the page as the last result has it

	mu sync.Mutex // guards o.Driver, which Close ends while a step runs
}

// NewLive begins a live session and records its start.
func NewLive(o LiveOptions) (*Live, error) {
	if o.Clock == nil {
		return nil, errors.New("a live session needs a clock")
	}
	if o.Start.Source == "" {
		o.Start.Source = string(ModeLive)
	}
	l := &Live{o: o, pending: o.Script, mask: mask.New(o.KeepSecrets)}
	for _, a := range o.Script {
		if a.Verb != VerbUser && a.Verb != VerbNote {
			l.o.Start.Planned++
		}
	}
	start := l.o.Start
	if err := l.emit(&l.early, Event{Kind: KindStart, Start: &start}); err != nil {
		return nil, err
	}
	return l, l.sync()
}

// Info says where the session is.
func (l *Live) Info() Info {
	return Info{Mode: ModeLive, Name: l.o.Start.Name, Recording: l.o.Recording, Planned: l.o.Start.Planned}
}

// Pending lists the script's actions to come.
func (l *Live) Pending() []Action { return l.pending }

// Changed never signals: a live session grows by Step and Do alone.
func (l *Live) Changed() <-chan struct{} { return nil }

// Step carries out the script up to and including its next browser action.
func (l *Live) Step(ctx context.Context) ([]Event, error) {
	var out []Event
	for len(l.pending) > 0 {
		a := l.pending[0]
		l.pending = l.pending[1:]
		ev, err := l.Do(ctx, a)
		out = append(out, ev...)
		if err != nil || (a.Verb != VerbUser && a.Verb != VerbNote) {
			return out, err
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	return nil, io.EOF
}

// Do carries out one action, records it and its result and syncs the recording.
// An action that fails is a result that says so; the error is for a browser
// that is gone or a recording that cannot be written.
func (l *Live) Do(ctx context.Context, a Action) ([]Event, error) {
	out := l.early
	l.early = nil
	var err error
	switch a.Verb {
	case VerbUser:
		err = l.emit(&out, Event{Kind: KindUser, User: &Message{Text: l.mask.Text(a.Text("text"))}})
	case VerbNote:
		err = l.emit(&out, Event{Kind: KindNote, Note: &Note{Text: l.mask.Text(a.Text("text"))}})
	default:
		err = l.act(ctx, a, &out)
	}
	if serr := l.sync(); serr != nil {
		unrecorded(out, serr)
		if err == nil {
			err = serr
		}
	}
	return out, err
}

// unrecorded makes failures of results that are not on the disk: a step is done
// when the recording has it.
func unrecorded(events []Event, why error) {
	for i, e := range events {
		if e.Result == nil || !e.Result.OK {
			continue
		}
		r := *e.Result
		r.OK, r.Error = false, "done in the page and not recorded: "+why.Error()
		events[i].Result = &r
	}
}

func (l *Live) act(ctx context.Context, a Action, out *[]Event) error {
	if l.dead != nil {
		return l.dead
	}
	l.ids++
	a.ID = "a" + strconv.Itoa(l.ids)
	told := l.masked(ctx, a)
	if err := l.emit(out, Event{Kind: KindAction, Action: &told}); err != nil {
		return err
	}
	begun := l.o.Clock()
	res, derr := l.driver().Do(ctx, a)
	if res == nil {
		res = &Result{}
	}
	if res.URL != "" {
		l.at = res.URL
	}
	if derr != nil {
		res.OK = false
		res.Error = derr.Error()
		if ctx.Err() != nil {
			res.Error = fmt.Sprintf("cancelled after %s", l.o.Clock().Sub(begun).Round(time.Millisecond))
			derr = nil
		}
	}
	res.Action = a.ID
	if res.Snapshot != nil && res.Seen == "" {
		res.Seen = SeenInline
		if a.Verb != VerbSnapshot && (l.o.OnAsk || a.Verb.Blind()) {
			res.Seen = SeenUnasked
		}
	}
	l.maskResult(a, res)
	if err := l.emit(out, Event{Kind: KindResult, Result: res}); err != nil {
		return err
	}
	if derr != nil {
		l.dead = fmt.Errorf("%s: %w", told.Label(), derr)
		return l.dead
	}
	return nil
}

func (l *Live) emit(out *[]Event, e Event) error {
	l.seq++
	e.Seq = l.seq
	e.Time = l.o.Clock().UTC()
	*out = append(*out, e)
	if l.o.Sink == nil {
		return nil
	}
	if err := l.o.Sink.Append(e); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	return nil
}

func (l *Live) sync() error {
	if l.o.Sink == nil {
		return nil
	}
	if err := l.o.Sink.Sync(); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	return nil
}

// Shooter is a driver that can take a picture of the page.
type Shooter interface {
	Screenshot(ctx context.Context) ([]byte, error) // a PNG of the viewport
}

// Screenshot is a PNG of the page as it is now.
func (l *Live) Screenshot(ctx context.Context) ([]byte, error) {
	s, ok := l.driver().(Shooter)
	if !ok {
		return nil, errors.New("this browser gives no pictures")
	}
	return s.Screenshot(ctx)
}

// Close ends the browser and the recording.
func (l *Live) Close() error {
	err := l.driver().Close()
	if c, ok := l.o.Sink.(io.Closer); ok {
		if cerr := c.Close(); err == nil {
			err = cerr
		}
	}
	return err
}
