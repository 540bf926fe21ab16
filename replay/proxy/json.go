package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"snapscope/replay/tape"
)

// Span is a place in a message: bytes [From, To).
type Span struct{ From, To int }

// Of is the span's bytes in the message it was found in.
func (s Span) Of(msg []byte) []byte { return msg[s.From:s.To] }

// Find answers where the value at a path stands: a text is a key of an object, a
// number an index of an array. Of a key that stands twice the last one counts, as
// for encoding/json and JavaScript. The message must be valid JSON: check it
// before, since only what lies on the way is looked at.
func Find(msg []byte, path ...any) (Span, bool) {
	at := skipSpace(msg, 0)
	for _, step := range path {
		var ok bool
		if at, ok = enter(msg, at, step); !ok {
			return Span{}, false
		}
	}
	end := skipValue(msg, at)
	return Span{at, end}, end > at
}

// enter answers where the value of a key or index of the container at begins.
func enter(msg []byte, at int, step any) (int, bool) {
	if at >= len(msg) {
		return 0, false
	}
	switch step := step.(type) {
	case string:
		found := -1
		for key, val := range Members(msg, at) {
			if KeyIs(key.Of(msg), step) {
				found = val
			}
		}
		return found, found >= 0
	case int:
		i := 0
		for val := range Elements(msg, at) {
			if i == step {
				return val, true
			}
			i++
		}
	}
	return 0, false
}

// Members walks over the object that begins at: each key, in its quotes, and where
// its value begins.
func Members(msg []byte, at int) iter.Seq2[Span, int] {
	return func(yield func(Span, int) bool) {
		if at >= len(msg) || msg[at] != '{' {
			return
		}
		at = skipSpace(msg, at+1)
		for at < len(msg) && msg[at] == '"' {
			key := Span{at, skipString(msg, at)}
			at = skipSpace(msg, key.To)
			if at >= len(msg) || msg[at] != ':' {
				return
			}
			at = skipSpace(msg, at+1)
			if !yield(key, at) {
				return
			}
			at = skipSpace(msg, skipValue(msg, at))
			if at >= len(msg) || msg[at] != ',' {
				return
			}
			at = skipSpace(msg, at+1)
		}
	}
}

// Walk goes over the object or the array that begins at, once: visit is told of each
// value where it begins, and its key in its quotes (of an array's: none), and answers
// where the value ends: what End says, or what Walk does where it looked into the
// value. Walk answers where all of it ends.
func Walk(msg []byte, at int, visit func(key Span, at int) (end int)) (end int) {
	if at >= len(msg) || msg[at] != '{' && msg[at] != '[' {
		return skipValue(msg, at)
	}
	object := msg[at] == '{'
	for at = skipSpace(msg, at+1); at < len(msg) && msg[at] != '}' && msg[at] != ']'; at = skipSpace(msg, at) {
		key := Span{at, at}
		if object {
			if msg[at] != '"' {
				break
			}
			key.To = skipString(msg, at)
			if at = skipSpace(msg, key.To); at >= len(msg) || msg[at] != ':' {
				break
			}
			at = skipSpace(msg, at+1)
		}
		if at = skipSpace(msg, visit(key, at)); at >= len(msg) || msg[at] != ',' {
			break
		}
		at++
	}
	return min(at+1, len(msg))
}

// Elements walks over the array that begins at: where each value begins.
func Elements(msg []byte, at int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if at >= len(msg) || msg[at] != '[' {
			return
		}
		at = skipSpace(msg, at+1)
		for at < len(msg) && msg[at] != ']' {
			if !yield(at) {
				return
			}
			at = skipSpace(msg, skipValue(msg, at))
			if at >= len(msg) || msg[at] != ',' {
				return
			}
			at = skipSpace(msg, at+1)
		}
	}
}

// KeyIs reports whether a key in its quotes is this one.
func KeyIs(quoted []byte, key string) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return len(quoted) == len(key)+2 && string(quoted[1:len(quoted)-1]) == key
	}
	var s string
	return json.Unmarshal(quoted, &s) == nil && s == key
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

func skipString(b []byte, i int) int {
	for i++; i < len(b); {
		k := bytes.IndexByte(b[i:], '"')
		if k < 0 {
			return len(b)
		}
		i += k
		n := 0
		for b[i-1-n] == '\\' {
			n++
		}
		i++
		if n%2 == 0 {
			return i
		}
	}
	return len(b)
}

// skipValue answers where the value at i ends.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
			i++
			continue
		default:
			i = skipWord(b, i)
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

// skipWord answers where a number, true, false or null ends.
func skipWord(b []byte, i int) int {
	for ; i < len(b); i++ {
		switch b[i] {
		case '{', '}', '[', ']', ',', ':', '"', ' ', '\n', '\t', '\r':
			return i
		}
	}
	return i
}

// End answers where the value that begins at ends.
func End(msg []byte, at int) int { return skipValue(msg, at) }

// Change is one value to be put in the place of a span.
type Change struct {
	Span
	With []byte
}

// Splice answers a new message in which each change's value stands in its place
// and every other byte is as it was. The changes must not overlap. A result that
// is not valid JSON, or would be two lines where msg was one, is an error: then
// the message as it came is what should be sent.
func Splice(msg []byte, changes ...Change) ([]byte, error) {
	slices.SortStableFunc(changes, func(a, b Change) int { return a.From - b.From })
	size, at := len(msg), 0
	for _, c := range changes {
		if c.From < at || c.To < c.From || c.To > len(msg) {
			return nil, fmt.Errorf("replacing bytes %d to %d of a message of %d: the place is not free", c.From, c.To, len(msg))
		}
		if bytes.IndexByte(c.With, '\n') >= 0 {
			return nil, errors.New("replacing a value: the new one has several lines")
		}
		at = c.To
		size += len(c.With)
	}
	out := make([]byte, 0, size)
	at = 0
	for _, c := range changes {
		out = append(append(out, msg[at:c.From]...), c.With...)
		at = c.To
	}
	out = append(out, msg[at:]...)
	if !sound(msg, changes) {
		return nil, errors.New("replacing a value: the message would be no JSON")
	}
	return out, nil
}

// sound reports whether a message with its changes made is valid JSON. A whole
// string stands for any other, so the long ones need not be read as a part of it.
func sound(msg []byte, changes []Change) bool {
	var short []byte
	at := 0
	for _, c := range changes {
		short = append(short, msg[at:c.From]...)
		if isString(c.With) {
			short = append(short, `""`...)
		} else {
			short = append(short, c.With...)
		}
		at = c.To
	}
	return json.Valid(append(short, msg[at:]...))
}

// isString reports one whole JSON string without a \u and nothing else.
func isString(b []byte) bool {
	n := len(b) - 1
	if n < 1 || b[0] != '"' || b[n] != '"' {
		return false
	}
	for i := 1; i < n; i++ {
		switch c := b[i]; {
		case c < ' ' || c == '"':
			return false
		case c == '\\':
			if i++; i == n || strings.IndexByte(`"\/bfnrt`, b[i]) < 0 {
				return false
			}
		}
	}
	return true
}

// Put is the change that sets a key of the object in a span: the key's value if
// it is there, else a new member at the object's end.
func Put(msg []byte, object Span, key string, value []byte) (Change, error) {
	if object.From >= len(msg) || msg[object.From] != '{' {
		return Change{}, fmt.Errorf("setting %q: there is no object", key)
	}
	last := -1
	n := 0
	for k, v := range Members(msg, object.From) {
		n++
		if KeyIs(k.Of(msg), key) {
			last = v
		}
	}
	if last >= 0 {
		return Change{Span{last, skipValue(msg, last)}, value}, nil
	}
	end := object.To - 1
	member := append(append(Quote(key), ':'), value...)
	if n > 0 {
		member = append([]byte{','}, member...)
	}
	return Change{Span{end, end}, member}, nil
}

// List is a JSON list of texts on one line, which TOML reads, too.
func List(words []string) []byte {
	out := []byte{'['}
	for i, w := range words {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(out, Quote(w)...)
	}
	return append(out, ']')
}

// Quote writes a text as JSON on one line, with no escapes that JSON does not
// ask for: <changed> stays readable. Bytes that are no UTF-8 become U+FFFD.
func Quote(s string) []byte {
	out := append(make([]byte, 0, len(s)+len(s)/8+32), '"')
	return append(tape.AppendEscaped(out, tape.ValidText(s)), '"')
}

// Text is the text in a span that holds a JSON string; ok is false for any other
// value.
func Text(msg []byte, s Span) (text string, ok bool) {
	b := s.Of(msg)
	if len(b) < 2 || b[0] != '"' {
		return "", false
	}
	if text, ok = tape.Text(b); ok {
		return text, true
	}
	err := json.Unmarshal(b, &text) // halves of runes, bytes that are no UTF-8, no string at all
	return text, err == nil
}

// TextAt is the text at a path; "" where there is none.
func TextAt(msg []byte, path ...any) string {
	s, ok := Find(msg, path...)
	if !ok {
		return ""
	}
	text, _ := Text(msg, s)
	return text
}

// IntAt is the whole number at a path.
func IntAt(msg []byte, path ...any) (int64, bool) {
	s, ok := Find(msg, path...)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(string(s.Of(msg)), 10, 64)
	return n, err == nil
}
