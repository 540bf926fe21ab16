package format

import (
	"context"
	"io"
	"time"

	"snapscope/session"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
)

var openclawFormat = &Format{
	Name:  "openclaw",
	Title: "pi or OpenClaw session",
	Doc: "JSON lines of type session, message and custom, a tree by id and parentId. Custom entries " +
		"openclaw.browser-snapshot-expiry become expiries.",
	detect: func(h *head) bool {
		return h.anyLine(func(v tape.Value) bool {
			t := v.Get("type").Str()
			return (t == "session" && v.Has("version", "id")) || (t == "message" && v.Get("message", "role").OK()) || (t == "custom" && v.Has("customType"))
		})
	},
	read: readOpenclaw,
}

var openclawQuiet = words("session", "model_change", "thinking_level_change", "label", "session_info", "custom_message", "leaf")

var openclawBlocks = words("text", "thinking", "toolCall", "image")

type claw struct {
	p       *importer
	expired map[string]bool
	before  map[string]int // by entry: user messages and results that came before it
}

func readOpenclaw(ctx context.Context, p *importer, r io.Reader) error {
	c := &claw{p: p, expired: map[string]bool{}, before: map[string]int{}}
	p.late = true
	p.start.Agent = "pi"
	err := eachLine(ctx, p, r, c.line)
	if n := len(p.tree.branches); n > 0 {
		p.remark("%d branches: the agent went back to an earlier point; the entries it left are in the timeline too, in the order of the file", n)
	}
	return err
}

var openclawFields = words("type", "id", "parentId", "timestamp", "message", "version", "cwd", "customType", "data", "provider", "modelId",
	"thinkingLevel", "summary", "firstKeptEntryId", "tokensBefore", "details", "fromHook", "fromId", "label", "targetId", "name", "content", "display", "parentSession")

func (c *claw) line(n int, v tape.Value) {
	p := c.p
	when := stamp(v.Get("timestamp"))
	t := v.Get("type").Str()
	p.fields(t, v, openclawFields, n)
	if id := v.Get("id").Str(); t != "session" && p.tree.add(id, v.Get("parentId").Str(), n) {
		p.note("the session goes on from an earlier point here; what stands between is no longer in the model's history", when)
	}
	if id := v.Get("id").Str(); id != "" {
		c.before[id] = p.arrivals
	}
	switch t {
	case "message":
		c.message(n, v.Get("message"), when)
	case "session":
		p.start.Name = v.Get("id").Str()
	case "custom":
		if v.Get("customType").Str() == "openclaw.browser-snapshot-expiry" {
			c.expiry(v.Get("data", "expiredIds"), when)
		}
	case "compaction":
		keep := 0
		if n, ok := c.before[v.Get("firstKeptEntryId").Str()]; ok {
			keep = p.arrivals - n
		}
		p.compacted(v.Get("summary").Str(), keep, when)
	case "branch_summary":
		p.compacted(v.Get("summary").Str(), 0, when)
	default:
		if !openclawQuiet[t] {
			p.unknownKind(t, n)
		}
	}
}

// expiry reads the set of expired calls, which is written whole each time.
func (c *claw) expiry(ids tape.Value, when time.Time) {
	var fresh []string
	ids.Items(func(x tape.Value) {
		if id := x.Str(); id != "" && !c.expired[id] {
			c.expired[id] = true
			fresh = append(fresh, id)
		}
	})
	c.p.expire(fresh, when)
}

func (c *claw) message(n int, m tape.Value, when time.Time) {
	p := c.p
	if t := stamp(m.Get("timestamp")); when.IsZero() {
		when = t
	}
	switch role := m.Get("role").Str(); role {
	case "user":
		text, _ := reply.Content(m.Get("content"))
		p.user(text, when)
	case "assistant":
		u := m.Get("usage")
		var usage *session.Usage
		if u.OK() {
			read, write := u.Get("cacheRead").Int(), u.Get("cacheWrite").Int()
			usage = &session.Usage{Input: u.Get("input").Int() + read + write, CacheRead: read, CacheWrite: write, Output: u.Get("output").Int()}
		}
		p.begin(session.ModelCall{Model: m.Get("model").Str(), Usage: usage}, when)
		c.said(m.Get("content"), when, n)
	case "toolResult":
		d := m.Get("details")
		p.result(answer{
			id: m.Get("toolCallId").Str(), text: p.content(m.Get("content")), failed: m.Get("isError").Bool(),
			url: d.Get("url").Str(), title: d.Get("title").Str(), when: when, line: n,
		})
	case "bashExecution", "custom", "branchSummary", "compactionSummary":
	default:
		p.unknownKind("role "+role, n)
	}
}

func (c *claw) said(content tape.Value, when time.Time, n int) {
	p := c.p
	if content.Kind() == tape.String {
		p.spoke(content.Str())
		return
	}
	content.Items(func(b tape.Value) {
		switch t := b.Get("type").Str(); t {
		case "toolCall":
			if b.Get("name").Str() == "browser" { // pi itself has no such tool
				p.start.Agent = "OpenClaw"
			}
			p.toolCall(b.Get("id").Str(), b.Get("name").Str(), jsonArgs(b.Get("arguments")), when, n)
		case "text":
			p.spoke(b.Get("text").Str())
		default:
			p.block(t, openclawBlocks, n)
		}
	})
}
