package seat

import (
	"bufio"
	"errors"
	"io"
)

// MaxMessage is how many bytes of a message are kept to be looked at. A larger one
// passes unread: a page that a model reads is a thousandth of it.
const MaxMessage = 64 << 20

// Frames reads messages that end with a newline and gives them with every byte
// they came with. No other character ends a message: a carriage return or U+2028
// is part of it, as the MCP specification's stdio transport has it.
type Frames struct {
	r    *bufio.Reader
	most int
}

// NewFrames reads from r.
func NewFrames(r io.Reader) *Frames { return &Frames{bufio.NewReaderSize(r, 64<<10), MaxMessage} }

// Next is the next message with its newline; the last one of a stream may lack
// it. The slice belongs to the caller. Of a message of more than MaxMessage bytes
// it is the beginning, and rest is the remainder, which must be read before the
// next call; else rest is nil. The error is io.EOF at the end, or the reader's own;
// what was read before it comes first.
func (f *Frames) Next() (msg []byte, rest io.Reader, err error) {
	for {
		part, err := f.r.ReadSlice('\n')
		msg = append(msg, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(msg) > f.most {
				return msg, &remainder{r: f.r}, nil
			}
			continue
		case err != nil && len(msg) > 0:
			err = nil // the rest of the stream; the error comes with the next call
		}
		return msg, nil, err
	}
}

// remainder is a line from amid it to its end.
type remainder struct {
	r    *bufio.Reader
	part []byte
	err  error
}

func (r *remainder) Read(b []byte) (int, error) {
	for len(r.part) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.part, r.err = r.r.ReadSlice('\n')
		switch {
		case errors.Is(r.err, bufio.ErrBufferFull):
			r.err = nil
		case r.err == nil:
			r.err = io.EOF
		}
	}
	n := copy(b, r.part)
	r.part = r.part[n:]
	return n, nil
}
