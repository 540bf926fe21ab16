package tape

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Document reads a JSON document piece by piece: each element of the top array,
// or each field of the top object, and of a field that is an array each
// element. Only one piece is held at a time, so a document of any size costs
// what its largest piece costs, and one that is cut gives every piece that is
// whole. Documents that follow each other are read as one.
type Document struct {
	r     *bufio.Reader
	max   int
	line  int
	start bool // a byte order mark may come
	stack []byte
	key   string // the field whose array is being read
	buf   []byte
}

// Piece is one part of a document.
type Piece struct {
	Key  string // the field it belongs to; empty in a top array
	Line int
	Raw  []byte // valid until the next piece; nil where it was too long
	Long int64  // its length then
	List bool   // an element of an array
}

// ErrCut tells that a document ends inside a piece.
var ErrCut = errors.New("the document is cut")

// NewDocument reads a document from r; a piece of more than max bytes is read
// past and told by its length alone.
func NewDocument(r io.Reader, max int) *Document {
	return &Document{r: bufio.NewReaderSize(r, 256<<10), max: max, line: 1, start: true}
}

// Next is the next piece; io.EOF after the document, ErrCut where it is cut,
// ErrJSON where it cannot be read on.
func (d *Document) Next() (Piece, error) {
	for {
		c, err := d.peek()
		if err != nil {
			if errors.Is(err, io.EOF) && len(d.stack) > 0 {
				return Piece{}, ErrCut
			}
			return Piece{}, err
		}
		top := byte(0)
		if n := len(d.stack); n > 0 {
			top = d.stack[n-1]
		}
		switch {
		case top == 0 && (c == '[' || c == '{'), top == '{' && d.key != "" && c == '[':
			d.stack = append(d.stack, c)
			d.skip()
		case top == '[' && c == ']', top == '{' && c == '}' && d.key == "":
			d.stack = d.stack[:len(d.stack)-1]
			if len(d.stack) == 1 {
				d.key = ""
			}
			d.skip()
		case top == '{' && d.key == "":
			if err := d.readKey(c); err != nil {
				return Piece{}, err
			}
		case top == 0:
			return Piece{}, ErrJSON
		default:
			p := Piece{Key: d.key, Line: d.line, List: top == '['}
			p.Raw, p.Long, err = d.value()
			if top == '{' {
				d.key = ""
			}
			return p, err
		}
	}
}

// Line is the line that is being read, from 1.
func (d *Document) Line() int { return d.line }

// Key is the field whose value or array is being read.
func (d *Document) Key() string { return d.key }

func (d *Document) skip() { _, _ = d.r.Discard(1) }

// peek is the next byte that is not space or a comma.
func (d *Document) peek() (byte, error) {
	if d.start {
		d.start = false
		if b, _ := d.r.Peek(3); bytes.Equal(b, []byte("\xEF\xBB\xBF")) {
			_, _ = d.r.Discard(3)
		}
	}
	for {
		c, err := d.r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			d.line++
		case ' ', '\r', '\t', ',':
		default:
			return c, d.r.UnreadByte()
		}
	}
}

func (d *Document) readKey(c byte) error {
	if c != '"' {
		return ErrJSON
	}
	raw, _, err := d.value()
	if err != nil {
		return err
	}
	var t Tape
	v, err := t.Parse(raw)
	if err != nil {
		return ErrJSON
	}
	c, err = d.peek()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = ErrCut
		}
		return err
	}
	if c != ':' {
		return ErrJSON
	}
	d.skip()
	if d.key = v.Str(); d.key == "" {
		d.key = "\x00" // a field without a name is a field
	}
	return nil
}

// value reads one value whole, over any number of buffers.
func (d *Document) value() (raw []byte, long int64, err error) {
	d.buf = d.buf[:0]
	var s span
	var total int64
	for {
		chunk, err := d.r.Peek(max(1, d.r.Buffered()))
		if len(chunk) == 0 {
			if errors.Is(err, io.EOF) {
				if s.plain && len(d.stack) == 0 {
					return d.buf, 0, nil
				}
				err = ErrCut
			}
			return nil, 0, err
		}
		n, done := s.scan(chunk)
		d.line += bytes.Count(chunk[:n], []byte("\n"))
		if total += int64(n); total <= int64(d.max) {
			d.buf = append(d.buf, chunk[:n]...)
		} else {
			d.buf = nil
		}
		if _, err := d.r.Discard(n); err != nil {
			return nil, 0, err
		}
		if done {
			if total > int64(d.max) {
				return nil, total, nil
			}
			if n == 0 && total == 0 {
				return nil, 0, ErrJSON
			}
			return d.buf, 0, nil
		}
	}
}

// span finds the end of a value in pieces of it.
type span struct {
	depth   int
	quoted  bool
	escaped bool
	plain   bool // a number or a word
}

// scan consumes chunk up to the value's end.
func (s *span) scan(chunk []byte) (n int, done bool) {
	for i := 0; i < len(chunk); i++ {
		c := chunk[i]
		if s.quoted {
			switch {
			case s.escaped:
				s.escaped = false
			case c == '\\':
				s.escaped = true
			case c == '"':
				s.quoted = false
				if s.depth == 0 {
					return i + 1, true
				}
			}
			continue
		}
		switch c {
		case '"':
			if s.plain {
				return i, true
			}
			s.quoted = true
		case '{', '[':
			if s.plain {
				return i, true
			}
			s.depth++
		case '}', ']':
			if s.depth--; s.depth < 0 {
				return i, true // ends what is around a plain value
			}
			if s.depth == 0 {
				return i + 1, true
			}
		case ' ', '\n', '\r', '\t', ',', ':':
			if s.depth == 0 {
				return i, true
			}
		default:
			if s.depth == 0 {
				s.plain = true
			}
		}
	}
	return len(chunk), false
}
