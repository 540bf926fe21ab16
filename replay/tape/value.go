package tape

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// Value is a value on a tape; the zero Value is no value, and answers every
// question as an empty one.
type Value struct {
	t *Tape
	i int32
}

func (v Value) node() node {
	if v.t == nil {
		return node{}
	}
	return v.t.nodes[v.i]
}

// Kind is what the value is.
func (v Value) Kind() Kind { return v.node().kind }

// OK reports whether there is a value other than null.
func (v Value) OK() bool { return v.Kind() != None && !v.Is("null") }

// Raw is the value as it stands in the source.
func (v Value) Raw() []byte {
	if v.t == nil {
		return nil
	}
	n := v.node()
	return v.t.src[n.start:n.end]
}

// Is reports whether the value is this word or number.
func (v Value) Is(word string) bool { return v.Kind() == Other && string(v.Raw()) == word }

// Get is the value under a key of an object, or under the last of a path.
func (v Value) Get(path ...string) Value {
	for _, key := range path {
		v = v.field(key)
	}
	return v
}

// Span is where the value begins and ends in its source, in bytes.
func (v Value) Span() (start, end int) {
	n := v.node()
	return int(n.start), int(n.end)
}

func (v Value) field(key string) Value {
	n := v.node()
	if n.kind != Object {
		return Value{}
	}
	for i := v.i + 1; i < n.next; {
		k := Value{v.t, i}
		if k.equals(key) {
			return Value{v.t, i + 1}
		}
		i = v.t.nodes[i+1].next
	}
	return Value{}
}

// Has reports whether an object has all of the keys.
func (v Value) Has(keys ...string) bool {
	for _, k := range keys {
		if v.field(k).Kind() == None {
			return false
		}
	}
	return true
}

func (v Value) equals(s string) bool {
	n := v.node()
	if n.kind != String {
		return false
	}
	if n.escaped {
		return v.Str() == s
	}
	return string(v.t.src[n.start+1:n.end-1]) == s
}

// Fields calls f for each field of an object.
func (v Value) Fields(f func(key string, x Value)) {
	n := v.node()
	if n.kind != Object {
		return
	}
	for i := v.i + 1; i < n.next; i = v.t.nodes[i+1].next {
		f(Value{v.t, i}.Str(), Value{v.t, i + 1})
	}
}

// Items calls f for each element of an array.
func (v Value) Items(f func(x Value)) {
	n := v.node()
	if n.kind != Array {
		return
	}
	for i := v.i + 1; i < n.next; i = v.t.nodes[i].next {
		f(Value{v.t, i})
	}
}

// Str is a string's value; empty for anything else.
func (v Value) Str() string {
	n := v.node()
	if n.kind != String {
		return ""
	}
	b := v.t.src[n.start+1 : n.end-1]
	if !n.escaped {
		return ValidText(string(b))
	}
	return Unescape(b)
}

// Num is a number's value, also one written as a string.
func (v Value) Num() float64 {
	s := v.Str()
	if v.Kind() == Other {
		s = string(v.Raw())
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return f
}

// Int is a whole number; 0 for one that no integer holds exactly.
func (v Value) Int() int {
	f := v.Num()
	if f > 1<<53 || f < -(1<<53) || f != f {
		return 0
	}
	return int(f)
}

// Bool reports whether the value is true.
func (v Value) Bool() bool { return v.Is("true") }

// Any is the value as encoding/json would give it.
func (v Value) Any() any {
	switch v.Kind() {
	case Object:
		return v.Object()
	case Array:
		out := []any{}
		v.Items(func(x Value) { out = append(out, x.Any()) })
		return out
	case String:
		return v.Str()
	case Other:
		switch string(v.Raw()) {
		case "true":
			return true
		case "false":
			return false
		case "null":
			return nil
		}
		return v.Num()
	}
	return nil
}

// Object is an object's value; nil for anything else or an empty one.
func (v Value) Object() map[string]any {
	var out map[string]any
	v.Fields(func(k string, x Value) {
		if out == nil {
			out = map[string]any{}
		}
		out[k] = x.Any()
	})
	return out
}

// IDText is an id that may be a string or a number.
func (v Value) IDText() string {
	if v.Kind() == Other {
		return string(v.Raw())
	}
	return v.Str()
}

// ValidText is s with a replacement for each byte that is no UTF-8.
func ValidText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s)) // a replacement for each byte, as other readers have it
}

// Unescape decodes the inside of a JSON string, whatever it is. Runs between
// backslashes are copied whole. The bytes it makes become the string: they are many, and
// nobody else has them.
func Unescape(b []byte) string {
	text, _, _ := unescape(b, false)
	return ValidText(text)
}

// Text is the text of a JSON string in its quotes, as encoding/json reads it. ok is
// false for what needs a closer look: halves of runes, bytes that are no UTF-8, and
// what is no string.
func Text(quoted []byte) (text string, ok bool) {
	n := len(quoted) - 1
	if n < 1 || quoted[0] != '"' || quoted[n] != '"' || !utf8.Valid(quoted) || holdsControls(quoted) {
		return "", false
	}
	inside := quoted[1:n]
	text, quotes, ok := unescape(inside, true)
	return text, ok && quotes == bytes.Count(inside, []byte{'"'})
}

// holdsControls reports a byte below the space, eight at a time.
func holdsControls(b []byte) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	found := uint64(0)
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b)
		found |= (w - ones*' ') &^ w & tops
	}
	for _, c := range b {
		if c < ' ' {
			return true
		}
	}
	return found != 0
}

// unescape is Unescape for a text that is UTF-8; with strict it gives up where Text
// does. It tells how many quotes were escaped.
func unescape(b []byte, strict bool) (text string, quotes int, ok bool) {
	out := make([]byte, 0, len(b))
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 >= len(b) {
			out = append(out, b...)
			return unsafe.String(unsafe.SliceData(out), len(out)), quotes, !strict || i < 0
		}
		out = append(out, b[:i]...)
		c := b[i+1]
		b = b[i+2:]
		switch c {
		case '"':
			quotes++
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case 'r':
			c = '\r'
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'u':
			if r, is := hex4(b); strict && (!is || utf16.IsSurrogate(r)) {
				return "", quotes, false
			}
			out, b = codepoint(out, b)
			continue
		default:
			if strict && c != '\\' && c != '/' {
				return "", quotes, false
			}
		}
		out = append(out, c)
	}
}

// codepoint appends the code point of \uXXXX, with its second half where it has
// one, and answers what comes after.
func codepoint(out, b []byte) (grown, rest []byte) {
	r, ok := hex4(b)
	if !ok {
		return utf8.AppendRune(out, utf8.RuneError), b
	}
	b = b[4:]
	if utf16.IsSurrogate(r) {
		if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
			if low, ok := hex4(b[2:]); ok {
				if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
					return utf8.AppendRune(out, full), b[6:]
				}
			}
		}
		r = utf8.RuneError
	}
	return utf8.AppendRune(out, r), b
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 32)
	return rune(n), err == nil
}

// Escape is a string's JSON form without quotes, as most writers make it:
// only what must be escaped is.
func Escape(s string) string {
	out := AppendEscaped(nil, s)
	return unsafe.String(unsafe.SliceData(out), len(out))
}

// AppendEscaped appends Escape(s).
func AppendEscaped(out []byte, s string) []byte {
	out = slices.Grow(out, len(s)+len(s)/8)
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		e := escapes[c]
		if e == 0 {
			continue
		}
		out = append(out, s[from:i]...)
		from = i + 1
		out = appendEscape(out, e, c)
	}
	return append(out, s[from:]...)
}

// appendEscape appends what stands for c, whose letter is e.
func appendEscape(out []byte, e, c byte) []byte {
	if e == 'u' {
		return append(out, '\\', 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
	}
	return append(out, '\\', e)
}

// Escaped is how many bytes at the start of src are Escape(s), which is not made for
// it; -1: src does not begin so.
func Escaped(src, s string) int {
	at, from := 0, 0
	var buf [6]byte
	for i := 0; i < len(s); i++ {
		e := escapes[s[i]]
		if e == 0 {
			continue
		}
		if !strings.HasPrefix(src[at:], s[from:i]) {
			return -1
		}
		at += i - from
		from = i + 1
		if e != 'u' { // nearly all of them
			if len(src) < at+2 || src[at] != '\\' || src[at+1] != e {
				return -1
			}
			at += 2
			continue
		}
		if !strings.HasPrefix(src[at:], string(appendEscape(buf[:0], e, s[i]))) {
			return -1
		}
		at += len(buf)
	}
	if !strings.HasPrefix(src[at:], s[from:]) {
		return -1
	}
	return at + len(s) - from
}

// escapes is the letter behind the backslash of what must be escaped, u where it has
// none of its own.
var escapes = func() (e [256]byte) {
	for c := range 0x20 {
		e[c] = 'u'
	}
	for c, letter := range map[byte]byte{'"': '"', '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f'} {
		e[c] = letter
	}
	return e
}()
