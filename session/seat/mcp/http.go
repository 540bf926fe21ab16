package mcp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"mime"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"

	"snapscope/session/seat"
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
	links map[string]*Link // by session
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
	if err := seat.MayCall(r, w.p.o.Anyone); err != nil {
		http.Error(rw, "snapscope mcp: "+err.Error(), http.StatusForbidden)
		return
	}
	l := w.link(r.Header.Get(sessionHeader))
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(rw, "snapscope: reading the request", http.StatusBadRequest)
			return
		}
		if body = w.admit(rw, r, l, body); body == nil {
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.forward.ServeHTTP(rw, r.WithContext(context.WithValue(r.Context(), linkKey{}, l)))
	if r.Method == http.MethodDelete {
		w.forget(r.Header.Get(sessionHeader))
	}
}

type linkKey struct{}

// admit says what of a request's body goes to the server; nil: the client has
// been answered already.
func (w *Web) admit(rw http.ResponseWriter, r *http.Request, l *Link, body []byte) []byte {
	pass := l.FromClient(body)
	forward, back := pass.Forward, pass.Back
	if pass.Wait != nil {
		stop := context.AfterFunc(r.Context(), pass.GiveUp)
		defer stop()
		forward, back = pass.Wait()
	}
	switch {
	case back != nil:
		rw.Header().Set("Content-Type", "application/json")
		_, _ = rw.Write(bytes.TrimRight(back, "\n"))
		return nil
	case forward == nil:
		rw.WriteHeader(http.StatusAccepted) // nothing of it is for the server
		return nil
	}
	return forward
}

// answered passes an answer on: whole, or event by event.
func (w *Web) answered(r *http.Response) error {
	l, _ := r.Request.Context().Value(linkKey{}).(*Link)
	if l == nil {
		return nil
	}
	if id := r.Header.Get(sessionHeader); id != "" && r.Request.Header.Get(sessionHeader) == "" {
		w.mu.Lock()
		if w.links[""] == l {
			delete(w.links, "")
		}
		w.links[id] = l
		w.mu.Unlock()
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Header.Get("Content-Encoding") != "":
		l.note("the server's answer is packed although nobody asked for that: it was passed on unread")
	case kind == "text/event-stream":
		r.Body = &events{in: r.Body, each: func(msg []byte) []byte { return pass(l.FromServer(msg)) }}
	case kind == "application/json" && r.StatusCode < 300:
		body, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			return err
		}
		body = pass(l.FromServer(body))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return nil
}

// pass waits for a held result.
func pass(p Passage) []byte {
	if p.Ready != nil {
		p.Ready()
	}
	if p.Wait == nil {
		return p.Forward
	}
	forward, _ := p.Wait()
	return forward
}

func (w *Web) link(session string) *Link {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.links[session]
	if l == nil {
		l = w.p.Link(w.context)
		w.links[session] = l
	}
	return l
}

func (w *Web) forget(session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.links[session]; l != nil && session != "" {
		l.Close()
		delete(w.links, session)
	}
}
