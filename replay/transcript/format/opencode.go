package format

import (
	"snapscope/session"

	"snapscope/replay/tape"
)

// OpenCode stores a session in pieces: a message's info, and its parts, of
// which tool parts hold call and result in one.

var openCodeParts = words("text", "reasoning", "tool", "step-start", "step-finish", "snapshot", "patch", "file", "agent", "retry", "compaction", "subtask")

// openCodeTool reads one tool part.
func openCodeTool(p *importer, v tape.Value, line int) {
	id := v.Get("callID").Str()
	st := v.Get("state")
	begun, done := stamp(st.Get("time", "start")), stamp(st.Get("time", "end"))
	p.toolCall(id, v.Get("tool").Str(), st.Get("input").Object(), begun, line)
	switch st.Get("status").Str() {
	case "completed":
		p.result(answer{id: id, text: p.content(st.Get("output")), when: done, line: line})
	case "error":
		p.result(answer{id: id, text: p.content(st.Get("error")), failed: true, when: done, line: line})
	}
}

// openCodeMessage reads one message of an exported session.
func openCodeMessage(p *importer, v tape.Value, line int) {
	info := v.Get("info")
	when := stamp(info.Get("time", "created"))
	if info.Get("role").Str() == "user" {
		text := ""
		v.Get("parts").Items(func(x tape.Value) {
			if x.Get("type").Str() == "text" && !x.Get("synthetic").Bool() {
				text += x.Get("text").Str()
			}
		})
		p.user(text, when)
		return
	}
	var usage *session.Usage
	if t := info.Get("tokens"); t.OK() {
		read, write := t.Get("cache", "read").Int(), t.Get("cache", "write").Int()
		usage = &session.Usage{Input: t.Get("input").Int() + read + write, CacheRead: read, CacheWrite: write, Output: t.Get("output").Int()}
	}
	p.begin(session.ModelCall{Model: info.Get("modelID").Str(), Usage: usage, Request: info.Get("id").Str()}, when)
	v.Get("parts").Items(func(x tape.Value) {
		switch t := x.Get("type").Str(); t {
		case "tool":
			openCodeTool(p, x, line)
		case "text":
			p.spoke(x.Get("text").Str())
		default:
			p.block(t, openCodeParts, line)
		}
	})
}

// openCodePart gathers the fields of a part that is a file of its own.
type openCodePart struct {
	call, tool string
	line       int
	state      []byte
}

func (o *openCodePart) field(key string, v tape.Value, line int) {
	switch key {
	case "callID":
		o.call, o.line = v.Str(), line
	case "tool":
		o.tool = v.Str()
	case "state":
		o.state = append([]byte(nil), v.Raw()...)
	}
}

func (o *openCodePart) end(p *importer) {
	if o.state == nil {
		return
	}
	var t tape.Tape
	whole := append([]byte(`{"callID":"`+tape.Escape(o.call)+`","tool":"`+tape.Escape(o.tool)+`","state":`), o.state...)
	if v, err := t.Parse(append(whole, '}')); err == nil {
		openCodeTool(p, v, o.line)
	}
}
