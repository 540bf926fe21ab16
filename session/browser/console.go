package browser

import (
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// maxLine is how long one console line may be, in characters.
const maxLine = 500

// say keeps a console line for the next result.
func (t *tab) say(level, text string) {
	if len(t.entries) >= maxConsole {
		t.dropped++
		return
	}
	t.entries = append(t.entries, level+": "+clip(strings.TrimSpace(text), maxLine))
}

func (b *Browser) onConsole(t *tab, _ string, e *proto.RuntimeConsoleAPICalled) {
	switch e.Type {
	case proto.RuntimeConsoleAPICalledTypeClear, proto.RuntimeConsoleAPICalledTypeEndGroup,
		proto.RuntimeConsoleAPICalledTypeProfile, proto.RuntimeConsoleAPICalledTypeProfileEnd:
		return
	}
	parts := make([]string, len(e.Args))
	for i, a := range e.Args {
		parts[i] = printed(a)
	}
	t.say(string(e.Type), strings.Join(parts, " "))
}

// printed is a console argument as text.
func printed(a *proto.RuntimeRemoteObject) string {
	switch {
	case a == nil:
		return ""
	case a.Type == proto.RuntimeRemoteObjectTypeString:
		return a.Value.Str()
	case a.UnserializableValue != "":
		return string(a.UnserializableValue)
	case a.Type == proto.RuntimeRemoteObjectTypeUndefined:
		return "undefined"
	case a.Preview != nil && len(a.Preview.Properties) > 0:
		return preview(a.Preview)
	case a.Description != "":
		return a.Description
	}
	return a.Value.JSON("", "")
}

func preview(p *proto.RuntimeObjectPreview) string {
	list := p.Subtype == proto.RuntimeObjectPreviewSubtypeArray
	parts := make([]string, 0, len(p.Properties)+1)
	for _, f := range p.Properties {
		v := f.Value
		if f.Type == proto.RuntimePropertyPreviewTypeString {
			v = quoted(v)
		}
		if !list {
			v = f.Name + ": " + v
		}
		parts = append(parts, v)
	}
	if p.Overflow {
		parts = append(parts, "…")
	}
	if list {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (b *Browser) onException(t *tab, _ string, e *proto.RuntimeExceptionThrown) {
	d := e.ExceptionDetails
	if d == nil {
		return
	}
	text := d.Text
	if d.Exception != nil {
		if s := d.Exception.Description; s != "" {
			text, _, _ = strings.Cut(s, "\n")
		} else {
			text += " " + printed(d.Exception)
		}
	}
	t.say("page error", text+where(d.URL, d.LineNumber))
}

func (b *Browser) onLog(t *tab, _ string, e *proto.LogEntryAdded) {
	if e.Entry == nil {
		return
	}
	line := 0
	if e.Entry.LineNumber != nil {
		line = *e.Entry.LineNumber
	}
	t.say(string(e.Entry.Level), e.Entry.Text+where(e.Entry.URL, line))
}

func where(url string, line int) string {
	if url == "" {
		return ""
	}
	if line <= 0 {
		return " (" + url + ")"
	}
	return fmt.Sprintf(" (%s:%d)", url, line+1)
}

// takeConsole hands over the lines since the last result.
func (t *tab) takeConsole() []string {
	out := t.entries
	if t.dropped > 0 {
		out = append(out, fmt.Sprintf("… and %d more lines", t.dropped))
	}
	t.entries, t.dropped = nil, 0
	return out
}

// clip shortens text to n characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}

// quoted is text in quotes, for sentences: short and on one line.
func quoted(s string) string {
	return "“" + clip(strings.Join(strings.Fields(s), " "), 120) + "”"
}
