package transcript

import (
	"context"
	"io"
	"time"
)

var rpcFormat = &Format{
	Name:  "mcp",
	Title: "MCP traffic (JSON-RPC)",
	Doc:   `One message a line, bare or as {"t":ms,"dir":"c2s"|"s2c","msg":…}. Only tools/call and its answers are calls; model calls are not in it.`,
	detect: func(h *head) bool {
		return h.anyLine(func(v val) bool { return v.has("jsonrpc") || v.get("msg").has("jsonrpc") })
	},
	read: readRPC,
}

type rpc struct {
	p     *importer
	asked map[string]bool // ids of the other requests, whose answers are no results
}

func readRPC(ctx context.Context, p *importer, r io.Reader) error {
	c := &rpc{p: p, asked: map[string]bool{}}
	return eachLine(ctx, p, r, c.line)
}

func (c *rpc) line(n int, v val) {
	if v.kind() == kindArray { // a batch
		v.items(func(x val) { c.message(n, x, time.Time{}, "") })
		return
	}
	m := v
	if inner := v.get("msg"); inner.kind() == kindObject {
		m = inner
	} else if inner := v.get("message"); inner.kind() == kindObject {
		m = inner
	}
	c.message(n, m, stamp(firstOf(v, "t", "ts", "time", "timestamp")), v.get("dir").str())
}

func (c *rpc) message(n int, m val, when time.Time, dir string) {
	p := c.p
	id := m.get("id").idText()
	method := m.get("method").str()
	switch {
	case method == "tools/call" && dir != "s2c":
		params := m.get("params")
		p.toolCall(id, params.get("name").str(), params.get("arguments").object(), when, n)
	case method == "initialize":
		p.start.Agent = m.get("params", "clientInfo", "name").str()
		c.asked[id] = true
	case method != "":
		if id != "" && dir != "s2c" {
			c.asked[id] = true
		}
	case m.has("result") || m.has("error"):
		c.answer(n, m, id, when, dir)
	default:
		p.im.skip("line that is no JSON-RPC message", n)
	}
}

func (c *rpc) answer(n int, m val, id string, when time.Time, dir string) {
	p := c.p
	if dir == "c2s" { // the client's answer to the server
		return
	}
	if s := m.get("result", "serverInfo"); s.ok() {
		p.browserOnly = p.browserOnly || isBrowserServer(s.get("name").str())
		if p.start.Name == "" {
			p.start.Name = s.get("name").str() + " " + s.get("version").str()
		}
	}
	if o := p.open[id]; c.asked[id] && (o == nil || o.answered) {
		delete(c.asked, id)
		return
	}
	res := m.get("result")
	if p.open[id] == nil && !res.has("content") {
		return // an answer to something that stands before this file's start
	}
	a := answer{id: id, text: p.content(res.get("content")), failed: res.get("isError").bool(), when: when, line: n}
	if e := m.get("error"); e.ok() {
		a.failed, a.text = true, e.get("message").str()
	}
	p.result(a)
}
