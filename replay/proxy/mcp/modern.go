package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"snapscope/replay/proxy"
	"snapscope/session/agents"
	"snapscope/snapshot/mask"
)

// From the protocol of 2026-07-28 on there is no initialize: each request says whose
// it is, and each answer may.
const (
	metaClient = "io.modelcontextprotocol/clientInfo"
	metaServer = "io.modelcontextprotocol/serverInfo"
)

// nameAndVersion is what an object of the message says of a program; "" where it is
// not there.
func nameAndVersion(raw []byte, path ...any) (name, who string) {
	s, ok := proxy.Find(raw, path...)
	if !ok {
		return "", ""
	}
	name = proxy.TextAt(s.Of(raw), "name")
	return name, strings.TrimSpace(name + " " + proxy.TextAt(s.Of(raw), "version"))
}

// meet learns from a request who the client is, in either version of the protocol.
// One that speaks both in turn is one client.
func (l *Link) meet(m message) {
	name, who := nameAndVersion(m.raw, "params", "_meta", metaClient)
	if m.method == "initialize" {
		name, who = nameAndVersion(m.raw, "params", "clientInfo")
	}
	if who == "" {
		return
	}
	who = mask.New(false).Text(who)
	known, _ := agents.Find(name)
	l.mu.Lock()
	same := l.who == who
	l.known, l.who = known, who
	l.mu.Unlock()
	if same {
		return
	}
	l.p.update(func(r *proxy.Run) { r.Client = who })
	l.p.rec.post(0, func(r *recorder) { r.start.Agent = who })
}

// serverIn is what an answer says of the server, in either version.
func serverIn(m message) string {
	if _, who := nameAndVersion(m.said.server.Of(m.raw)); who != "" {
		return who
	}
	_, who := nameAndVersion(m.said.meta.Of(m.raw), metaServer)
	return who
}

// met learns from an answer who the server is, where nothing has told it: a client of
// the newer protocol need not ask.
func (l *Link) met(m message) {
	if m.failed || l.p.Run().Server != "" {
		return
	}
	if server := serverIn(m); server != "" {
		l.p.update(func(r *proxy.Run) { r.Server = server })
		l.p.rec.post(0, func(r *recorder) {
			l.view.browser, r.start.Name = browserServer(server), r.mask.Text(server)
		})
	}
}

// Headers that repeat what stands in a request's body, for whoever routes requests.
// A server refuses one whose headers and body do not agree.
const (
	nameHeader   = "Mcp-Name"
	mirrorPrefix = "Mcp-Param-"
	mirrorKey    = "x-mcp-header"
)

// mirror is an argument of a tool that a header repeats.
type mirror struct {
	path   []any // below the arguments
	header string
}

// schema is what a tool's input schema says of that.
type schema struct {
	Header     string            `json:"x-mcp-header"`
	Properties map[string]schema `json:"properties"`
}

func (s schema) mirrors(path []any, out []mirror) []mirror {
	for name, prop := range s.Properties {
		at := append(append([]any{}, path...), name)
		if prop.Header != "" {
			out = append(out, mirror{at, mirrorPrefix + prop.Header})
		}
		out = prop.mirrors(at, out)
	}
	return out
}

// learn notes which arguments headers repeat, from the answer to tools/list.
func (p *Proxy) learn(m message) {
	if m.failed || !bytes.Contains(m.raw, []byte(mirrorKey)) {
		return
	}
	var list struct {
		Tools []struct {
			Name        string
			InputSchema schema
		}
	}
	if json.Unmarshal(m.result.Of(m.raw), &list) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range list.Tools {
		if p.mirrors == nil || len(p.mirrors) > maxAsked {
			p.mirrors = map[string][]mirror{}
		}
		p.mirrors[t.Name] = t.InputSchema.mirrors(nil, nil)
	}
}

// agree makes the headers of a call whose arguments were edited say what its body
// says.
func (p *Proxy) agree(h http.Header, call []byte) {
	tool := proxy.TextAt(call, "params", "name")
	if h.Get(nameHeader) != "" {
		h.Set(nameHeader, headerValue(tool))
	}
	p.mu.Lock()
	mirrors := p.mirrors[tool]
	p.mu.Unlock()
	for _, m := range mirrors {
		h.Del(m.header)
		s, ok := proxy.Find(call, append([]any{"params", "arguments"}, m.path...)...)
		if !ok {
			continue
		}
		raw := string(s.Of(call))
		text, isText := proxy.Text(call, s)
		_, notInt := strconv.ParseInt(raw, 10, 64)
		switch {
		case isText:
			h.Set(m.header, headerValue(text))
		case raw == "true", raw == "false", notInt == nil:
			h.Set(m.header, raw)
		}
	}
}

const packedPrefix, packedSuffix = "=?base64?", "?="

// headerValue is a text as a header has it: packed where a header cannot hold it.
func headerValue(s string) string {
	plain := strings.Trim(s, " \t") == s && !(strings.HasPrefix(s, packedPrefix) && strings.HasSuffix(s, packedSuffix))
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= ' ' && s[i] <= '~'
	}
	if plain {
		return s
	}
	return packedPrefix + base64.StdEncoding.EncodeToString([]byte(s)) + packedSuffix
}
