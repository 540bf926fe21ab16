package format

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"snapscope/session"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
)

var codexFormat = &Format{
	Name:  "codex",
	Title: "Codex rollout",
	Doc: "~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl. mcp_tool_call_end repeats each result and is not counted; token_count is the " +
		"vendor's usage. The model read results as JSON text, so they are counted in that form.",
	detect: func(h *head) bool {
		return h.anyLine(func(v tape.Value) bool {
			switch v.Get("type").Str() {
			case "session_meta", "response_item", "event_msg", "turn_context", "compacted":
				return v.Has("payload")
			}
			return v.Has("record_type") || (v.Has("instructions", "id", "timestamp") && !v.Has("type"))
		})
	},
	read: readCodex,
}

var codexQuiet = words("token_count", "mcp_tool_call_begin", "mcp_tool_call_end", "agent_message", "agent_message_delta", "agent_reasoning",
	"agent_reasoning_delta", "agent_reasoning_raw_content", "agent_reasoning_section_break", "user_message", "task_started", "task_complete",
	"turn_started", "turn_complete", "turn_aborted", "exec_command_begin", "exec_command_end", "exec_command_output_delta", "patch_apply_begin",
	"patch_apply_end", "turn_diff", "plan_update", "error", "warning", "stream_error", "background_event", "web_search_begin", "web_search_end",
	"context_compacted", "thread_name_updated", "item_started", "item_completed", "view_image_tool_call", "entered_review_mode",
	"exited_review_mode", "thread_rolled_back", "undo_started", "undo_completed", "shutdown_complete", "collab_agent_spawn_begin",
	"collab_agent_spawn_end", "deprecation_notice", "dynamic_tool_call_request", "elicitation_request", "thread_goal_updated")

// codexState are kinds of lines that keep what the agent knows, not what it sent.
var codexState = words("world_state")

type codex struct {
	messages
	total  session.Usage     // the vendor's running total
	millis map[string]int64  // how long a call took, from the line before its result
	whole  map[string][]byte // a call's result before Codex cut it, from the same line
	spare  []byte            // one that is done with, for the next
}

func readCodex(ctx context.Context, p *importer, r io.Reader) error {
	c := &codex{messages: messages{p: p}, millis: map[string]int64{}, whole: map[string][]byte{}}
	p.late = true
	p.start.Agent = "Codex"
	return eachLine(ctx, p, r, c.line)
}

var codexFields = words("timestamp", "type", "payload", "ordinal")

func (c *codex) line(n int, v tape.Value) {
	p := c.p
	when := stamp(v.Get("timestamp"))
	body := v.Get("payload")
	t := v.Get("type").Str()
	if !body.OK() { // older files: the items stand without a wrapping
		if t == "" && !v.Has("record_type") {
			p.start.Name = v.Get("id").Str()
			p.start.System += p.tokens(v.Get("instructions").Str())
			return
		}
		c.response(v, when, n)
		return
	}
	p.fields(t, v, codexFields, n)
	switch t {
	case "session_meta":
		p.start.Name = body.Get("id").Str()
		if s := body.Get("cli_version").Str(); s != "" {
			p.start.Agent = "Codex " + s
		}
		p.start.System += p.tokens(body.Get("base_instructions", "text").Str() + body.Get("instructions").Str())
	case "turn_context":
		if p.start.Model == "" || p.started {
			p.start.Model = body.Get("model").Str()
		}
	case "response_item":
		c.response(body, when, n)
	case "event_msg":
		c.event(body, n)
	case "compacted":
		p.compacted(body.Get("message").Str(), 0, when)
	case "token_usage_record": // since 0.16x: of each response, besides the running total
		c.counted(usageOf(body.Get("usage")), usageOf(body.Get("thread_token_usage")))
	default:
		if !codexState[t] {
			p.unknownKind(t, n)
		}
	}
}

// response is one item: what the user or the model said, a call, a result.
func (c *codex) response(v tape.Value, when time.Time, n int) {
	p := c.p
	role := v.Get("role").Str()
	if v.Get("type").Str() != "message" && role == "" {
		if id := v.Get("call_id").Str(); id != "" && strings.HasSuffix(v.Get("type").Str(), "_call_output") {
			text, outer := itemOutput(p, v.Get("output"))
			p.result(answer{
				id: id, text: text, outer: outer, whole: c.uncut(id, text), when: when, line: n, millis: max(c.millis[id], wallTime(outer)),
			})
			delete(c.millis, id)
			c.spare = c.whole[id]
			delete(c.whole, id)
			return
		}
		c.responseItem(v, when, n)
		return
	}
	switch role {
	case "assistant":
		p.ensureCall(when)
		text, _ := reply.Content(v.Get("content"))
		p.spoke(text)
	case "user":
		c.user(v.Get("content"), when, n)
	case "system", "developer":
		text, _ := reply.Content(v.Get("content"))
		if !p.started {
			p.start.System += p.tokens(text)
		}
	default:
		p.unknownKind("role "+role, n)
	}
}

func (c *codex) event(v tape.Value, n int) {
	p := c.p
	switch t := v.Get("type").Str(); t {
	case "token_count":
		c.tokenCount(v.Get("info"))
	case "mcp_tool_call_end":
		d := v.Get("duration")
		c.ended(v.Get("call_id").Str(), int64(d.Get("secs").Num()*1000+d.Get("nanos").Num()/1e6), v.Get("result", "Ok", "content"))
	case "item_completed": // in newer versions the same stands here
		if i := v.Get("item"); i.Get("type").Str() == "McpToolCall" {
			c.ended(i.Get("id").Str(), int64(v.Get("completed_at_ms").Num()-v.Get("started_at_ms").Num()), i.Get("result", "content"))
		}
	case "thread_settings_applied":
		if m := v.Get("thread_settings", "model").Str(); m != "" && (p.start.Model == "" || p.started) {
			p.start.Model = m
		}
	default:
		if !codexQuiet[t] {
			p.unknownKind("event_msg "+t, n)
		}
	}
}

// ended keeps how long a call took and what its server answered.
func (c *codex) ended(id string, millis int64, content tape.Value) {
	c.millis[id] = max(0, millis)
	if len(c.whole) < 64 {
		c.whole[id] = append(c.spare[:0], content.Raw()...)
		c.spare = nil
	}
}

// tokenCount reads the running total. What it grew by belongs to the call that
// is held; a file that counts only now and then gives that call the sum.
func (c *codex) tokenCount(info tape.Value) {
	t := usageOf(info.Get("total_token_usage"))
	if t == nil || *t == c.total {
		return // told again
	}
	c.counted(usageOf(info.Get("last_token_usage")), t)
}

// counted gives the call that is held what the vendor counted: used, or where the file
// does not tell it, what the total grew by.
func (c *codex) counted(used, total *session.Usage) {
	p := c.p
	if total != nil {
		if used == nil {
			used = &session.Usage{Input: total.Input - c.total.Input, CacheRead: total.CacheRead - c.total.CacheRead, Output: total.Output - c.total.Output}
		}
		if c.total = *total; used.Input < 0 || used.Output < 0 {
			used = total // the count began anew
		}
	}
	switch {
	case used == nil:
		return
	case p.call == nil:
		p.remark("a count of usage (%d input tokens) came after its call had been shown and is not in the timeline", used.Input)
		return
	case p.call.Usage != nil:
		sum := *p.call.Usage
		sum.Add(*used)
		used = &sum
	}
	p.call.Usage = used
}

// itemOutput reads a call's output. outer is the form the model saw, where the
// text is the JSON inside it.
func itemOutput(p *importer, v tape.Value) (text, outer string) {
	if v.Kind() != tape.String {
		return p.content(v), ""
	}
	return innerOutput(p, v.Str())
}

// innerOutput is itemOutput of an output that is a text.
func innerOutput(p *importer, s string) (text, outer string) {
	text, outer, images := reply.Inner(s)
	p.sees(images)
	return text, outer
}

// uncut is the text of a call's result as the server gave it, where the one in
// the history was cut.
func (c *codex) uncut(id, text string) string {
	raw := c.whole[id]
	if len(raw) == 0 || !reply.IsCut(text) {
		return ""
	}
	var t tape.Tape
	v, err := t.Parse(raw)
	if err != nil {
		return ""
	}
	whole, _ := reply.Content(v)
	return whole
}

// wallTime reads "Wall time: 0.26 seconds" in milliseconds.
func wallTime(s string) int64 {
	_, rest, ok := strings.Cut(s[:min(len(s), 200)], "Wall time: ")
	if !ok {
		return 0
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(strings.SplitN(rest, " ", 2)[0]), 64)
	if err != nil || f < 0 || f > 1e6 {
		return 0
	}
	return int64(f * 1000)
}
