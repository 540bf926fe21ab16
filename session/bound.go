package session

import (
	"fmt"
	"strings"

	"snapscope/snapshot"
)

// MaxCount is the largest count that an event may hold: of tokens, milliseconds,
// pixels, elements. It is far beyond any real one, and small enough that a million
// events add up to a number that a computer can hold.
const MaxCount = 1_000_000_000

// Bound takes out of an event what cannot be a count, because it is below zero or
// above MaxCount, and says in a few words what it took out; "" where there was
// nothing. Whoever reads events from a file asks it for each.
func (e *Event) Bound() string {
	var odd []string
	bound := func(what string, counts ...*int) {
		for _, n := range counts {
			if *n < 0 || *n > MaxCount {
				odd = append(odd, fmt.Sprintf("%s: %d", what, *n))
				*n = 0
			}
		}
	}
	sizes := func(what string, of []snapshot.Size) {
		for i := range of {
			bound(what, &of[i].W, &of[i].H)
		}
	}
	switch {
	case e.Start != nil:
		bound("tokens of the system prompt", &e.Start.System)
		bound("tokens of the tool definitions", &e.Start.Definitions)
		bound("planned steps", &e.Start.Planned)
		bound("pixels of the viewport", &e.Start.Viewport.W, &e.Start.Viewport.H)
	case e.User != nil:
		sizes("pixels of a picture", e.User.Images)
	case e.Call != nil && e.Call.Usage != nil:
		u := e.Call.Usage
		if bound("the vendor's count of a model call", &u.Input, &u.CacheRead, &u.CacheWrite, &u.Output); odd != nil {
			e.Call.Usage = nil // the four are one count
		}
	case e.Result != nil:
		r := e.Result
		if r.Millis < 0 || r.Millis > MaxCount {
			odd, r.Millis = append(odd, fmt.Sprintf("milliseconds of a step: %d", r.Millis)), 0
		}
		bound("bytes before the snapshot", &r.At)
		sizes("pixels of a picture", r.Images)
		if s := r.Snapshot; s != nil {
			bound("elements of a page", &s.Elements)
			bound("pixels of the viewport", &s.Viewport.W, &s.Viewport.H)
		}
	case e.Compact != nil:
		bound("messages that were kept", &e.Compact.Keep)
	}
	if odd == nil {
		return ""
	}
	return "left out, since it cannot be: " + strings.Join(odd[:min(4, len(odd))], ", ")
}
