package mcp

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"snapscope/replay/proxy"
)

// maxLinks is how many clients of an HTTP server are kept apart. The one that was
// not heard of for longest is forgotten: if it comes back, it is a new one, whose
// next page goes out whole.
const maxLinks = 256

// byConnection begins the key of a client without a session. Nothing else tells
// two of them apart; one that opens a new connection is a new client, which costs a
// whole page and misleads nobody.
const byConnection = "connection "

// linkOf is the key of the client that a request comes from.
func linkOf(r *http.Request) string {
	if id := r.Header.Get(sessionHeader); id != "" {
		return id
	}
	return byConnection + r.RemoteAddr
}

func (w *Web) link(key string) *Link {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.links[key]
	if l == nil {
		l = w.p.Link(w.context)
	}
	w.keep(key, l)
	return l
}

// keep puts a link under a key, as the one used last. It is called with w.mu held.
func (w *Web) keep(key string, l *Link) {
	w.drop(key)
	w.links[key], w.order = l, append(w.order, key)
	if len(w.order) > maxLinks {
		w.drop(w.order[0])
	}
}

func (w *Web) drop(key string) {
	delete(w.links, key)
	w.order = slices.DeleteFunc(w.order, func(k string) bool { return k == key })
}

// linkFor is the link of a request with a body. A client that gives up on a call
// says so on another connection than the one that the call waits on.
func (w *Web) linkFor(r *http.Request, body []byte) *Link {
	key := linkOf(r)
	if strings.HasPrefix(key, byConnection) && bytes.Contains(body, []byte("notifications/cancelled")) {
		if l := w.caller(head(body)); l != nil {
			return l
		}
	}
	return w.link(key)
}

// caller is the one client without a session that waits for the answer of what is
// cancelled; nil where there are several, or none.
func (w *Web) caller(m message) (found *Link) {
	s, ok := proxy.Find(m.raw, "params", "requestId")
	if !ok || m.kind != notification {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, l := range w.links {
		if strings.HasPrefix(key, byConnection) && l.open(idKey(s.Of(m.raw))) {
			if found != nil {
				return nil
			}
			found = l
		}
	}
	return found
}

// begins notes the session that the server gave a client.
func (w *Web) begins(session string, l *Link) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, o := range w.links {
		if o == l {
			w.drop(key)
		}
	}
	w.keep(session, l)
}

func (w *Web) forget(session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.links[session]; l != nil {
		l.Close()
		w.drop(session)
	}
}
