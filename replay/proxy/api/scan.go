package api

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// span is where a JSON value stands in a body: from its first byte to after its
// last.
type span struct{ from, to int }

// body is a request or an answer that is known to be valid JSON, so the walk
// over it needs to check nothing.
type body []byte

// space is the first byte from i on that is not white space.
func (b body) space(i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// str is the end of the string that begins at i.
func (b body) str(i int) int {
	for i++; i < len(b); {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return len(b)
		}
		end := i + j
		k := end
		for k > i && b[k-1] == '\\' {
			k--
		}
		i = end + 1
		if (end-k)%2 == 0 {
			return i
		}
	}
	return len(b)
}

// value is the end of the value that begins at i.
func (b body) value(i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = b.str(i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth <= 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return i
			}
		}
		i++
		if depth == 0 && i < len(b) && (b[i] == '}' || b[i] == ']') { // a number before a bracket
			return i
		}
	}
	return i
}

// kind is a value's first byte: { [ " t f n or a digit; 0 for no value.
func (b body) kind(s span) byte {
	if s.to <= s.from {
		return 0
	}
	return b[s.from]
}

// fields calls f with each field of an object. What is no object has none.
func (b body) fields(s span, f func(key string, v span)) {
	if b.kind(s) != '{' {
		return
	}
	for i := b.space(s.from + 1); i < s.to && b[i] == '"'; {
		k := b.str(i)
		key := b[i+1 : k-1]
		v := b.space(b.space(k) + 1) // past the colon
		end := b.value(v)
		name := string(key)
		if bytes.IndexByte(key, '\\') >= 0 {
			name = b.text(span{i, k})
		}
		f(name, span{v, end})
		i = b.space(end)
		if i < s.to && b[i] == ',' {
			i = b.space(i + 1)
		}
	}
}

// items calls f with each element of an array.
func (b body) items(s span, f func(v span)) {
	if b.kind(s) != '[' {
		return
	}
	for i := b.space(s.from + 1); i < s.to && b[i] != ']'; {
		end := b.value(i)
		if end <= i {
			return
		}
		f(span{i, end})
		i = b.space(end)
		if i < s.to && b[i] == ',' {
			i = b.space(i + 1)
		}
	}
}

// object holds the values of some of an object's fields, by their place in the
// list of names they were picked with.
type object [6]span

// pick is one walk over an object for the fields of these names, at most six; the
// last of a name counts, as JSON readers have it.
func (b body) pick(s span, names ...string) (out object) {
	b.fields(s, func(key string, v span) {
		for i, n := range names {
			if key == n {
				out[i] = v
			}
		}
	})
	return out
}

// raw is a value's source.
func (b body) raw(s span) []byte { return b[s.from:s.to] }

// text is a string's value; "" for what is no string.
func (b body) text(s span) string {
	if b.kind(s) != '"' {
		return ""
	}
	in := b[s.from+1 : s.to-1]
	i := bytes.IndexByte(in, '\\')
	if i < 0 {
		return strings.ToValidUTF8(string(in), "\uFFFD")
	}
	var out strings.Builder
	out.Grow(len(in))
	for {
		out.Write(in[:i])
		r, n := escape(in[i:])
		out.WriteRune(r)
		in = in[i+n:]
		if i = bytes.IndexByte(in, '\\'); i < 0 {
			out.Write(in)
			return strings.ToValidUTF8(out.String(), "\uFFFD")
		}
	}
}

// escape reads the escape that b begins with and how many bytes it takes. Half
// of a surrogate pair stands for U+FFFD.
func escape(b []byte) (rune, int) {
	if len(b) < 2 {
		return utf8.RuneError, len(b)
	}
	switch b[1] {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		r := hex4(b)
		if !utf16.IsSurrogate(r) {
			return r, min(6, len(b))
		}
		if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(b[6:])); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, min(6, len(b))
	}
	return rune(b[1]), 2
}

// hex4 reads the four digits of \uXXXX.
func hex4(b []byte) rune {
	if len(b) < 6 {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// isTrue reports whether a value is the word true.
func (b body) isTrue(s span) bool { return string(b.raw(s)) == "true" }

// quote writes a text as a JSON string, without HTML escapes.
func quote(text string) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string can always be encoded
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
