package mcp

import (
	"strconv"
	"strings"
	"time"

	"snapscope/replay/proxy"
)

// Exchange is one HTTP request and what is sent in its answer. Clients without a
// session may all count their requests from 1: an answer is for the request in
// whose answer it stands, whatever other requests bear its id.
type Exchange struct {
	l    *Link
	lane int
}

// Exchange begins one.
func (l *Link) Exchange() *Exchange {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	l.p.lanes++
	return &Exchange{l, l.p.lanes}
}

// FromClient says what becomes of the request's message.
func (x *Exchange) FromClient(raw []byte) Passage { return x.l.fromClient(raw, x.lane) }

// FromServer says what becomes of a message in the answer.
func (x *Exchange) FromServer(raw []byte) Passage { return x.l.fromServer(raw, x.lane, false) }

// Close forgets the requests that were answered. One that was not may yet be: a
// client that lost the stream asks for the rest of it with another request.
func (x *Exchange) Close() {
	x.l.mu.Lock()
	defer x.l.mu.Unlock()
	prefix := laneKey(x.lane, "")
	for key, c := range x.l.asked {
		if c.answered && strings.HasPrefix(key, prefix) {
			delete(x.l.asked, key)
		}
	}
}

// find is the key under which a request lies: its own, or, for a message in
// another exchange than the request's, that of the only open one with this id.
// "" stands for none. It is called with l.mu held.
func (l *Link) find(key, bare string, lane int) string {
	if _, ok := l.asked[key]; ok || lane == 0 {
		return key
	}
	found := ""
	for k, c := range l.asked {
		if c.bare == bare && (!c.answered || l.waiting[k] != nil) {
			if found != "" {
				return ""
			}
			found = k
		}
	}
	return found
}

// open reports whether a request with this id waits for its answer.
func (l *Link) open(bare string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.asked {
		if c.bare == bare && !c.answered {
			return true
		}
	}
	return false
}

// maxAsked is how many requests are kept, for a second answer to be known and a
// late one to find its request.
const maxAsked = 4096

// take finds the request that an answer is for.
func (l *Link) take(m message) *asked {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := l.find(m.key(), idKey(m.id.Of(m.raw)), m.lane)
	c := l.asked[key]
	if c == nil || c.answered {
		what := "the server answered a request that nobody made; it was passed on"
		if c != nil {
			what = "the server answered " + c.method + " a second time; it was passed on"
		}
		l.p.rec.post(0, func(r *recorder) { r.note(what) })
		return nil
	}
	l.over(c, key)
	return c
}

// over closes a request. Of a call no more is kept than that it was answered. It is
// called with l.mu held.
func (l *Link) over(c *asked, key string) {
	c.answered, c.back = true, time.Now()
	if c.method != "tools/call" {
		delete(l.asked, key)
		return
	}
	l.asked[key] = &asked{method: c.method, tool: c.tool, bare: c.bare, sent: c.sent, answered: true}
	for k, o := range l.asked {
		if len(l.asked) <= maxAsked {
			break
		}
		if o.answered && k != key {
			delete(l.asked, k)
		}
	}
}

// progressed notes how far the server says that a call is, so that what the client
// is told while its result is held is more than that.
func (l *Link) progressed(m message) {
	token, ok := proxy.Find(m.raw, "params", "progressToken")
	at, told := proxy.Find(m.raw, "params", "progress")
	if !ok || !told {
		return
	}
	f, err := strconv.ParseFloat(string(at.Of(m.raw)), 64)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.asked {
		if !c.answered && string(c.token) == string(token.Of(m.raw)) {
			c.progress = max(c.progress, f)
		}
	}
}
