package seat

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

// MaxMessage is how many bytes of a message are kept to be looked at. A larger one
// passes unread: a page that a model reads is a thousandth of it.
const MaxMessage = 32 << 20

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
// it. The slice belongs to the caller. A message of more than MaxMessage bytes is
// given as long, from its beginning, and must be read before the next call; else long
// is nil. The error is io.EOF at the end, or the reader's own; what was read before
// it comes first.
func (f *Frames) Next() (msg []byte, long io.Reader, err error) {
	part, err := f.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		if len(part) > 0 {
			err = nil // the rest of the stream; the error comes with the next call
		}
		return bytes.Clone(part), nil, err
	}
	var parts [][]byte // joined once: a message that grows is copied, and left behind, many times
	size := 0
	for {
		parts = append(parts, bytes.Clone(part))
		size += len(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return slices.Concat(parts...), nil, nil
		}
		if size > f.most {
			return nil, &remainder{r: f.r, parts: parts}, nil
		}
		part, err = f.r.ReadSlice('\n')
	}
}

// remainder is a line of which parts were read already.
type remainder struct {
	r     *bufio.Reader
	parts [][]byte
	part  []byte
	err   error
}

func (r *remainder) Read(b []byte) (int, error) {
	for len(r.part) == 0 {
		if len(r.parts) > 0 {
			r.part, r.parts = r.parts[0], r.parts[1:]
			continue
		}
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
