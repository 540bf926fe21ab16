package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"

	"snapscope/session/seat"
)

// kind is what a message is to JSON-RPC.
type kind uint8

const (
	garbage kind = iota // no JSON object and no array: it passes, and is noted
	batch               // an array: it passes untouched
	request
	notification
	answer
)

// message is a message's head; the rest is not looked at.
type message struct {
	raw    []byte // with its newline, as it came
	kind   kind
	method string
	id     seat.Span // of a request or an answer
	failed bool      // an answer with an error
	result seat.Span // of an answer without one
}

// head reads what a message is, from its outermost keys.
func head(raw []byte) message {
	m := message{raw: raw}
	at := bytes.IndexFunc(raw, func(r rune) bool { return r != ' ' && r != '\t' && r != '\r' && r != '\n' })
	if at < 0 {
		return m
	}
	if raw[at] == '[' {
		m.kind = batch
		return m
	}
	if raw[at] != '{' {
		return m
	}
	var hasMethod, hasID, hasAnswer bool
	for key, val := range seat.Fields(raw, at) {
		switch {
		case seat.KeyIs(key.Of(raw), "method"):
			m.method, hasMethod = seat.Text(raw, val)
		case seat.KeyIs(key.Of(raw), "id"):
			m.id, hasID = val, true
		case seat.KeyIs(key.Of(raw), "result"):
			m.result, hasAnswer = val, true
		case seat.KeyIs(key.Of(raw), "error"):
			m.failed, hasAnswer = true, true
		}
	}
	switch {
	case hasMethod && hasID:
		m.kind = request
	case hasMethod:
		m.kind = notification
	case hasID && hasAnswer:
		m.kind = answer
	}
	return m
}

// key is the id as a key: 1 and 1.0 are one id, 1 and "1" are two.
func (m message) key() string { return idKey(m.id.Of(m.raw)) }

func idKey(raw []byte) string {
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	if s, ok := seat.Text(raw, seat.Span{From: 0, To: len(raw)}); ok {
		return `"` + s
	}
	return string(raw)
}

// parts are the messages of a batch.
func (m message) parts() []message {
	if !json.Valid(m.raw) {
		return nil
	}
	var out []message
	at := bytes.IndexByte(m.raw, '[')
	for val := range seat.Elements(m.raw, at) {
		out = append(out, head(m.raw[val:seat.End(m.raw, val)]))
	}
	return out
}

// blank reports a line of spaces alone.
func (m message) blank() bool { return len(bytes.TrimSpace(m.raw)) == 0 }

// answerTo is a line that answers a request.
func answerTo(id []byte, result []byte) []byte {
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	out = append(append(out, `,"result":`...), bytes.ReplaceAll(result, []byte("\n"), []byte(" "))...)
	return append(out, '}', '\n')
}
