package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// The wire forms, by the end of their path.
const (
	messages  = "/messages"
	chat      = "/chat/completions"
	responses = "/responses"
)

func formOf(path string) string {
	if isGemini(path) {
		return gemini
	}
	path = strings.TrimSuffix(path, "/count_tokens")
	for _, f := range []string{messages, chat, responses} {
		if strings.HasSuffix(path, f) {
			return f
		}
	}
	return ""
}

// request has the fields of all forms.
type request struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	System   json.RawMessage   `json:"system"`
	Instr    json.RawMessage   `json:"instructions"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []json.RawMessage `json:"messages"`
	Input    []json.RawMessage `json:"input"`
	Contents []json.RawMessage `json:"contents"`
	SystemIn json.RawMessage   `json:"systemInstruction"`
}

// block has the fields of a message, an item and a content block.
type block struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Parts     json.RawMessage `json:"parts"`
	Content   json.RawMessage `json:"content"`
	Text      *string         `json:"text"`
	ID        string          `json:"id"`
	ToolUse   string          `json:"tool_use_id"`
	ToolCall  string          `json:"tool_call_id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Cache     json.RawMessage `json:"cache_control"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function block  `json:"function"`
	} `json:"tool_calls"`
}

// tool is the full name of the tool that ends in a name; "" none does.
func (q *request) tool(end string) string {
	name, _ := find(q.Tools, "", end)
	return name
}

// space is the namespace that the tool of a name lies in: Codex groups the tools of
// a server.
func (q *request) space(name string) string {
	_, space := find(q.Tools, "", name)
	return space
}

func find(tools []json.RawMessage, in, end string) (name, space string) {
	for _, raw := range tools {
		var t struct {
			Type     string                `json:"type"`
			Name     string                `json:"name"`
			Function struct{ Name string } `json:"function"`
			Tools    []json.RawMessage     `json:"tools"`
			Declared []json.RawMessage     `json:"functionDeclarations"`
		}
		_ = json.Unmarshal(raw, &t)
		if name, _ := find(t.Declared, in, end); name != "" {
			return name, in
		}
		if t.Type == "namespace" {
			if name, space := find(t.Tools, t.Name, end); name != "" {
				return name, space
			}
			continue
		}
		for _, n := range []string{t.Name, t.Function.Name} {
			if strings.HasSuffix(n, end) {
				return n, in
			}
		}
	}
	return "", ""
}

// textOf joins the text of a content: a string or a list of blocks. empty: one of
// them is an empty text, which Anthropic refuses.
func textOf(raw json.RawMessage) (text string, empty bool) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, false
	}
	var list []block
	_ = json.Unmarshal(raw, &list)
	var out []string
	for _, b := range list {
		if b.Text != nil {
			out = append(out, *b.Text)
			empty = empty || strings.TrimSpace(*b.Text) == ""
		}
	}
	return strings.Join(out, "\n"), empty
}

// parts takes a request apart and says what the vendor would refuse of it.
func (q *request) parts(form string) (out []part, bad []string) {
	var fixed []string
	for _, t := range q.Tools {
		fixed = append(fixed, canonical(t))
	}
	sys, _ := textOf(q.System)
	instr, _ := textOf(q.Instr)
	head := strings.Join(fixed, "\n")
	out = append(
		out, part{kind: "fixed", text: head, same: head},
		part{kind: "fixed", text: sys + instr, same: sys + instr, mark: bytes.Contains(q.System, []byte(`"cache_control"`))},
	)
	w := walk{form: form, out: out}
	list := q.Messages
	switch form {
	case responses:
		list = q.Input
	case gemini:
		list = q.Contents
		w.out[1].text += string(q.SystemIn)
		w.out[1].same += string(q.SystemIn)
	}
	for i, raw := range list {
		var b block
		if json.Unmarshal(raw, &b) != nil {
			w.refuse("message %d is none", i)
			continue
		}
		w.message(i, b, raw)
	}
	w.pairs()
	if w.marks > 4 {
		w.refuse("%d cache_control marks, more than 4", w.marks)
	}
	return w.out, w.bad
}

// walk goes over a request's messages.
type walk struct {
	form  string
	out   []part
	bad   []string
	marks int
	calls int      // Gemini: so far
	due   []string // calls whose results must come in the next message
}

func (w *walk) refuse(format string, args ...any) {
	w.bad = append(w.bad, fmt.Sprintf(format, args...))
}

func (w *walk) add(kind, id, text string, raw json.RawMessage) {
	w.out = append(w.out, part{kind: kind, id: id, text: text, same: canonical(raw)})
}

func (w *walk) message(i int, b block, raw json.RawMessage) {
	switch w.form {
	case messages:
		w.anthropic(i, b)
	case gemini:
		w.gemini(i, b)
	case chat:
		text, _ := textOf(b.Content)
		if b.Role == "tool" {
			w.add("result", b.ToolCall, text, raw)
			return
		}
		w.add("text", "", text, raw)
		for _, c := range b.ToolCalls {
			w.add("call", c.ID, c.Function.Name+" "+c.Function.Arguments, json.RawMessage(`"`+c.ID+`"`))
		}
	case responses:
		switch {
		case strings.HasSuffix(b.Type, "_call_output"):
			text, _ := textOf(b.Output)
			w.add("result", b.CallID, text, raw)
		case b.Type == "function_call":
			w.add("call", b.CallID, b.Name+" "+b.Arguments, raw)
		default:
			text, _ := textOf(b.Content)
			w.add("text", "", text, raw)
		}
	}
}

// anthropic checks what docs.claude.com asks of a message: results right behind
// their tool uses, no empty text, thoughts as they were signed.
func (w *walk) anthropic(i int, b block) {
	var list []json.RawMessage
	if json.Unmarshal(b.Content, &list) != nil {
		text, _ := textOf(b.Content)
		w.add("text", "", text, b.Content)
		return
	}
	got, uses := map[string]bool{}, []string(nil)
	for _, raw := range list {
		var c block
		_ = json.Unmarshal(raw, &c)
		if len(c.Cache) > 0 {
			w.marks++
		}
		switch c.Type {
		case "tool_use":
			uses = append(uses, c.ID)
			w.add("call", c.ID, c.Name+" "+canonical(c.Input), raw)
		case "tool_result":
			got[c.ToolUse] = true
			text, empty := textOf(c.Content)
			if empty {
				w.refuse("message %d: text content blocks must contain non-whitespace text", i)
			}
			w.add("result", c.ToolUse, text, raw)
		case "thinking":
			if c.Signature != sign(c.Thinking) {
				w.refuse("message %d: invalid signature in thinking block", i)
			}
			w.add("thought", "", c.Thinking, raw)
		default:
			if c.Text == nil || *c.Text == "" {
				w.refuse("message %d: text content blocks must be non-empty", i)
				continue
			}
			w.add("text", "", *c.Text, raw)
		}
		w.out[len(w.out)-1].mark = len(c.Cache) > 0
	}
	if len(list) == 0 {
		w.refuse("message %d is empty", i)
	}
	for _, id := range w.due {
		if !got[id] {
			w.refuse("tool_use %s without a tool_result immediately after", id)
		}
	}
	w.due = uses
}

// pairs checks that each call has its one result.
func (w *walk) pairs() {
	calls, results := map[string]int{}, map[string]int{}
	for _, p := range w.out {
		switch p.kind {
		case "call":
			calls[p.id]++
		case "result":
			results[p.id]++
			if calls[p.id] == 0 {
				w.refuse("result %s without a call before it", p.id)
			}
		}
	}
	for id, n := range calls {
		if n > 1 || results[id] != 1 {
			w.refuse("call %s stands %d times and has %d results", id, n, results[id])
		}
	}
}
