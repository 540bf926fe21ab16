package proxy

import (
	"bytes"
	"io"
)

// MaxMessage is how many bytes of a message are kept to be looked at. A larger one
// passes unread: a page that a model reads is a thousandth of it.
const MaxMessage = 32 << 20

// readAtOnce is how many bytes are read at a time: what a pipe holds.
const readAtOnce = 64 << 10

// Frames reads messages that end with a newline and gives them with every byte
// they came with. No other character ends a message: a carriage return or U+2028
// is part of it, as the MCP specification's stdio transport has it.
type Frames struct {
	// Coming is told of a message that does not end with what was read of it, each time
	// that more has been read: soFar is all of it up to then and never changes. It may
	// turn out to be too long to be kept. nil: nobody is told.
	Coming func(soFar []byte)

	r      io.Reader
	in     []byte // in[at:to] was read and belongs to no message yet
	at, to int
	err    error // the reader's, told when what came before it has been given
	room   int   // for a message as large as the last that was read in pieces
	most   int
}

// NewFrames reads from r.
func NewFrames(r io.Reader) *Frames {
	return &Frames{r: r, in: make([]byte, readAtOnce), most: MaxMessage}
}

// Next is the next message with its newline; the last one of a stream may lack
// it. The slice belongs to the caller. A message of more than MaxMessage bytes is
// given as long, from its beginning, and must be read before the next call; else long
// is nil. The error is io.EOF at the end, or the reader's own; what was read before
// it comes first.
func (f *Frames) Next() (msg []byte, long io.Reader, err error) {
	for looked := 0; ; {
		part := f.in[f.at:f.to]
		if i := bytes.IndexByte(part[looked:], '\n'); i >= 0 {
			return bytes.Clone(f.take(looked + i + 1)), nil, nil
		}
		looked = len(part)
		switch {
		case f.err != nil && looked == 0:
			return nil, nil, f.err
		case f.err != nil:
			return bytes.Clone(f.take(looked)), nil, nil
		case looked == len(f.in):
			msg, long = f.large()
			return msg, long, nil
		}
		f.fill()
	}
}

// take is the next n bytes of what was read.
func (f *Frames) take(n int) []byte {
	f.at += n
	return f.in[f.at-n : f.at]
}

// fill reads more behind what belongs to no message yet, of which there is less than
// has room.
func (f *Frames) fill() {
	f.to = copy(f.in, f.in[f.at:f.to])
	f.at = 0
	n := 0
	if n, f.err = read(f.r, f.in[f.to:]); n > 0 {
		f.to += n
	}
}

// large goes on with a message that fills the buffer, in one of its own: it is read
// to where it stays.
func (f *Frames) large() (msg []byte, long io.Reader) {
	own := append(make([]byte, 0, max(4*len(f.in), f.room)), f.take(len(f.in))...)
	for f.err == nil {
		if f.Coming != nil {
			f.Coming(own)
		}
		if len(own) > f.most {
			return nil, &remainder{f: f, part: own}
		}
		if cap(own)-len(own) < len(f.in) {
			own = append(make([]byte, 0, 2*cap(own)), own...)
		}
		var n int
		n, f.err = read(f.r, own[len(own):len(own)+len(f.in)])
		more := own[len(own) : len(own)+n]
		end := bytes.IndexByte(more, '\n') + 1
		if end == 0 {
			own = own[:len(own)+n]
			continue
		}
		f.at, f.to = 0, copy(f.in, more[end:])
		own = own[:len(own)+end]
		break
	}
	f.room = len(own) + len(own)/8 + len(f.in)
	if cap(own) > 2*len(own) { // room that is not used would be held with it
		return bytes.Clone(own), nil
	}
	return own, nil
}

// read reads what is there, and at least something where nothing ends the stream.
func read(r io.Reader, into []byte) (n int, err error) {
	for range 100 {
		if n, err = r.Read(into); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// remainder is a line of which a part was read already.
type remainder struct {
	f    *Frames
	part []byte
	over bool
}

func (r *remainder) Read(b []byte) (int, error) {
	for len(r.part) == 0 {
		f := r.f
		switch {
		case r.over:
			return 0, io.EOF
		case f.at == f.to && f.err != nil:
			return 0, f.err
		case f.at == f.to:
			f.fill()
		}
		n := bytes.IndexByte(f.in[f.at:f.to], '\n') + 1
		if r.over = n > 0; !r.over {
			n = f.to - f.at
		}
		r.part = f.take(n)
	}
	n := copy(b, r.part)
	r.part = r.part[n:]
	return n, nil
}
