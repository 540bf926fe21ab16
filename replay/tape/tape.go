// Package tape reads JSON as transcripts hold it: very long strings, most of
// which nobody asks for (vendors repeat every result beside itself), in files
// that may be cut or still growing.
//
// A value is scanned once into a tape of spans (Tape.Parse), and only the
// strings that are asked for are decoded (Value.Str). Document gives the pieces
// of a document one by one, so that no more than one of them is held. It is a
// reader of JSON, no judge of it: what cannot be misread (a raw control
// character in a string, a comma too many) is let pass.
//
// Why not encoding/json: it decodes or copies what nobody asked for, holds a
// document whole, and gives nothing of a value that is cut. On a line of 300 KB
// of which half is wanted the tape reads about 15 times as fast, and 8 times with
// GOEXPERIMENT=jsonv2:
//
//	go test ./replay/tape -run xxx -bench .
package tape

import (
	"bytes"
	"errors"
	"unsafe"
)

// Kind is what a value is.
type Kind uint8

// The kinds of values.

const (
	None Kind = iota
	Object
	Array
	String
	Other // number, true, false, null
)

// node is one value's span in the source. An object's children are keys and
// values by turns.
type node struct {
	start, end int32 // with quotes and brackets
	next       int32 // index of the node after this one and its children
	kind       Kind
	escaped    bool // a string with a backslash in it
}

// Tape is one parsed value. It is reused from line to line.
type Tape struct {
	// Most is how many values one parse may hold; 0: any number.
	Most  int
	src   []byte
	nodes []node
	at    int
}

// maxDepth bounds the nesting of a value.
const maxDepth = 512

// What is wrong with a text that is no value.
var (
	ErrJSON = errors.New("not JSON")
	ErrDeep = errors.New("nested deeper than 512 levels")
	ErrMany = errors.New("made of too many values; --limits raises the bound")
)

// Parse scans src, which must be one value and white space.
func (t *Tape) Parse(src []byte) (Value, error) {
	t.src, t.nodes, t.at = src, t.nodes[:0], 0
	if err := t.value(0); err != nil {
		return Value{}, err
	}
	if t.space(); t.at < len(src) {
		return Value{}, ErrJSON
	}
	return Value{t, 0}, nil
}

// ParseText is Parse of a text, which is read where it lies: what Raw answers is not
// to be written to.
func (t *Tape) ParseText(src string) (Value, error) {
	return t.Parse(unsafe.Slice(unsafe.StringData(src), len(src)))
}

func (t *Tape) space() {
	for t.at < len(t.src) {
		switch t.src[t.at] {
		case ' ', '\n', '\r', '\t', ',':
			t.at++
		default:
			return
		}
	}
}

func (t *Tape) value(depth int) error {
	t.space()
	if t.at >= len(t.src) {
		return ErrJSON
	}
	if t.Most > 0 && len(t.nodes) > t.Most {
		return ErrMany
	}
	switch t.src[t.at] {
	case '"':
		return t.text()
	case '{':
		return t.many(depth, Object, '}')
	case '[':
		return t.many(depth, Array, ']')
	}
	start := t.at
	for t.at < len(t.src) && isPlain(t.src[t.at]) {
		t.at++
	}
	if t.at == start {
		return ErrJSON
	}
	switch c := t.src[start]; {
	case c == '-' || c >= '0' && c <= '9':
	default:
		if w := string(t.src[start:t.at]); w != "true" && w != "false" && w != "null" {
			return ErrJSON
		}
	}
	t.nodes = append(t.nodes, node{int32(start), int32(t.at), int32(len(t.nodes) + 1), Other, false})
	return nil
}

func isPlain(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// text scans a string. The loop over its bytes is where the time goes.
func (t *Tape) text() error {
	start := t.at
	i := start + 1
	escaped := false
	src := t.src
	for {
		j := bytes.IndexByte(src[i:], '"')
		if j < 0 {
			t.at = len(src)
			return ErrJSON
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
			t.nodes = append(t.nodes, node{int32(start), int32(i), int32(len(t.nodes) + 1), String, escaped})
			return nil
		}
		escaped = true
	}
}

func (t *Tape) many(depth int, k Kind, close byte) error {
	if depth >= maxDepth {
		return ErrDeep
	}
	self := len(t.nodes)
	t.nodes = append(t.nodes, node{start: int32(t.at), kind: k})
	t.at++
	for {
		t.space()
		if t.at >= len(t.src) {
			return ErrJSON
		}
		if t.src[t.at] == close {
			t.at++
			break
		}
		if k == Object {
			if t.src[t.at] != '"' {
				return ErrJSON
			}
			if err := t.text(); err != nil {
				return err
			}
			t.space()
			if t.at >= len(t.src) || t.src[t.at] != ':' {
				return ErrJSON
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
