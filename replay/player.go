package replay

import (
	"context"
	"io"

	"snapscope/session"
)

// Player is a session.Engine over events that are all there.
type Player struct {
	info   session.Info
	events []session.Event
	pos    int
}

// NewPlayer plays events under a name.
func NewPlayer(name string, events []session.Event) *Player {
	p := &Player{info: session.Info{Mode: session.ModeReplay, Name: name}, events: events}
	for _, e := range events {
		if e.Result != nil {
			p.info.Planned++
		}
	}
	return p
}

// Info says what is played; Planned is the number of its steps.
func (p *Player) Info() session.Info { return p.info }

// Events is everything there is to play, revealed or not.
func (p *Player) Events() []session.Event { return p.events }

// Step reveals the next step: all events up to and including the next result,
// with the notes and expiries that follow it. io.EOF: the session is over.
func (p *Player) Step(ctx context.Context) ([]session.Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.pos >= len(p.events) {
		return nil, io.EOF
	}
	end, _ := stepEnd(p.events, p.pos)
	out := p.events[p.pos:end:end]
	p.pos = end
	return out, nil
}

// Do answers session.ErrRecorded.
func (p *Player) Do(context.Context, session.Action) ([]session.Event, error) {
	return nil, session.ErrRecorded
}

// Pending lists the actions not revealed yet.
func (p *Player) Pending() []session.Action { return pending(p.events[p.pos:]) }

// Changed is nil: a recording does not grow.
func (p *Player) Changed() <-chan struct{} { return nil }

// Close has nothing to end.
func (p *Player) Close() error { return nil }

// stepEnd is where the step that starts at from ends; whole is false where its
// result is not there.
func stepEnd(events []session.Event, from int) (end int, whole bool) {
	for i := from; i < len(events); i++ {
		if events[i].Result == nil {
			continue
		}
		for i++; i < len(events) && (events[i].Note != nil || events[i].Expiry != nil); i++ {
		}
		return i, true
	}
	return len(events), false
}

func pending(events []session.Event) []session.Action {
	var out []session.Action
	for _, e := range events {
		if e.Action != nil {
			out = append(out, *e.Action)
		}
	}
	return out
}
