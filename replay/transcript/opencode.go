package transcript

import (
	"snapscope/session"
)

// OpenCode stores a session in pieces: a message's info, and its parts, of
// which tool parts hold call and result in one.

var openCodeParts = words("text", "reasoning", "tool", "step-start", "step-finish", "snapshot", "patch", "file", "agent", "retry", "compaction", "subtask")

// openCodeTool reads one tool part.
func openCodeTool(p *importer, v val, line int) {
	id := v.get("callID").str()
	st := v.get("state")
	begun, done := stamp(st.get("time", "start")), stamp(st.get("time", "end"))
	p.toolCall(id, v.get("tool").str(), st.get("input").object(), begun, line)
	switch st.get("status").str() {
	case "completed":
		p.result(answer{id: id, text: p.content(st.get("output")), when: done, line: line})
	case "error":
		p.result(answer{id: id, text: p.content(st.get("error")), failed: true, when: done, line: line})
	}
}

// openCodeMessage reads one message of an exported session.
func openCodeMessage(p *importer, v val, line int) {
	info := v.get("info")
	when := stamp(info.get("time", "created"))
	if info.get("role").str() == "user" {
		text := ""
		v.get("parts").items(func(x val) {
			if x.get("type").str() == "text" && !x.get("synthetic").bool() {
				text += x.get("text").str()
			}
		})
		p.user(text, when)
		return
	}
	var usage *session.Usage
	if t := info.get("tokens"); t.ok() {
		read, write := t.get("cache", "read").int(), t.get("cache", "write").int()
		usage = &session.Usage{Input: t.get("input").int() + read + write, CacheRead: read, CacheWrite: write, Output: t.get("output").int()}
	}
	p.begin(session.ModelCall{Model: info.get("modelID").str(), Usage: usage, Request: info.get("id").str()}, when)
	v.get("parts").items(func(x val) {
		switch t := x.get("type").str(); t {
		case "tool":
			openCodeTool(p, x, line)
		case "text":
			p.spoke(x.get("text").str())
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

func (o *openCodePart) field(key string, v val, line int) {
	switch key {
	case "callID":
		o.call, o.line = v.str(), line
	case "tool":
		o.tool = v.str()
	case "state":
		o.state = append([]byte(nil), v.raw()...)
	}
}

func (o *openCodePart) end(p *importer) {
	if o.state == nil {
		return
	}
	var t tape
	whole := append([]byte(`{"callID":"`+escapeText(o.call)+`","tool":"`+escapeText(o.tool)+`","state":`), o.state...)
	if v, err := t.parse(append(whole, '}')); err == nil {
		openCodeTool(p, v, o.line)
	}
}
