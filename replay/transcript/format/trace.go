package format

import (
	"context"
	"io"
	"time"

	"snapscope/session"

	"snapscope/replay/tape"
)

var traceFormat = &Format{
	Name:  "playwright-trace",
	Title: "Playwright trace",
	Doc: "trace.trace, alone or in the .zip that Playwright writes. Calls are before and after entries; the AI snapshot's text is in the " +
		"result of ariaSnapshot from Playwright 1.63 on.",
	detect: func(h *head) bool {
		if len(h.raw) > 4 && string(h.raw[:4]) == "PK\x03\x04" {
			return true
		}
		return h.anyLine(func(v tape.Value) bool {
			switch v.Get("type").Str() {
			case "context-options":
				return v.Has("version")
			case "before", "after", "action":
				return v.Has("callId")
			}
			return false
		})
	},
	read: readTrace,
}

var traceQuiet = words("input", "log", "event", "console", "object", "resource-snapshot", "frame-snapshot", "screencast-frame", "stdout", "stderr",
	"error", "page-close")

type trace struct {
	p    *importer
	wall float64 // milliseconds since 1970 at monotonic time zero
}

func readTrace(ctx context.Context, p *importer, r io.Reader) error {
	p.browserOnly = true
	p.start.Agent = "Playwright"
	z, ok, err := openZip(p, r)
	if err != nil {
		return err
	}
	t := &trace{p: p}
	if !ok {
		return eachLine(ctx, p, z, t.line)
	}
	return eachZipped(ctx, p, z, t.line)
}

func (t *trace) line(n int, v tape.Value) {
	p := t.p
	switch kind := v.Get("type").Str(); kind {
	case "context-options":
		t.wall = v.Get("wallTime").Num() - v.Get("monotonicTime").Num()
		if p.start.Name == "" {
			p.start.Name = v.Get("title").Str()
			p.start.Agent = "Playwright " + v.Get("playwrightVersion").Str()
		}
		size := v.Get("options", "viewport")
		p.start.Viewport.W, p.start.Viewport.H = size.Get("width").Int(), size.Get("height").Int()
	case "before":
		t.before(n, v)
	case "after":
		t.after(n, v)
	case "action": // older traces tell both in one
		t.before(n, v)
		t.after(n, v)
	default:
		if !traceQuiet[kind] {
			p.unknownKind(kind, n)
		}
	}
}

func (t *trace) at(v tape.Value) time.Time {
	if t.wall == 0 || !v.OK() {
		return time.Time{}
	}
	return inRange(time.UnixMicro(int64((t.wall + v.Num()) * 1000)))
}

func (t *trace) before(n int, v tape.Value) {
	name := v.Get("method").Str()
	if name == "" {
		name = v.Get("apiName").Str()
	}
	if c := v.Get("class").Str(); c != "" {
		name = c + "." + name
	}
	t.p.toolCall(v.Get("callId").Str(), name, v.Get("params").Object(), t.at(v.Get("startTime")), n)
}

func (t *trace) after(n int, v tape.Value) {
	p := t.p
	a := answer{id: v.Get("callId").Str(), when: t.at(v.Get("endTime")), line: n}
	if e := v.Get("error"); e.OK() {
		a.failed = true
		a.text = e.Get("message").Str()
		if a.text == "" {
			a.text = e.Get("error", "message").Str()
		}
	}
	res := v.Get("result")
	text := firstOf(res, "snapshot", "full", "incremental")
	switch {
	case text.Kind() == tape.String:
		a.text = text.Str()
	case text.Kind() == tape.Object:
		a.text = firstOf(text, "full", "incremental").Str()
	case res.OK() && a.text == "":
		a.text = string(res.Raw())
	}
	if c := p.open[a.id]; c != nil && c.mean.Verb == session.VerbGoto && !a.failed {
		if u, ok := p.lastURL(c); ok {
			a.url = u
		}
	}
	p.result(a)
}

// lastURL is where a call went, by its arguments.
func (p *importer) lastURL(c *openCall) (string, bool) {
	u, _ := c.mean.Args["url"].(string)
	return u, u != ""
}
