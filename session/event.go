// Package session holds one agent's browsing session: its events, the timeline
// made of them, the policies it is read under, and the engine that makes it
// grow.
//
//	session/browser ─┐ (live)
//	replay          ─┼─▶ Event ─▶ Timeline ─▶ Policy ─▶ session/ledger ─▶ tui, report, sweep
//	transcript      ─┘ (imports)
//
// There is one type of event whoever made it. A source never knows who looks;
// a view never asks where an event came from.
package session

import (
	"time"

	"snapscope/snapshot"
)

// Kind is the kind of an event.
type Kind string

// The kinds of events.
const (
	KindStart  Kind = "start"  // the session's head: names, model, known fixed sizes
	KindUser   Kind = "user"   // a user message; starts a new agent step
	KindCall   Kind = "call"   // one request to the model; the actions it chose follow it
	KindAction Kind = "action" // a tool call
	KindResult Kind = "result" // a tool's answer; may hold a snapshot
	KindNote   Kind = "note"   // said by a person or by snapscope; the model never sees it
	KindExpiry Kind = "expiry" // the source itself cleared snapshots
	// KindCompact: the agent shortened its history; a summary stands for what was before.
	KindCompact Kind = "compact"
)

// Event is one entry of a session. Exactly the field named by Kind is set.
type Event struct {
	Seq    int        `json:"seq"` // from 1 without gaps
	Time   time.Time  `json:"time,omitzero"`
	Kind   Kind       `json:"kind"`
	Start  *Start     `json:"start,omitempty"`
	User   *Message   `json:"user,omitempty"`
	Call   *ModelCall `json:"call,omitempty"`
	Action *Action    `json:"action,omitempty"`
	Result *Result    `json:"result,omitempty"`
	Note   *Note      `json:"note,omitempty"`
	Expiry *Expiry    `json:"expiry,omitempty"`

	Compact *Compaction `json:"compact,omitempty"`
}

// Start is the head of a session.
type Start struct {
	Name        string        `json:"name,omitempty"`
	Source      string        `json:"source"` // "live", or the format it was imported from
	Agent       string        `json:"agent,omitempty"`
	Group       string        `json:"group,omitempty"` // recordings of one agent by several seats share it
	Model       string        `json:"model,omitempty"`
	Viewport    snapshot.Size `json:"viewport,omitzero"`
	System      int           `json:"system_tokens,omitempty"`     // system prompt, when known
	Definitions int           `json:"definition_tokens,omitempty"` // tool definitions, when known
	Planned     int           `json:"planned,omitempty"`           // steps of the script, when there is one
	Settle      string        `json:"settle,omitempty"`            // how pages were waited for before they were captured
	Endpoint    string        `json:"endpoint,omitempty"`          // the browser that was attached to: scheme, host and port
}

// Message is what a user said.
type Message struct {
	Text   string          `json:"text"`
	Images []snapshot.Size `json:"images,omitempty"` // pictures in it, in pixels; a zero size is not known
}

// ModelCall is one request to the model, as far as the source tells of it. It
// stands in the timeline before the actions that the model chose in it.
type ModelCall struct {
	Model   string `json:"model,omitempty"`
	Text    string `json:"text,omitempty"` // what the model said besides its tool calls
	Usage   *Usage `json:"usage,omitempty"`
	Request string `json:"request,omitempty"` // the vendor's id of the request
}

// Usage is the vendor's own count of a model call, in tokens. Input counts the
// whole request: plain, read from cache and written to it.
type Usage struct {
	Input      int `json:"input"`
	CacheRead  int `json:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
	CacheHour  int `json:"cache_write_hour,omitempty"` // of CacheWrite, what is kept for an hour
	Output     int `json:"output,omitempty"`
	// NoCache: the source does not say what of Input was read from a cache or written to one.
	NoCache bool `json:"cache_not_known,omitempty"`
}

// Add puts another call's count to u.
func (u *Usage) Add(x Usage) {
	u.Input += x.Input
	u.CacheRead += x.CacheRead
	u.CacheWrite += x.CacheWrite
	u.CacheHour += x.CacheHour
	u.Output += x.Output
	u.NoCache = u.NoCache || x.NoCache
}

// Plain is what of Input was neither read from a cache nor written to one.
func (u Usage) Plain() int { return max(0, u.Input-u.CacheRead-u.CacheWrite) }

// Action is one tool call.
type Action struct {
	ID     string         `json:"id"`
	Verb   Verb           `json:"verb,omitempty"` // in snapscope's vocabulary; empty: not a browser action it knows
	Tool   string         `json:"tool"`           // as the source names it
	Args   map[string]any `json:"args,omitempty"`
	Target *Target        `json:"target,omitempty"` // the element acted on, when there is one
	// Others are the further elements acted on: the other fields of a form, the place where a drag ends.
	Others []Target `json:"others,omitempty"`
	// Spoken: no tool call was sent. The model wrote the action into what it said, or
	// the agent looked at the page without being asked; it takes no tokens of its own.
	Spoken bool `json:"spoken,omitempty"`
	// Person: a person did it in the browser beside the agent. No model chose it, and the model is not told.
	Person bool `json:"person,omitempty"`
	// Given is what the agent gave where a person changed the arguments on their way.
	Given map[string]any `json:"given,omitempty"`
}

// Target names an element: by ref, by role and name, or by CSS.
type Target struct {
	Ref  string `json:"ref,omitempty" yaml:"ref,omitempty"`
	Role string `json:"role,omitempty" yaml:"role,omitempty"`
	Name string `json:"name,omitempty" yaml:"name,omitempty"`
	CSS  string `json:"css,omitempty" yaml:"css,omitempty"`
	Nth  int    `json:"nth,omitempty" yaml:"nth,omitempty"` // of several matches the n-th, from 1
}

// Seen says what the model really saw of a result's snapshot.
type Seen string

// What the model saw.
const (
	SeenInline      Seen = "inline"      // the snapshot's text stands in the result
	SeenIncremental Seen = "incremental" // only the changed parts; Shown holds them
	SeenExcerpt     Seen = "excerpt"     // a part of the page that the agent asked for; Shown holds it, Snapshot is nil, nothing rewrites it
	SeenLink        Seen = "link"        // a link; the text was not read with it
	SeenSpilled     Seen = "spilled"     // too large, saved elsewhere; only the notice
	SeenCut         Seen = "cut"         // the client left a part out; Shown holds what the model got, Snapshot the whole where it is known
	SeenDropped     Seen = "dropped"     // too large, the text is gone; only the notice
	SeenExpired     Seen = "expired"     // a placeholder from the start
	SeenUnasked     Seen = "unasked"     // captured for whoever watches; the tool's answer did not hold it
)

// Readable reports whether the model had the snapshot's text before it, whole or
// in its changed parts.
func (s Seen) Readable() bool {
	return s == SeenInline || s == SeenIncremental || s == ""
}

// Shows reports whether a page stood before the model, or what of one the agent's client
// left: what a retention rule counts as a snapshot.
func (s Seen) Shows() bool { return s == SeenCut || s != "" && s.Readable() }

// Result is a tool's answer to one action.
type Result struct {
	Action   string             `json:"action"` // Action.ID it answers; unknown ids are orphans
	OK       bool               `json:"ok"`
	Error    string             `json:"error,omitempty"`
	Text     string             `json:"text,omitempty"` // what the model saw besides the snapshot
	Snapshot *snapshot.Snapshot `json:"snapshot,omitempty"`
	Seen     Seen               `json:"seen,omitempty"`  // set where a snapshot was involved
	Shown    string             `json:"shown,omitempty"` // the snapshot part as it stood, where that is not Snapshot.Text
	At       int                `json:"at,omitempty"`    // bytes of Text that stood before the snapshot part; 0: nothing, or not known
	URL      string             `json:"url,omitempty"`
	Title    string             `json:"title,omitempty"`
	Millis   int64              `json:"ms,omitempty"`      // from the action's start to the capture's end
	Waited   string             `json:"waited,omitempty"`  // why the wait for quiet ended
	Rest     Rest               `json:"rest,omitempty"`    // the same for code; empty where the source does not tell
	Console  []string           `json:"console,omitempty"` // console lines and page errors since the last step
	Events   []string           `json:"events,omitempty"`  // dialogs, downloads, new tabs since the last step
	Image    string             `json:"image,omitempty"`   // screenshot: a file beside the recording
	Images   []snapshot.Size    `json:"images,omitempty"`  // pictures that the model got, in pixels; a zero size is not known
	Touched  Touched            `json:"touched,omitempty"` // what a person did to it on its way; such a step is no fair comparison
	Held     int64              `json:"held_ms,omitempty"` // how long a person held the call or its answer
	Policy   string             `json:"policy,omitempty"`  // the name of what rewrote it on its way; Shown holds what went out
	Reader   string             `json:"reader,omitempty"`  // who reads it, where one connection serves several agents: each has a context of its own
	Recipe   *Recipe            `json:"recipe,omitempty"`  // what that did; nil: nothing stood in the way of the page
}

// Touched is what a person did to a result between the server and the agent.
type Touched string

// What a person does to a result.
const (
	TouchedEdited   Touched = "edited"   // the server's answer was changed
	TouchedAnswered Touched = "answered" // a person answered, the server never had the call
	TouchedDropped  Touched = "dropped"  // it was held until the agent gave up
)

// Given reports whether the page's text came with the result: whole, in its
// changed parts, or as a text that only the agent's own client was in the way of.
// What was merely linked to, dropped or captured for whoever watches was not.
func (s Seen) Given() bool {
	switch s {
	case "", SeenInline, SeenIncremental, SeenCut, SeenSpilled:
		return true
	}
	return false
}

// Whole is the result's text as the model got it when it came.
func (r *Result) Whole() string {
	at := min(max(r.At, 0), len(r.Text))
	return r.Text[:at] + r.Showed() + r.Text[at:]
}

// Stranger is the Reader of an answer that passed between an agent and its server
// while nothing told who reads it: nothing can be taken for read before it.
const Stranger = "?"

// Showed is the snapshot part of the result as the model got it when it came.
func (r *Result) Showed() string {
	switch r.Seen {
	case SeenInline:
		if r.Shown == "" && r.Snapshot != nil {
			return r.Snapshot.Text
		}
	}
	return r.Shown
}

// Note is a remark that the model never saw.
type Note struct {
	Text string `json:"text"`
	Step int    `json:"step,omitempty"`
	// Outcome is how the session ended, where the note says who judged it so: success, failure, or another word of the judge's.
	Outcome string `json:"outcome,omitempty"`
}

// Expiry tells that the source itself cleared the snapshots of these actions.
type Expiry struct {
	IDs []string `json:"ids"`
}

// Compaction tells that the agent replaced the older part of its history by a
// summary.
type Compaction struct {
	Keep int    `json:"keep,omitempty"` // how many of the last user messages and results still stand
	Text string `json:"text,omitempty"` // what stands for the rest
}
