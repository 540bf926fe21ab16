package replay

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the longest line that is held, in bytes. A longer one is read past
// and counted, so a file of one endless line costs no memory.
const MaxLine = 64 << 20

// Line is one line of a file.
type Line struct {
	N     int    // from 1
	Bytes []byte // without its end; valid until the next line is read
	Whole bool   // its newline was there
	Long  int64  // bytes of a line over the limit, which is not held; 0: held
}

// Lines reads a file line by line: bounded, either line ending, a byte order
// mark at the start left out.
type Lines struct {
	r    *bufio.Reader
	max  int
	n    int
	long []byte // a line that did not fit the reader's own buffer
	done bool
}

// NewLines reads lines of at most max bytes; 0 means MaxLine.
func NewLines(r io.Reader, max int) *Lines {
	if max <= 0 {
		max = MaxLine
	}
	return &Lines{r: bufio.NewReaderSize(r, 256<<10), max: max}
}

var bom = []byte("\xEF\xBB\xBF")

// Next is the next line. The error is io.EOF after the last one, or the
// reader's own.
func (l *Lines) Next() (Line, error) {
	if l.done {
		return Line{}, io.EOF
	}
	l.n++
	out := Line{N: l.n}
	b, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		b, out.Long, err = l.rest(b)
	}
	if err != nil {
		l.done = true
		if !errors.Is(err, io.EOF) {
			return Line{}, err
		}
		if len(b) == 0 && out.Long == 0 {
			return Line{}, io.EOF
		}
	}
	if n := len(b); n > 0 && b[n-1] == '\n' {
		b, out.Whole = b[:n-1], true
		if n > 1 && b[n-2] == '\r' {
			b = b[:n-2]
		}
	}
	out.Whole = out.Whole || (out.Long > 0 && err == nil)
	if l.n == 1 {
		b = bytes.TrimPrefix(b, bom)
	}
	out.Bytes = b
	return out, nil
}

// rest reads on to the end of a line whose start did not fit the buffer.
func (l *Lines) rest(start []byte) (b []byte, long int64, err error) {
	l.long = append(l.long[:0], start...)
	for {
		part, err := l.r.ReadSlice('\n')
		switch {
		case long > 0:
			long += int64(len(part))
		case len(l.long)+len(part) > l.max:
			long = int64(len(l.long) + len(part))
			l.long = nil // given back: a file may have one such line and many small ones
		default:
			l.long = append(l.long, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.long, long, err
		}
	}
}
