package format

import (
	"bufio"
	"bytes"
	"context"
	"hash/maphash"
	"io"
	"strings"
	"time"

	"snapscope/session"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
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
	read: readMessages, Rewritten: true,
}

var clineFormat = &Format{
	Name: "cline", Title: "Cline or Roo history",
	Doc: "api_conversation_history.json: an array of Anthropic messages; older versions write tool calls as XML in the text.",
	detect: func(h *head) bool {
		return h.open == '[' && h.anyItem(isMessage) &&
			h.contains("<environment_details>", "<use_mcp_tool>", "[use_mcp_tool for ", "<task>")
	},
	read: readMessages, Rewritten: true,
}

var chatFormat = &Format{
	Name: "openai-chat", Title: "OpenAI Chat request",
	Doc: "A request body with messages, an array of messages, or one message a line: tool_calls and role tool.",
	detect: func(h *head) bool {
		chat := func(v tape.Value) bool { return isMessage(v) && (v.Has("tool_calls") || v.Get("role").Str() == "tool") }
		if h.anyItem(ofChat) || h.anyLine(ofChat) {
			return true
		}
		return h.anyItem(chat) || h.anyLine(chat) ||
			((h.anyItem(isMessage) || h.key("messages")) && h.contains(`"tool_calls"`, `"tool_call_id"`))
	},
	read: readMessages, Rewritten: true,
}

var responsesFormat = &Format{
	Name: "openai-responses", Title: "OpenAI Responses request",
	Doc: "A request body with input, a response with output, or an array of items: function_call, function_call_output, mcp_call.",
	detect: func(h *head) bool {
		item := func(v tape.Value) bool {
			switch v.Get("type").Str() {
			case "function_call", "function_call_output", "mcp_call", "custom_tool_call":
				return true
			}
			return false
		}
		return h.open != 0 && (h.anyItem(item) || h.anyLine(item) ||
			(h.key("input") && (h.anyItem(isMessage) || h.contains(`"role"`))))
	},
	read: readMessages, Rewritten: true,
}

var openCodeFormat = &Format{
	Name: "opencode", Title: "OpenCode parts or export",
	Doc: "One part (storage/part/…/prt_….json), or an exported session with messages and their parts.",
	detect: func(h *head) bool {
		part := func(v tape.Value) bool { return v.Has("parts", "info") || v.Has("callID", "state") }
		return h.anyItem(part) || h.anyLine(part) || (h.open == '{' && h.key("callID") && h.key("state"))
	},
	read: readMessages, Rewritten: true,
}

type messages struct {
	p    *importer
	part openCodePart // a lone part, whose fields come one by one
	past []uint64     // the messages of the request before, in a log of requests
	seen userPages
}

func readMessages(ctx context.Context, p *importer, r io.Reader) error {
	m := &messages{p: p, seen: userPages{p: p}}
	p.late = true
	b := bufio.NewReaderSize(r, 64<<10)
	if oneALine(b) {
		return eachLine(ctx, p, b, func(n int, v tape.Value) { m.item(v, n) })
	}
	err := eachPiece(ctx, p, b, m.piece)
	m.part.end(p)
	return err
}

// oneALine reports whether the first line is a message, or a request, by
// itself.
func oneALine(b *bufio.Reader) bool {
	return wholeLine(b, func(v tape.Value) bool {
		return isMessage(v) || v.Has("messages") || v.Has("type", "call_id") || v.Has("parts", "info")
	})
}

// wholeLine reports whether the first line is a value by itself that is ok.
func wholeLine(b *bufio.Reader, ok func(tape.Value) bool) bool {
	head, _ := b.Peek(64 << 10)
	line, _, whole := bytes.Cut(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), []byte("\n"))
	if !whole {
		return false
	}
	var t tape.Tape
	v, err := t.Parse(bytes.TrimSpace(line))
	return err == nil && ok(v)
}

// request reads a request whole. In a log each one repeats those before it:
// what is the same from the start is not told again.
func (m *messages) request(v tape.Value, line int) {
	same := true
	var now []uint64
	v.Fields(func(k string, x tape.Value) {
		if k != "messages" {
			if len(m.past) == 0 {
				m.piece(tape.Piece{Key: k, Line: line}, x)
			}
			return
		}
		x.Items(func(i tape.Value) {
			h := maphash.Bytes(hashSeed, i.Raw())
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
func (m *messages) piece(x tape.Piece, v tape.Value) {
	p := m.p
	if x.List || x.Key == "" {
		switch x.Key {
		case "", "messages", "input", "output", "conversation", "history":
			m.item(v, x.Line)
		case "tools":
			p.start.Definitions += p.tokens(string(v.Raw()))
		case "system":
			p.start.System += p.tokens(v.Get("text").Str())
		}
		return
	}
	switch x.Key {
	case "model":
		p.start.Model = v.Str()
	case "system", "instructions":
		text, _ := reply.Content(v)
		p.start.System += p.tokens(text)
	case "input":
		p.user(v.Str(), time.Time{})
	case "usage":
		p.lateUsage(usageOf(v))
	case "request", "body", "response": // a log's wrapping
		for _, key := range []string{"messages", "input", "output"} {
			v.Get(key).Items(func(i tape.Value) { m.item(i, x.Line) })
		}
	case "info":
		p.start.Name = v.Get("title").Str()
	default:
		m.part.field(x.Key, v, x.Line)
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
func usageOf(u tape.Value) *session.Usage {
	switch {
	case u.Has("cache_read_input_tokens"), u.Has("cache_creation_input_tokens"):
		return anthropicUsage(u)
	case u.Has("input_tokens"):
		cached := u.Get("input_tokens_details", "cached_tokens").Int() + u.Get("cached_input_tokens").Int()
		return &session.Usage{
			Input: u.Get("input_tokens").Int(), CacheRead: cached, CacheWrite: u.Get("cache_write_input_tokens").Int(), Output: u.Get("output_tokens").Int(),
			NoCache: !u.Has("input_tokens_details") && !u.Has("cached_input_tokens"),
		}
	case u.Has("prompt_tokens"):
		return &session.Usage{
			Input: u.Get("prompt_tokens").Int(), CacheRead: u.Get("prompt_tokens_details", "cached_tokens").Int(),
			Output: u.Get("completion_tokens").Int(), NoCache: !u.Has("prompt_tokens_details"),
		}
	}
	return nil
}

var messageBlocks = words("text", "input_text", "output_text", "thinking", "redacted_thinking", "reasoning", "tool_use", "server_tool_use",
	"tool_result", "image", "image_url", "input_image", "input_file", "document", "refusal", "web_search_tool_result", "mcp_tool_use", "mcp_tool_result")

var messageFields = words("role", "content", "type", "id", "name", "tool_calls", "tool_call_id", "call_id", "arguments", "output", "input",
	"status", "model", "usage", "timestamp", "ts", "created_at", "function_call", "refusal", "server_label", "error", "summary",
	"encrypted_content", "namespace", "stop_reason", "stop_sequence", "reasoning_content", "annotations", "action", "phase", "tools",
	"approval_request_id", "cache_control", "metadata", "queries", "tool_plan", "reasoning", "reasoning_details", "reactions",
	"data", "kwargs", "lc", "additional_kwargs", "response_metadata", "usage_metadata", "example", "invalid_tool_calls", "args")

// item reads one message or item by its shape. Whole lines of a log of requests
// come here too.
func (m *messages) item(v tape.Value, line int) {
	p := m.p
	switch {
	case v.Has("callID", "state"):
		openCodeTool(p, v, line)
		return
	case v.Has("info", "parts"):
		openCodeMessage(p, v, line)
		return
	case v.Get("messages").Kind() == tape.Array:
		m.request(v, line)
		return
	}
	p.fields(kindOf(v), v, messageFields, line)
	when := stamp(firstOf(v, "timestamp", "ts", "created_at"))
	role, content := roleOf(v)
	if v.Get("role").Str() == "" && role != "" {
		v = inLangChain(v)
	}
	switch role {
	case "user":
		m.user(content, when, line)
	case "assistant":
		m.assistant(v, when, line)
	case "tool":
		if m.seen.outputs[v.Get("tool_call_id").Str()] {
			return
		}
		p.result(answer{id: v.Get("tool_call_id").Str(), text: p.content(content), when: when, line: line})
	case "function":
		p.result(answer{id: p.oldest(), text: p.content(v.Get("content")), when: when, line: line})
	case "system", "developer":
		text, _ := reply.Content(content)
		p.start.System += p.tokens(text)
	case "":
		m.responseItem(v, when, line)
	default:
		p.unknownKind("role "+role, line)
	}
}

// kindOf names a message or item for a report.
func kindOf(v tape.Value) string {
	if t := v.Get("type").Str(); t != "" {
		return t
	}
	return "role " + v.Get("role").Str()
}

func firstOf(v tape.Value, keys ...string) tape.Value {
	for _, k := range keys {
		if x := v.Get(k); x.OK() {
			return x
		}
	}
	return tape.Value{}
}

func (m *messages) user(content tape.Value, when time.Time, line int) {
	p := m.p
	if content.Kind() == tape.String {
		m.said(content.Str(), when, line)
		return
	}
	results := 0
	var texts []string
	content.Items(func(b tape.Value) {
		switch t := b.Get("type").Str(); t {
		case "tool_result":
			results++
			p.result(answer{id: b.Get("tool_use_id").Str(), text: p.content(b.Get("content")), failed: b.Get("is_error").Bool(), when: when, line: line})
		case "text", "input_text":
			texts = append(texts, b.Get("text").Str())
		case "image", "image_url", "input_image", "media":
			_, images := reply.Block(b)
			p.sees(images)
		default:
			p.block(t, messageBlocks, line)
		}
	})
	if len(texts) == 0 && results == 0 {
		p.user("", when) // pictures alone
	}
	if m.seen.p != nil && results == 0 {
		texts = m.seen.together(texts)
	}
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
	if m.seen.p != nil && m.seen.shown(text, when, line) {
		return
	}
	if !isContext(text) {
		p.user(text, when)
	}
}

func (m *messages) assistant(v tape.Value, when time.Time, line int) {
	p := m.p
	p.begin(session.ModelCall{Model: v.Get("model").Str(), Usage: usageOf(firstOf(v, "usage", "usage_metadata")), Request: v.Get("id").Str()}, when)
	if p.start.Model != "" && p.call.Model == "" {
		p.call.Model = p.start.Model
	}
	p.said(v.Get("content"), messageBlocks, when, line)
	called := false
	v.Get("tool_calls").Items(func(c tape.Value) {
		f := c.Get("function")
		if !f.OK() {
			f = c.Get("custom")
		}
		if !f.OK() {
			f = c // LangChain: name and args stand in the call itself
		}
		id, name, args := c.Get("id").Str(), f.Get("name").Str(), firstOf(f, "arguments", "input", "args")
		if m.seen.p == nil || !m.seen.output(id, name, args, when, line) {
			p.toolCall(id, name, jsonArgs(args), when, line)
			called = true
		}
	})
	if f := v.Get("function_call"); f.OK() {
		p.toolCall("", f.Get("name").Str(), jsonArgs(f.Get("arguments")), when, line)
	}
	calls := xmlCalls(p.call.Text)
	for _, c := range calls {
		p.spokenCall("", c.tool, c.args, when, line)
	}
	if m.seen.p != nil && !called && len(calls) == 0 && p.oldest() == "" {
		m.seen.said(p.call.Text, when, line)
	}
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
		var t tape.Tape
		var args map[string]any
		if v, err := t.ParseText(inTag(body, "arguments")); err == nil {
			args = v.Object()
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
