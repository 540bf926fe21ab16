package transcript

import (
	"context"
	"io"
	"time"

	"snapscope/session"
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
		return h.anyLine(func(v val) bool {
			switch v.get("type").str() {
			case "context-options":
				return v.has("version")
			case "before", "after", "action":
				return v.has("callId")
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

func (t *trace) line(n int, v val) {
	p := t.p
	switch kind := v.get("type").str(); kind {
	case "context-options":
		t.wall = v.get("wallTime").num() - v.get("monotonicTime").num()
		if p.start.Name == "" {
			p.start.Name = v.get("title").str()
			p.start.Agent = "Playwright " + v.get("playwrightVersion").str()
		}
		size := v.get("options", "viewport")
		p.start.Viewport.W, p.start.Viewport.H = size.get("width").int(), size.get("height").int()
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

func (t *trace) at(v val) time.Time {
	if t.wall == 0 || !v.ok() {
		return time.Time{}
	}
	return inRange(time.UnixMicro(int64((t.wall + v.num()) * 1000)))
}

func (t *trace) before(n int, v val) {
	name := v.get("method").str()
	if name == "" {
		name = v.get("apiName").str()
	}
	if c := v.get("class").str(); c != "" {
		name = c + "." + name
	}
	t.p.toolCall(v.get("callId").str(), name, v.get("params").object(), t.at(v.get("startTime")), n)
}

func (t *trace) after(n int, v val) {
	p := t.p
	a := answer{id: v.get("callId").str(), when: t.at(v.get("endTime")), line: n}
	if e := v.get("error"); e.ok() {
		a.failed = true
		a.text = e.get("message").str()
		if a.text == "" {
			a.text = e.get("error", "message").str()
		}
	}
	res := v.get("result")
	text := firstOf(res, "snapshot", "full", "incremental")
	switch {
	case text.kind() == kindString:
		a.text = text.str()
	case text.kind() == kindObject:
		a.text = firstOf(text, "full", "incremental").str()
	case res.ok() && a.text == "":
		a.text = string(res.raw())
	}
	if c := p.open[a.id]; c != nil && c.mean.verb == session.VerbGoto && !a.failed {
		if u, ok := p.lastURL(c); ok {
			a.url = u
		}
	}
	p.result(a)
}

// lastURL is where a call went, by its arguments.
func (p *importer) lastURL(c *openCall) (string, bool) {
	u := argText(c.mean.args["url"])
	return u, u != ""
}
