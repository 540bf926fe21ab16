// Package record makes a session of what passes before a model API: what the
// user said, the model calls with the vendor's own count, the tool calls the
// model made and what came of them, and what a retention rule took out.
//
//	relay.Exchange ─▶ Recorder ─▶ session.Event (through replay/transcript's readers) ─▶ recording
//
// Every request carries its whole history, so what is new in it is found by the
// ids of tool calls and the users' words that were told before. An agent makes
// other calls beside its conversation (titles, summaries, helpers of its own):
// the first conversation that brings tools is the session, and of the others a
// note tells what they cost.
package record

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"snapscope/replay/proxy/api"
	"snapscope/replay/proxy/api/relay"
	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/snapshot"
)

// Options say how a session is told.
type Options struct {
	Put   func(session.Event)
	Count func(string) int // counts the system prompt and the tool definitions; nil: they are not
	Start session.Start    // what is known before the first call
}

// Recorder tells the session. It is for one goroutine.
type Recorder struct {
	o     Options
	told  *transcript.Told
	early []note // from before the session's head
	main  *conversation
	sides []*conversation

	images int // of the result that is being told
	// Calls are the model calls of the session that were answered.
	Calls int
	// Beside sums what the calls beside the session cost, SideCalls how many they
	// were.
	Beside    session.Usage
	BesideOf  map[string]session.Usage // the same by model
	SideCalls int
}

type note struct {
	text string
	when time.Time
}

// New makes a recorder.
func New(o Options) *Recorder {
	if o.Start.Source == "" {
		o.Start.Source = "api-seat"
	}
	return &Recorder{o: o}
}

// Take tells of one exchange.
func (r *Recorder) Take(x relay.Exchange) {
	if x.Counts {
		return
	}
	for _, t := range x.Trouble {
		r.note(t, x.Ended)
	}
	if x.HeldFor > 0 {
		r.note(fmt.Sprintf("a model call was held for %.1f s", x.HeldFor.Seconds()), x.Ended)
	}
	if x.Request == nil {
		return
	}
	c := r.find(x.Request)
	if c != r.main || c == nil {
		r.beside(c, x)
		return
	}
	r.open(x)
	r.history(x)
	r.call(x)
}

// open writes the session's head before its first event.
func (r *Recorder) open(x relay.Exchange) {
	if r.told != nil {
		return
	}
	s := r.o.Start
	if x.Request != nil {
		s.Model = x.Request.Model
		if r.o.Count != nil {
			s.Definitions, s.System = r.o.Count(string(x.Request.Tools)), r.o.Count(x.Request.SystemText())
		}
	}
	if s.Agent == "" {
		s.Agent = agentName(x.Agent)
	}
	r.told = transcript.Tell(s, transcript.Options{}, r.put)
	for _, n := range r.early {
		r.told.Note(n.text, n.when)
	}
	r.early = nil
}

func (r *Recorder) put(e session.Event) {
	if e.Result != nil && r.images > 0 && len(e.Result.Images) == 0 {
		e.Result.Images = make([]snapshot.Size, r.images)
	}
	r.o.Put(e)
}

func (r *Recorder) note(text string, when time.Time) {
	if r.told == nil {
		r.early = append(r.early, note{text, when})
		return
	}
	r.told.Note(text, when)
}

// Close writes what there is of a session that never had a call.
func (r *Recorder) Close() {
	if r.told == nil && len(r.early) > 0 {
		r.open(relay.Exchange{})
	}
}

// history tells what is new in a request's history.
func (r *Recorder) history(x relay.Exchange) {
	c, q := r.main, x.Request
	keys := keysOf(q)
	c.kept = c.kept || q.Previous != ""
	switch {
	case !c.kept:
		r.shrink(x, keys)
	case c.answers[q.Previous] && q.Previous != c.last:
		r.note("the agent went back to an earlier point of its history", x.Begun)
	}
	modelTurn := false
	for i := range q.Blocks {
		k, key := &q.Blocks[i], keys[i]
		model := k.Role == api.Model || k.Role == api.Call
		if model && !modelTurn {
			r.turn(x, keys, i)
		}
		modelTurn = model
		if key == "" || c.has[key] {
			continue
		}
		c.add(key)
		switch k.Role {
		case api.User:
			text, _ := q.Said(i)
			r.told.User(text, x.Begun)
		case api.Call:
			r.told.Action(k.ID, k.Name, k.Args, x.Begun)
		case api.Result:
			r.images = k.Images
			r.told.Result(transcript.Answer{ID: k.ID, Text: k.Text, Failed: k.Failed, When: x.Begun})
			r.images = 0
		}
	}
}

// turn tells of a model call that is known from the history alone: of a session
// that began before this seat did, or one whose answer could not be read.
func (r *Recorder) turn(x relay.Exchange, keys []string, i int) {
	c, q := r.main, x.Request
	var text string
	fresh := false
	for ; i < len(q.Blocks); i++ {
		k := &q.Blocks[i]
		if k.Role == api.Call {
			fresh = fresh || !c.has[keys[i]]
			continue
		}
		if k.Role != api.Model {
			break
		}
		if text == "" {
			text = k.Text
		}
	}
	if fresh && c.half { // the answer was cut off on its way here, not on the client's
		c.half = false
		return
	}
	if fresh {
		r.told.Call(session.ModelCall{Model: q.Model, Text: text}, x.Begun)
	}
}

// shrink tells that the client shortened its history, where it did.
func (r *Recorder) shrink(x relay.Exchange, keys []string) {
	c := r.main
	now := map[string]bool{}
	for _, k := range keys {
		now[k] = true
	}
	lost, lostResults, lastKept, firstLost := 0, 0, -1, len(c.keys)
	for i, k := range c.keys {
		if now[k] {
			lastKept = i
			continue
		}
		lost++
		firstLost = min(firstLost, i)
		if k[0] == 'r' {
			lostResults++
		}
	}
	switch {
	case lost == 0 || lostResults == 0 && lost < len(c.keys):
		return
	case lastKept >= 0 && firstLost > lastKept:
		r.note("the agent went back to an earlier point of its history", x.Begun)
		c.forget(now)
		return
	}
	keep, tail := 0, map[string]bool{}
	for i := len(c.keys) - 1; i >= 0 && now[c.keys[i]]; i-- {
		tail[c.keys[i]] = true
		if c.keys[i][0] != 'c' {
			keep++
		}
	}
	c.forget(now)
	r.told.Compacted(r.summary(x.Request, keys, tail), keep, x.Begun)
}

// summary is what a shortened history says before what it kept of the old one,
// and marks it as told. What a user said last, with nothing behind it, is new.
func (r *Recorder) summary(q *api.Request, keys []string, tail map[string]bool) string {
	var said []int
	for i, k := range keys {
		if tail[k] || k != "" && k[0] != 'u' {
			break
		}
		if k != "" {
			said = append(said, i)
		}
	}
	if n := len(said); n > 1 && len(tail) == 0 && said[n-1] == len(keys)-1 {
		said = said[:n-1]
	}
	var parts []string
	for _, i := range said {
		text, _ := q.Said(i)
		parts = append(parts, text)
		if !r.main.has[keys[i]] {
			r.main.add(keys[i])
		}
	}
	return strings.Join(parts, "\n")
}

// call tells of the call itself.
func (r *Recorder) call(x relay.Exchange) {
	var gone []string
	for _, k := range x.Cleared {
		if k.New {
			gone = append(gone, k.ID)
		}
	}
	if len(gone) > 0 {
		r.told.Expired(gone, x.Begun)
	}
	a := x.Answer
	if a.Usage == nil && (a.Error != "" || x.Status == 0 || x.Status >= 400) {
		what := a.Error
		if what == "" {
			what = "nothing"
		}
		r.note(fmt.Sprintf("the model API answered a call with status %d: %s", x.Status, what), x.Ended)
		return
	}
	request := a.ID
	if request == "" {
		request = x.Vendor
	}
	model := a.Model
	if model == "" {
		model = x.Request.Model
	}
	r.Calls++
	r.told.Call(session.ModelCall{Model: model, Text: a.Text, Usage: a.Usage, Request: request}, x.Begun)
	if x.Answered {
		r.note("a person answered this call in the model's place", x.Ended)
	}
	// Of half an answer a client carries out nothing, unless it says so. Gemini's calls
	// have no id before the client gives them one in its next request.
	r.main.half = !a.Whole || slices.ContainsFunc(a.Calls, func(k api.ToolCall) bool { return k.ID == "" })
	r.main.answered(a.ID)
	if r.main.half {
		return
	}
	times := map[string]int{}
	for _, key := range keysOf(x.Request) {
		times[strings.TrimRight(key, "+")]++
	}
	for _, k := range a.Calls {
		key := "c:" + k.ID
		r.main.add(numbered(key, times[key]))
		times[key]++
		r.told.Action(k.ID, k.Name, k.Args, x.Ended)
	}
}

// beside notes a call that is not of the session's conversation.
func (r *Recorder) beside(c *conversation, x relay.Exchange) {
	if c != nil {
		c.answered(x.Answer.ID)
		for _, key := range keysOf(x.Request) {
			if key != "" && !c.has[key] {
				c.add(key)
			}
		}
	}
	u := x.Answer.Usage
	if u == nil {
		return
	}
	r.SideCalls++
	r.Beside.Add(*u)
	name := x.Answer.Model
	if name == "" {
		name = x.Request.Model
	}
	if r.BesideOf == nil {
		r.BesideOf = map[string]session.Usage{}
	}
	of := r.BesideOf[name]
	of.Add(*u)
	r.BesideOf[name] = of
	what := "it brings no tools"
	if len(x.Request.Tools) > 0 {
		what = "another history"
	}
	r.note(fmt.Sprintf("a call of the agent's beside the session (%s): model %s, %d tokens in, %d out", what, x.Request.Model, u.Input, u.Output), x.Ended)
}
