package format

import (
	"bufio"
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
	"snapscope/session"
	"snapscope/snapshot"
)

var geminiFormat = &Format{
	Name: "gemini", Title: "Gemini CLI session",
	Doc: "~/.gemini/tmp/…/chats/session-….json, its successor with a message a line, and the output of --output-format stream-json. " +
		"A message's tokens are the vendor's usage; input counts the cached part.",
	detect: func(h *head) bool {
		return h.key("projectHash") && h.key("sessionId") || h.anyLine(func(v tape.Value) bool {
			switch v.Get("type").Str() {
			case "init":
				return v.Has("session_id", "model") && !v.Has("subtype")
			case "tool_use":
				return v.Has("tool_name", "tool_id")
			case "gemini":
				return v.Has("id", "content")
			}
			return v.Has("projectHash", "sessionId")
		})
	},
	read: readGemini, Rewritten: true,
}

type gemini struct {
	p      *importer
	asked  map[string]bool // messages that have their model call
	called map[string]bool // tool calls that were told
	spoke  bool            // the model speaks, in pieces
}

var geminiQuiet = words("info", "error", "warning", "result", "about", "help", "stats", "model", "quit", "compression")

var geminiFields = words("id", "timestamp", "type", "content", "displayContent", "toolCalls", "thoughts", "tokens", "model", "role", "delta",
	"session_id", "tool_name", "tool_id", "parameters", "status", "output", "error", "stats", "projectHash", "sessionId", "startTime", "lastUpdated",
	"kind", "summary", "directories", "severity", "message")

func readGemini(ctx context.Context, p *importer, r io.Reader) error {
	g := &gemini{p: p, asked: map[string]bool{}, called: map[string]bool{}}
	p.late = true
	p.start.Agent = "Gemini CLI"
	for _, dir := range p.links.Roots { // where it saves what was too large
		if abs, err := filepath.Abs(dir); err == nil && filepath.Base(abs) == "chats" {
			p.links.Roots = append(p.links.Roots, filepath.Join(abs, "..", "tool-outputs"))
		}
	}
	b := bufio.NewReaderSize(r, 64<<10)
	if wholeLine(b, func(v tape.Value) bool { return !v.Has("messages") }) {
		return eachLine(ctx, p, b, func(n int, v tape.Value) { g.entry(v, n) })
	}
	return eachPiece(ctx, p, b, func(x tape.Piece, v tape.Value) {
		switch {
		case x.Key == "messages" && x.List:
			g.entry(v, x.Line)
		case x.Key == "sessionId":
			p.start.Name = v.Str()
		}
	})
}

// entry is one message of a session, or one event of a stream.
func (g *gemini) entry(v tape.Value, n int) {
	p := g.p
	when := stamp(v.Get("timestamp"))
	t := v.Get("type").Str()
	p.fields(t, v, geminiFields, n)
	if t != "message" && t != "tool_use" {
		g.spoke = false
	}
	switch t {
	case "user":
		text, images := reply.Content(v.Get("content"))
		p.sees(images)
		p.user(text, when)
	case "gemini":
		g.message(v, when, n)
	case "init":
		if p.something { // another run, with a history of its own
			p.compacted("", 0, when)
			return
		}
		p.start.Name, p.start.Model = v.Get("session_id").Str(), v.Get("model").Str()
	case "message":
		g.chunk(v, when)
	case "tool_use":
		p.ensureCall(when)
		p.toolCall(v.Get("tool_id").Str(), v.Get("tool_name").Str(), v.Get("parameters").Object(), when, n)
	case "tool_result":
		a := answer{id: v.Get("tool_id").Str(), text: p.content(v.Get("output")), failed: v.Get("status").Str() == "error", when: when, line: n}
		if e := v.Get("error", "message").Str(); e != "" && a.text == "" {
			a.text = e
		}
		p.result(a)
	case "":
		if v.Has("$set") || v.Has("$rewindTo") { // bookkeeping of the file
			return
		}
		if s := v.Get("sessionId").Str(); s != "" {
			p.start.Name = s
		}
	case "result": // of a stream: the sum over all calls
		if n := v.Get("stats", "input_tokens").Int(); n > 0 {
			p.remark("the vendor counted %d input tokens in the whole run; the stream does not tell them call by call", n)
		}
	default:
		if !geminiQuiet[t] {
			p.unknownKind(t, n)
		}
	}
}

// chunk is a piece of what the user or the model said in a stream.
func (g *gemini) chunk(v tape.Value, when time.Time) {
	text := v.Get("content").Str()
	if v.Get("role").Str() == "user" {
		g.spoke = false
		g.p.user(text, when)
		return
	}
	g.p.ensureCall(when)
	if g.spoke && g.p.call != nil {
		g.p.call.Text += g.p.mask.Text(text)
		return
	}
	g.spoke = true
	g.p.spoke(text)
}

// message is one answer of the model with its calls and their results. A file
// that is appended to repeats it with more in it.
func (g *gemini) message(v tape.Value, when time.Time, n int) {
	p := g.p
	id := v.Get("id").Str()
	var usage *session.Usage
	if t := v.Get("tokens"); t.OK() {
		usage = &session.Usage{Input: t.Get("input").Int(), CacheRead: t.Get("cached").Int(), Output: t.Get("output").Int() + t.Get("thoughts").Int(), NoCache: !t.Has("cached")}
	}
	if id == "" || !g.asked[id] {
		g.asked[id] = true
		p.begin(session.ModelCall{Model: v.Get("model").Str(), Usage: usage, Request: id}, when)
		text, _ := reply.Content(v.Get("content"))
		p.spoke(text)
	} else {
		p.lateUsage(usage)
	}
	v.Get("toolCalls").Items(func(c tape.Value) { g.call(c, when, n) })
}

func (g *gemini) call(c tape.Value, when time.Time, n int) {
	p := g.p
	id := c.Get("id").Str()
	if id == "" || !g.called[id] {
		g.called[id] = true
		id = p.toolCall(id, c.Get("name").Str(), c.Get("args").Object(), when, n).raw
	}
	status := c.Get("status").Str()
	if o := p.open[id]; o == nil || o.answered || !c.Get("result").OK() && (status == "" || status == "scheduled" || status == "executing") {
		return
	}
	text, images := geminiResult(c.Get("result"))
	p.sees(images)
	if text == "" {
		text = c.Get("resultDisplay").Str()
	}
	done := stamp(c.Get("timestamp"))
	if done.IsZero() {
		done = when
	}
	p.result(answer{id: id, text: text, failed: status == "error" || status == "cancelled", when: done, line: n})
}

// geminiResult joins the parts of a tool's answer: what the function responded,
// and the parts beside or in it.
func geminiResult(v tape.Value) (text string, images []snapshot.Size) {
	var parts []string
	var part func(x tape.Value)
	part = func(x tape.Value) {
		switch f := x.Get("functionResponse"); {
		case x.Kind() == tape.String:
			parts = append(parts, x.Str())
		case f.OK():
			body := f.Get("response")
			t, more := reply.Content(firstOf(body, "output", "content", "error", "result"))
			images = append(images, more...)
			if t != "" {
				parts = append(parts, t)
			}
			f.Get("parts").Items(part)
		default:
			t, more := reply.Block(x)
			images = append(images, more...)
			if t != "" {
				parts = append(parts, t)
			}
		}
	}
	if v.Kind() == tape.Array {
		v.Items(part)
	} else {
		part(v)
	}
	return strings.Join(parts, "\n"), images
}
