package transcript

import (
	"context"
	"io"
	"time"

	"snapscope/session"
)

var openclawFormat = &Format{
	Name:  "openclaw",
	Title: "pi or OpenClaw session",
	Doc: "JSON lines of type session, message and custom, a tree by id and parentId. Custom entries " +
		"openclaw.browser-snapshot-expiry become expiries.",
	detect: func(h *head) bool {
		return h.anyLine(func(v val) bool {
			t := v.get("type").str()
			return (t == "session" && v.has("version", "id")) || (t == "message" && v.get("message", "role").ok()) || (t == "custom" && v.has("customType"))
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

func (c *claw) line(n int, v val) {
	p := c.p
	when := stamp(v.get("timestamp"))
	t := v.get("type").str()
	p.fields(t, v, openclawFields, n)
	if id := v.get("id").str(); t != "session" && p.tree.add(id, v.get("parentId").str(), n) {
		p.note("the session goes on from an earlier point here; what stands between is no longer in the model's history", when)
	}
	if id := v.get("id").str(); id != "" {
		c.before[id] = p.arrivals
	}
	switch t {
	case "message":
		c.message(n, v.get("message"), when)
	case "session":
		p.start.Name = v.get("id").str()
	case "custom":
		if v.get("customType").str() == "openclaw.browser-snapshot-expiry" {
			c.expiry(v.get("data", "expiredIds"), when)
		}
	case "compaction":
		keep := 0
		if n, ok := c.before[v.get("firstKeptEntryId").str()]; ok {
			keep = p.arrivals - n
		}
		p.compacted(v.get("summary").str(), keep, when)
	case "branch_summary":
		p.compacted(v.get("summary").str(), 0, when)
	default:
		if !openclawQuiet[t] {
			p.unknownKind(t, n)
		}
	}
}

// expiry reads the set of expired calls, which is written whole each time.
func (c *claw) expiry(ids val, when time.Time) {
	var fresh []string
	ids.items(func(x val) {
		if id := x.str(); id != "" && !c.expired[id] {
			c.expired[id] = true
			fresh = append(fresh, id)
		}
	})
	c.p.expire(fresh, when)
}

func (c *claw) message(n int, m val, when time.Time) {
	p := c.p
	if t := stamp(m.get("timestamp")); when.IsZero() {
		when = t
	}
	switch role := m.get("role").str(); role {
	case "user":
		text, _ := contentText(m.get("content"))
		p.user(text, when)
	case "assistant":
		u := m.get("usage")
		var usage *session.Usage
		if u.ok() {
			read, write := u.get("cacheRead").int(), u.get("cacheWrite").int()
			usage = &session.Usage{Input: u.get("input").int() + read + write, CacheRead: read, CacheWrite: write, Output: u.get("output").int()}
		}
		p.begin(session.ModelCall{Model: m.get("model").str(), Usage: usage}, when)
		c.said(m.get("content"), when, n)
	case "toolResult":
		d := m.get("details")
		p.result(answer{
			id: m.get("toolCallId").str(), text: p.content(m.get("content")), failed: m.get("isError").bool(),
			url: d.get("url").str(), title: d.get("title").str(), when: when, line: n,
		})
	case "bashExecution", "custom", "branchSummary", "compactionSummary":
	default:
		p.unknownKind("role "+role, n)
	}
}

func (c *claw) said(content val, when time.Time, n int) {
	p := c.p
	if content.kind() == kindString {
		p.spoke(content.str())
		return
	}
	content.items(func(b val) {
		switch t := b.get("type").str(); t {
		case "toolCall":
			if b.get("name").str() == "browser" { // pi itself has no such tool
				p.start.Agent = "OpenClaw"
			}
			p.toolCall(b.get("id").str(), b.get("name").str(), jsonArgs(b.get("arguments")), when, n)
		case "text":
			p.spoke(b.get("text").str())
		default:
			p.block(t, openclawBlocks, n)
		}
	})
}
