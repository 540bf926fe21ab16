package relay

import (
	"errors"
	"io"
)

// tee copies an answer as it passes. Of a very long one the head and the end are
// kept, where the vendors put their counts. What ends an answer is passed on after it
// was told: nobody has a whole answer that is not recorded.
type tee struct {
	from io.ReadCloser
	over func(copied []byte, cut bool) // called once, when the answer is over
	ends func(piece []byte) bool       // reports the piece of a stream that ends the answer
	left int64                         // bytes still to come; below 0: not known

	head, tail []byte
	skipped    bool
	whole      bool
	done       bool
}

func (t *tee) Read(b []byte) (int, error) {
	n, err := t.from.Read(b)
	t.copy(b[:n])
	last := t.ends(b[:n])
	if t.left >= 0 {
		t.left -= int64(n)
		last = last || t.left == 0
	}
	if errors.Is(err, io.EOF) || last {
		t.whole = true
		t.end()
	}
	return n, err
}

func (t *tee) copy(b []byte) {
	if room := maxCopy - len(t.head); room > 0 {
		k := min(room, len(b))
		t.head = append(t.head, b[:k]...)
		b = b[k:]
	}
	if len(b) == 0 {
		return
	}
	t.tail = append(t.tail, b...)
	if len(t.tail) > 2*maxTail {
		t.tail = append(t.tail[:0], t.tail[len(t.tail)-maxTail:]...)
		t.skipped = true
	}
}

// Close ends the answer; before its end it is one that broke off.
func (t *tee) Close() error {
	err := t.from.Close()
	t.end()
	return err
}

func (t *tee) end() {
	if t.done {
		return
	}
	t.done = true
	copied := t.head
	if len(t.tail) > 0 {
		if t.skipped {
			copied = append(copied, '\n', '\n') // what is left of an event in the gap is none
		}
		copied = append(copied, t.tail...)
	}
	t.head, t.tail = nil, nil
	t.over(copied, !t.whole)
}
