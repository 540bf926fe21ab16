package transcript

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A transcript is mostly long strings, many of which are not wanted: vendors
// repeat every result beside itself. So a line is scanned once into a tape of
// spans, and only the strings that are asked for are decoded. It is a reader
// of JSON, no judge of it: what cannot be misread (a raw control character in
// a string, a comma too many) is let pass.

type kind uint8

const (
	kindNone kind = iota
	kindObject
	kindArray
	kindString
	kindOther // number, true, false, null
)

// node is one value's span in the source. An object's children are keys and
// values by turns.
type node struct {
	start, end int32 // with quotes and brackets
	next       int32 // index of the node after this one and its children
	kind       kind
	escaped    bool // a string with a backslash in it
}

// tape is one parsed value. It is reused from line to line.
type tape struct {
	src   []byte
	nodes []node
	at    int
}

// maxDepth bounds the nesting of a value.
const maxDepth = 512

var (
	errJSON = errors.New("not JSON")
	errDeep = errors.New("nested deeper than 512 levels")
)

// parse scans src, which must be one value and white space.
func (t *tape) parse(src []byte) (val, error) {
	t.src, t.nodes, t.at = src, t.nodes[:0], 0
	if err := t.value(0); err != nil {
		return val{}, err
	}
	if t.space(); t.at < len(src) {
		return val{}, errJSON
	}
	return val{t, 0}, nil
}

func (t *tape) space() {
	for t.at < len(t.src) {
		switch t.src[t.at] {
		case ' ', '\n', '\r', '\t', ',':
			t.at++
		default:
			return
		}
	}
}

func (t *tape) value(depth int) error {
	t.space()
	if t.at >= len(t.src) {
		return errJSON
	}
	switch t.src[t.at] {
	case '"':
		return t.text()
	case '{':
		return t.many(depth, kindObject, '}')
	case '[':
		return t.many(depth, kindArray, ']')
	}
	start := t.at
	for t.at < len(t.src) && isPlain(t.src[t.at]) {
		t.at++
	}
	if t.at == start {
		return errJSON
	}
	switch c := t.src[start]; {
	case c == '-' || c >= '0' && c <= '9':
	default:
		if w := string(t.src[start:t.at]); w != "true" && w != "false" && w != "null" {
			return errJSON
		}
	}
	t.nodes = append(t.nodes, node{int32(start), int32(t.at), int32(len(t.nodes) + 1), kindOther, false})
	return nil
}

func isPlain(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// text scans a string. The loop over its bytes is where the time goes.
func (t *tape) text() error {
	start := t.at
	i := start + 1
	escaped := false
	src := t.src
	for {
		j := bytes.IndexByte(src[i:], '"')
		if j < 0 {
			t.at = len(src)
			return errJSON
		}
		// The quote ends the string unless an odd run of backslashes is before it.
		end := i + j
		b := end
		for b > start+1 && src[b-1] == '\\' {
			b--
		}
		i = end + 1
		if (end-b)%2 == 0 {
			escaped = escaped || bytes.IndexByte(src[start+1:end], '\\') >= 0
			t.at = i
			t.nodes = append(t.nodes, node{int32(start), int32(i), int32(len(t.nodes) + 1), kindString, escaped})
			return nil
		}
		escaped = true
	}
}

func (t *tape) many(depth int, k kind, close byte) error {
	if depth >= maxDepth {
		return errDeep
	}
	self := len(t.nodes)
	t.nodes = append(t.nodes, node{start: int32(t.at), kind: k})
	t.at++
	for {
		t.space()
		if t.at >= len(t.src) {
			return errJSON
		}
		if t.src[t.at] == close {
			t.at++
			break
		}
		if k == kindObject {
			if t.src[t.at] != '"' {
				return errJSON
			}
			if err := t.text(); err != nil {
				return err
			}
			t.space()
			if t.at >= len(t.src) || t.src[t.at] != ':' {
				return errJSON
			}
			t.at++
		}
		if err := t.value(depth + 1); err != nil {
			return err
		}
	}
	t.nodes[self].end, t.nodes[self].next = int32(t.at), int32(len(t.nodes))
	return nil
}

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

// first is an array's first element.
func (v val) first() val {
	n := v.node()
	if n.kind != kindArray || v.i+1 >= n.next {
		return val{}
	}
	return val{v.t, v.i + 1}
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
	return strings.ToValidUTF8(s, "\uFFFD")
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
