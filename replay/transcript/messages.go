package transcript

import (
	"bufio"
	"bytes"
	"context"
	"hash/maphash"
	"io"
	"strings"
	"time"

	"snapscope/session"
)

// Request bodies and message lists of the three big APIs, and the histories of
// agents that store them as they are. One reader serves all of them: it goes by
// the shape of each message, so a file may mix them.

var anthropicFormat = &Format{
	Name: "anthropic", Title: "Anthropic Messages request",
	Doc: "A request body with messages, an array of messages, or one message a line: tool_use and tool_result blocks.",
	detect: func(h *head) bool {
		return h.open != 0 && (h.anyItem(isMessage) || h.anyLine(isMessage) ||
			(h.key("messages") && h.contains(`"role"`)))
	},
	read: readMessages, rewritten: true,
}

var clineFormat = &Format{
	Name: "cline", Title: "Cline or Roo history",
	Doc: "api_conversation_history.json: an array of Anthropic messages; older versions write tool calls as XML in the text.",
	detect: func(h *head) bool {
		return h.open == '[' && h.anyItem(isMessage) &&
			h.contains("<environment_details>", "<use_mcp_tool>", "[use_mcp_tool for ", "<task>")
	},
	read: readMessages, rewritten: true,
}

var chatFormat = &Format{
	Name: "openai-chat", Title: "OpenAI Chat request",
	Doc: "A request body with messages, an array of messages, or one message a line: tool_calls and role tool.",
	detect: func(h *head) bool {
		chat := func(v val) bool { return isMessage(v) && (v.has("tool_calls") || v.get("role").str() == "tool") }
		return h.anyItem(chat) || h.anyLine(chat) ||
			((h.anyItem(isMessage) || h.key("messages")) && h.contains(`"tool_calls"`, `"tool_call_id"`))
	},
	read: readMessages, rewritten: true,
}

var responsesFormat = &Format{
	Name: "openai-responses", Title: "OpenAI Responses request",
	Doc: "A request body with input, a response with output, or an array of items: function_call, function_call_output, mcp_call.",
	detect: func(h *head) bool {
		item := func(v val) bool {
			switch v.get("type").str() {
			case "function_call", "function_call_output", "mcp_call", "custom_tool_call":
				return true
			}
			return false
		}
		return h.open != 0 && (h.anyItem(item) || h.anyLine(item) ||
			(h.key("input") && (h.anyItem(isMessage) || h.contains(`"role"`))))
	},
	read: readMessages, rewritten: true,
}

var openCodeFormat = &Format{
	Name: "opencode", Title: "OpenCode parts or export",
	Doc: "One part (storage/part/…/prt_….json), or an exported session with messages and their parts.",
	detect: func(h *head) bool {
		part := func(v val) bool { return v.has("parts", "info") || v.has("callID", "state") }
		return h.anyItem(part) || h.anyLine(part) || (h.open == '{' && h.key("callID") && h.key("state"))
	},
	read: readMessages, rewritten: true,
}

func isMessage(v val) bool {
	switch v.get("role").str() {
	case "user", "assistant", "tool", "system", "developer", "function":
		return v.has("content") || v.has("tool_calls")
	}
	return false
}

type messages struct {
	p    *importer
	part openCodePart // a lone part, whose fields come one by one
	past []uint64     // the messages of the request before, in a log of requests
}

func readMessages(ctx context.Context, p *importer, r io.Reader) error {
	m := &messages{p: p}
	p.late = true
	b := bufio.NewReaderSize(r, 64<<10)
	if oneALine(b) {
		return eachLine(ctx, p, b, func(n int, v val) { m.item(v, n) })
	}
	err := eachPiece(ctx, p, b, m.piece)
	m.part.end(p)
	return err
}

// oneALine reports whether the first line is a message, or a request, by
// itself.
func oneALine(b *bufio.Reader) bool {
	head, _ := b.Peek(64 << 10)
	line, _, whole := bytes.Cut(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), []byte("\n"))
	if !whole {
		return false
	}
	var t tape
	v, err := t.parse(bytes.TrimSpace(line))
	return err == nil && (isMessage(v) || v.has("messages") || v.has("type", "call_id") || v.has("parts", "info"))
}

// request reads a request whole. In a log each one repeats those before it:
// what is the same from the start is not told again.
func (m *messages) request(v val, line int) {
	same := true
	var now []uint64
	v.fields(func(k string, x val) {
		if k != "messages" {
			if len(m.past) == 0 {
				m.piece(piece{key: k, line: line}, x)
			}
			return
		}
		x.items(func(i val) {
			h := maphash.Bytes(hashSeed, i.raw())
			now = append(now, h)
			same = same && len(now) <= len(m.past) && m.past[len(now)-1] == h
			if !same {
				m.item(i, line)
			}
		})
	})
	m.past = now
}

var hashSeed = maphash.MakeSeed()

// piece is one field of a request body, or one message.
func (m *messages) piece(x piece, v val) {
	p := m.p
	if x.list || x.key == "" {
		switch x.key {
		case "", "messages", "input", "output", "conversation", "history":
			m.item(v, x.line)
		case "tools":
			p.start.Definitions += p.tokens(string(v.raw()))
		case "system":
			p.start.System += p.tokens(v.get("text").str())
		}
		return
	}
	switch x.key {
	case "model":
		p.start.Model = v.str()
	case "system", "instructions":
		text, _ := contentText(v)
		p.start.System += p.tokens(text)
	case "input":
		p.user(v.str(), time.Time{})
	case "usage":
		p.lateUsage(usageOf(v))
	case "request", "body", "response": // a log's wrapping
		for _, key := range []string{"messages", "input", "output"} {
			v.get(key).items(func(i val) { m.item(i, x.line) })
		}
	case "info":
		p.start.Name = v.get("title").str()
	default:
		m.part.field(x.key, v, x.line)
	}
}

func (p *importer) tokens(text string) int {
	if p.opt.Count == nil || text == "" {
		return 0
	}
	return p.opt.Count(text)
}

// lateUsage is usage that comes after its call, which is still held.
func (p *importer) lateUsage(u *session.Usage) {
	if u != nil && p.call != nil && p.call.Usage == nil {
		p.call.Usage = u
	}
}

// usageOf reads a usage object of either vendor. OpenAI's input counts the
// cached part.
func usageOf(u val) *session.Usage {
	switch {
	case u.has("cache_read_input_tokens"), u.has("cache_creation_input_tokens"):
		return anthropicUsage(u)
	case u.has("input_tokens"):
		cached := u.get("input_tokens_details", "cached_tokens").int() + u.get("cached_input_tokens").int()
		return &session.Usage{Input: u.get("input_tokens").int(), CacheRead: cached, Output: u.get("output_tokens").int()}
	case u.has("prompt_tokens"):
		return &session.Usage{
			Input: u.get("prompt_tokens").int(), CacheRead: u.get("prompt_tokens_details", "cached_tokens").int(),
			Output: u.get("completion_tokens").int(),
		}
	}
	return nil
}

var messageBlocks = words("text", "input_text", "output_text", "thinking", "redacted_thinking", "reasoning", "tool_use", "server_tool_use",
	"tool_result", "image", "image_url", "input_image", "input_file", "document", "refusal", "web_search_tool_result", "mcp_tool_use", "mcp_tool_result")

var messageFields = words("role", "content", "type", "id", "name", "tool_calls", "tool_call_id", "call_id", "arguments", "output", "input",
	"status", "model", "usage", "timestamp", "ts", "created_at", "function_call", "refusal", "server_label", "error", "summary",
	"encrypted_content", "namespace", "stop_reason", "stop_sequence", "reasoning_content", "annotations", "action", "phase", "tools",
	"approval_request_id", "cache_control", "metadata", "queries", "tool_plan", "reasoning", "reasoning_details", "reactions")

// item reads one message or item by its shape. Whole lines of a log of requests
// come here too.
func (m *messages) item(v val, line int) {
	p := m.p
	switch {
	case v.has("callID", "state"):
		openCodeTool(p, v, line)
		return
	case v.has("info", "parts"):
		openCodeMessage(p, v, line)
		return
	case v.get("messages").kind() == kindArray:
		m.request(v, line)
		return
	}
	p.fields(kindOf(v), v, messageFields, line)
	when := stamp(firstOf(v, "timestamp", "ts", "created_at"))
	switch role := v.get("role").str(); role {
	case "user":
		m.user(v.get("content"), when, line)
	case "assistant":
		m.assistant(v, when, line)
	case "tool":
		p.result(answer{id: v.get("tool_call_id").str(), text: p.content(v.get("content")), when: when, line: line})
	case "function":
		p.result(answer{id: p.oldest(), text: p.content(v.get("content")), when: when, line: line})
	case "system", "developer":
		text, _ := contentText(v.get("content"))
		p.start.System += p.tokens(text)
	case "":
		m.responseItem(v, when, line)
	default:
		p.unknownKind("role "+role, line)
	}
}

// kindOf names a message or item for a report.
func kindOf(v val) string {
	if t := v.get("type").str(); t != "" {
		return t
	}
	return "role " + v.get("role").str()
}

func firstOf(v val, keys ...string) val {
	for _, k := range keys {
		if x := v.get(k); x.ok() {
			return x
		}
	}
	return val{}
}

func (m *messages) user(content val, when time.Time, line int) {
	p := m.p
	if content.kind() == kindString {
		m.said(content.str(), when, line)
		return
	}
	results := 0
	var texts []string
	content.items(func(b val) {
		switch t := b.get("type").str(); t {
		case "tool_result":
			results++
			p.result(answer{id: b.get("tool_use_id").str(), text: p.content(b.get("content")), failed: b.get("is_error").bool(), when: when, line: line})
		case "text", "input_text":
			texts = append(texts, b.get("text").str())
		default:
			p.block(t, messageBlocks, line)
		}
	})
	for i := 0; i < len(texts); i++ {
		t := texts[i]
		if i+1 < len(texts) && isResultHead(t) && !isContext(texts[i+1]) { // its text is the next block
			i++
			t += "\n" + texts[i]
		}
		if strings.HasPrefix(strings.TrimSpace(t), "<") && (results > 0 || i > 0) || isContext(t) {
			continue
		}
		m.said(t, when, line)
	}
}

// isResultHead reports whether a block only says which call is answered.
func isResultHead(text string) bool {
	t := strings.TrimSpace(text)
	return strings.HasPrefix(t, "[") && strings.HasSuffix(t, "] Result:") && !strings.Contains(t, "\n")
}

// said is a user message, or the answer to a call that was written as XML.
func (m *messages) said(text string, when time.Time, line int) {
	p := m.p
	if rest, ok := strings.CutPrefix(text, "["); ok {
		head, body, found := strings.Cut(rest, "] Result:")
		if id := p.oldest(); found && id != "" && !strings.Contains(head, "\n") {
			p.result(answer{id: id, text: strings.TrimPrefix(body, "\n"), when: when, line: line})
			return
		}
	}
	if !isContext(text) {
		p.user(text, when)
	}
}

func (m *messages) assistant(v val, when time.Time, line int) {
	p := m.p
	p.begin(session.ModelCall{Model: v.get("model").str(), Usage: usageOf(v.get("usage")), Request: v.get("id").str()}, when)
	if p.start.Model != "" && p.call.Model == "" {
		p.call.Model = p.start.Model
	}
	p.said(v.get("content"), messageBlocks, when, line)
	v.get("tool_calls").items(func(c val) {
		f := c.get("function")
		if !f.ok() {
			f = c.get("custom")
		}
		p.toolCall(c.get("id").str(), f.get("name").str(), jsonArgs(firstOf(f, "arguments", "input")), when, line)
	})
	if f := v.get("function_call"); f.ok() {
		p.toolCall("", f.get("name").str(), jsonArgs(f.get("arguments")), when, line)
	}
	for _, c := range xmlCalls(p.call.Text) {
		p.toolCall("", c.tool, c.args, when, line)
	}
}

var itemQuiet = words("reasoning", "item_reference", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "web_search_call",
	"file_search_call", "code_interpreter_call", "image_generation_call", "compaction", "message", "summary", "ghost_snapshot", "computer_call", "computer_call_output", "state")

// responseItem reads one item of the Responses API, which Codex stores too.
func (m *messages) responseItem(v val, when time.Time, line int) {
	p := m.p
	switch t := v.get("type").str(); t {
	case "function_call", "custom_tool_call":
		p.ensureCall(when)
		p.toolCall(v.get("call_id").str(), spacedTool(v), jsonArgs(firstOf(v, "arguments", "input")), when, line)
	case "local_shell_call":
		p.ensureCall(when)
		p.toolCall(v.get("call_id").str(), "shell", v.get("action").object(), when, line)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		text, outer := itemOutput(p, v.get("output"))
		p.result(answer{id: v.get("call_id").str(), text: text, outer: outer, when: when, line: line, millis: wallTime(outer)})
	case "mcp_call": // the vendor ran the tool inside the request
		p.ensureCall(when)
		name := v.get("name").str()
		if s := v.get("server_label").str(); s != "" {
			name = s + "." + name
		}
		p.toolCall(v.get("id").str(), name, jsonArgs(v.get("arguments")), when, line)
		if v.get("output").ok() || v.get("error").ok() {
			text := p.content(v.get("output"))
			if e := v.get("error"); e.ok() && text == "" {
				text = p.content(e)
			}
			p.result(answer{id: v.get("id").str(), text: text, failed: v.get("error").ok(), when: when, line: line})
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
func spacedTool(v val) string {
	name := v.get("name").str()
	ns := v.get("namespace").str()
	if ns == "" || strings.HasPrefix(name, ns) {
		return name
	}
	return strings.TrimSuffix(ns, "__") + "__" + name
}

type xmlCall struct {
	tool string
	args map[string]any
}

// xmlCalls finds the tool calls that older agents write into their text:
// <use_mcp_tool> with the tool's name and JSON arguments, <browser_action>.
func xmlCalls(text string) []xmlCall {
	var out []xmlCall
	for rest := text; ; {
		i := strings.Index(rest, "<use_mcp_tool>")
		if i < 0 {
			break
		}
		var body string
		body, rest, _ = strings.Cut(rest[i+len("<use_mcp_tool>"):], "</use_mcp_tool>")
		name := strings.TrimSpace(inTag(body, "tool_name"))
		if name == "" {
			continue
		}
		if s := strings.TrimSpace(inTag(body, "server_name")); s != "" {
			name = s + "." + name
		}
		var t tape
		var args map[string]any
		if v, err := t.parse([]byte(inTag(body, "arguments"))); err == nil {
			args = v.object()
		}
		out = append(out, xmlCall{name, args})
	}
	if body := inTag(text, "browser_action"); body != "" && len(out) == 0 {
		args := map[string]any{}
		for _, k := range []string{"action", "url", "coordinate", "text"} {
			if s := strings.TrimSpace(inTag(body, k)); s != "" {
				args[k] = s
			}
		}
		out = append(out, xmlCall{"browser_action", args})
	}
	return out
}

func inTag(s, tag string) string {
	_, rest, ok := strings.Cut(s, "<"+tag+">")
	if !ok {
		return ""
	}
	body, _, _ := strings.Cut(rest, "</"+tag+">")
	return body
}
