package mcp

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"

	"snapscope/replay/proxy"
)

// stream is the answer to a call that is held: events, from the first that says that
// the call is alive. What the server answers afterwards becomes events, too.
type stream struct {
	rw    http.ResponseWriter
	id    []byte // of the call
	begun bool

	head   http.Header // of the server's answer, which comes too late for the client
	status int
	events bool
	body   bytes.Buffer
}

// send begins the stream, or goes on with it.
func (s *stream) send(b []byte) {
	if !s.begun {
		s.begun = true
		h := s.rw.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache, no-transform")
		s.rw.WriteHeader(http.StatusOK)
	}
	_, _ = s.rw.Write(b)
	_ = http.NewResponseController(s.rw).Flush()
}

// Header is the server's header.
func (s *stream) Header() http.Header {
	if s.head == nil {
		s.head = http.Header{}
	}
	return s.head
}

// WriteHeader notes what the server's answer is.
func (s *stream) WriteHeader(status int) {
	if status < http.StatusOK {
		return
	}
	s.status = status
	kind, _, _ := mime.ParseMediaType(s.Header().Get("Content-Type"))
	s.events = kind == "text/event-stream"
}

// Write passes events on and keeps everything else until the answer is whole.
func (s *stream) Write(b []byte) (int, error) {
	if s.events {
		return s.rw.Write(b)
	}
	return s.body.Write(b)
}

// Flush passes on what was written.
func (s *stream) Flush() {
	if s.events {
		_ = http.NewResponseController(s.rw).Flush()
	}
}

// finish sends an answer that was no stream of events. One that is no answer to the
// call, such as an error of HTTP, becomes one.
func (s *stream) finish() {
	if s.events || s.status == 0 && s.body.Len() == 0 {
		return
	}
	if m := head(s.body.Bytes()); m.kind == answer || m.kind == batch {
		s.send(asEvent(s.body.Bytes()))
		return
	}
	why := fmt.Sprintf("the server answered with HTTP status %d: %s", s.status, clip(s.body.String(), 500))
	s.send(asEvent(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%s}}`, s.id, proxy.Quote(why))))
}
