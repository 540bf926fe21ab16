package proxy

import "time"

// Kind is what a seat stands before.
type Kind string

// The kinds of seats.
const (
	MCP Kind = "mcp" // an MCP server
	API Kind = "api" // a model API
)

// Run is what can be said of a running seat.
type Run struct {
	ID        string    `json:"id"`
	Kind      Kind      `json:"kind"`
	PID       int       `json:"pid"`
	Group     string    `json:"group,omitempty"`     // seats of one agent, started together, share it
	Client    string    `json:"client,omitempty"`    // name and version, as it says
	Server    string    `json:"server,omitempty"`    // name and version of the server, or the API's address
	Session   string    `json:"session,omitempty"`   // the client's own id of its session
	Site      string    `json:"site,omitempty"`      // URL of the page the agent is on
	Steps     int       `json:"steps"`               // results so far
	Held      int       `json:"held"`                // messages that wait for a person
	Rules     Rules     `json:"rules,omitzero"`      // what is to be held
	Next      bool      `json:"next,omitempty"`      // the next call is, whatever it is: a step, or a condition that came true
	Screen    int       `json:"screen,omitempty"`    // process id of the screen that steers it
	Policy    string    `json:"policy,omitempty"`    // what the wire is rewritten under; empty: nothing is
	Recording string    `json:"recording,omitempty"` // the file a screen follows
	Started   time.Time `json:"started"`
}
