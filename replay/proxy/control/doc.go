// Package control is the socket between a running seat and the screens that come
// and go: commands one way, answers and notices of holds the other.
//
//	screen ── {"v":1,"n":7,"do":"decide","hold":"h3","decision":{"do":"go"}} ──▶ seat
//	screen ◀── {"v":1,"n":7} ───────────────────────────────────────────────── seat
//	screen ◀── {"v":1,"event":"held","hold":{…}} ───────────────────────────── seat
//
// One JSON object a line, on a unix socket that only its owner can open. What the
// agent reads and does is not sent here but stands in the recording, so a slow
// screen cannot back up into the agent: one that does not take its notices is cut
// off.
//
// A screen that wants to hold anything takes the lease, alone, and renews it every
// second. When it is given back, the connection ends or three seconds pass without
// a renewal, every hold goes and every rule ends.
package control

import (
	"encoding/json"
	"time"

	"snapscope/replay/proxy"
)

// Version is the protocol's; a line with another one is answered with an error.
const Version = 1

// The lease: how long it lasts and how often a client renews it.
const (
	Lease = 3 * time.Second
	Renew = time.Second
)

// maxLine is the longest line a client may send: arguments and results that a
// person edited, with room.
const maxLine = 64 << 20

// Command is what a client asks for.
type Command string

// The commands.
const (
	Ask    Command = "run"    // what runs here
	Take   Command = "take"   // take the lease; Force takes it from another screen
	Keep   Command = "keep"   // renew the lease
	Leave  Command = "leave"  // give the lease back
	Decide Command = "decide" // end a hold
	Rules  Command = "rules"  // what is to be held
	Step   Command = "step"   // hold the next call
	Policy Command = "policy" // rewrite under this policy from the next result on
)

// request is one line from a client.
type request struct {
	V        int             `json:"v"`
	N        int             `json:"n"` // repeated in the answer
	Do       Command         `json:"do"`
	PID      int             `json:"pid,omitempty"`
	Force    bool            `json:"force,omitempty"`
	Hold     string          `json:"hold,omitempty"`
	Decision *proxy.Decision `json:"decision,omitempty"`
	Rules    *proxy.Rules    `json:"rules,omitempty"`
	Policy   json.RawMessage `json:"policy,omitempty"` // session/policy's Policy; null: rewrite nothing
}

// line is one line from a seat: an answer where N is set, else a notice.
type line struct {
	V     int          `json:"v"`
	N     int          `json:"n,omitempty"`
	Error string       `json:"error,omitempty"`
	Run   *proxy.Run   `json:"run,omitempty"`
	Holds []proxy.Hold `json:"holds,omitempty"`

	Event    Event           `json:"event,omitempty"`
	Hold     *proxy.Hold     `json:"hold,omitempty"`
	Decision *proxy.Decision `json:"decision,omitempty"`
}

// Event is what a notice tells.
type Event string

// The events.
const (
	Held   Event = "held"   // a message waits
	Gone   Event = "gone"   // a hold ended, by Decision
	Lapsed Event = "lapsed" // the lease was lost: every hold went
	Ended  Event = "ended"  // the seat has ended, or the connection did
)

// Notice is what a seat tells a client unasked.
type Notice struct {
	Event    Event
	Hold     proxy.Hold      // Held, Gone
	Decision *proxy.Decision // Gone
}
