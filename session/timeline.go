package session

import (
	"fmt"
	"net/url"
	"slices"

	"snapscope/snapshot"
	"snapscope/snapshot/strategy"
)

// Step is an action with its result, numbered from 1 in the order the results
// came.
type Step struct {
	N         int
	Action    *Action
	Result    *Result
	Call      int // index into Timeline.Calls of the call that chose the action; -1: none
	AgentStep int // user messages before the action
	Snap      int // index into Timeline.Snaps; -1: the result holds no snapshot
	ActionSeq int // Seq of the action's event
	ResultSeq int // Seq of the result's event
	Document  int // the document in view after the result, counted from 1; 0 not known
}

// Call is one request to the model: the events before Seq are what it carries.
type Call struct {
	N     int        // from 1
	Seq   int        // Seq of its own event, or of the first action it chose
	Model *ModelCall // nil: implied, the source does not tell of model calls
}

// Snap is one result that holds a snapshot.
type Snap struct {
	Step     int // index into Timeline.Steps
	Document int // the document it shows, counted from 1: an element is a document and a ref
	Moment   strategy.Moment
	Snap     *snapshot.Snapshot
	Seen     Seen
	Reader   string // who reads it, see Result.Reader
	// Again: this reader asked for the page for the second time with nothing between.
	// The first did not serve, so every policy leaves this one as it is.
	Again bool

	past pastOf
}

// Past is what a snapshot's renderings depend on besides its own page. Its
// slices are not to be changed.
type Past struct {
	Lineage  string            // a digest of the snapshot and all before it: equal ones render equally
	Readable []int             // indexes into Timeline.Snaps of those before it that its reader was given and still has
	Moments  []strategy.Moment // of those
	Anew     Whole             // why that reader has none from before the first of them; "" nothing was forgotten
	Epoch    int               // how often that reader's context began anew before it
	Visited  []string          // a name for each document before it, oldest first
	Prev     int               // index of the last snapshot of the document before; -1 none
}

// Past tells what went before snapshot i.
func (t *Timeline) Past(i int) Past {
	p := &t.Snaps[i].past
	return Past{
		Lineage: p.lineage, Prev: p.prev, Readable: p.readable, Moments: p.moments, Anew: p.anew, Epoch: p.epoch,
		Visited: t.visited[:p.visits:p.visits],
	}
}

// pastOf is what a snapshot's renderings depend on besides its own page. It is
// kept as pieces of lists that only grow, so that no rendering walks the session.
type pastOf struct {
	lineage  string            // a digest of this snapshot and all before it: equal ones render equally
	readable []int             // snapshots before it that its reader was given and still has
	moments  []strategy.Moment // of those
	anew     Whole
	epoch    int
	visits   int // documents before it
	prev     int // index of the last snapshot of the document before; -1 none
}

// Timeline is a session put in order: its events, and the steps, model calls
// and snapshots found in them. It only grows; what it hands out is not to be
// changed. Not safe for concurrent use: a reader beside a writer takes View.
type Timeline struct {
	Start  Start
	Events []Event
	Steps  []Step
	Snaps  []Snap

	told  []int // see Told
	index *Index

	released int   // snapshots before this one were let go,
	held     []int // but these

	Outcome   string // how it ended, as it was last judged; empty: nobody did
	Orphans   int    // results whose action never stood before them
	Reach     int    // bytes of pages that a reader is held to have before it begins anew; 0: see reach
	agentStep int
	open      map[string]openAction
	order     []opened // the open actions, oldest first, and some that are answered by now
	readers   map[string]*reading
	documents documents
	visited   []string // a name for each document, in the order they were seen
	real      []Call
	implied   []Call
}

// opened is where an action was opened: an id that is used again names another.
type opened struct {
	id  string
	seq int
}

// stillOpen reports whether an opened action has no result yet.
func (t *Timeline) stillOpen(o opened) bool {
	at, ok := t.open[o.id]
	return ok && at.seq == o.seq
}

type openAction struct {
	action    *Action
	seq       int
	agentStep int
	real      int // index of the real call before it, -1 none
	implied   int
}

// NewTimeline puts events in order.
func NewTimeline(events []Event) *Timeline {
	t := &Timeline{}
	for _, e := range events {
		t.Append(e)
	}
	return t
}

// Append adds one event. A Seq that is not in order is put right.
func (t *Timeline) Append(e Event) {
	e.Seq = len(t.Events) + 1
	t.Events = append(t.Events, e)
	switch {
	case e.Start != nil:
		t.Start = *e.Start
	case e.User != nil:
		t.agentStep++
	case e.Note != nil && e.Note.Outcome != "":
		t.Outcome = e.Note.Outcome
	case e.Call != nil:
		t.real = append(t.real, Call{N: len(t.real) + 1, Seq: e.Seq, Model: e.Call})
	case e.Action != nil:
		t.action(e)
	case e.Result != nil:
		t.result(e)
	case e.Compact != nil:
		for _, c := range t.readers {
			c.anew(AnewCompacted)
		}
	}
}

func (t *Timeline) action(e Event) {
	if t.open == nil {
		t.open = map[string]openAction{}
	}
	t.order = append(t.order, opened{e.Action.ID, e.Seq})
	if e.Action.Person { // no call chose it
		t.open[e.Action.ID] = openAction{e.Action, e.Seq, t.agentStep, -1, -1}
		return
	}
	if len(t.open) == 0 { // actions chosen together share a call
		t.implied = append(t.implied, Call{N: len(t.implied) + 1, Seq: e.Seq})
	}
	t.open[e.Action.ID] = openAction{e.Action, e.Seq, t.agentStep, len(t.real) - 1, len(t.implied) - 1}
}

func (t *Timeline) result(e Event) {
	t.tell(e)
	o, ok := t.open[e.Result.Action]
	if !ok {
		t.Orphans++
		return
	}
	delete(t.open, e.Result.Action)
	if len(t.order) > 2*len(t.open)+16 { // now and then, so that a long list is not walked for each result
		t.order = slices.DeleteFunc(t.order, func(o opened) bool { return !t.stillOpen(o) })
	}
	call := o.real
	if len(t.real) == 0 {
		call = o.implied
	}
	s := Step{
		N: len(t.Steps) + 1, Action: o.action, Result: e.Result, Call: call,
		AgentStep: o.agentStep, Snap: -1, ActionSeq: o.seq, ResultSeq: e.Seq,
	}
	document, name := t.documents.of(o.action, e.Result)
	s.Document = document
	if sn := e.Result.Snapshot; sn != nil {
		s.Snap = len(t.Snaps)
		tool := string(o.action.Verb)
		if tool == "" {
			tool = o.action.Tool
		}
		t.Snaps = append(t.Snaps, Snap{
			Step: len(t.Steps), Document: document, Snap: sn, Seen: e.Result.Seen,
			Moment: strategy.Moment{
				Step: s.N, Tool: tool, Failed: !e.Result.OK, Tab: sn.Tab, Document: name,
				URL: sn.URL, AgentStep: o.agentStep, Size: len(sn.Text),
			},
			Reader: e.Result.Reader,
		})
	}
	t.reads(o.action, e.Result, s.Snap)
	t.Steps = append(t.Steps, s)
}

// trace notes what snapshot i's renderings will depend on.
func (t *Timeline) trace(i int, c *reading) {
	s := &t.Snaps[i]
	s.past = pastOf{readable: c.readable[:len(c.readable):len(c.readable)], moments: c.moments[:len(c.moments):len(c.moments)], anew: c.why, epoch: c.epoch, prev: -1}
	before := ""
	if i > 0 {
		l := &t.Snaps[i-1]
		before = l.past.lineage
		s.past.prev = l.past.prev
		if l.Document != s.Document || l.Snap.URL != s.Snap.URL {
			s.past.prev = i - 1
		}
	}
	s.past.visits = len(t.visited)
	if i == 0 || s.past.prev == i-1 {
		name := s.Snap.Title
		if name == "" {
			name = s.Snap.URL
		}
		t.visited = append(t.visited, name)
	} else if s.past.visits > 0 {
		s.past.visits--
	}
	s.past.lineage = snapshot.HashText(fmt.Sprintf("%s %s %p %v %s %q %v %d", before, s.Snap.Hash, s.Snap, s.Moment, s.Seen, s.Reader, s.Again, c.epoch))
}

// Calls lists the model calls: the source's own where it tells of any, else one
// before each action or group of actions that ran together.
func (t *Timeline) Calls() []Call {
	if len(t.real) > 0 {
		return t.real
	}
	return t.implied
}

// Site is the host of the first page that has one; "" where none has.
func (t *Timeline) Site() string {
	for i := range t.Snaps {
		if u, err := url.Parse(t.Snaps[i].Snap.URL); err == nil && u.Host != "" {
			return u.Host
		}
	}
	return ""
}

// Release lets the pages of old snapshots go, for whoever looks at a session as it
// goes by: all but the last keep, as many that the model could read, and the last
// one of the document before. What was released is empty from then on, and no
// rendering of it may be asked for.
func (t *Timeline) Release(keep int) {
	n := len(t.Snaps)
	if n == 0 {
		return
	}
	prev, old, read := t.Snaps[n-1].past.prev, t.held, []int(nil)
	for _, c := range t.readers {
		read = append(read, c.readable[max(0, len(c.readable)-keep):]...)
	}
	for i := t.released; i < n-keep; i++ {
		old = append(old, i)
	}
	t.released = max(t.released, n-keep)
	t.held = nil
	for _, i := range old {
		if i == prev || slices.Contains(read, i) {
			t.held = append(t.held, i)
			continue
		}
		s := t.Snaps[i].Snap
		s.Text, s.Boxes, s.Notes = "", nil, nil
	}
}

// ReleaseForgotten lets the pages go that no reader has any more. What was released
// is empty from then on.
func (t *Timeline) ReleaseForgotten() {
	n := len(t.Snaps)
	if n == 0 {
		return
	}
	first, prev := n-1, t.Snaps[n-1].past.prev
	for _, c := range t.readers {
		if len(c.readable) > 0 {
			first = min(first, c.readable[0])
		}
	}
	for ; t.released < first; t.released++ {
		if s := t.Snaps[t.released].Snap; t.released != prev {
			s.Text, s.Boxes, s.Notes = "", nil, nil
		}
	}
}

// Open lists the actions that have no result yet, oldest first.
func (t *Timeline) Open() []*Action {
	out := make([]*Action, 0, len(t.open))
	for _, o := range t.order {
		if t.stillOpen(o) {
			out = append(out, t.open[o.id].action)
		}
	}
	return out
}

// View is a copy that a reader may keep, and append to, while t grows: neither
// sees what is appended to the other.
func (t *Timeline) View() *Timeline {
	c := *t
	c.Events = t.Events[:len(t.Events):len(t.Events)]
	c.Steps = t.Steps[:len(t.Steps):len(t.Steps)]
	c.Snaps = t.Snaps[:len(t.Snaps):len(t.Snaps)]
	c.told = t.told[:len(t.told):len(t.told)]
	c.real = t.real[:len(t.real):len(t.real)]
	c.implied = t.implied[:len(t.implied):len(t.implied)]
	c.readers = make(map[string]*reading, len(t.readers))
	for name, r := range t.readers {
		own := *r
		own.readable = r.readable[:len(r.readable):len(r.readable)]
		own.moments = r.moments[:len(r.moments):len(r.moments)]
		c.readers[name] = &own
	}
	c.visited = t.visited[:len(t.visited):len(t.visited)]
	c.order = slices.Clone(t.order)
	c.documents = t.documents.clone()
	c.open = make(map[string]openAction, len(t.open))
	for k, v := range t.open {
		c.open[k] = v
	}
	return &c
}
