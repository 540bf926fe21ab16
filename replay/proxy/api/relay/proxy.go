// Package relay is the seat between an agent and its model API: a reverse proxy
// that passes every byte on, takes expired results out of requests where a
// retention rule asks for it, and tells a recorder what passed.
//
//	client ─▶ Proxy ─▶ (hold) ─▶ (expiry) ─▶ vendor
//	client ◀─ tee ◀────────────────────────── vendor
//	           │
//	           └─▶ a goroutine of its own: what was asked and answered ─▶ Options.Told
//
// The way of the bytes waits for nothing here: an answer is copied as it passes
// and read when it is over; a rule that fails, panics or takes more than half a
// second costs the rewriting of that request and no more. What is not known (a
// path, a method, a body that is no JSON) passes as it came.
//
// Keys, cookies and user ids go through and are kept nowhere: of a request's
// headers only the client's name is told on.
package relay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"snapscope/replay/proxy"
	"snapscope/replay/proxy/api"
)

// Options are what a proxy is started with.
type Options struct {
	To     *url.URL     // the model API; a client's path is put behind its path
	Expiry *api.Expiry  // nil: requests pass as they came; SetExpiry changes it
	Holds  *proxy.Holds // nil: nothing is held
	// HoldFor is how long a request may be held, of the client that its User-Agent
	// names.
	HoldFor func(agent string) time.Duration
	Told    func(Exchange) // what passed, one at a time in the order in which it ended; nil: nobody asks
	// Sync is what the end of an answer waits for. With proxy.SyncNone, and where Told
	// is nil, nothing; else until Told has returned.
	Sync   proxy.Sync
	Log    func(line string) // a line for a person
	Anyone bool              // also serve other machines, which call this one by some name
	// Transport carries requests to the vendor; nil: one of its own.
	Transport http.RoundTripper
}

// Exchange is one request to a model with its answer.
type Exchange struct {
	Form     api.Form
	Counts   bool         // it only asked how many tokens it would be
	Agent    string       // User-Agent
	Request  *api.Request // as the client sent it; nil: it could not be read
	Cleared  []api.Cleared
	Status   int // 0: the vendor was not reached
	Answer   api.Answer
	Begun    time.Time
	Ended    time.Time
	Trouble  []string // what went wrong on the way, a sentence each
	HeldFor  time.Duration
	Bytes    int    // of the request as the client sent it
	Vendor   string // the vendor's id of the request, from the answer's header
	Answered bool   // by a person, in the vendor's place

	model  string   // that the path names
	raw    []byte   // of a request that is still to be read, unpacked
	head   api.Head // of the answer
	copied []byte   // of the answer, still to be read
	cut    bool
	told   chan struct{} // closed when it has been told, or never will be
}

// size is about how much memory an exchange holds while it waits to be told.
func (x *Exchange) size() int64 { return int64(x.Bytes + len(x.copied)) }

// read reads what was copied: off the way, before it is told.
func (x *Exchange) read() {
	if x.raw != nil && x.Request == nil {
		req, err := parse(x.Form, x.raw, x.model)
		if err != nil {
			x.Trouble = append(x.Trouble, "the request went on unread: "+err.Error())
		}
		x.Request = req
	}
	if x.copied != nil || x.cut {
		x.Answer = api.ReadAnswer(x.Form, x.head, x.copied)
		if x.cut && !x.Answer.Whole {
			x.Trouble = append(x.Trouble, "the answer broke off")
		}
	}
	x.raw, x.copied = nil, nil
}

// The bounds of what is held in memory.
const (
	maxBody   = 64 << 20 // a larger request passes unread
	maxCopy   = 16 << 20 // of an answer; its end is kept too
	maxTail   = 256 << 10
	maxQueue  = 1024      // exchanges that wait to be told, and
	maxQueued = 256 << 20 // their bytes
	patience  = 500 * time.Millisecond
	// diskPatience is how long an answer's end waits to be recorded: a disk that hangs
	// must not stop an agent.
	diskPatience = 5 * time.Second
)

// Proxy is one seat. It is safe for concurrent use.
type Proxy struct {
	o       Options
	expiry  atomic.Pointer[api.Expiry]
	reverse *httputil.ReverseProxy
	queue   chan Exchange
	queued  atomic.Int64 // bytes in it
	ended   chan struct{}
	lost    atomic.Int64
	passed  sync.Map  // model APIs of which it was said that they are passed on only
	late    sync.Once // that the disk is slow has been said
	mu      sync.Mutex
	closed  bool
}

// New starts a proxy.
func New(o Options) *Proxy {
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableCompression = true // the client's own Accept-Encoding counts
		t.MaxIdleConnsPerHost = 16
		o.Transport = t
	}
	p := &Proxy{o: o, queue: make(chan Exchange, maxQueue), ended: make(chan struct{})}
	p.expiry.Store(o.Expiry)
	p.reverse = &httputil.ReverseProxy{
		Rewrite: p.rewrite, FlushInterval: -1, Transport: o.Transport,
		ModifyResponse: p.answered, ErrorHandler: p.failed,
		ErrorLog: log.New(logTo(o.Log), "", 0),
	}
	go p.tell()
	return p
}

// SetExpiry puts a rule in force from the next request on; nil: none. What an
// earlier rule took out comes back, and the vendor's cache is lost from there on.
func (p *Proxy) SetExpiry(e *api.Expiry) { p.expiry.Store(e) }

// logTo makes a writer of a function that takes lines.
type logTo func(string)

func (f logTo) Write(b []byte) (int, error) {
	f(strings.TrimSpace(string(b)))
	return len(b), nil
}

// Close waits until everything that passed has been told.
func (p *Proxy) Close() error {
	p.mu.Lock()
	was := p.closed
	p.closed = true
	if !was {
		close(p.queue)
	}
	p.mu.Unlock()
	<-p.ended
	return nil
}

// tell hands on what passed, on its own goroutine.
func (p *Proxy) tell() {
	defer close(p.ended)
	for x := range p.queue {
		p.queued.Add(-x.size())
		if n := p.lost.Swap(0); n > 0 {
			x.Trouble = append(x.Trouble, fmt.Sprintf("%d exchanges before this one are missing: the recording could not keep up", n))
		}
		p.told(x)
	}
}

func (p *Proxy) told(x Exchange) {
	defer func() {
		if f := recover(); f != nil {
			p.o.Log(fmt.Sprintf("a fault in the recorder, the session goes on: %v", f))
		}
		close(x.told)
	}()
	x.read()
	p.o.Told(x)
}

// put queues an exchange; it never waits.
func (p *Proxy) put(x Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.o.Told == nil {
		close(x.told)
		return
	}
	if p.queued.Load() <= maxQueued {
		select {
		case p.queue <- x:
			p.queued.Add(x.size())
			return
		default:
		}
	}
	p.lost.Add(1)
	close(x.told)
}

// await waits until an exchange has been told.
func (p *Proxy) await(x *passing) {
	if p.o.Sync == proxy.SyncNone {
		return
	}
	t := time.NewTimer(diskPatience)
	defer t.Stop()
	select {
	case <-x.told:
	case <-t.C:
		p.late.Do(func() {
			p.o.Log(fmt.Sprintf("the disk took more than %v to keep a model call: answers go on before they are recorded", diskPatience))
		})
	}
}

// passing is one request on its way, kept in its context.
type passing struct {
	Exchange
	body []byte // as it came
	path string
	once sync.Once
}

type passingKey struct{}

// ServeHTTP passes one request on.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := proxy.MayCall(r, p.o.Anyone); err != nil {
		http.Error(w, "snapscope api: "+err.Error(), http.StatusForbidden)
		return
	}
	form, counts, known := api.Endpoint(r.URL.Path)
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && known {
		// Codex tries a WebSocket first and falls back at once.
		w.Header().Set("Upgrade", "HTTP/1.1")
		http.Error(w, "snapscope api: this seat speaks HTTP", http.StatusUpgradeRequired)
		return
	}
	if !known || r.Method != http.MethodPost {
		p.passOnly(r)
		p.reverse.ServeHTTP(w, r)
		return
	}
	x := &passing{path: r.URL.Path}
	x.model = api.ModelIn(r.URL.Path)
	x.Form, x.Counts, x.Agent, x.Begun = form, counts, r.UserAgent(), time.Now()
	if !p.read(w, r, x) {
		return
	}
	if !counts && !p.hold(w, r, x) {
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), passingKey{}, x))
	p.reverse.ServeHTTP(w, r)
}

// read takes in the body and puts in its place what goes to the vendor. false:
// the client did not send it whole.
func (p *Proxy) read(w http.ResponseWriter, r *http.Request, x *passing) bool {
	b, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		if r.Context().Err() == nil {
			p.refuse(w, x, http.StatusBadRequest, "the request did not come whole: "+err.Error())
		}
		return false
	}
	x.Bytes = len(b)
	if len(b) > maxBody {
		x.Trouble = append(x.Trouble, "a request of more than 64 MB went on unread")
		r.Body = readAndClose{io.MultiReader(bytes.NewReader(b), r.Body), r.Body}
		return true
	}
	x.body = b
	plain, err := api.Decode(r.Header.Get("Content-Encoding"), b)
	if err != nil {
		x.Trouble = append(x.Trouble, "a request went on unread: "+err.Error())
		plain = nil
	}
	x.raw = plain
	out := p.expire(x, plain)
	switch {
	case out == nil:
		out = b
	case r.Header.Get("Content-Encoding") != "":
		r.Header.Del("Content-Encoding") // what was changed goes unpacked
	}
	setBody(r, out)
	return true
}

type readAndClose struct {
	io.Reader
	io.Closer
}

func setBody(r *http.Request, b []byte) {
	r.Body = io.NopCloser(bytes.NewReader(b))
	r.ContentLength = int64(len(b))
	r.TransferEncoding = nil
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
}

// expire reads the request and applies the retention rule. nil: it goes as it
// came.
func (p *Proxy) expire(x *passing, plain []byte) []byte {
	rule := p.expiry.Load()
	if rule == nil || plain == nil {
		return nil
	}
	type result struct {
		out     []byte
		req     *api.Request
		cleared []api.Cleared
		trouble string
	}
	done := make(chan result, 1)
	go func() {
		var got result
		defer func() {
			if f := recover(); f != nil {
				got = result{trouble: fmt.Sprintf("a fault in the retention rule: %v", f)}
			}
			done <- got
		}()
		req, err := parse(x.Form, plain, x.model)
		if err != nil {
			got.trouble = err.Error()
			return
		}
		got.req = req
		got.out, got.cleared = rule.Apply(req)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case got := <-done:
		if got.trouble != "" {
			x.Trouble = append(x.Trouble, "the request went on as it came: "+got.trouble)
			x.raw = nil
			return nil
		}
		x.Request, x.Cleared = got.req, got.cleared
		if len(got.cleared) == 0 {
			return nil
		}
		return got.out
	case <-timer.C:
		x.Trouble = append(x.Trouble, "the request went on as it came: the retention rule took more than 500 ms")
		return nil
	}
}

// hold keeps a request until a person lets it go. The same request, sent again by
// a client that gave up, joins the hold. false: it does not go on.
func (p *Proxy) hold(w http.ResponseWriter, r *http.Request, x *passing) bool {
	if p.o.Holds == nil || p.o.Holds.Quiet() {
		return true
	}
	why, ok := p.o.Holds.Stops()
	if !ok {
		return true
	}
	sum := sha256.Sum256(append([]byte(x.path+"\x00"), x.body...))
	var limit time.Duration
	if p.o.HoldFor != nil {
		limit = p.o.HoldFor(x.Agent)
	}
	d := p.o.Holds.Wait(r.Context(), proxy.Hold{
		What: proxy.HeldModel, Why: why, Tool: "a model call (" + string(x.Form) + ")", Key: hex.EncodeToString(sum[:]),
	}, limit)
	x.HeldFor = time.Since(x.Begun)
	switch {
	case r.Context().Err() != nil:
		return false
	case d.Do == proxy.Answer && len(d.Result) > 0:
		x.Status, x.Answered = http.StatusOK, true
		x.Answer = api.ReadAnswer(x.Form, api.Head{Status: http.StatusOK, Type: "application/json"}, d.Result)
		p.finish(x)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(d.Result)
		return false
	case d.Do == proxy.Drop:
		p.refuse(w, x, http.StatusBadGateway, "the request was dropped by "+d.By)
		return false
	}
	return true
}

// refuse answers in the vendor's form what goes wrong in here.
func (p *Proxy) refuse(w http.ResponseWriter, x *passing, status int, why string) {
	x.Trouble = append(x.Trouble, why)
	p.finish(x)
	b := api.ErrorBody(x.Form, status, "snapscope api: "+why)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}

// rewrite turns a request to the vendor. Everything else of it stays: nothing is
// added, and the client's own X-Forwarded headers go on.
func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	r.SetURL(p.o.To)
	r.Out.Host = p.o.To.Host
	for _, h := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded"} {
		if v, ok := r.In.Header[h]; ok {
			r.Out.Header[h] = v
		}
	}
	r.Out.GetBody = r.In.GetBody
}

// answered puts a copier around an answer.
func (p *Proxy) answered(res *http.Response) error {
	x, ok := res.Request.Context().Value(passingKey{}).(*passing)
	if !ok {
		return nil
	}
	x.Status = res.StatusCode
	for _, h := range []string{"Request-Id", "X-Request-Id"} {
		if x.Vendor == "" {
			x.Vendor = res.Header.Get(h)
		}
	}
	head := api.Head{Status: res.StatusCode, Type: res.Header.Get("Content-Type"), Encoding: res.Header.Get("Content-Encoding")}
	res.Body = &tee{from: res.Body, ends: api.Ends(x.Form, head), left: res.ContentLength, over: func(copied []byte, cut bool) {
		x.head, x.copied, x.cut = head, copied, cut
		p.finish(x)
	}}
	return nil
}

// failed answers for a vendor that was not reached.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	x, ok := r.Context().Value(passingKey{}).(*passing)
	if !ok {
		x = &passing{}
		x.Form, x.Counts = api.Chat, true
		if r.Header.Get("Anthropic-Version") != "" {
			x.Form = api.Messages
		}
	}
	if errors.Is(err, context.Canceled) || r.Context().Err() != nil {
		x.Trouble = append(x.Trouble, "the client gave up before the answer began")
		p.finish(x)
		return
	}
	p.o.Log(fmt.Sprintf("%s cannot be reached: %v", p.o.To.Host, err))
	p.refuse(w, x, http.StatusBadGateway, p.o.To.Host+" cannot be reached: "+err.Error())
}

// finish hands an exchange on, once, and waits until it is kept.
func (p *Proxy) finish(x *passing) {
	x.once.Do(func() {
		x.Ended, x.told = time.Now(), make(chan struct{})
		p.put(x.Exchange)
		p.await(x)
	})
}
