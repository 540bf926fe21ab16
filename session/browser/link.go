package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// ErrGone is in every error that means the browser itself is no longer there.
var ErrGone = errors.New("the browser is gone (it was closed, crashed or was killed); start a new session")

// wire carries whole protocol messages.
type wire interface {
	Send(msg []byte) error
	Read() ([]byte, error)
	Close() error
}

// defect is a panic of our own event handler. The connection ends with it, and
// every call says what happened instead of blaming the browser.
type defect struct {
	method string // of the event that was being handled
	value  any
	place  string // file:line of the panic
}

func (d *defect) Error() string {
	return fmt.Sprintf("snapscope itself failed at %s while it handled the browser's event %s: %v; this is a defect, please report it; start a new session",
		d.place, d.method, d.value)
}

// panicked is the place in our code where the panic that is being recovered
// came from.
func panicked() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)]) // behind Callers, panicked and the deferred function
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
	}
	return "an unknown place"
}

// Is makes a defect end the session as a browser that is gone does.
func (d *defect) Is(err error) bool { return err == ErrGone } //nolint:errorlint // the contract of errors.Is

// Codes of the protocol's refusals (JSON-RPC 2.0, and Chromium's own -32000 and
// -32001, crdtp/dispatch.h).
const (
	codeServer    = -32000 // what the call names is not there, or cannot be done now
	codeNoSession = -32001 // the session has ended
	codeParams    = -32602 // an id in the call names nothing
)

// protocolError is the browser's own refusal of a call.
type protocolError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data"`
}

func (e *protocolError) Error() string {
	if e.Data != "" {
		return e.Message + ": " + e.Data
	}
	return e.Message
}

// link is one connection to a browser. Calls may come from any goroutine;
// events are handed to one function, in order.
type link struct {
	wire  wire
	event func(session, method string, params []byte)

	mu      sync.Mutex
	seq     int64
	waiting map[int64]waiter
	out     [][]byte
	more    chan struct{} // out has something
	over    bool
	why     error // what calls answer once the connection is over

	done chan struct{} // closed when the connection has ended
}

// reason is why the connection ended: ErrGone, or a defect of our own.
func (l *link) reason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == nil {
		return ErrGone
	}
	return l.why
}

// waiter is who waits for an answer from a session.
type waiter struct {
	session string
	ch      chan reply
}

type reply struct {
	result []byte
	err    error
}

// newLink makes a link that neither reads nor writes yet. event must not block and
// must not call.
func newLink(w wire, event func(session, method string, params []byte)) *link {
	return &link{
		wire: w, event: event, waiting: map[int64]waiter{},
		more: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// start begins to read and to write: from now on events are handed on.
func (l *link) start() {
	go l.write()
	go l.read()
}

// close ends the connection; calls in flight answer ErrGone.
func (l *link) close() { l.end(ErrGone) }

// end ends the connection; calls in flight, and later ones, answer why.
func (l *link) end(why error) {
	l.mu.Lock()
	if l.over {
		l.mu.Unlock()
		return
	}
	l.over, l.why = true, why
	waiting := l.waiting
	l.waiting = nil
	l.mu.Unlock()
	close(l.done)
	for _, w := range waiting {
		w.ch <- reply{err: why}
	}
	_ = l.wire.Close() // the connection is over whatever closing it says
}

// call sends a request and waits for its answer, at most as long as ctx lives.
func (l *link) call(ctx context.Context, session, method string, params any) ([]byte, error) {
	ch := make(chan reply, 1)
	id, err := l.enqueue(session, method, params, ch)
	if err != nil {
		return nil, err
	}
	select {
	case r := <-ch:
		return r.result, r.err
	case <-ctx.Done():
		l.mu.Lock()
		delete(l.waiting, id)
		l.mu.Unlock()
		return nil, context.Cause(ctx)
	}
}

// post sends a request whose answer nobody needs.
func (l *link) post(session, method string, params any) {
	_, _ = l.enqueue(session, method, params, nil) // a browser that is gone needs no message
}

// enqueue hands a request to the writer: a browser that does not read must not
// hold up whoever asks.
func (l *link) enqueue(session, method string, params any, ch chan reply) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return 0, l.why
	}
	l.seq++
	msg, err := json.Marshal(struct {
		ID      int64  `json:"id"`
		Session string `json:"sessionId,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{l.seq, session, method, params})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", method, err)
	}
	if ch != nil {
		l.waiting[l.seq] = waiter{session, ch}
	}
	l.out = append(l.out, msg)
	select {
	case l.more <- struct{}{}:
	default:
	}
	return l.seq, nil
}

func (l *link) write() {
	for {
		select {
		case <-l.more:
		case <-l.done:
			return
		}
		l.mu.Lock()
		out := l.out
		l.out = nil
		l.mu.Unlock()
		for _, msg := range out {
			if err := l.wire.Send(msg); err != nil {
				l.close()
				return
			}
		}
	}
}

func (l *link) read() {
	defer l.close()
	for {
		data, err := l.next()
		if err != nil || !l.take(data) {
			return
		}
	}
}

// next reads one message. A peer that is not a browser may send anything; what
// the reader of web sockets makes of that must end this connection and nothing
// else.
func (l *link) next() (data []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("reading from the browser: %v", r)
		}
	}()
	return l.wire.Read()
}

// handle hands an event on. What panics there is our own mistake: it ends the
// session, and says so.
func (l *link) handle(session, method string, params []byte) {
	defer func() {
		if r := recover(); r != nil {
			l.end(&defect{method, r, panicked()})
		}
	}()
	l.event(session, method, params)
}

// take handles one message; false: it was not one.
func (l *link) take(data []byte) bool {
	if id, result, ok := quickReply(data); ok {
		l.answer(id, reply{result: result})
		return true
	}
	var m struct {
		ID      int64           `json:"id"`
		Session string          `json:"sessionId"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   *protocolError  `json:"error"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return false
	}
	switch {
	case m.Method != "":
		l.handle(m.Session, m.Method, m.Params)
	case m.Error != nil:
		l.answer(m.ID, reply{err: m.Error})
	default:
		l.answer(m.ID, reply{result: m.Result})
	}
	return true
}

func (l *link) answer(id int64, r reply) {
	l.mu.Lock()
	w, ok := l.waiting[id]
	delete(l.waiting, id)
	l.mu.Unlock()
	if ok {
		w.ch <- r
	}
}

// abandon ends the calls in flight to a session that will not answer any more.
func (l *link) abandon(session string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, w := range l.waiting {
		if w.session == session {
			delete(l.waiting, id)
			w.ch <- reply{err: err} // each channel has room for its one answer
		}
	}
}

var (
	replyHead   = []byte(`{"id":`)
	replyResult = []byte(`,"result":`)
	replyTail   = []byte(`,"sessionId":"`)
)

// quickReply takes an answer apart without parsing it, in the one form Chromium
// writes. The text of a large page is in such a message: parsing it here and
// again where it is used would cost more than capturing it.
func quickReply(data []byte) (id int64, result []byte, ok bool) {
	rest, ok := bytes.CutPrefix(data, replyHead)
	if !ok {
		return 0, nil, false
	}
	n := bytes.IndexByte(rest, ',')
	if n < 1 || !bytes.HasPrefix(rest[n:], replyResult) || rest[len(rest)-1] != '}' {
		return 0, nil, false
	}
	id, err := strconv.ParseInt(string(rest[:n]), 10, 64)
	if err != nil {
		return 0, nil, false
	}
	result = rest[n+len(replyResult) : len(rest)-1]
	if i := bytes.LastIndex(result, replyTail); i >= 0 && len(result)-i < 80 && bytes.IndexByte(result[i:], '}') < 0 {
		result = result[:i]
	}
	return id, result, true
}
