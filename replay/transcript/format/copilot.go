package format

import (
	"context"
	"io"
	"strings"
	"time"

	"snapscope/replay/tape"
	"snapscope/session"
)

var copilotFormat = &Format{
	Name: "copilot", Title: "Copilot CLI session",
	Doc: "~/.copilot/session-state/…/events.jsonl, or ….jsonl of older versions. A call stands in the message that asks for it and again in " +
		"tool.execution_start; it is counted once. detailedContent is for people and not counted.",
	detect: func(h *head) bool {
		return h.anyLine(func(v tape.Value) bool {
			switch v.Get("type").Str() {
			case "session.start", "user.message", "assistant.message", "tool.execution_start", "tool.execution_complete", "assistant.turn_start":
				return v.Has("data")
			}
			return false
		})
	},
	read: readCopilot,
}

// copilotQuiet are kinds of lines that hold nothing a model call carries.
var copilotQuiet = words("assistant.turn_start", "assistant.turn_end", "assistant.reasoning", "assistant.reasoning_delta", "assistant.message_delta",
	"assistant.intent", "session.info", "session.warning", "session.error", "session.idle", "session.resume", "session.truncation", "session.shutdown",
	"session.usage_info", "session.compaction_start", "session.mode_changed", "session.plan_changed", "session.context_changed", "session.title_changed",
	"session.snapshot_rewind", "session.handoff", "session.task_complete", "session.usage_checkpoint", "tool.execution_progress", "tool.execution_partial_result",
	"tool.user_requested", "hook.start", "hook.end", "permission.requested", "permission.completed", "skill.invoked", "subagent.started", "subagent.completed",
	"subagent.selected", "subagent.failed", "system.message", "system.notification", "abort", "result", "pending_messages.modified")

var copilotFields = words("type", "data", "id", "timestamp", "parentId", "ephemeral", "ts")

type copilot struct {
	p      *importer
	called map[string]bool // calls that were told by the message that asks for them
}

func readCopilot(ctx context.Context, p *importer, r io.Reader) error {
	c := &copilot{p: p, called: map[string]bool{}}
	p.late = true
	p.start.Agent = "Copilot CLI"
	return eachLine(ctx, p, r, c.line)
}

func (c *copilot) line(n int, v tape.Value) {
	p, d := c.p, v.Get("data")
	when := stamp(firstOf(v, "timestamp", "ts"))
	t := v.Get("type").Str()
	if !copilotQuiet[t] {
		p.fields(t, v, copilotFields, n)
	}
	switch t {
	case "session.start":
		p.start.Name = d.Get("sessionId").Str()
		if s := d.Get("copilotVersion").Str(); s != "" {
			p.start.Agent = "Copilot CLI " + s
		}
		p.start.Model = firstOf(d, "selectedModel", "model").Str()
	case "session.model_change":
		p.start.Model = d.Get("newModel").Str()
	case "user.message":
		p.user(p.content(d.Get("content")), when)
	case "assistant.message":
		c.message(d, when, n)
	case "assistant.usage":
		p.lateUsage(copilotUsage(d))
	case "tool.execution_start":
		if id := d.Get("toolCallId").Str(); id == "" || !c.called[id] {
			c.call(id, copilotTool(d), d.Get("arguments"), when, n)
		}
	case "tool.execution_complete":
		c.result(d, when, n)
	case "session.compaction_complete":
		p.compacted(d.Get("summaryContent").Str(), 0, when)
	default:
		if !copilotQuiet[t] {
			p.unknownKind(t, n)
		}
	}
}

func (c *copilot) message(d tape.Value, when time.Time, n int) {
	p := c.p
	model := d.Get("model").Str()
	if model == "" {
		model = p.start.Model
	}
	p.begin(session.ModelCall{Model: model, Usage: copilotUsage(d), Request: d.Get("messageId").Str()}, when)
	p.spoke(d.Get("content").Str())
	d.Get("toolRequests").Items(func(r tape.Value) {
		c.call(r.Get("toolCallId").Str(), copilotTool(r), r.Get("arguments"), when, n)
	})
}

func (c *copilot) call(id, tool string, args tape.Value, when time.Time, n int) {
	c.p.ensureCall(when)
	c.called[id] = true
	c.p.toolCall(id, tool, jsonArgs(args), when, n)
}

// copilotTool is a tool's name behind its server's.
func copilotTool(d tape.Value) string {
	if s, t := d.Get("mcpServerName").Str(), d.Get("mcpToolName").Str(); s != "" && t != "" {
		return s + "." + t
	}
	return firstOf(d, "toolName", "name").Str()
}

// copilotUsage is the vendor's count of a call where the file has it whole: many
// files hold the output's tokens alone.
func copilotUsage(d tape.Value) *session.Usage {
	if !d.Has("inputTokens") {
		return nil
	}
	read, write := d.Get("cacheReadTokens").Int(), d.Get("cacheWriteTokens").Int()
	return &session.Usage{Input: max(d.Get("inputTokens").Int(), read+write), CacheRead: read, CacheWrite: write, Output: d.Get("outputTokens").Int()}
}

func (c *copilot) result(d tape.Value, when time.Time, n int) {
	p, res := c.p, d.Get("result")
	a := answer{id: d.Get("toolCallId").Str(), failed: d.Get("success").Is("false"), when: when, line: n}
	switch {
	case res.Get("contents").Kind() == tape.Array && strings.TrimSpace(res.Get("content").Str()) == "":
		a.text = p.content(res.Get("contents"))
	case res.OK():
		a.text = p.content(res)
	}
	if e := d.Get("error"); e.OK() && a.text == "" {
		a.text = e.Str() + e.Get("message").Str()
	}
	p.result(a)
}
