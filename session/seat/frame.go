package seat

import (
	"bufio"
	"errors"
	"io"
)

// Frames reads messages that end with a newline and gives them with every byte
// they came with. There is no limit of length, and no other character ends a
// message: a carriage return or U+2028 is part of it, as the MCP specification's
// stdio transport has it.
type Frames struct{ r *bufio.Reader }

// NewFrames reads from r.
func NewFrames(r io.Reader) *Frames { return &Frames{bufio.NewReaderSize(r, 64<<10)} }

// Next is the next message with its newline; the last one of a stream may lack
// it. The slice belongs to the caller. The error is io.EOF at the end, or the
// reader's own; what was read before it comes first.
func (f *Frames) Next() ([]byte, error) {
	var out []byte
	for {
		part, err := f.r.ReadSlice('\n')
		out = append(out, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && len(out) > 0 {
			err = nil // the rest of the stream; the error comes with the next call
		}
		return out, err
	}
}
