package format

import (
	"time"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
	"snapscope/session"
)

// Told makes events of a session that somebody sits in the middle of: a proxy
// between an agent and its server or its model tells it, one after another, what
// passes. The readers are those of the imports, so a session that was watched
// and one that was imported are the same to all who come after.
//
// It is not safe for concurrent use.
type Told struct{ p *importer }

// Tell begins a session; put gets its events in order. start is the session's
// head: it goes out before the first of them.
func Tell(start session.Start, o Options, put func(session.Event)) *Told {
	p := newImporter(o, &Import{Format: start.Source}, put)
	p.start = start
	return &Told{p}
}

// User tells of a user message. What an agent itself put there (reminders, its
// environment) is none.
func (t *Told) User(text string, when time.Time) {
	if !isContext(text) {
		t.p.user(text, when)
	}
}

// Call tells of a model call that was answered.
func (t *Told) Call(c session.ModelCall, when time.Time) { t.p.begin(c, when) }

// Action tells of a tool call; args is a JSON object.
func (t *Told) Action(id, tool string, args []byte, when time.Time) {
	t.p.toolCall(id, tool, argsOf(args), when, 0)
}

// Answer is a tool's answer as Told takes it.
type Answer struct {
	ID     string // of the tool call
	Text   string // as the model got it
	Failed bool
	When   time.Time
	Millis int64 // since the call; 0: told by the times, where both are known
}

// Result tells of a tool's answer.
func (t *Told) Result(a Answer) {
	text, outer := innerOutput(t.p, a.Text)
	t.p.result(answer{id: a.ID, text: text, outer: outer, failed: a.Failed, when: a.When, millis: a.Millis})
}

// Note tells something that the model never sees.
func (t *Told) Note(text string, when time.Time) { t.p.note(text, when) }

// Expired tells that the results of these tool calls were cleared.
func (t *Told) Expired(ids []string, when time.Time) { t.p.expire(ids, when) }

// Compacted tells that a summary stands for all of the history but its last keep
// user messages and results.
func (t *Told) Compacted(summary string, keep int, when time.Time) {
	t.p.compacted(summary, keep, when)
}

// ShowsPage reports whether a tool's answer shows a page, whole, in part, or what the
// agent's client left of it, by the rules the imports go by.
func ShowsPage(tool string, args []byte, text string) bool {
	p := newImporter(Options{KeepSecrets: true}, &Import{}, func(session.Event) {})
	text, outer := innerOutput(p, text)
	r := p.pages.Result(reply.Explain(tool, argsOf(args), false), reply.Answer{Action: "1", Text: text, Outer: outer})
	return r.Seen.Shows()
}

func argsOf(b []byte) map[string]any {
	var t tape.Tape
	v, err := t.Parse(b)
	if err != nil {
		return nil
	}
	return jsonArgs(v)
}
