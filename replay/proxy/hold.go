package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Held is what kind of message waits.
type Held string

// The kinds of messages that can be held.
const (
	HeldCall   Held = "call"   // a tool call, before the server has it
	HeldResult Held = "result" // a tool's answer: what the call does has happened
	HeldModel  Held = "model"  // a request to the model
)

// Hold is one message that waits for a person.
type Hold struct {
	ID     string          `json:"id"` // h1, h2, …
	What   Held            `json:"what"`
	Why    string          `json:"why"`              // which rule stopped it, in one sentence
	Action string          `json:"action,omitempty"` // the action's id in the recording
	Tool   string          `json:"tool,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`   // the call's arguments, their secrets masked
	Result json.RawMessage `json:"result,omitempty"` // the answer, its secrets masked, for a held result
	// Key names the message's content: one with the same key joins the hold. It is
	// for clients that give up and send the same request again.
	Key   string    `json:"key,omitempty"`
	Since time.Time `json:"since"`
	// Until is when it goes by itself; zero: it waits as long as a screen is there.
	Until time.Time `json:"until,omitzero"`
}

// Do says what becomes of a held message.
type Do string

// What becomes of a held message.
const (
	Go     Do = "go"     // it goes on, edited where Args or Result is set
	Answer Do = "answer" // a held call is answered with Result and never reaches the server
	Drop   Do = "drop"   // it is thrown away, for nobody waits for its answer
)

// Then says where to stop next.
type Then string

// Where to stop next.
const (
	ThenRun    Then = ""       // at the next breakpoint; whatever else is held goes too
	ThenStep   Then = "step"   // at the next call
	ThenResult Then = "result" // at this call's own result
)

// Decision is how a hold ends.
type Decision struct {
	Do     Do              `json:"do"`
	Then   Then            `json:"then,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	By     string          `json:"by,omitempty"` // who decided: a person, the deadline, …
}

// Who decides besides a person.
const (
	ByPerson   = "a person"
	ByDeadline = "the client's limit is near"
	ByClient   = "the client gave up"
	ByScreen   = "the screen is gone"
	ByCheck    = "the breakpoints, which found nothing after all"
)

// ErrSettled ends a context with which a message waits, as its cause: what it was
// held for has turned out not to be so, and it goes on.
var ErrSettled = errors.New("what it was held for is settled")

// Rules say what is to be held. They last as long as the screen that set them.
type Rules struct {
	All     bool     `json:"all,omitempty"`     // hold every call
	Results bool     `json:"results,omitempty"` // hold every result
	Breaks  []string `json:"breaks,omitempty"`  // conditions in the words of session/breakpoint
}

// HoldNotice tells of a hold that began or ended.
type HoldNotice struct {
	Hold     Hold
	Decision *Decision // nil: it begins
}

// joinFor is how long a hold with a key outlives the request that made it.
const joinFor = 5 * time.Second

// Holds are the messages of one seat that wait, and the rules by which they are
// stopped. It is safe for concurrent use. Nothing here ever waits for a screen
// other than Wait itself, which is given up with its context, at its deadline and
// with LetGo.
type Holds struct {
	mu      sync.Mutex
	rules   Rules
	step    string          // why to stop at the next call; empty: go on
	results map[string]bool // actions whose result is to be stopped
	open    []*held
	n       int
	watch   []func(HoldNotice)
	changed []func()
}

type held struct {
	Hold
	done    chan struct{} // closed when decided
	d       *Decision
	waiting int
	timer   *time.Timer // the deadline, or the time within which to join
}

// NewHolds holds nothing.
func NewHolds() *Holds { return &Holds{results: map[string]bool{}} }

// Watch has f called for each hold that begins or ends, in order. f must not
// block and must not call h.
func (h *Holds) Watch(f func(HoldNotice)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watch = append(h.watch, f)
}

// WatchRules has f called when other rules are put in force. f must not block and
// must not call h.
func (h *Holds) WatchRules(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed = append(h.changed, f)
}

func (h *Holds) ruled() {
	for _, f := range h.changed {
		f()
	}
}

func (h *Holds) tell(n HoldNotice) {
	for _, f := range h.watch {
		f(n)
	}
}

// Rules are those in force.
func (h *Holds) Rules() Rules {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rules
	r.Breaks = slices.Clone(r.Breaks)
	return r
}

// SetRules puts rules in force.
func (h *Holds) SetRules(r Rules) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rules = r
	h.rules.Breaks = slices.Clone(r.Breaks)
	h.ruled()
}

// Quiet reports that nothing is held and nothing can be.
func (h *Holds) Quiet() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.rules.All && !h.rules.Results && h.step == "" && len(h.rules.Breaks) == 0 && len(h.open) == 0 && len(h.results) == 0
}

// Stops reports whether the next call is to be held whatever it is, and why.
func (h *Holds) Stops() (why string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.step != "":
		return h.step, true
	case h.rules.All:
		return "everything is held", true
	case len(h.open) > 0:
		return "the call before it is held", true
	}
	return "", false
}

// StopsResult reports whether the result of an action is to be held.
func (h *Holds) StopsResult(action string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rules.Results || h.results[action]
}

// StopNext stops at the next call and says why: a step, or the condition that
// came true with the step before.
func (h *Holds) StopNext(why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.step = why
}

// Next reports whether the next call is to be held whatever it is, and no rule is
// why.
func (h *Holds) Next() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.step != ""
}

// List is what is held, oldest first.
func (h *Holds) List() []Hold {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]Hold, len(h.open))
	for i, x := range h.open {
		out[i] = x.Hold
	}
	return out
}

// Wait holds a message until a person decides, its deadline has come, LetGo is
// called or ctx ends, which means that the client gave up: then it is to be
// dropped, never sent late, unless the cause is ErrSettled. limit is how long it may wait; 0: as long as it takes.
func (h *Holds) Wait(ctx context.Context, x Hold, limit time.Duration) Decision {
	h.mu.Lock()
	e := h.join(x.Key)
	if e == nil {
		e = h.begin(x, limit)
	}
	e.waiting++
	h.mu.Unlock()
	select {
	case <-e.done:
		return *e.d
	case <-ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	settled := errors.Is(context.Cause(ctx), ErrSettled)
	if e.d != nil && settled {
		return *e.d
	}
	if e.d != nil { // decided at the same moment
		return Decision{Do: Drop, By: ByClient}
	}
	e.waiting--
	gone := Decision{Do: Drop, By: ByClient}
	if settled {
		gone = Decision{Do: Go, By: ByCheck}
	}
	switch {
	case e.waiting > 0:
	case e.Key != "":
		h.arm(e, joinFor, gone)
	default:
		h.end(e, gone)
	}
	return gone
}

func (h *Holds) join(key string) *held {
	for _, e := range h.open {
		if key != "" && e.Key == key {
			h.arm(e, time.Until(e.Until), Decision{Do: Go, By: ByDeadline})
			return e
		}
	}
	return nil
}

func (h *Holds) begin(x Hold, limit time.Duration) *held {
	h.n++
	x.ID = "h" + strconv.Itoa(h.n)
	x.Since = time.Now()
	if limit > 0 {
		x.Until = x.Since.Add(limit)
	}
	e := &held{Hold: x, done: make(chan struct{})}
	h.open = append(h.open, e)
	if x.What == HeldResult {
		delete(h.results, x.Action)
	} else {
		h.step = ""
	}
	h.arm(e, limit, Decision{Do: Go, By: ByDeadline})
	h.tell(HoldNotice{Hold: x})
	return e
}

// arm ends a hold by itself after a time; 0 or, with a hold without a deadline,
// less: never.
func (h *Holds) arm(e *held, after time.Duration, d Decision) {
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
	}
	if after <= 0 && e.Until.IsZero() {
		return
	}
	e.timer = time.AfterFunc(max(after, 0), func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if d.Do == Drop && e.waiting > 0 { // somebody joined it meanwhile
			return
		}
		h.end(e, d)
	})
}

func (h *Holds) end(e *held, d Decision) {
	if e.d != nil {
		return
	}
	if e.timer != nil {
		e.timer.Stop()
	}
	e.d = &d
	close(e.done)
	h.open = slices.DeleteFunc(h.open, func(o *held) bool { return o == e })
	h.tell(HoldNotice{Hold: e.Hold, Decision: &d})
}

// Decide ends a hold. The error tells that it ended before, or that the decision
// does not fit what is held.
func (h *Holds) Decide(id string, d Decision) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.open, func(e *held) bool { return e.ID == id })
	if i < 0 {
		return fmt.Errorf("%s is not held any more", id)
	}
	e := h.open[i]
	if err := d.fits(e.Hold); err != nil {
		return err
	}
	if d.By == "" {
		d.By = ByPerson
	}
	h.step = ""
	if d.Then == ThenStep {
		h.step = "step"
	}
	if d.Then == ThenResult {
		h.results[e.Action] = true
	}
	h.end(e, d)
	if d.Then == ThenRun {
		for _, o := range slices.Clone(h.open) {
			if o.What == HeldCall || o.What == HeldModel {
				h.end(o, Decision{Do: Go, By: d.By})
			}
		}
	}
	return nil
}

func (d Decision) fits(x Hold) error {
	switch d.Do {
	case Go, Drop:
	case Answer:
		if x.What == HeldResult {
			return fmt.Errorf("%s is a result: it can be edited, not answered", x.ID)
		}
		if len(d.Result) == 0 {
			return fmt.Errorf("answering %s needs a result", x.ID)
		}
	default:
		return fmt.Errorf("what should become of %s: go, answer or drop, not %q", x.ID, d.Do)
	}
	for name, v := range map[string]json.RawMessage{"arguments": d.Args, "result": d.Result} {
		if len(v) > 0 && (!json.Valid(v) || v[skipSpace(v, 0)] != '{') {
			return fmt.Errorf("the %s must be one JSON object", name)
		}
	}
	switch {
	case len(d.Args) > 0 && x.What == HeldResult:
		return fmt.Errorf("%s is a result: its call's arguments are past", x.ID)
	case d.Then == ThenResult && x.What == HeldResult:
		return fmt.Errorf("%s is a result already", x.ID)
	}
	return nil
}

// LetGo ends every hold and every rule: the screen that made them is gone.
func (h *Holds) LetGo(by string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rules, h.step = Rules{}, ""
	h.ruled()
	clear(h.results)
	for _, e := range slices.Clone(h.open) {
		d := Decision{Do: Go, By: by}
		if e.waiting == 0 {
			d = Decision{Do: Drop, By: ByClient}
		}
		h.end(e, d)
	}
}
