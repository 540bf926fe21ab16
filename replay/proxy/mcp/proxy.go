package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"snapscope/replay/proxy"
	"snapscope/session"
	"snapscope/session/agents"
	"snapscope/session/policy"
)

// Options are what a seat is started with.
type Options struct {
	ID        string
	Sink      session.Sink // the recording; nil: none
	Sync      proxy.Sync   // what an answer waits for; "": proxy.SyncStep
	Recording string       // the sink's file, for screens
	// Past reads what the sink holds, for a breakpoint that is set in the middle of a
	// session; nil: it knows what comes after.
	Past      func() ([]session.Event, error)
	Policy    *policy.Policy // what the wire is rewritten under; nil: bytes pass as they come
	OneAgent  bool           // one agent alone reads what goes through, where the client does not tell
	Inline    bool           // put the text of a linked snapshot into the answer
	Lift      int            // raise the client's limit of a tool's text to so many characters, where a server can; 0: no
	CallLimit time.Duration  // how long the client waits for a call; 0: what session/agents knows of it
	Count     func(string) int
	Roots     []string // folders in which the server's files lie
	Session   string   // the client's id of its session, where the environment tells it
	// Transcript finds the client's own transcript by its session or thread; nil: it
	// is not looked at. See TranscriptOf.
	Transcript func(session, thread string) string
	Log        func(line string) // a line for stderr
	Anyone     bool              // over HTTP: serve other machines, which call this one by some name
}

// Proxy is one seat. It is safe for concurrent use.
type Proxy struct {
	o       Options
	holds   *proxy.Holds
	rec     *recorder
	started time.Time
	beat    time.Duration // how often a client hears that its held call is alive
	faults  atomic.Int32  // panics so far; from the second on bytes are copied and no more
	mute    atomic.Bool   // nothing is recorded (any more)
	late    sync.Once     // that the disk is slow has been said

	mu    sync.Mutex
	links int
	lanes int
	run   proxy.Run
	calls int
	// mirrors are the arguments that HTTP headers repeat, by tool.
	mirrors map[string][]mirror
}

// errTwice is what the recording says when the seat gives up on itself.
var errTwice = errors.New("a second fault in the seat: from here on bytes are copied and nothing else is done")

// New starts a seat's recorder.
func New(o Options) *Proxy {
	if o.Count == nil {
		o.Count = func(s string) int { return (len(s) + 3) / 4 }
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	o.Sync = cmp.Or(o.Sync, proxy.SyncStep)
	p := &Proxy{o: o, holds: proxy.NewHolds(), beat: beatEvery, started: time.Now()}
	p.mute.Store(o.Sink == nil)
	p.run = proxy.Run{
		ID: o.ID, Kind: proxy.MCP, PID: os.Getpid(), Group: os.Getenv("SNAPSCOPE_GROUP"), Session: o.Session,
		Recording: o.Recording, Started: p.started.UTC(), Policy: policyName(o.Policy, o.Inline),
	}
	if what := idle(o.Policy); what != "" {
		o.Log(what)
	}
	p.rec = newRecorder(p)
	p.holds.Watch(p.rec.held)
	p.holds.WatchRules(func() { p.rec.post(0, func(r *recorder) { r.refresh() }) })
	return p
}

func policyName(p *policy.Policy, inline bool) string {
	var parts []string
	if inline {
		parts = append(parts, "inline")
	}
	if p != nil && (p.Rewrites() || !inline) {
		parts = append(parts, p.Name)
	}
	return strings.Join(parts, " + ")
}

// Holds are the seat's holds, for the control socket.
func (p *Proxy) Holds() *proxy.Holds { return p.holds }

// Run says what runs.
func (p *Proxy) Run() proxy.Run {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run
}

func (p *Proxy) update(f func(r *proxy.Run)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.run)
}

// diskPatience is how long an answer waits for its step to be recorded: a disk that
// hangs must not stop an agent.
const diskPatience = 5 * time.Second

// ready is what an answer waits for whose step is recorded by then: nil where nothing
// is to be waited for.
func (p *Proxy) ready(kept <-chan struct{}) func() {
	if p.o.Sync == proxy.SyncNone || p.mute.Load() || kept == nil {
		return nil
	}
	return func() {
		t := time.NewTimer(diskPatience)
		defer t.Stop()
		select {
		case <-kept:
		case <-t.C:
			p.late.Do(func() {
				p.o.Log(fmt.Sprintf("the disk took more than %v to keep a step: answers go on before their steps are recorded", diskPatience))
			})
		}
	}
}

// await waits as ready says.
func (p *Proxy) await(kept <-chan struct{}) {
	if wait := p.ready(kept); wait != nil {
		wait()
	}
}

// Recorded reports, after Close, whether anything was recorded.
func (p *Proxy) Recorded() bool {
	select {
	case <-p.rec.done:
		return p.rec.begun
	default:
		return true // it is still at it
	}
}

// Close ends the recording, when everything before it has been written.
func (p *Proxy) Close() error { return p.rec.close() }

// plain reports that the seat only copies bytes any more.
func (p *Proxy) plain() bool { return p.faults.Load() >= 2 }

// tooLong notes a message that is not kept.
func (p *Proxy) tooLong() {
	p.rec.post(0, func(r *recorder) {
		r.note(fmt.Sprintf("a message of more than %d MB was passed on unread", proxy.MaxMessage>>20))
	})
}

// fault notes a panic. The message it happened with goes on as it came.
func (p *Proxy) fault(what any) {
	n := p.faults.Add(1)
	text := fmt.Sprintf("a fault in the seat, the message went on as it came: %v", what)
	if os.Getenv("SNAPSCOPE_DEBUG") != "" {
		text += "\n" + string(debug.Stack())
	}
	p.o.Log(text)
	if n == 2 {
		p.o.Log(errTwice.Error())
		p.holds.LetGo("a fault in the seat")
	}
}

// Link is one client's connection to one server. FromClient and FromServer may
// be called concurrently with each other.
type Link struct {
	p    *Proxy
	n    int // from 1
	view *view

	mu      sync.Mutex
	asked   map[string]*asked  // the client's requests, by id
	served  map[string]string  // the server's own requests: id → method
	waiting map[string]func()  // gives up a held message, by the request's id
	context context.Context    // ends with the connection
	end     context.CancelFunc // ends it
	known   agents.Agent       // what is known of the client; zero: nothing
	who     string             // its name and version

	strays atomic.Int64 // lines that are no messages
}

// asked is one request of the client.
type asked struct {
	method   string
	action   string // tools/call: the action's id in the recording
	tool     string
	args     []byte
	shown    []byte        // args as a screen shows them, of a held call
	thread   string        // who calls, as far as the client tells
	key      string        // the client's own id of the call, which its transcript bears
	id       []byte        // as the client wrote it
	at       string        // where it lies among the client's requests
	bare     string        // its id's key, whatever the lane
	token    []byte        // by which the client asks for the call's progress; nil: it does not
	progress float64       // what the server told of it last
	sent     time.Time     // when it went to the server
	back     time.Time     // when its answer came
	held     time.Duration // how long a person held it, and its answer
	inBatch  bool
	answered bool
	edited   bool
}

// Link begins a connection. ctx ends with it.
func (p *Proxy) Link(ctx context.Context) *Link {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.links++
	l := &Link{
		p: p, n: p.links, asked: map[string]*asked{}, served: map[string]string{}, waiting: map[string]func(){},
	}
	l.view = newView(p.links, p.o.Roots, p.o.Count, func(chars, bytes int) bool { return limit(l.client(), p.o.Lift).Cuts(chars, bytes) })
	l.view.browser = browserServer(p.run.Server) // of a client that was not there when the server said its name
	l.context, l.end = context.WithCancel(ctx)
	return l
}

// client is what is known of the client.
func (l *Link) client() agents.Agent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known
}

// Close gives up what is held: nobody waits for it any more.
func (l *Link) Close() { l.end() }

// Passage is what becomes of one message.
type Passage struct {
	Forward []byte // goes on to the other side at once, or when Ready is over; nil: nothing does
	// Ready is set where what goes on has to wait for its step's recording. It waits.
	// What comes after it waits, too, so that the order stays.
	Ready func()
	Back  []byte // goes back to where the message came from
	// Wait is set where the message is held: it answers, when it is over, what goes
	// on and what goes back. It must not keep other messages waiting.
	Wait func() (forward, back []byte)
	// GiveUp ends a wait whose client is gone: nothing goes on then. It is set beside
	// Wait.
	GiveUp func()
	// Beat is set beside Wait where the client can be told that the call is alive: a
	// line to send the client every few seconds.
	Beat func() []byte
}

// FromClient says what becomes of a message of the client.
func (l *Link) FromClient(raw []byte) Passage { return l.fromClient(raw, 0) }

func (l *Link) fromClient(raw []byte, lane int) (out Passage) {
	out = Passage{Forward: raw}
	if l.p.plain() {
		return out
	}
	defer func() {
		if f := recover(); f != nil {
			l.p.fault(f)
			out = Passage{Forward: raw}
		}
	}()
	m := head(raw)
	m.lane = lane
	switch m.kind {
	case request:
		if m.method == "tools/call" {
			return l.call(m)
		}
		l.request(m)
	case notification:
		if m.method == "notifications/cancelled" && l.cancelled(m) {
			return Passage{}
		}
	case answer:
		l.clientAnswers(m)
	case batch:
		for _, part := range m.parts() {
			l.batched(part)
		}
	case garbage:
		if !m.blank() {
			l.stray("the client sent a line that is no JSON-RPC message; it was passed on")
		}
	}
	return out
}

func (l *Link) request(m message) {
	l.mu.Lock()
	l.asked[m.key()] = &asked{method: m.method, at: m.key(), bare: idKey(m.id.Of(m.raw))}
	l.mu.Unlock()
	l.meet(m)
}

// batched notes a message of a batch, which is never held or changed.
func (l *Link) batched(m message) {
	switch m.kind {
	case request:
		if m.method != "tools/call" {
			l.request(m)
			return
		}
		c := l.newCall(m)
		c.inBatch = true
		l.sent(c, nil)
	case notification:
		if m.method == "notifications/cancelled" {
			l.cancelled(m)
		}
	case answer:
		l.clientAnswers(m)
	}
}

// newCall notes a tools/call.
func (l *Link) newCall(m message) *asked {
	p := l.p
	p.mu.Lock()
	p.calls++
	action := fmt.Sprintf("c%d", p.calls)
	p.mu.Unlock()
	c := &asked{method: m.method, action: action, tool: proxy.TextAt(m.raw, "params", "name"), args: []byte("{}"), thread: thread(m.raw), key: callKey(m.raw)}
	c.id = append(c.id, m.id.Of(m.raw)...)
	c.at, c.bare = m.key(), idKey(c.id)
	l.meet(m)
	if s, ok := proxy.Find(m.raw, "params", "_meta", "progressToken"); ok {
		c.token = append(c.token, s.Of(m.raw)...)
	}
	if s, ok := proxy.Find(m.raw, "params", "arguments"); ok {
		c.args = append([]byte(nil), s.Of(m.raw)...)
	}
	l.mu.Lock()
	l.asked[c.at] = c
	l.mu.Unlock()
	return c
}

// thread names who calls where one client runs several agents on a server: Codex
// tells its thread.
func thread(raw []byte) string {
	for _, key := range []string{"threadId", "sessionId"} {
		if t := proxy.TextAt(raw, "params", "_meta", key); t != "" {
			return t
		}
	}
	return ""
}

// sent records that a call goes to the server.
func (l *Link) sent(c *asked, given []byte) {
	l.mu.Lock()
	c.sent = time.Now()
	l.mu.Unlock()
	l.p.rec.wait()
	l.p.rec.post(len(c.args), func(r *recorder) { r.called(l.view, c, given) })
}

// clientAnswers learns from the answers to the server's own requests.
func (l *Link) clientAnswers(m message) {
	l.mu.Lock()
	key := idKey(m.id.Of(m.raw))
	method := l.served[key]
	delete(l.served, key)
	l.mu.Unlock()
	if method != "roots/list" || m.failed {
		return
	}
	var res struct{ Roots []struct{ URI string } }
	if json.Unmarshal(m.result.Of(m.raw), &res) != nil {
		return
	}
	l.p.rec.post(0, func(*recorder) {
		for _, root := range res.Roots {
			l.view.addRoot(root.URI)
		}
	})
}

// cancelled ends a hold whose client gave up. It reports whether the server must
// not hear of it, for it never had the call.
func (l *Link) cancelled(m message) bool {
	s, ok := proxy.Find(m.raw, "params", "requestId")
	if !ok {
		return false
	}
	l.mu.Lock()
	key := l.find(laneKey(m.lane, idKey(s.Of(m.raw))), idKey(s.Of(m.raw)), m.lane)
	giveUp, c := l.waiting[key], l.asked[key]
	unsent := giveUp != nil && c != nil && c.sent.IsZero()
	l.mu.Unlock()
	if giveUp != nil {
		giveUp()
	} else if c != nil && c.action != "" && !c.answered {
		l.note("the client gave up on " + c.tool + " before its answer")
	}
	return unsent
}

func (l *Link) note(text string) {
	l.p.rec.post(len(text), func(r *recorder) { r.note(text) })
}

// FromServer says what becomes of a message of the server.
func (l *Link) FromServer(raw []byte) Passage { return l.fromServer(raw, 0, false) }

// begun: the message is on its way to the client, see begins.
func (l *Link) fromServer(raw []byte, lane int, begun bool) (out Passage) {
	out = Passage{Forward: raw}
	if l.p.plain() {
		return out
	}
	defer func() {
		if f := recover(); f != nil {
			l.p.fault(f)
			out = Passage{Forward: raw}
		}
	}()
	m := head(raw)
	m.lane, m.begun = lane, begun
	switch m.kind {
	case answer:
		return l.serverAnswers(m)
	case request: // the client answers it with a request of its own
		l.mu.Lock()
		l.served[idKey(m.id.Of(raw))] = m.method
		l.mu.Unlock()
	case notification:
		if m.method == "notifications/progress" {
			l.progressed(m)
		}
	case batch:
		for _, part := range m.parts() {
			if part.kind == answer {
				if c := l.take(part); c != nil && c.method == "tools/call" {
					c.inBatch = true
					out.Ready = l.p.ready(l.answered(c, part, nil))
				}
			}
		}
	case garbage:
		if !m.blank() {
			l.stray("the server wrote a line that is no JSON-RPC message: " + clip(string(raw), 200))
		}
	}
	return out
}

func (l *Link) serverAnswers(m message) Passage {
	c := l.take(m)
	if c == nil {
		return Passage{Forward: m.raw}
	}
	switch c.method {
	case "initialize", "server/discover":
		return Passage{Forward: l.introduced(m)}
	case "tools/list":
		l.met(m)
		l.p.learn(m)
		return Passage{Forward: l.listed(m)}
	case "tools/call":
		l.met(m)
		return l.result(c, m)
	}
	return Passage{Forward: m.raw}
}

func clip(s string, n int) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
