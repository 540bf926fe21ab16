package ledger

import (
	"slices"
	"strconv"

	"snapscope/session"
	"snapscope/session/agents"
	"snapscope/session/policy"
	"snapscope/snapshot"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
)

// entry is one part of the history with all it will ever be.
type entry struct {
	kind   PartKind
	state  State // as it came
	seq    int
	step   int
	weight     // as it came
	item   int // index into history.items; -1: not a result
	turns  []turn
}

// turn is a change of an entry's form from a call on.
type turn struct {
	call int // from 1
	form form
	weight
}

// form is how an entry stands in a request.
type form uint8

const (
	asCame  form = iota
	cleared      // a placeholder stands for it
	absent       // nothing: another entry's placeholder, or a summary, stands for it
)

// at is the entry's form and tokens in a call.
func (e *entry) at(call int) (form, int) {
	for i := len(e.turns) - 1; i >= 0; i-- {
		if e.turns[i].call <= call {
			return e.turns[i].form, e.turns[i].tokens
		}
	}
	return asCame, e.tokens
}

// now is the entry's form and weight as it last turned.
func (e *entry) now() (form, weight) {
	if n := len(e.turns); n > 0 {
		return e.turns[n-1].form, e.turns[n-1].weight
	}
	return asCame, e.weight
}

// item is one arrival: a user message or a tool result.
type item struct {
	seq      int // of its event
	user     bool
	step     int // number of the step; 0 for a user message or an orphan
	result   *session.Result
	seen     session.Seen // what the model saw of its snapshot; "" none
	place    int          // see where; -1: it tells of no page
	snap     int          // index into Timeline.Snaps; -1 none
	live     bool         // it holds a snapshot that can be read
	asStood  bool         // the snapshot part stands as the source had it
	document int          // the document in view after it, see session.Step; 0 not known
	from, to int          // its entries
	part     int          // of them, the snapshot part; -1 none
	weight
	prior    int // for a part shown as it stood: the item it continues; -1 none
	rendered policy.Rendered
	expired  bool      // as of the last call
	gone     bool      // taken by a compaction
	by       *clearing // the last expiry; nil none
	age      age       // as the retention rule counts it

	tied        bool // to the item it is read on top of,
	above, next int  // by the lists of items that are read on top of one: indexes + 1

	page, stood *notation.Text // made when asked for, see reading.go
}

// clearing is how a retention rule cleared an item.
type clearing struct {
	rule        strategy.Rule
	placeholder string
	call        int
	step        int // the last step before the call
}

// clearedAt is the call before which an item was cleared last; 0 none.
func (it *item) clearedAt() int {
	if it.by == nil {
		return 0
	}
	return it.by.call
}

// history is what an agent has been told so far under one policy.
type history struct {
	t       *session.Timeline
	plan    policy.Plan
	sends   *policy.Reader // what goes out of each page
	asSent  bool           // everything stands as the source had it
	client  *agents.Cut
	scale   float64 // tokens of the figures for one of our own count
	r       *policy.Renderer
	entries []entry
	items   []item
	heads   int            // entries that stand first in every request
	sums    []int          // the summaries, which stand behind them, the newest first
	sumsCut int            // so many of the oldest are gone
	tail    []int          // the other entries, in their order; what a compaction took is cut off
	said    int            // messages in the request besides the head: the parts of one event are one
	kept    int            // the first item that no compaction took
	callOf  []int          // by step number: the entry of its tool call + 1
	byCall  map[string]int // an action's id to the item of its result
	bySnap  []int          // Timeline.Snaps index to item + 1; 0 not here yet
	view    int            // the document that the last step's result left in view; 0 not known
	last    int            // the number of the last step
	lastTab map[int]int    // per tab the last item that showed a snapshot
	head    [2]int         // definitions, system
	steps   []stepAt
	notes   notes
	picture pictureCount
	weighed []snapshotValue

	unweighed bool // nobody asks what its pages weigh

	stepped, located int // so many steps and pages of the session are noted, see grows

	where
	at    map[int]address // of the documents
	loads map[address]int // documents of each
}

// id is what a retention rule calls an item.
func (it *item) id() string { return strconv.Itoa(it.seq) }

// called is the index of the item that a retention rule calls so.
func (h *history) called(id string) (int, bool) {
	seq, err := strconv.Atoi(id)
	if err != nil || seq < 0 || seq >= len(h.steps) || h.steps[seq].item == 0 {
		return 0, false
	}
	return h.steps[seq].item - 1, true
}

// stepAt says which steps, which item and which place an event belongs to.
type stepAt struct{ action, result, item, place int } // indexes + 1 into Timeline.Steps, history.items and where.told

// notes counts what the figures do not show.
type notes struct {
	pictures int // not counted: their size or the rule is not known
	counted  int // pictures that are
	cleared  int // snapshots that the session's own agent cleared
	orphans  int // results without an action
	unbuilt  int // changed parts of pages that could not be put together
	linked   int // pages that the model had a link to
	noticed  int // pages that are known only from a notice: too large, the text gone
	cut      int // pages of which the client left a part out
	pages    int // pages known, of whatever form
}

func newHistory(t *session.Timeline, plan policy.Plan, o Options, scale float64) *history {
	steps, arrivals, parts := len(t.Steps), 0, 0
	for i := range t.Events {
		switch e := &t.Events[i]; {
		case e.User != nil:
			arrivals++
		case e.Result != nil:
			arrivals++
			parts++ // its text and its page
		case e.Action == nil && (e.Call == nil || e.Call.Text == ""):
			continue
		}
		parts++
	}
	h := &history{
		items: make([]item, 0, arrivals), entries: make([]entry, 0, parts+2), tail: make([]int, 0, parts),
		t: t, r: o.Renderer, plan: plan, sends: sends(t, plan), asSent: o.asSent, unweighed: o.only > 0, scale: scale, client: o.Client, lastTab: map[int]int{},
		byCall: make(map[string]int, steps+16), picture: picturesFor(modelOf(t, o.Model)),
		at: map[int]address{}, loads: map[address]int{}, where: where{front: map[int]int{}, again: map[address][]int{}},
	}
	h.grows()
	h.head = [2]int{t.Start.Definitions, t.Start.System}
	if o.Definitions > 0 {
		h.head[0] = o.Definitions
	}
	if o.System > 0 {
		h.head[1] = o.System
	}
	for i, k := range [2]PartKind{PartDefinitions, PartSystem} {
		if h.head[i] > 0 {
			h.entries = append(h.entries, entry{kind: k, weight: h.weigh(h.head[i]), item: -1})
			h.heads++
		}
	}
	return h
}

func (h *history) add(e entry) {
	if n := len(h.entries); n == 0 || h.entries[n-1].seq != e.seq {
		h.said++
	}
	h.tail = append(h.tail, len(h.entries))
	h.entries = append(h.entries, e)
}

// take puts one event into the history and answers the item it made, if any.
func (h *history) take(e *session.Event) *item {
	switch {
	case h.byHand(e): // the model is not told
	case e.User != nil:
		said := []entry{{kind: PartUser, seq: e.Seq, weight: h.weigh(h.r.Tokens(e.User.Text))}}
		return h.arrive(item{seq: e.Seq, user: true, snap: -1, prior: -1, place: -1}, h.pictures(said, e.User.Images)...)
	case e.Call != nil && e.Call.Text != "":
		h.add(entry{kind: PartAssistant, seq: e.Seq, weight: h.weigh(h.r.Tokens(e.Call.Text)), item: -1})
	case e.Action != nil:
		step := 0
		if i := h.steps[e.Seq].action; i > 0 {
			step = h.t.Steps[i-1].N
			h.callOf[step] = len(h.entries) + 1
		}
		h.add(entry{kind: PartToolCall, seq: e.Seq, step: step, weight: h.weigh(h.r.Tokens(callText(e.Action))), item: -1})
	case e.Result != nil:
		return h.result(e)
	case e.Expiry != nil:
		h.notes.cleared += len(e.Expiry.IDs)
	}
	return nil
}

// byHand reports whether an event is of what a person did beside the agent.
func (h *history) byHand(e *session.Event) bool {
	if e.Action != nil {
		return e.Action.Person
	}
	i := h.steps[e.Seq].result
	return i > 0 && h.t.Steps[i-1].Action.Person
}

func (h *history) result(e *session.Event) *item {
	it := item{seq: e.Seq, result: e.Result, seen: seen(e.Result), snap: -1, prior: -1, place: h.steps[e.Seq].place - 1}
	if i := h.steps[e.Seq].result; i > 0 {
		st := &h.t.Steps[i-1]
		it.step, it.snap, it.document = st.N, st.Snap, st.Document
	} else {
		h.notes.orphans++
	}
	h.byCall[e.Result.Action] = len(h.items)
	part, ok := h.snapshotPart(&it)
	var es []entry
	if n := h.textTokens(&it); n > 0 || !ok {
		es = append(es, entry{kind: PartResult, weight: h.weigh(n)})
	}
	images := e.Result.Images
	if len(images) == 0 && e.Result.Image != "" {
		images = []snapshot.Size{{}}
	}
	es = h.pictures(es, images)
	if ok {
		es = append(es, part)
	}
	for i := range es {
		es[i].seq, es[i].step = e.Seq, it.step
	}
	return h.arrive(it, es...)
}

func (h *history) arrive(it item, es ...entry) *item {
	n := len(h.items)
	it.from = len(h.entries)
	for _, e := range es {
		e.item = n
		it.tokens += e.tokens
		it.own += e.own
		h.add(e)
	}
	it.to, it.part = len(h.entries), -1
	if k := it.to - 1; k >= it.from && h.entries[k].kind == PartSnapshot {
		it.part = k
	}
	h.steps[it.seq].item = n + 1
	if it.snap >= 0 {
		h.bySnap[it.snap] = n + 1
	}
	if it.result != nil && it.step > 0 {
		h.view, h.last = it.document, it.step
	}
	h.items = append(h.items, it)
	if it.place >= 0 {
		h.here(n)
	}
	return &h.items[n]
}

// seen is what the model saw of a result's snapshot; "" none.
func seen(r *session.Result) session.Seen {
	switch {
	case r.Seen == "" && r.Snapshot != nil:
		return session.SeenInline
	case r.Seen == session.SeenUnasked: // for the watcher's eyes only
		return ""
	}
	return r.Seen
}

// snapshotPart is the snapshot part of a result under the policy; ok is false
// where the result has none.
func (h *history) snapshotPart(it *item) (e entry, ok bool) {
	e.kind = PartSnapshot
	h.remark(it)
	known := h.known(it)
	switch {
	case it.seen == "":
		return e, false
	case it.seen == session.SeenExcerpt: // its elements can be read, it stands with the result's text
		it.asStood = true
		return e, false
	case it.seen.Given() && known && !h.asSent:
		sent := h.sends.Page(h.t, it.snap, it.result.Text)
		it.live, it.rendered = true, sent.Rendered
		h.lastTab[it.tab()] = len(h.items)
		e.weight, e.state = h.weigh(it.rendered.Tokens+h.r.Tokens(sent.Grammar)), Live
		switch {
		case h.cutByClient(it):
			e.weight, e.state = h.weigh(h.r.Tokens(it.result.Shown)), Cut
		case it.rendered.Kind == strategy.KindUnchanged: // a message: it holds no snapshot
			e.state, it.live = Unchanged, false
		case it.rendered.Base >= 0:
			e.state = Delta
		}
		return e, true
	case !it.seen.Readable():
		e.state = map[session.Seen]State{
			session.SeenLink: Linked, session.SeenSpilled: Spilled, session.SeenCut: Cut,
			session.SeenDropped: Dropped, session.SeenExpired: Expired,
		}[it.seen]
		it.asStood, it.live = it.seen.Given(), it.seen == session.SeenCut
		e.weight = h.weigh(h.r.Tokens(it.result.Shown))
		return e, it.result.Shown != ""
	}
	it.asStood, it.live, e.state = true, true, Live
	taught := 0
	if r := it.result.Recipe; r != nil {
		taught = h.r.Tokens(r.Grammar)
	}
	if h.wired(it) {
		e.weight = h.weigh(it.rendered.Tokens + taught)
		h.lastTab[it.tab()] = len(h.items)
		return e, true
	}
	if it.result.Shown == "" && known {
		e.weight = h.weigh(h.plainTokens(it.snap))
	} else {
		e.weight = h.weigh(h.r.Tokens(it.asShown()) + taught)
	}
	h.continues(it, &e)
	return e, true
}

// known reports whether all that the model was given of an item's page is known.
func (h *history) known(it *item) bool {
	return it.snap >= 0 && known(h.t.Snaps[it.snap].Snap, it.seen)
}

// remark counts what a reader of the figures should know of a result's page.
func (h *history) remark(it *item) {
	n := &h.notes
	n.pages += b2i(it.snap >= 0 || it.seen == session.SeenExcerpt || it.seen.Readable() && it.seen != "")
	switch {
	case it.seen == session.SeenLink:
		n.linked++
	case it.seen == session.SeenCut, it.seen == session.SeenSpilled:
		n.cut++
	case it.seen == session.SeenDropped:
		n.noticed++
	}
	if (it.seen == session.SeenIncremental || it.seen == session.SeenCut) && !h.known(it) {
		n.unbuilt++
	}
}

// continues ties an incremental reply to the snapshot before it in its tab.
func (h *history) continues(it *item, e *entry) {
	if last, ok := h.lastTab[it.tab()]; ok && it.seen == session.SeenIncremental {
		it.prior, e.state = last, Delta
	}
	h.lastTab[it.tab()] = len(h.items)
}

func (it *item) tab() int {
	if it.result.Snapshot != nil {
		return it.result.Snapshot.Tab
	}
	return 0
}

// asShown is the snapshot part as the source had it.
func (it *item) asShown() string {
	if it.result.Shown == "" && it.result.Snapshot != nil && it.seen == session.SeenInline {
		return it.result.Snapshot.Text
	}
	return it.result.Shown
}

func (h *history) plainTokens(snap int) int {
	if h.unweighed {
		return 0
	}
	return h.plan.Render(h.t, snap).Tokens // as sent has no rewrite
}

// parts lists what a call carries, in the order of the request.
func (h *history) parts(c *Call) []Part {
	var out []Part
	sum := c.By.Uncounted
	if sum != 0 {
		out = append(out, Part{Kind: PartUncounted, Tokens: sum, Cached: sum <= c.CachedTokens})
	}
	put := func(k int) {
		e := &h.entries[k]
		f, tokens := e.at(c.Call)
		if f == absent || e.seq >= c.Seq {
			return
		}
		sum += tokens
		p := Part{Kind: e.kind, Seq: e.seq, Step: e.step, Tokens: tokens, State: e.state, Cached: sum <= c.CachedTokens}
		if f == cleared {
			p.State = Expired
		} else if e.state == Delta {
			p.Base = h.baseStep(e.item)
		}
		out = append(out, p)
	}
	for k := range h.heads {
		put(k)
	}
	for _, k := range slices.Backward(h.sums) {
		put(k)
	}
	for k := h.heads; k < len(h.entries); k++ {
		if h.entries[k].kind != PartSummary {
			put(k)
		}
	}
	return out
}

func (h *history) baseStep(i int) int {
	if b := h.baseItem(i); b >= 0 {
		return h.items[b].step
	}
	return 0
}

// baseItem is the item that item i is read on top of; -1 none.
func (h *history) baseItem(i int) int {
	it := &h.items[i]
	if it.asStood {
		return it.prior
	}
	if it.rewritten() {
		return h.baseOf(it)
	}
	return -1
}

// rewritten reports whether the item's snapshot part was made by the policy.
func (it *item) rewritten() bool { return it.rendered.Kind != "" }

// Parts lists what model call n (from 1) carries, in the order of the request:
// the head, then the history. The parts' tokens sum to the call's InputTokens.
func (r *Report) Parts(n int) []Part {
	if r.hist == nil || n < 1 || n > len(r.Calls) {
		return nil
	}
	return r.hist.parts(&r.Calls[n-1])
}
