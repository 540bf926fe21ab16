package mcp

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"snapscope/replay/proxy"
	"snapscope/snapshot/wording"
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
	id     proxy.Span // of a request or an answer
	failed bool       // an answer with an error
	result proxy.Span // of an answer without one
	said   said       // what stands in that
	begun  bool       // its beginning is with the client already: it goes as it came
	lane   int        // which HTTP request it came in or answers; 0: the connection is one stream
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
	proxy.Walk(raw, at, func(name proxy.Span, from int) int {
		key := name.Of(raw)
		if proxy.KeyIs(key, "result") {
			m.said = said{}
			m.result, hasAnswer = proxy.Span{From: from, To: m.said.read(raw, from)}, true
			return m.result.To
		}
		val := proxy.Span{From: from, To: proxy.End(raw, from)}
		switch {
		case proxy.KeyIs(key, "method"):
			m.method, hasMethod = proxy.Text(raw, val)
		case proxy.KeyIs(key, "id"):
			m.id, hasID = val, true
		case proxy.KeyIs(key, "error"):
			m.failed, hasAnswer = true, true
		}
		return val.To
	})
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

// said is what stands in a result: found in the one walk over the message, which may be
// large.
type said struct {
	texts      []proxy.Span // the texts of its content
	structured proxy.Span   // structuredContent; empty: there is none
	failed     bool         // isError
	server     proxy.Span   // serverInfo; empty: there is none
	meta       proxy.Span   // _meta; empty: there is none
}

// read walks over the result that begins at, and answers where it ends.
func (s *said) read(msg []byte, at int) (end int) {
	if at >= len(msg) || msg[at] != '{' {
		return proxy.End(msg, at)
	}
	return proxy.Walk(msg, at, func(name proxy.Span, from int) int {
		key := name.Of(msg)
		if proxy.KeyIs(key, "content") && from < len(msg) && msg[from] == '[' {
			s.texts = nil
			return proxy.Walk(msg, from, func(_ proxy.Span, from int) int { return s.block(msg, from) })
		}
		val := proxy.Span{From: from, To: proxy.End(msg, from)}
		switch {
		case proxy.KeyIs(key, "content"): // no list
			s.texts = nil
		case proxy.KeyIs(key, "structuredContent"):
			s.structured = proxy.Span{}
			if string(val.Of(msg)) != "null" {
				s.structured = val
			}
		case proxy.KeyIs(key, "isError"):
			s.failed = string(val.Of(msg)) == "true"
		case proxy.KeyIs(key, "serverInfo"):
			s.server = val
		case proxy.KeyIs(key, "_meta"):
			s.meta = val
		}
		return val.To
	})
}

// block notes a block of the content that is a text.
func (s *said) block(msg []byte, at int) (end int) {
	if at >= len(msg) || msg[at] != '{' {
		return proxy.End(msg, at)
	}
	kind, text := "", proxy.Span{}
	end = proxy.Walk(msg, at, func(key proxy.Span, from int) int {
		val := proxy.Span{From: from, To: proxy.End(msg, from)}
		switch k := key.Of(msg); {
		case proxy.KeyIs(k, "type"):
			kind, _ = proxy.Text(msg, val)
		case proxy.KeyIs(k, "text"):
			text = val
		}
		return val.To
	})
	if kind == "text" && text.To > text.From && msg[text.From] == '"' {
		s.texts = append(s.texts, text)
	}
	return end
}

// key is the id as a key, in its lane.
func (m message) key() string { return laneKey(m.lane, idKey(m.id.Of(m.raw))) }

func laneKey(lane int, id string) string {
	if lane == 0 {
		return id
	}
	return strconv.Itoa(lane) + "/" + id
}

// maxExact is the largest whole number of which every smaller one is a float64.
const maxExact = 1 << 53

// idKey is an id as a key: 1 and 1.0 are one id, as they are to JavaScript, 1 and
// "1" are two, and so are whole numbers that a float64 cannot tell apart.
func idKey(raw []byte) string {
	if s, ok := proxy.Text(raw, proxy.Span{From: 0, To: len(raw)}); ok {
		return `"` + s
	}
	if bytes.ContainsAny(raw, ".eE") {
		if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f == math.Trunc(f) && math.Abs(f) <= maxExact {
			return strconv.FormatInt(int64(f), 10)
		}
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
	for val := range proxy.Elements(m.raw, at) {
		part := head(m.raw[val:proxy.End(m.raw, val)])
		part.lane = m.lane
		out = append(out, part)
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

// stray notes a line that is no message: the first few, then each tenth power, so that
// a server that logs to its output does not fill the recording.
func (l *Link) stray(text string) {
	n := l.strays.Add(1)
	power := int64(10)
	for power < n {
		power *= 10
	}
	switch {
	case n <= 3:
		l.note(text)
	case n == power:
		l.note(text + " (the " + wording.Count(int(n)) + "th such line)")
	}
}
