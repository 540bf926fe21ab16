package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// entry is one part of the history with all it will ever be.
type entry struct {
	kind   PartKind
	state  State // as it came
	seq    int
	step   int
	tokens int // as it came
	item   int // index into history.items; -1: not a result
	turns  []turn
}

// turn is a change of an entry's form from a call on.
type turn struct {
	call   int // from 1
	form   form
	tokens int
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

// now is the entry's form and tokens as it last turned.
func (e *entry) now() (form, int) {
	if n := len(e.turns); n > 0 {
		return e.turns[n-1].form, e.turns[n-1].tokens
	}
	return asCame, e.tokens
}

// item is one arrival: a user message or a tool result.
type item struct {
	id          string
	user        bool
	step        int // number of the step; 0 for a user message or an orphan
	result      *session.Result
	seen        session.Seen // what the model saw of its snapshot; "" none
	snap        int          // index into Timeline.Snaps; -1 none
	shows       bool
	asStood     bool // the snapshot part stands as the source had it
	from, to    int  // its entries
	tokens      int
	prior       int // for a part shown as it stood: the item it continues; -1 none
	rendered    policy.Rendered
	expired     bool   // as of the last call
	gone        bool   // taken by a compaction
	reason      string // of the last expiry
	placeholder string
	expiredAt   int // call of the last expiry
	expiredStep int // the last step before that call

	page, own, said, given *refSet // made when asked for, see eyes
}

// history is what an agent has been told so far under one policy.
type history struct {
	t       *session.Timeline
	plan    policy.Plan
	bare    policy.Plan // no rewrite
	r       *policy.Renderer
	entries []entry
	items   []item
	order   []int // entries in the order they stand in a request
	epochs  []epoch
	byID    map[string]int
	bySnap  map[int]int // Timeline.Snaps index to item
	lastTab map[int]int // per tab the last item that showed a snapshot
	head    [2]int      // definitions, system
	steps   []stepAt
	notes   notes
}

// epoch is the order of the entries from a call on, kept where a compaction
// changed it; entries with a later index follow in their own order.
type epoch struct {
	call  int
	order []int
	next  int // entries from here on came later
}

// stepAt says which steps an event belongs to.
type stepAt struct{ action, result int } // indexes + 1 into Timeline.Steps

type notes struct{ images, cleared, orphans int }

func newHistory(t *session.Timeline, r *policy.Renderer, plan policy.Plan, o Options) *history {
	h := &history{
		t: t, r: r, plan: plan, bare: r.Plan(policy.Full()), byID: map[string]int{}, bySnap: map[int]int{}, lastTab: map[int]int{},
		steps: make([]stepAt, len(t.Events)+1),
	}
	for i, s := range t.Steps {
		h.steps[s.ActionSeq].action = i + 1
		h.steps[s.ResultSeq].result = i + 1
	}
	h.head = [2]int{t.Start.Definitions, t.Start.System}
	if o.Definitions > 0 {
		h.head[0] = o.Definitions
	}
	if o.System > 0 {
		h.head[1] = o.System
	}
	for i, k := range [2]PartKind{PartDefinitions, PartSystem} {
		if h.head[i] > 0 {
			h.add(entry{kind: k, tokens: h.head[i], item: -1})
		}
	}
	return h
}

func (h *history) add(e entry) {
	h.order = append(h.order, len(h.entries))
	h.entries = append(h.entries, e)
}

// take puts one event into the history and answers the item it made, if any.
func (h *history) take(e *session.Event) *item {
	switch {
	case e.User != nil:
		return h.arrive(item{id: "u" + strconv.Itoa(e.Seq), user: true, snap: -1, prior: -1},
			entry{kind: PartUser, seq: e.Seq, tokens: h.r.Tokens(e.User.Text)})
	case e.Call != nil && e.Call.Text != "":
		h.add(entry{kind: PartAssistant, seq: e.Seq, tokens: h.r.Tokens(e.Call.Text), item: -1})
	case e.Action != nil:
		step := 0
		if i := h.steps[e.Seq].action; i > 0 {
			step = h.t.Steps[i-1].N
		}
		h.add(entry{kind: PartToolCall, seq: e.Seq, step: step, tokens: h.r.Tokens(callText(e.Action)), item: -1})
	case e.Result != nil:
		return h.result(e)
	case e.Expiry != nil:
		h.notes.cleared += len(e.Expiry.IDs)
	}
	return nil
}

// callText is a tool call as it is counted: the tool's name, a space and its
// arguments as JSON with sorted keys.
func callText(a *session.Action) string {
	args := a.Args
	if args == nil {
		args = map[string]any{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(args); err != nil {
		return a.Tool + " " + fmt.Sprint(args)
	}
	return a.Tool + " " + strings.TrimSuffix(b.String(), "\n")
}

// resultText is what a result says besides its snapshot.
func resultText(r *session.Result) string {
	if r.Error == "" || strings.Contains(r.Text, r.Error) {
		return r.Text
	}
	if r.Text == "" {
		return r.Error
	}
	return r.Text + "\n" + r.Error
}

// textTokens counts what a result says besides its snapshot. Where the source
// tells at which place the snapshot stood, text and snapshot together come to
// what the whole reply counts: a tokenizer joins a newline to what stands before
// it, so the two counted apart would differ from it by a token or two.
func (h *history) textTokens(it *item) int {
	text, at := resultText(it.result), it.result.At
	snap := it.shown()
	if at <= 0 || at > len(text) || snap == "" {
		return h.r.Tokens(text)
	}
	before, after := text[:at], text[at:]
	lead, first := before[strings.LastIndexByte(before, '\n')+1:], snap
	if i := strings.IndexByte(snap, '\n'); i >= 0 {
		first = snap[:i+1]
	}
	if len(first) > seamBytes {
		if i := strings.LastIndexByte(first[:seamBytes], ' '); i > 0 {
			first = first[:i]
		}
	}
	last := snap[strings.LastIndexByte(snap, '\n')+1:]
	if from := len(last) - seamBytes; from > 0 {
		if i := strings.IndexByte(last[from:], ' '); i >= 0 {
			last = last[from+i:]
		}
	}
	n := h.r.Tokens(before) + h.r.Tokens(last+after) - h.r.Tokens(last)
	if lead != "" {
		n += h.r.Tokens(lead+first) - h.r.Tokens(lead) - h.r.Tokens(first)
	}
	return max(0, n)
}

// seamBytes is how much of a snapshot beside the cut is counted again.
const seamBytes = 512

func (h *history) result(e *session.Event) *item {
	it := item{id: "r" + strconv.Itoa(e.Seq), result: e.Result, seen: seen(e.Result), snap: -1, prior: -1}
	if i := h.steps[e.Seq].result; i > 0 {
		it.step, it.snap = h.t.Steps[i-1].N, h.t.Steps[i-1].Snap
	} else {
		h.notes.orphans++
	}
	if e.Result.Image != "" {
		h.notes.images++
	}
	part, ok := h.snapshotPart(&it)
	text := entry{kind: PartResult, seq: e.Seq, step: it.step, tokens: h.textTokens(&it)}
	part.seq, part.step = e.Seq, it.step
	switch {
	case !ok:
		return h.arrive(it, text)
	case text.tokens == 0:
		return h.arrive(it, part)
	}
	return h.arrive(it, text, part)
}

func (h *history) arrive(it item, es ...entry) *item {
	n := len(h.items)
	it.from = len(h.entries)
	for _, e := range es {
		e.item = n
		it.tokens += e.tokens
		h.add(e)
	}
	it.to = len(h.entries)
	h.byID[it.id] = n
	if it.snap >= 0 {
		h.bySnap[it.snap] = n
	}
	h.items = append(h.items, it)
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
	s := it.seen
	switch s {
	case "":
		return e, false
	case session.SeenLink, session.SeenSpilled, session.SeenDropped, session.SeenExpired:
		e.state = map[session.Seen]State{
			session.SeenLink: Linked, session.SeenSpilled: Spilled,
			session.SeenDropped: Dropped, session.SeenExpired: Expired,
		}[s]
		e.tokens = h.r.Tokens(it.result.Shown)
		return e, it.result.Shown != ""
	}
	it.shows = true
	whole := it.snap >= 0 && h.t.Snaps[it.snap].Snap.Text != ""
	if h.plan.Rewrites() && whole {
		it.rendered = h.plan.Render(h.t, it.snap)
		e.tokens, e.state = it.rendered.Tokens, Live
		switch {
		case it.rendered.Kind == strategy.KindUnchanged: // a message: it holds no snapshot
			e.state, it.shows = Unchanged, false
		case it.rendered.Base >= 0:
			e.state = Delta
		}
	} else {
		it.asStood = true
		e.state = Live
		if s == session.SeenInline && it.result.Shown == "" && it.snap >= 0 {
			e.tokens = h.plainTokens(it.snap)
		} else {
			e.tokens = h.r.Tokens(it.shown())
		}
		h.continues(it, s, &e)
	}
	return e, true
}

// continues ties an incremental reply to the snapshot before it in its tab.
func (h *history) continues(it *item, s session.Seen, e *entry) {
	tab := 0
	if it.result.Snapshot != nil {
		tab = it.result.Snapshot.Tab
	}
	if last, ok := h.lastTab[tab]; ok && s == session.SeenIncremental {
		it.prior, e.state = last, Delta
	}
	h.lastTab[tab] = len(h.items)
}

// shown is the snapshot part as the source had it.
func (it *item) shown() string {
	if it.result.Shown == "" && it.result.Snapshot != nil && it.seen == session.SeenInline {
		return it.result.Snapshot.Text
	}
	return it.result.Shown
}

func (h *history) plainTokens(snap int) int {
	return h.bare.Render(h.t, snap).Tokens
}

// position is where an entry stands in the order; the head's length where it is
// gone.
func (h *history) position(k int) int {
	if len(h.epochs) == 0 {
		return k
	}
	for i, e := range h.order {
		if e == k {
			return i
		}
	}
	return 0
}

// tokensBefore sums the entries before a position as they last turned.
func (h *history) tokensBefore(pos int) int {
	n := 0
	for _, k := range h.order[:pos] {
		_, t := h.entries[k].now()
		n += t
	}
	return n
}

// messages counts the messages from a position of the order on: the parts of
// one event are one.
func (h *history) messages(pos int) int {
	n, last := 0, -1
	for _, k := range h.order[min(pos, len(h.order)):] {
		e := &h.entries[k]
		if f, _ := e.now(); f != absent && e.seq != last {
			n, last = n+1, e.seq
		}
	}
	return n
}

// keepFrom is the first entry that stands after a compaction to the last keep
// arrivals: a kept result keeps the tool call before it.
func (h *history) keepFrom(keep int) int {
	if keep <= 0 {
		return len(h.entries)
	}
	first := max(0, len(h.items)-keep)
	if len(h.items) == 0 {
		return len(h.entries)
	}
	cut := h.items[first].from
	for k := cut - 1; k >= 0; k-- {
		if e := &h.entries[k]; e.kind == PartToolCall && e.step > 0 && e.step == h.items[first].step {
			return k
		}
	}
	return cut
}

// parts lists what a call carries, in the order of the request.
func (h *history) parts(c *Call) []Part {
	order, next := []int(nil), 0
	for _, e := range h.epochs {
		if e.call <= c.Call {
			order, next = e.order, e.next
		}
	}
	var out []Part
	sum := 0
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
	for _, k := range order {
		put(k)
	}
	for k := next; k < len(h.entries); k++ {
		put(k)
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
	if it.shownBy() && it.rendered.Base >= 0 {
		if b, ok := h.bySnap[it.rendered.Base]; ok {
			return b
		}
	}
	return -1
}

// shownBy reports whether the item's snapshot part was made by the policy.
func (it *item) shownBy() bool { return it.rendered.Kind != "" }

// Parts lists what model call n (from 1) carries, in the order of the request:
// the head, then the history. The parts' tokens sum to the call's InputTokens.
func (r *Report) Parts(n int) []Part {
	if r.hist == nil || n < 1 || n > len(r.Calls) {
		return nil
	}
	return r.hist.parts(&r.Calls[n-1])
}
