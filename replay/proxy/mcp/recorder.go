package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"snapscope/replay/proxy"
	"snapscope/replay/transcript/reply"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot"
	"snapscope/snapshot/mask"
	"snapscope/snapshot/notation"
)

// patience is how long the wire waits for a rewrite or a breakpoint; then the
// original bytes go, and a call that a breakpoint may stop is held.
const patience = 500 * time.Millisecond

// maxQueue is how many bytes of messages may wait to be recorded. What comes
// after that is not recorded, and the recording says so.
const maxQueue = 256 << 20

// maxBacklog is how many bytes may wait for a call to be passed on at once: beyond
// it the call waits until they are recorded, as an answer does, and for as long.
const maxBacklog = 16 << 20

// endPatience is how long the end of a seat waits for what is still to be recorded.
// No answer that was passed on is among it.
const endPatience = time.Second

// maxStory bounds the page text that is held in memory for breakpoints, in bytes.
const maxStory = 256 << 20

// recorder turns messages into events, on a goroutine of its own. What the wire waits
// for is its steps (see step); the steps of one batch share one sync. All fields below
// the line are that goroutine's.
type recorder struct {
	p        *Proxy
	mu       sync.Mutex
	jobs     []job
	size     int
	over     bool // the queue was full
	shut     bool
	wake     chan struct{}
	room     chan struct{} // something was recorded
	done     chan struct{}
	patience time.Duration // how long the wire waits for an answer of this; see patience

	// ---
	sink     session.Sink
	dirty    bool
	start    session.Start
	begun    bool
	mask     *mask.Masker
	story    *session.Timeline // for breakpoints; nil: none is set
	told     int               // bytes of page text in story
	renderer *policy.Renderer  // of story
	losses   *ledger.Losses    // of story
	policy   *policy.Policy
	inline   bool
	breaks   conditions
	after    string // the condition that came true with the last step; "" none
	got      receipts
	page     snapshot.Snapshot // the last page as the server gave it, to tell a password field by its ref
}

type job struct {
	size int
	do   func(*recorder)
	done chan struct{} // of a job that ends a step: closed when the step is kept; see Options.Sync
}

// kept tells whoever waits for a job that there is nothing more to wait for.
func (j job) kept() {
	if j.done != nil {
		close(j.done)
	}
}

func newRecorder(p *Proxy) *recorder {
	r := &recorder{
		p: p, patience: patience, wake: make(chan struct{}, 1), room: make(chan struct{}, 1), done: make(chan struct{}),
		sink: p.o.Sink, mask: mask.New(false), policy: p.o.Policy, inline: p.o.Inline,
		start: session.Start{Source: "mcp-seat", Group: p.run.Group},
	}
	r.got = receipts{find: p.o.Transcript, sent: map[string]sentAnswer{}, who: map[string]string{}, offs: map[string]int64{}}
	go r.loop()
	return r
}

// post queues work; it never waits.
func (r *recorder) post(size int, do func(*recorder)) { r.queue(job{size: size, do: do}) }

// step queues work that ends a step. The answer is closed when the step is kept.
func (r *recorder) step(size int, do func(*recorder)) <-chan struct{} {
	j := job{size, do, make(chan struct{})}
	r.queue(j)
	return j.done
}

func (r *recorder) queue(j job) {
	r.mu.Lock()
	if r.shut || r.size+j.size > maxQueue {
		r.over = r.over || !r.shut
		r.mu.Unlock()
		j.kept()
		return
	}
	r.size += j.size
	r.jobs = append(r.jobs, j)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// wait waits while much is to be recorded.
func (r *recorder) wait() {
	t := time.NewTimer(diskPatience)
	defer t.Stop()
	for {
		r.mu.Lock()
		much := r.size > maxBacklog && !r.shut
		r.mu.Unlock()
		if !much {
			return
		}
		select {
		case <-r.room:
		case <-r.done:
			return
		case <-t.C:
			return
		}
	}
}

// ticket is a question to the recorder whose asker may have stopped waiting.
type ticket struct {
	state atomic.Int32 // 0 open, 1 answered, 2 given up
	done  chan struct{}
}

// claim is for the recorder: it reports whether the asker still waits, and then
// lets it go on after f.
func (t *ticket) claim(f func()) bool {
	if t == nil || !t.state.CompareAndSwap(0, 1) {
		return false
	}
	f()
	close(t.done)
	return true
}

// over reports whether the asker waits no longer.
func (t *ticket) over() bool { return t.state.Load() == 2 }

// ask queues work and waits for it to be claimed, at most for a time; ok reports
// whether that happened. The work may end a step: kept is closed as step's answer is,
// and nil where the asker gave up waiting.
func (r *recorder) ask(ctx context.Context, size int, do func(*recorder, *ticket)) (ok bool, kept <-chan struct{}) {
	t := &ticket{done: make(chan struct{})}
	kept = r.step(size, func(r *recorder) {
		defer func() {
			if f := recover(); f != nil {
				if t.state.CompareAndSwap(0, 2) {
					close(t.done)
				}
				panic(f)
			}
		}()
		do(r, t)
	})
	timer := time.NewTimer(r.patience)
	defer timer.Stop()
	select {
	case <-t.done:
		return t.state.Load() == 1, kept
	case <-ctx.Done():
	case <-timer.C:
	}
	if t.state.CompareAndSwap(0, 2) {
		return false, nil
	}
	<-t.done
	return t.state.Load() == 1, kept
}

func (r *recorder) loop() {
	defer close(r.done)
	for {
		r.mu.Lock()
		jobs, shut, over := r.jobs, r.shut, r.over
		r.jobs, r.over = nil, false
		r.mu.Unlock()
		for i, j := range jobs {
			r.run(j)
			jobs[i].do = nil // it holds its message
			r.mu.Lock()
			r.size -= j.size
			r.mu.Unlock()
			select {
			case r.room <- struct{}{}:
			default:
			}
		}
		if over {
			r.run(job{do: func(r *recorder) {
				r.note("the recording could not keep up: messages after this are missing")
			}})
		}
		if len(jobs) > 0 {
			r.keep(jobs)
			continue
		}
		if shut {
			return
		}
		<-r.wake
	}
}

func (r *recorder) run(j job) {
	defer func() {
		if f := recover(); f != nil {
			r.p.fault(f)
		}
	}()
	if !r.p.plain() {
		j.do(r)
	}
}

func (r *recorder) close() error {
	r.mu.Lock()
	r.shut = true
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
	t := time.NewTimer(endPatience)
	defer t.Stop()
	select {
	case <-r.done:
	case <-t.C:
		r.p.o.Log(fmt.Sprintf("recording what came last took more than %v: it is not in the recording", endPatience))
		return nil // the recorder still writes
	}
	if c, ok := r.sink.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}

// keep brings what jobs have recorded as far as Options.Sync asks, and then lets
// those go on that wait for their steps. What ends no step only goes to the file.
func (r *recorder) keep(jobs []job) {
	ends := slices.ContainsFunc(jobs, func(j job) bool { return j.done != nil })
	if ends && r.p.o.Sync == proxy.SyncStep {
		r.sync()
	} else if f, ok := r.sink.(interface{ Flush() error }); ok {
		if err := f.Flush(); err != nil {
			r.lost(err)
		}
	} else {
		r.sync()
	}
	for _, j := range jobs {
		j.kept()
	}
	if ends {
		r.sync() // behind the wire's back, where it was not done before it
	}
}

func (r *recorder) sync() {
	if r.sink == nil || !r.dirty {
		return
	}
	r.dirty = false
	if err := r.sink.Sync(); err != nil {
		r.lost(err)
	}
}

// lost goes on without a recording.
func (r *recorder) lost(err error) {
	r.sink = nil
	r.p.mute.Store(true)
	r.p.o.Log(fmt.Sprintf("the recording ends here, the session goes on: %v", err))
	r.p.update(func(x *proxy.Run) { x.Recording = "" })
}

// put records one event.
func (r *recorder) put(e session.Event) {
	if !r.begun {
		r.begun = true
		start := r.start
		r.put(session.Event{Kind: session.KindStart, Start: &start})
		if what := idle(r.policy); what != "" {
			r.note(what)
		}
	}
	e.Time = time.Now().UTC()
	r.tell(e)
	if r.sink == nil {
		return
	}
	if err := r.sink.Append(e); err != nil {
		r.lost(err)
	}
	r.dirty = true
}

// tell makes an event part of the story, where there is one.
func (r *recorder) tell(e session.Event) {
	if r.story == nil {
		return
	}
	if e.Result != nil && e.Result.Snapshot != nil {
		r.told += len(e.Result.Snapshot.Text)
	}
	if r.told > maxStory {
		r.remember()
	}
	r.story.Append(e)
}

// remember begins the story.
func (r *recorder) remember() {
	r.story, r.told, r.renderer = session.NewTimeline(nil), 0, policy.NewRenderer(r.p.o.Count)
	r.losses = ledger.NewLosses(r.story, r.renderer)
}

// recall begins the story with what was recorded before a breakpoint was set.
func (r *recorder) recall() {
	r.remember()
	if !r.begun {
		return
	}
	if f, ok := r.sink.(interface{ Flush() error }); ok {
		_ = f.Flush()
	}
	if r.p.o.Past == nil || r.sink == nil {
		r.note("breakpoints know of the session from here on: what came before is not recorded")
		return
	}
	past, err := r.p.o.Past()
	for _, e := range past {
		r.tell(e)
	}
	if err != nil {
		r.note("breakpoints may not know all of what came before: " + err.Error())
	}
}

func (r *recorder) note(text string) {
	r.put(session.Event{Kind: session.KindNote, Note: &session.Note{Text: r.mask.Text(text)}})
}

// held notes what happens to a hold. It is called by the holds and only queues.
func (r *recorder) held(n proxy.HoldNotice) {
	r.post(0, func(r *recorder) {
		h := n.Hold
		what := h.Tool
		if h.What == proxy.HeldResult {
			what = "the result of " + h.Tool
		}
		if n.Decision == nil {
			r.note(fmt.Sprintf("held: %s %s (%s)", what, r.masked(h.Args), h.Why))
			return
		}
		r.note(fmt.Sprintf("%s after %.1f s: %s, by %s", what, time.Since(h.Since).Seconds(), outcome(h, *n.Decision), n.Decision.By))
	})
}

func outcome(h proxy.Hold, d proxy.Decision) string {
	switch {
	case d.Do == proxy.Drop && h.What == proxy.HeldCall:
		return "dropped, the server never had it"
	case d.Do == proxy.Drop:
		return "dropped"
	case d.Do == proxy.Answer:
		return "answered in the server's place"
	case len(d.Args) > 0:
		return "went on with other arguments"
	case len(d.Result) > 0:
		return "went on with another result"
	}
	return "went on"
}

// masked is a JSON object with its secrets masked.
func (r *recorder) masked(raw []byte) string {
	args := r.maskedArgs(raw)
	b, err := json.Marshal(args)
	if err != nil || args == nil {
		return ""
	}
	return clip(string(b), 500)
}

func (r *recorder) maskedArgs(raw []byte) map[string]any {
	args := object(raw)
	r.mask.Args(args, r.line)
	return args
}

// line is how the page shows the element of a handle.
func (r *recorder) line(handle string) string {
	line, _ := notation.LineOf(r.page.Text, r.page.Dialect, notation.BareRef(handle))
	return line
}

func object(raw []byte) map[string]any {
	var m map[string]any
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// called records a call that went to the server; given are the arguments as the
// agent gave them, where a person changed them.
func (r *recorder) called(v *view, c *asked, given []byte) {
	r.receive(v, c.thread)
	mean := reply.Explain(c.tool, object(c.args), v.browser)
	v.open[c.action] = mean
	v.wire.Append(session.Event{Kind: session.KindAction, Action: &session.Action{ID: c.action, Verb: mean.Verb, Tool: c.tool, Target: mean.Target}})
	r.put(session.Event{Kind: session.KindAction, Action: r.action(c, mean, given)})
}

func (r *recorder) action(c *asked, mean reply.Call, given []byte) *session.Action {
	a := &session.Action{ID: c.action, Verb: mean.Verb, Tool: c.tool, Args: r.maskedArgs(c.args)}
	if mean.Target != nil {
		t := *mean.Target
		t.CSS = r.mask.Text(t.CSS)
		a.Target = &t
	}
	for _, o := range mean.Others {
		o.CSS = r.mask.Text(o.CSS)
		a.Others = append(a.Others, o)
	}
	if given != nil {
		a.Given = r.maskedArgs(given)
	}
	return a
}

// maskedResult is a result with its secrets masked.
func (r *recorder) maskedResult(in *session.Result, tool string, args []byte) *session.Result {
	if in.Snapshot != nil {
		r.page = *in.Snapshot
	}
	return in.Masked(r.mask, mask.AsksForCookies(tool, object(args)))
}
