package format

import (
	"context"
	"io"
	"strings"
	"time"

	"snapscope/session"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
)

var claudeFormat = &Format{
	Name:  "claude-code",
	Title: "Claude Code session",
	Doc: "~/.claude/projects/…/UUID.jsonl, and the stream-json output of claude -p. toolUseResult repeats each result and is not counted. " +
		"Results saved under UUID/tool-results/ are read, but count as the notice the model saw.",
	detect: func(h *head) bool {
		return h.anyLine(func(v tape.Value) bool {
			t := v.Get("type").Str()
			switch {
			case v.Has("parentUuid") || v.Has("isSidechain"), v.Has("sessionId", "type") && !v.Has("payload"):
				return true
			case t == "summary" && v.Has("leafUuid"), t == "file-history-snapshot":
				return true
			case t == "system" && v.Has("session_id", "subtype"):
				return true
			}
			return (t == "user" || t == "assistant") && v.Get("message", "role").OK()
		})
	},
	read: readClaude,
}

// claudeQuiet are kinds of lines that hold nothing a model call carries.
var claudeQuiet = words("summary", "file-history-snapshot", "queue-operation", "progress", "attachment", "result",
	"last-prompt", "ai-title", "custom-title", "agent-name", "permission-mode", "pr-link", "tag", "mode", "stream_event",
	"api-request", "api-request-resumed", "atis-latch", "tools-used", "cost-state", "content-replacement", "data-flow-records",
	"data-flow-incomplete", "derived-from", "fork-context-ref", "frame-link", "ended-by-model", "relocated",
	"agent-setting", "worktree-state", "rate_limit_event", "tool_use_summary", "auth_status", "speculation-accept")

var claudeFields = words("type", "message", "uuid", "parentUuid", "logicalParentUuid", "isSidechain", "isMeta", "userType", "cwd", "sessionId",
	"session_id", "version", "gitBranch", "requestId", "request_id", "timestamp", "toolUseResult", "tool_use_result", "isCompactSummary",
	"isVisibleInTranscriptOnly", "isApiErrorMessage", "parent_tool_use_id", "slug", "entrypoint", "thinkingMetadata", "todos",
	"sourceToolAssistantUUID", "sourceToolUseID", "permissionMode", "agentId", "error", "imagePasteIds", "origin", "promptId", "mcpMeta", "isReplay", "subtype", "content", "level", "toolUseID", "compactMetadata", "durationMs", "hookCount", "model", "tools")

var claudeBlocks = words("text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "tool_result", "image", "document",
	"web_search_tool_result", "mcp_tool_use", "mcp_tool_result", "fallback")

type claude struct {
	p       *importer
	message string          // id of the model's message that is being read
	asked   map[string]bool // messages that have their model call
	lines   map[string]bool // lines by uuid
	side    int
}

func readClaude(ctx context.Context, p *importer, r io.Reader) error {
	c := &claude{p: p, lines: map[string]bool{}, asked: map[string]bool{}}
	p.late = true
	p.start.Agent = "Claude Code"
	err := eachLine(ctx, p, r, c.line)
	if c.side > 0 {
		p.remark("%d entries belong to subagents, whose calls carry another history; they are in the timeline in the order of the file", c.side)
	}
	return err
}

func (c *claude) line(n int, v tape.Value) {
	p := c.p
	t := v.Get("type").Str()
	if id := v.Get("uuid").Str(); id != "" {
		if c.lines[id] {
			p.im.skip("line repeated (same uuid)", n)
			return
		}
		c.lines[id] = true
		parent := v.Get("parentUuid").Str()
		p.tree.add(id, parent, n)
	}
	if p.start.Name == "" {
		p.start.Name = v.Get("sessionId").Str() + v.Get("session_id").Str()
	}
	if s := v.Get("version").Str(); s != "" && p.start.Agent == "Claude Code" {
		p.start.Agent += " " + s
	}
	if v.Get("isSidechain").Bool() {
		c.side++
	}
	if !claudeQuiet[t] && !strings.HasPrefix(t, "api-request") {
		p.fields(t, v, claudeFields, n)
	}
	switch t {
	case "user":
		c.user(n, v)
	case "assistant":
		c.assistant(n, v)
	case "system":
		if v.Get("model").OK() && p.start.Model == "" {
			p.start.Model = v.Get("model").Str()
		}
	case "api-request-shape":
		c.shape(v.Get("shape"))
	case "api-request-blob":
		c.context(v.Get("message"))
	default:
		if !claudeQuiet[t] {
			p.unknownKind(t, n)
		}
	}
}

// shape is what every request of the session begins with: the system prompt and the
// tools. Claude Code keeps it since 2.1.330.
func (c *claude) shape(v tape.Value) {
	p := c.p
	if p.started || p.start.System+p.start.Definitions > 0 {
		return
	}
	text, _ := reply.Content(v.Get("system"))
	p.start.System = p.tokens(text)
	v.Get("tools").Items(func(t tape.Value) { p.start.Definitions += p.tokens(string(t.Raw())) })
}

// context counts what the agent itself puts into the first request besides what the
// user said: every call carries it.
func (c *claude) context(message tape.Value) {
	p := c.p
	if p.started || message.Get("role").Str() != "user" {
		return
	}
	message.Get("content").Items(func(b tape.Value) {
		if text := b.Get("text").Str(); isContext(text) {
			p.start.System += p.tokens(text)
		}
	})
}

func (c *claude) user(n int, v tape.Value) {
	p, when := c.p, stamp(v.Get("timestamp"))
	content := v.Get("message", "content")
	if v.Get("isCompactSummary").Bool() {
		p.compacted(p.content(content), 0, when)
		return
	}
	if content.Kind() == tape.String {
		c.said(content.Str(), v, when)
		return
	}
	results, text := 0, ""
	content.Items(func(b tape.Value) {
		switch t := b.Get("type").Str(); t {
		case "tool_result", "mcp_tool_result":
			results++
			p.result(answer{
				id: b.Get("tool_use_id").Str(), text: p.content(b.Get("content")), failed: b.Get("is_error").Bool(),
				when: when, line: n,
			})
		case "text":
			text += b.Get("text").Str()
		default:
			p.block(t, claudeBlocks, n)
		}
	})
	if results == 0 {
		c.said(text, v, when)
	}
}

// said is a user message, unless the agent put it there.
func (c *claude) said(text string, v tape.Value, when time.Time) {
	if v.Get("isMeta").Bool() || isContext(text) {
		return
	}
	c.p.user(text, when)
}

// assistant reads one line of a model's answer: one block each in newer files,
// all with the same message id and the usage as far as it was known.
func (c *claude) assistant(n int, v tape.Value) {
	p, when := c.p, stamp(v.Get("timestamp"))
	m := v.Get("message")
	model := m.Get("model").Str()
	if model == "<synthetic>" { // the agent's own words on an error; no request was made
		p.note(p.content(m.Get("content")), when)
		return
	}
	id := m.Get("id").Str()
	if id == "" {
		id = v.Get("requestId").Str()
	}
	usage := anthropicUsage(m.Get("usage"))
	// Results may be logged between the lines of one message.
	if id == "" || !c.asked[id] {
		c.message = id
		c.asked[id] = true
		p.begin(session.ModelCall{Model: model, Usage: usage, Request: v.Get("requestId").Str()}, when)
	} else if id == c.message && p.call != nil && usage != nil && (p.call.Usage == nil || usage.Output > p.call.Usage.Output) {
		p.call.Usage = usage
	}
	p.said(m.Get("content"), claudeBlocks, when, n)
}

// said reads the content of a model's answer in Anthropic's form.
func (p *importer) said(content tape.Value, known map[string]bool, when time.Time, n int) {
	if content.Kind() == tape.String {
		p.spoke(content.Str())
		return
	}
	content.Items(func(b tape.Value) {
		switch t := b.Get("type").Str(); t {
		case "tool_use", "server_tool_use", "mcp_tool_use":
			p.toolCall(b.Get("id").Str(), toolName(b), b.Get("input").Object(), when, n)
		case "text", "output_text":
			p.spoke(b.Get("text").Str())
		case "mcp_tool_result": // a server's tool that ran inside the request
			p.result(answer{id: b.Get("tool_use_id").Str(), text: p.content(b.Get("content")), failed: b.Get("is_error").Bool(), when: when, line: n})
			p.inCall = true
		default:
			p.block(t, known, n)
		}
	})
}

func toolName(b tape.Value) string {
	name := b.Get("name").Str()
	if s := b.Get("server_name").Str(); s != "" {
		return s + "." + name
	}
	return name
}

// spoke adds to what the model said in the call that is held.
func (p *importer) spoke(text string) {
	if p.call == nil || text == "" {
		return
	}
	if p.call.Text != "" {
		p.call.Text += "\n"
	}
	p.call.Text += p.mask.Text(text)
}

// anthropicUsage reads a usage object whose input_tokens leave out the cache.
func anthropicUsage(u tape.Value) *session.Usage {
	if u.Kind() != tape.Object {
		return nil
	}
	read, write := u.Get("cache_read_input_tokens").Int(), u.Get("cache_creation_input_tokens").Int()
	return &session.Usage{
		Input: u.Get("input_tokens").Int() + read + write, CacheRead: read, CacheWrite: write,
		CacheHour: max(0, min(write, u.Get("cache_creation", "ephemeral_1h_input_tokens").Int())),
		Output:    u.Get("output_tokens").Int(),
	}
}
