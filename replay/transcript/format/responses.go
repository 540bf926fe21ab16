package format

import (
	"strings"
	"time"

	"snapscope/replay/tape"
)

var itemQuiet = words("reasoning", "item_reference", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response",
	"file_search_call", "code_interpreter_call", "image_generation_call", "compaction", "message", "summary", "ghost_snapshot", "computer_call", "computer_call_output", "state")

// responseItem reads one item of the Responses API, which Codex stores too.
func (m *messages) responseItem(v tape.Value, when time.Time, line int) {
	p := m.p
	switch t := v.Get("type").Str(); t {
	case "function_call", "custom_tool_call":
		p.ensureCall(when)
		p.toolCall(v.Get("call_id").Str(), spacedTool(v), jsonArgs(firstOf(v, "arguments", "input")), when, line)
	case "local_shell_call":
		p.ensureCall(when)
		p.toolCall(v.Get("call_id").Str(), "shell", v.Get("action").Object(), when, line)
	case "web_search_call": // the vendor searched inside the request; what it found is not in the file
		p.ensureCall(when)
		id := p.toolCall(v.Get("id").Str(), "web_search", v.Get("action").Object(), when, line).raw
		p.result(answer{id: id, failed: v.Get("status").Str() == "failed", when: when, line: line})
		p.inCall = true
	case "tool_search_call":
		p.ensureCall(when)
		p.toolCall(v.Get("call_id").Str(), "tool_search", jsonArgs(v.Get("arguments")), when, line)
	case "tool_search_output": // the model gets the tools' definitions
		p.result(answer{id: v.Get("call_id").Str(), text: string(v.Get("tools").Raw()), when: when, line: line})
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		text, outer := itemOutput(p, v.Get("output"))
		p.result(answer{id: v.Get("call_id").Str(), text: text, outer: outer, when: when, line: line, millis: wallTime(outer)})
	case "mcp_call": // the vendor ran the tool inside the request
		p.ensureCall(when)
		name := v.Get("name").Str()
		if s := v.Get("server_label").Str(); s != "" {
			name = s + "." + name
		}
		p.toolCall(v.Get("id").Str(), name, jsonArgs(v.Get("arguments")), when, line)
		if v.Get("output").OK() || v.Get("error").OK() {
			text := p.content(v.Get("output"))
			if e := v.Get("error"); e.OK() && text == "" {
				text = p.content(e)
			}
			p.result(answer{id: v.Get("id").Str(), text: text, failed: v.Get("error").OK(), when: when, line: line})
		}
	default:
		if t == "reasoning" {
			p.ensureCall(when)
		}
		if !itemQuiet[t] {
			p.unknownKind(t, line)
		}
	}
}

// spacedTool is a function call's name behind its namespace.
func spacedTool(v tape.Value) string {
	name := v.Get("name").Str()
	ns := v.Get("namespace").Str()
	if ns == "" || strings.HasPrefix(name, ns) {
		return name
	}
	return strings.TrimSuffix(ns, "__") + "__" + name
}
