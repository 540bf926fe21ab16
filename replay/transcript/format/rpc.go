package format

import (
	"context"
	"io"
	"time"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
)

var rpcFormat = &Format{
	Name:  "mcp",
	Title: "MCP traffic (JSON-RPC)",
	Doc:   `One message a line, bare or as {"t":ms,"dir":"c2s"|"s2c","msg":…}. Only tools/call and its answers are calls; model calls are not in it.`,
	detect: func(h *head) bool {
		return h.anyLine(func(v tape.Value) bool { return v.Has("jsonrpc") || v.Get("msg").Has("jsonrpc") })
	},
	read: readRPC,
}

type rpc struct {
	p     *importer
	asked map[string]bool // ids of the other requests, whose answers are no results
}

func readRPC(ctx context.Context, p *importer, r io.Reader) error {
	p.pages.Direct = true
	c := &rpc{p: p, asked: map[string]bool{}}
	return eachLine(ctx, p, r, c.line)
}

func (c *rpc) line(n int, v tape.Value) {
	if v.Kind() == tape.Array { // a batch
		v.Items(func(x tape.Value) { c.message(n, x, time.Time{}, "") })
		return
	}
	m := v
	if inner := v.Get("msg"); inner.Kind() == tape.Object {
		m = inner
	} else if inner := v.Get("message"); inner.Kind() == tape.Object {
		m = inner
	}
	c.message(n, m, stamp(firstOf(v, "t", "ts", "time", "timestamp")), v.Get("dir").Str())
}

func (c *rpc) message(n int, m tape.Value, when time.Time, dir string) {
	p := c.p
	id := m.Get("id").IDText()
	method := m.Get("method").Str()
	switch {
	case method == "tools/call" && dir != "s2c":
		params := m.Get("params")
		p.toolCall(id, params.Get("name").Str(), params.Get("arguments").Object(), when, n)
	case method == "initialize":
		p.start.Agent = m.Get("params", "clientInfo", "name").Str()
		c.asked[id] = true
	case method != "":
		if id != "" && dir != "s2c" {
			c.asked[id] = true
		}
	case m.Has("result") || m.Has("error"):
		c.answer(n, m, id, when, dir)
	default:
		p.im.skip("line that is no JSON-RPC message", n)
	}
}

func (c *rpc) answer(n int, m tape.Value, id string, when time.Time, dir string) {
	p := c.p
	if dir == "c2s" { // the client's answer to the server
		return
	}
	if s := m.Get("result", "serverInfo"); s.OK() {
		p.browserOnly = p.browserOnly || reply.IsBrowserServer(s.Get("name").Str())
		if p.start.Name == "" {
			p.start.Name = s.Get("name").Str() + " " + s.Get("version").Str()
		}
	}
	if o := p.open[id]; c.asked[id] && (o == nil || o.answered) {
		delete(c.asked, id)
		return
	}
	res := m.Get("result")
	if p.open[id] == nil && !res.Has("content") {
		return // an answer to something that stands before this file's start
	}
	a := answer{id: id, text: p.content(res.Get("content")), failed: res.Get("isError").Bool(), when: when, line: n}
	if e := m.Get("error"); e.OK() {
		a.failed, a.text = true, e.Get("message").Str()
	}
	p.result(a)
}
