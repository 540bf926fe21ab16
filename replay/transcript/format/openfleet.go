package format

import (
	"context"
	"io"
	"strings"
	"time"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
	"snapscope/session"
)

var openFleetFormat = &Format{
	Name: "openfleet", Title: "OpenFleet Markdown export",
	Doc: "A transcript of an OpenCode session as OpenFleet writes it: ## Tool Use: and ## Tool Result: with **Call ID**, the result's text in a " +
		"JSON object.",
	detect: func(h *head) bool {
		return h.open == 0 && h.contains("\n## Tool Use: ", "\n## Tool Result: ", "\n## User Message") && h.contains("**Call ID**: ", "**Timestamp**: ")
	},
	read: readOpenFleet, Rewritten: true,
}

// openFleet reads a transcript entry by entry; one is whole where the next begins.
type openFleet struct {
	p    *importer
	head string // "Tool Use", "Tool Result", "User Message", …
	tool string
	id   string
	when time.Time
	line int
	part string // Input, Output, Metadata; empty: the text itself
	body map[string][]string
}

func readOpenFleet(ctx context.Context, p *importer, r io.Reader) error {
	o := &openFleet{p: p}
	p.late = true
	p.start.Agent = "OpenCode (OpenFleet)"
	err := eachText(ctx, p, r, o.text)
	o.end()
	return err
}

func (o *openFleet) text(n int, line string) {
	if name, ok := strings.CutPrefix(line, "# Transcript: "); ok && o.p.start.Name == "" {
		o.p.start.Name = name
		return
	}
	if head, ok := strings.CutPrefix(line, "## "); ok {
		title, tool, _ := strings.Cut(head, ": ")
		switch title {
		case "Tool Use", "Tool Result", "User Message", "Assistant Message", "User", "Assistant":
			o.end()
			*o = openFleet{p: o.p, head: title, tool: tool, line: n, body: map[string][]string{}}
			return
		}
	}
	if o.head == "" {
		return
	}
	switch {
	case o.part == "" && strings.HasPrefix(line, "**Timestamp**: "):
		o.when, _ = time.Parse(time.RFC3339Nano, strings.TrimPrefix(line, "**Timestamp**: "))
	case o.part == "" && strings.HasPrefix(line, "**Call ID**: "):
		o.id = strings.TrimPrefix(line, "**Call ID**: ")
	case strings.HasPrefix(o.head, "Tool") && (line == "### Input" || line == "### Output" || line == "### Metadata" || line == "### Error"):
		o.part = line[4:]
	default:
		o.body[o.part] = append(o.body[o.part], line)
	}
}

// end tells the entry that was being read.
func (o *openFleet) end() {
	p := o.p
	text := func(part string) string {
		body := trimBlank(o.body[part])
		if n := len(body); n > 0 && body[n-1] == "---" {
			body = trimBlank(body[:n-1])
		}
		return strings.Join(body, "\n")
	}
	switch o.head {
	case "Tool Use":
		p.ensureCall(o.when)
		p.toolCall(o.id, o.tool, jsonArgs(o.json(text("Input"))), o.when, o.line)
	case "Tool Result":
		out, failed := o.output(text("Output")), false
		if e := text("Error"); e != "" {
			out, failed = unfence(strings.Split(e, "\n")), true
		}
		inner, outer, images := reply.Inner(out)
		p.sees(images)
		p.result(answer{id: o.id, text: inner, outer: outer, failed: failed, when: o.when, line: o.line})
	case "User Message", "User":
		p.user(text(""), o.when)
	case "Assistant Message", "Assistant":
		p.begin(session.ModelCall{Text: text("")}, o.when)
	}
	o.head = ""
}

// json is the value in a block's fence.
func (o *openFleet) json(block string) tape.Value {
	var t tape.Tape
	body := unfence(strings.Split(block, "\n"))
	v, err := t.ParseText(body)
	if err != nil {
		if strings.TrimSpace(body) != "" {
			o.p.im.skip("arguments that are not JSON", o.line)
		}
		return tape.Value{}
	}
	return v
}

// output is a result's text: the field output of the JSON behind its title.
func (o *openFleet) output(block string) string {
	from := strings.Index(block, "```json\n")
	if from < 0 {
		return block
	}
	var t tape.Tape
	v, err := t.ParseText(unfence(strings.Split(block[from:], "\n")))
	if err != nil {
		o.p.im.skip("result that is not JSON", o.line)
		return block
	}
	return firstOf(v, "output", "content", "text").Str()
}
