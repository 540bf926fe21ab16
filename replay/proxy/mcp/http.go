package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"snapscope/replay/proxy"
)

// sessionHeader names the session of a streamable HTTP connection, as the MCP
// specification has it.
const sessionHeader = "Mcp-Session-Id"

// Web is the seat as an HTTP handler before a server that speaks MCP's streamable
// HTTP. Headers, event ids, the session's id and the protocol's version pass as
// they come.
type Web struct {
	p       *Proxy
	to      *url.URL
	forward *httputil.ReverseProxy
	context context.Context

	mu    sync.Mutex
	links map[string]*Link // by session, or by connection where a client has none
	order []string         // their keys, the one used last at the end
}

// NewWeb stands before the server at an address. Its connections end with ctx.
func (p *Proxy) NewWeb(ctx context.Context, to string) (*Web, error) {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the server's address %q is no http or https URL", to)
	}
	w := &Web{p: p, to: u, context: ctx, links: map[string]*Link{}}
	plain := http.DefaultTransport.(*http.Transport).Clone()
	plain.DisableCompression = true // what is packed could not be read on its way
	w.forward = &httputil.ReverseProxy{
		FlushInterval: -1, // events are passed on as they come
		Transport:     plain,
		Rewrite:       w.rewrite,
		ModifyResponse: func(r *http.Response) error {
			return w.answered(r)
		},
		ErrorHandler: func(rw http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				p.o.Log(fmt.Sprintf("the server at %s does not answer: %v", u.Host, err))
			}
			http.Error(rw, "snapscope: the server at "+u.Host+" does not answer", http.StatusBadGateway)
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}
	return w, nil
}

// Path is where the server listens, below its host.
func (w *Web) Path() string { return w.to.Path }

func (w *Web) rewrite(r *httputil.ProxyRequest) {
	r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = w.to.Scheme, w.to.Host, ""
	if r.In.URL.Path == "/" || r.In.URL.Path == "" {
		r.Out.URL.Path = w.to.Path
	}
	r.Out.Header.Del("Accept-Encoding")
}

// ServeHTTP passes a request on, or holds it.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if err := proxy.MayCall(r, w.p.o.Anyone); err != nil {
		http.Error(rw, "snapscope mcp: "+err.Error(), http.StatusForbidden)
		return
	}
	if r.Method != http.MethodPost {
		w.through(rw, r, w.link(linkOf(r)).Exchange())
		if r.Method == http.MethodDelete {
			w.forget(r.Header.Get(sessionHeader))
		}
		return
	}
	body, rest, err := readMessage(r.Body, r.ContentLength)
	if err != nil {
		http.Error(rw, "snapscope mcp: the request did not come whole: "+err.Error(), http.StatusBadRequest)
		return
	}
	x := w.linkFor(r, body).Exchange()
	defer x.Close()
	if rest != nil {
		w.p.tooLong()
		r.Body = readAndClose{rest, r.Body}
		w.through(rw, r, x)
		return
	}
	if out, forward := w.admit(rw, r, x, body); forward != nil {
		if !bytes.Equal(forward, body) {
			w.p.agree(r.Header, forward)
		}
		body = forward
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		w.through(out, r, x)
		if s, ok := out.(*stream); ok {
			s.finish()
		}
	}
}

type exchangeKey struct{}

func (w *Web) through(rw http.ResponseWriter, r *http.Request, x *Exchange) {
	w.forward.ServeHTTP(rw, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
}

type readAndClose struct {
	io.Reader
	io.Closer
}

// readMessage reads a message. One that is too long to be kept is rest, from its
// beginning; size is how long it is said to be, -1 for unknown.
func readMessage(in io.Reader, size int64) (body []byte, rest io.Reader, err error) {
	if size > proxy.MaxMessage {
		return nil, in, nil
	}
	if size >= 0 {
		body = make([]byte, size)
		_, err = io.ReadFull(in, body)
		return body, nil, err
	}
	var parts [][]byte // joined once, as proxy.Frames does
	for n := 0; n <= proxy.MaxMessage; {
		part := make([]byte, 256<<10)
		k, err := io.ReadFull(in, part)
		parts, n = append(parts, part[:k]), n+k
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return slices.Concat(parts...), nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
	readers := []io.Reader{}
	for _, part := range parts {
		readers = append(readers, bytes.NewReader(part))
	}
	return nil, io.MultiReader(append(readers, in)...), nil
}

// admit says what of a request's body goes to the server, and where its answer
// goes; nil: the client has been answered already.
func (w *Web) admit(rw http.ResponseWriter, r *http.Request, x *Exchange, body []byte) (http.ResponseWriter, []byte) {
	is := x.FromClient(body)
	forward, back := is.Forward, is.Back
	if is.Wait != nil {
		stop := context.AfterFunc(r.Context(), is.GiveUp)
		defer stop()
		var s *stream
		if takesEvents(r) {
			s = &stream{rw: rw, id: head(body).id.Of(body)}
			quiet := w.p.beats(heldYet(is.Beat), s.send)
			forward, back = is.Wait()
			quiet()
		} else {
			forward, back = is.Wait()
		}
		if s != nil && s.begun {
			if back != nil {
				s.send(asEvent(back))
			}
			return s, forward
		}
	}
	switch {
	case back != nil:
		rw.Header().Set("Content-Type", "application/json")
		_, _ = rw.Write(bytes.TrimRight(back, "\n"))
		return rw, nil
	case forward == nil:
		rw.WriteHeader(http.StatusAccepted) // nothing of it is for the server
		return rw, nil
	}
	return rw, forward
}

// takesEvents reports whether a client reads an answer that is a stream of events.
func takesEvents(r *http.Request) bool {
	return strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream")
}

// answered passes an answer on: whole, or event by event.
func (w *Web) answered(r *http.Response) error {
	x, _ := r.Request.Context().Value(exchangeKey{}).(*Exchange)
	if x == nil {
		return nil
	}
	if id := r.Header.Get(sessionHeader); id != "" && r.Request.Header.Get(sessionHeader) == "" {
		w.begins(id, x.l)
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Header.Get("Content-Encoding") != "":
		x.l.note("the server's answer is packed although nobody asked for that: it was passed on unread")
	case kind == "text/event-stream":
		w.asEvents(r, r.Body, x.FromServer)
	case kind == "application/json" && r.Request.Method == http.MethodPost:
		return w.whole(r, x)
	}
	return nil
}

// asEvents passes an answer on event by event. How long it will be is not known
// any more: an event may be rewritten, or answered by a person.
func (w *Web) asEvents(r *http.Response, body io.ReadCloser, judge func([]byte) Passage) {
	e := w.p.newEvents(body, judge, w.p.tooLong)
	context.AfterFunc(r.Request.Context(), e.giveUp)
	r.Body, r.ContentLength = e, -1
	r.Header.Del("Content-Length")
}

// whole passes an answer on that is one message.
func (w *Web) whole(r *http.Response, x *Exchange) error {
	body, rest, err := readMessage(r.Body, r.ContentLength)
	switch {
	case err != nil:
		_ = r.Body.Close()
		return err
	case rest != nil:
		w.p.tooLong()
		r.Body = readAndClose{rest, r.Body}
		return nil
	}
	_ = r.Body.Close()
	if r.StatusCode < http.StatusMultipleChoices || head(body).kind == answer {
		is := x.FromServer(body)
		if is.Ready != nil {
			is.Ready()
		}
		if is.Wait != nil && takesEvents(r.Request) { // so that the client can be told that it is held
			r.Header.Set("Content-Type", "text/event-stream")
			w.asEvents(r, io.NopCloser(bytes.NewReader(asEvent(body))), func([]byte) Passage { return is })
			return nil
		}
		body = is.Forward
		if is.Wait != nil {
			stop := context.AfterFunc(r.Request.Context(), is.GiveUp)
			body, _ = is.Wait()
			stop()
		}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	r.TransferEncoding = nil
	return nil
}
