package mcp

import (
	"io"
	"sync"
)

// A long message whose bytes will go on as they came, whatever it says, is begun
// while it is still coming in: the client reads it meanwhile. Its end is held back
// until the message has been read and its step is recorded, and without the end it is
// no message: a client has nothing of an answer that is not recorded.

// heldBack is how many bytes of what came in are not passed on yet: more than any
// server writes behind the last thing that a message says.
const heldBack = 256

// begins reports whether the message of the server that comes in goes on as it came,
// whatever it is: nothing rewrites it, and it cannot be held. Where that is so, begun
// is to be told to judge it.
func (l *Link) begins() bool {
	return l.p.plain() || l.p.o.Lift <= 0 && !l.p.rewrites() && l.p.holds.Quiet()
}

// flow is one message that is begun before it is whole.
type flow struct {
	mu    sync.Mutex
	news  *sync.Cond
	soFar []byte
	ends  func() // waits until the end may go on; set when the message is whole
	long  io.Reader
}

func newFlow() *flow {
	f := &flow{}
	f.news = sync.NewCond(&f.mu)
	return f
}

// more tells what has come in.
func (f *flow) more(soFar []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.soFar = soFar
	f.news.Signal()
}

// end tells how the message ends: with raw, all of it, which waits for ready; or with
// what long reads, where it is too long to be kept.
func (f *flow) end(raw []byte, long io.Reader, ready func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.long = long; long == nil {
		f.soFar = raw
	}
	f.ends = func() {
		if ready != nil {
			ready()
		}
	}
	f.news.Signal()
}

// next waits until there is more to pass on than the first n bytes; ends is set when
// that is all that will come.
func (f *flow) next(n int) (part []byte, ends func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.ends == nil && len(f.soFar)-heldBack <= n {
		f.news.Wait()
	}
	upTo := len(f.soFar)
	if f.ends == nil || f.long == nil {
		upTo -= heldBack
	}
	return f.soFar[n:max(n, upTo)], f.ends
}

// flow passes a message on while it comes in. Others for the same side wait, and so
// does a person's decision that has to tell that side: as long as the server is at its
// message, it says nothing else either.
func (l *lines) flow(f *flow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := 0; ; {
		part, ends := f.next(n)
		l.put(part)
		if n += len(part); ends == nil {
			continue
		}
		ends()
		if f.long == nil {
			l.put(f.soFar[n:])
			return
		}
		_, _ = io.CopyN(io.Discard, f.long, int64(n)) // it is given from its beginning
		l.rest(f.long)
		return
	}
}
