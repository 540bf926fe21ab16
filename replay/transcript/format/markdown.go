package format

import (
	"context"
	"io"
	"strings"
	"time"

	"snapscope/session"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
)

// Threads that agents export as Markdown: headings for who speaks, bold labels
// for calls and results, fences around what they hold. A result may hold fences
// itself, so a block ends where the next label or heading stands, not at the
// first closing fence.

var openCodeMDFormat = &Format{
	Name: "opencode-md", Title: "OpenCode Markdown export",
	Doc: "A session exported as Markdown: **Tool: name**, **Input:**, **Output:**.",
	detect: func(h *head) bool {
		return h.open == 0 && h.contains("**Session ID:** ", "\n**Tool: ")
	},
	read: func(ctx context.Context, p *importer, r io.Reader) error {
		return readMarkdown(ctx, p, r, "OpenCode")
	},
	Rewritten: true,
}

var ampFormat = &Format{
	Name: "amp", Title: "Amp thread (Markdown)",
	Doc: "A thread exported as Markdown: **Tool Use:** and **Tool Result:**.",
	detect: func(h *head) bool {
		return h.open == 0 && h.contains("**Tool Use:** ", "**Tool Result:** ", "\nthreadId: T-")
	},
	read: func(ctx context.Context, p *importer, r io.Reader) error {
		return readMarkdown(ctx, p, r, "Amp")
	},
	Rewritten: true,
}

type markdown struct {
	p      *importer
	front  bool   // in the front matter
	role   string // who speaks
	label  string // what the block is: use, input, output, error, result, or text
	name   string // of a tool
	id     string // of the call a result answers
	line   int
	body   []string
	ids    []string // calls without a result, in order, of formats that do not name them
	called bool
}

func readMarkdown(ctx context.Context, p *importer, r io.Reader, agent string) error {
	m := &markdown{p: p}
	p.late = true
	p.start.Agent = agent
	err := eachText(ctx, p, r, m.text)
	if m.label == "output" || m.label == "result" {
		if body := trimBlank(m.body); len(body) > 0 && (len(body) < 2 || body[len(body)-1] != "```") {
			p.im.Cut = true
		}
	}
	m.block()
	return err
}

func (m *markdown) text(n int, line string) {
	switch {
	case n == 1 && line == "---":
		m.front = true
		return
	case m.front:
		if v, ok := strings.CutPrefix(line, "title: "); ok {
			m.p.start.Name = v
		}
		m.front = line != "---"
		return
	}
	switch {
	case strings.HasPrefix(line, "## User"), strings.HasPrefix(line, "## Assistant"):
		m.block()
		m.role = strings.ToLower(strings.Fields(line)[1])
		m.open("text", n)
		if m.role == "assistant" {
			m.assistant(line)
		}
	case strings.HasPrefix(line, "**Tool: "):
		m.block()
		m.open("", n)
		m.name, m.called = strings.TrimSuffix(strings.TrimPrefix(line, "**Tool: "), "**"), false
	case strings.HasPrefix(line, "**Tool Use:** "):
		m.block()
		m.open("input", n)
		m.name, m.called = strings.Trim(strings.TrimPrefix(line, "**Tool Use:** "), "` "), false
	case strings.HasPrefix(line, "**Tool Result:** "):
		m.block()
		m.open("result", n)
		m.id = strings.Trim(strings.TrimPrefix(line, "**Tool Result:** "), "` ")
	case line == "**Input:**" && m.name != "":
		m.block()
		m.open("input", n)
	case (line == "**Output:**" || line == "**Error:**") && m.name != "":
		m.block()
		m.open(strings.ToLower(strings.Trim(line, "*:")), n)
	default:
		m.body = append(m.body, line)
	}
}

func (m *markdown) open(label string, n int) {
	m.label, m.line, m.body = label, n, m.body[:0]
}

// assistant begins a model call; OpenCode names the model in the heading.
func (m *markdown) assistant(line string) {
	model := ""
	if _, rest, ok := strings.Cut(line, "("); ok {
		if parts := strings.Split(rest, " · "); len(parts) > 1 {
			model = parts[1]
		}
	}
	m.p.begin(session.ModelCall{Model: model}, time.Time{})
}

// block ends what was being read.
func (m *markdown) block() {
	p := m.p
	body := m.body
	if n := len(trimBlank(body)); n > 0 && trimBlank(body)[n-1] == "---" {
		body = trimBlank(body)[:n-1]
	}
	switch m.label {
	case "text":
		text := strings.TrimSpace(strings.Join(body, "\n"))
		if m.role == "user" {
			if text != "" {
				p.user(text, time.Time{})
			}
		} else {
			p.spoke(text)
		}
	case "input":
		m.call(unfence(body))
	case "output", "error":
		if !m.called {
			m.call("")
		}
		if len(m.ids) > 0 {
			id := m.ids[len(m.ids)-1]
			m.ids = m.ids[:0]
			p.result(answer{id: id, text: unfence(body), failed: m.label == "error", line: m.line})
		}
	case "result":
		id := m.id
		if p.open[id] == nil { // the calls are not named: results come in their order
			if o := p.oldest(); o != "" {
				id = o
			}
		}
		p.result(answer{id: id, text: reply.Unwrap(unfence(body)), line: m.line})
	}
	m.label = ""
}

func (m *markdown) call(input string) {
	var t tape.Tape
	var args map[string]any
	if v, err := t.ParseText(input); err == nil {
		args = v.Object()
	} else if strings.TrimSpace(input) != "" {
		m.p.im.skip("arguments that are not JSON", m.line)
	}
	m.called = true
	m.ids = append(m.ids, m.p.toolCall("", m.name, args, time.Time{}, m.line).raw)
}

// unfence is what stands between a block's first fence and its last.
func unfence(body []string) string {
	body = trimBlank(body)
	if len(body) == 0 || !strings.HasPrefix(body[0], "```") {
		return strings.Join(body, "\n")
	}
	body = body[1:]
	if n := len(body); n > 0 && strings.HasPrefix(body[n-1], "```") {
		body = body[:n-1]
	}
	return strings.Join(body, "\n")
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
