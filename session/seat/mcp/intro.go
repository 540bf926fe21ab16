package mcp

import (
	"strconv"
	"strings"

	"snapscope/session/policy"
	"snapscope/session/seat"
)

// liftKey is the key by which a server tells Claude Code how large a tool's text
// may be, in the tool's own entry of tools/list.
const liftKey = "anthropic/maxResultSizeChars"

// introduced is the answer to initialize, or to server/discover: with a policy, the
// server's instructions get the lines that tell the model how to read it.
func (l *Link) introduced(m message) []byte {
	if m.failed {
		return m.raw
	}
	server := or(serverIn(m), l.p.Run().Server)
	l.p.update(func(r *seat.Run) { r.Server = server })
	out := m.raw
	l.p.rec.ask(l.context, len(m.raw), func(r *recorder, t *ticket) {
		var b []byte
		if r.policy != nil {
			b = withInstructions(m, notations(*r.policy))
		}
		claimed := t.claim(func() {
			if b != nil {
				out = b
			}
		})
		if claimed && b != nil {
			for _, st := range r.policy.Stages {
				l.view.told[st.Strategy.Name] = true
			}
		}
		l.view.browser = browserServer(server)
		r.start.Name = r.mask.Text(server)
		if !r.begun {
			r.note("watched between " + or(r.start.Agent, "a client that gives no name") + " and " + or(server, "a server that gives no name"))
		}
	})
	return out
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

// notations are the lines that tell a model how to read what a policy makes.
func notations(p policy.Policy) string {
	var out []string
	for _, st := range p.Stages {
		if n := strings.TrimSpace(st.Strategy.Notation); n != "" {
			out = append(out, n)
		}
	}
	return strings.Join(out, "\n\n")
}

func withInstructions(m message, add string) []byte {
	if add == "" {
		return nil
	}
	old := seat.TextAt(m.raw, "result", "instructions")
	if old != "" {
		add = strings.TrimRight(old, "\n") + "\n\n" + add
	}
	ch, err := seat.Put(m.raw, m.result, "instructions", seat.Quote(add))
	if err != nil {
		return nil
	}
	out, err := seat.Splice(m.raw, ch)
	if err != nil {
		return nil
	}
	return out
}

// listed is the answer to tools/list: every tool asks the client for the larger
// limit, where that was wished for and the tool asks for none larger itself.
func (l *Link) listed(m message) []byte {
	if l.p.o.Lift <= 0 || m.failed {
		return m.raw
	}
	tools, ok := seat.Find(m.raw, "result", "tools")
	if !ok {
		return m.raw
	}
	value := strconv.AppendInt(nil, int64(l.p.o.Lift), 10)
	var changes []seat.Change
	for at := range seat.Elements(m.raw, tools.From) {
		tool := seat.Span{From: at, To: seat.End(m.raw, at)}
		entry := tool.Of(m.raw)
		if n, ok := seat.IntAt(entry, "_meta", liftKey); ok && n >= int64(l.p.o.Lift) {
			continue
		}
		ch, err := seat.Put(m.raw, tool, "_meta", append(append([]byte(`{"`+liftKey+`":`), value...), '}'))
		if meta, ok := seat.Find(entry, "_meta"); ok {
			ch, err = seat.Put(m.raw, seat.Span{From: at + meta.From, To: at + meta.To}, liftKey, value)
		}
		if err != nil {
			return m.raw
		}
		changes = append(changes, ch)
	}
	out, err := seat.Splice(m.raw, changes...)
	if err != nil {
		return m.raw
	}
	return out
}
