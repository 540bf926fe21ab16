package transcript

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// val is a value on a tape; the zero val is no value, and answers every
// question as an empty one.
type val struct {
	t *tape
	i int32
}

func (v val) node() node {
	if v.t == nil {
		return node{}
	}
	return v.t.nodes[v.i]
}

func (v val) kind() kind { return v.node().kind }

// ok reports whether there is a value other than null.
func (v val) ok() bool { return v.kind() != kindNone && !v.is("null") }

func (v val) raw() []byte {
	if v.t == nil {
		return nil
	}
	n := v.node()
	return v.t.src[n.start:n.end]
}

func (v val) is(word string) bool { return v.kind() == kindOther && string(v.raw()) == word }

// get is the value under a key of an object, or under the last of a path.
func (v val) get(path ...string) val {
	for _, key := range path {
		v = v.field(key)
	}
	return v
}

func (v val) field(key string) val {
	n := v.node()
	if n.kind != kindObject {
		return val{}
	}
	for i := v.i + 1; i < n.next; {
		k := val{v.t, i}
		if k.equals(key) {
			return val{v.t, i + 1}
		}
		i = v.t.nodes[i+1].next
	}
	return val{}
}

// has reports whether an object has all of the keys.
func (v val) has(keys ...string) bool {
	for _, k := range keys {
		if v.field(k).kind() == kindNone {
			return false
		}
	}
	return true
}

func (v val) equals(s string) bool {
	n := v.node()
	if n.kind != kindString {
		return false
	}
	if n.escaped {
		return v.str() == s
	}
	return string(v.t.src[n.start+1:n.end-1]) == s
}

// fields calls f for each field of an object.
func (v val) fields(f func(key string, x val)) {
	n := v.node()
	if n.kind != kindObject {
		return
	}
	for i := v.i + 1; i < n.next; i = v.t.nodes[i+1].next {
		f(val{v.t, i}.str(), val{v.t, i + 1})
	}
}

// items calls f for each element of an array.
func (v val) items(f func(x val)) {
	n := v.node()
	if n.kind != kindArray {
		return
	}
	for i := v.i + 1; i < n.next; i = v.t.nodes[i].next {
		f(val{v.t, i})
	}
}

// str is a string's value; empty for anything else.
func (v val) str() string {
	n := v.node()
	if n.kind != kindString {
		return ""
	}
	b := v.t.src[n.start+1 : n.end-1]
	if !n.escaped {
		return validText(string(b))
	}
	return unescape(b)
}

// num is a number's value, also one written as a string.
func (v val) num() float64 {
	s := v.str()
	if v.kind() == kindOther {
		s = string(v.raw())
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return f
}

func (v val) int() int {
	f := v.num()
	if f > 1<<53 || f < -(1<<53) || f != f {
		return 0
	}
	return int(f)
}

func (v val) bool() bool { return v.is("true") }

// any is the value as encoding/json would give it.
func (v val) any() any {
	switch v.kind() {
	case kindObject:
		return v.object()
	case kindArray:
		out := []any{}
		v.items(func(x val) { out = append(out, x.any()) })
		return out
	case kindString:
		return v.str()
	case kindOther:
		switch string(v.raw()) {
		case "true":
			return true
		case "false":
			return false
		case "null":
			return nil
		}
		return v.num()
	}
	return nil
}

// object is an object's value; nil for anything else or an empty one.
func (v val) object() map[string]any {
	var out map[string]any
	v.fields(func(k string, x val) {
		if out == nil {
			out = map[string]any{}
		}
		out[k] = x.any()
	})
	return out
}

// idText is an id that may be a string or a number.
func (v val) idText() string {
	if v.kind() == kindOther {
		return string(v.raw())
	}
	return v.str()
}

func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s)) // a replacement for each byte, as other readers have it
}

// unescape decodes the inside of a JSON string. Runs between backslashes are
// copied whole.
func unescape(b []byte) string {
	var out strings.Builder
	out.Grow(len(b))
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 >= len(b) {
			out.Write(b)
			return validText(out.String())
		}
		out.Write(b[:i])
		c := b[i+1]
		b = b[i+2:]
		switch c {
		case 'n':
			out.WriteByte('\n')
		case 't':
			out.WriteByte('\t')
		case 'r':
			out.WriteByte('\r')
		case 'b':
			out.WriteByte('\b')
		case 'f':
			out.WriteByte('\f')
		case 'u':
			b = codepoint(&out, b)
		default:
			out.WriteByte(c)
		}
	}
}

// codepoint writes the code point of \uXXXX, with its second half where it has
// one, and answers what comes after.
func codepoint(out *strings.Builder, b []byte) []byte {
	r, ok := hex4(b)
	if !ok {
		out.WriteRune(utf8.RuneError)
		return b
	}
	b = b[4:]
	if utf16.IsSurrogate(r) {
		if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
			if low, ok := hex4(b[2:]); ok {
				if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
					out.WriteRune(full)
					return b[6:]
				}
			}
		}
		r = utf8.RuneError
	}
	out.WriteRune(r)
	return b
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 32)
	return rune(n), err == nil
}

// escapeText is a string's JSON form without quotes, as most writers make it:
// only what must be escaped is.
func escapeText(s string) string {
	var out strings.Builder
	out.Grow(len(s) + len(s)/8)
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		out.WriteString(s[from:i])
		from = i + 1
		switch c {
		case '"', '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case '\n':
			out.WriteString(`\n`)
		case '\r':
			out.WriteString(`\r`)
		case '\t':
			out.WriteString(`\t`)
		case '\b':
			out.WriteString(`\b`)
		case '\f':
			out.WriteString(`\f`)
		default:
			out.WriteString(`\u00`)
			out.WriteByte("0123456789abcdef"[c>>4])
			out.WriteByte("0123456789abcdef"[c&15])
		}
	}
	out.WriteString(s[from:])
	return out.String()
}
