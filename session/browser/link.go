package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
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

	done chan struct{} // closed when the connection has ended
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

// newLink starts reading and writing. event must not block and must not call.
func newLink(w wire, event func(session, method string, params []byte)) *link {
	l := &link{
		wire: w, event: event, waiting: map[int64]waiter{},
		more: make(chan struct{}, 1), done: make(chan struct{}),
	}
	go l.write()
	go l.read()
	return l
}

// close ends the connection; calls in flight answer ErrGone.
func (l *link) close() {
	l.mu.Lock()
	if l.over {
		l.mu.Unlock()
		return
	}
	l.over = true
	waiting := l.waiting
	l.waiting = nil
	l.mu.Unlock()
	close(l.done)
	for _, w := range waiting {
		w.ch <- reply{err: ErrGone}
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
		return 0, ErrGone
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
	// A peer that is not a browser may send anything; what the reader below it
	// makes of that must end this connection and nothing else.
	defer func() { _ = recover() }()
	for {
		data, err := l.wire.Read()
		if err != nil || !l.take(data) {
			return
		}
	}
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
		l.event(m.Session, m.Method, m.Params)
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
