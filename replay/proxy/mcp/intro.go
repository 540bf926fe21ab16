package mcp

import (
	"strconv"
	"strings"

	"snapscope/replay/proxy"
)

// liftKey is the key by which a server tells Claude Code how large a tool's text
// may be, in the tool's own entry of tools/list.
const liftKey = "anthropic/maxResultSizeChars"

// introduced is the answer to initialize, or to server/discover.
func (l *Link) introduced(m message) []byte {
	if m.failed {
		return m.raw
	}
	server := or(serverIn(m), l.p.Run().Server)
	l.p.update(func(r *proxy.Run) { r.Server = server })
	l.p.rec.post(0, func(r *recorder) {
		l.view.browser = browserServer(server)
		r.start.Name = r.mask.Text(server)
		if r.policy != nil && r.policy.Rewrites() && !l.view.browser {
			defer r.once(l.view, or(server, "a server without a name")+" is no browser's server that is known: what does not look like a page of Playwright, chrome-devtools or agent-browser goes as it came, whatever the policy")
		}
		if !r.begun {
			r.note("watched between " + or(r.start.Agent, "a client that gives no name") + " and " + or(server, "a server that gives no name"))
		}
	})
	return m.raw
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func browserServer(name string) bool {
	name = strings.ToLower(name)
	for _, w := range []string{"playwright", "devtools", "browser", "puppeteer"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// listed is the answer to tools/list: every tool asks the client for the larger
// limit, where that was wished for and the tool asks for none larger itself.
func (l *Link) listed(m message) []byte {
	if l.p.o.Lift <= 0 || m.failed {
		return m.raw
	}
	tools, ok := proxy.Find(m.raw, "result", "tools")
	if !ok {
		return m.raw
	}
	value := strconv.AppendInt(nil, int64(l.p.o.Lift), 10)
	var changes []proxy.Change
	for at := range proxy.Elements(m.raw, tools.From) {
		tool := proxy.Span{From: at, To: proxy.End(m.raw, at)}
		entry := tool.Of(m.raw)
		if n, ok := proxy.IntAt(entry, "_meta", liftKey); ok && n >= int64(l.p.o.Lift) {
			continue
		}
		ch, err := proxy.Put(m.raw, tool, "_meta", append(append([]byte(`{"`+liftKey+`":`), value...), '}'))
		if meta, ok := proxy.Find(entry, "_meta"); ok {
			ch, err = proxy.Put(m.raw, proxy.Span{From: at + meta.From, To: at + meta.To}, liftKey, value)
		}
		if err != nil {
			return m.raw
		}
		changes = append(changes, ch)
	}
	out, err := proxy.Splice(m.raw, changes...)
	if err != nil {
		return m.raw
	}
	return out
}
