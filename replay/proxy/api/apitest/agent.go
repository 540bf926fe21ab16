package apitest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
)

// Tools are what an agent can call.
type Tools interface {
	List() ([]Tool, error)
	Call(id, name string, args json.RawMessage) (text string, failed bool, err error)
}

// Tool is one tool's definition.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"inputSchema"`
}

// Agent is an agent loop in one of the forms: ask the model, carry out the
// tool calls, ask again. Histories grow by whole JSON values that are never
// written anew.
type Agent struct {
	Base   string // of the model API, without a path
	Form   string // "anthropic", "openai-chat", "openai-responses" or "gemini"
	Model  string
	Key    string // goes as authorization; "" none
	Stream bool
	Prompt string
	Client *http.Client
	Name   string // goes as User-Agent; "" scripted-agent/1.0
	// Cut is what it does to a tool's text before its model gets it; nil: nothing.
	Cut func(text string) string
	// Retries is how often a request that failed is sent again.
	Retries int
	// Marks puts cache_control at the last block of each request, as Claude Code does.
	Marks bool
}

// Outcome is how a run ended.
type Outcome struct {
	Said  string // the model's last words
	Turns int    // model calls
}

// Prefix stands before the tools' names, as Claude Code puts it.
const Prefix = "mcp__playwright__"

// maxTurns ends a loop that does not end.
const maxTurns = 500

// Run is the whole loop.
func (a *Agent) Run(ctx context.Context, t Tools) (Outcome, error) {
	tools, err := t.List()
	if err != nil {
		return Outcome{}, err
	}
	history := a.begin()
	var out Outcome
	for out.Turns < maxTurns {
		got, err := a.ask(ctx, tools, history)
		if err != nil {
			return out, fmt.Errorf("model call %d: %w", out.Turns+1, err)
		}
		out.Turns++
		out.Said = got.text
		history = append(history, got.turn...)
		if len(got.calls) == 0 {
			return out, nil
		}
		for _, c := range got.calls {
			text, failed, err := t.Call(c.id, strings.TrimPrefix(c.name, Prefix), c.args)
			if err != nil {
				return out, err
			}
			if a.Cut != nil {
				text = a.Cut(text)
			}
			history = append(history, a.result(c.id, text, failed))
		}
	}
	return out, errors.New("the loop does not end")
}

// said is one answer of the model.
type said struct {
	text  string
	turn  []json.RawMessage // what it adds to the history
	calls []toolCall
}

type toolCall struct {
	id, name string
	args     json.RawMessage
}

func must(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // values of this package can be written
	}
	return b
}

const systemPrompt = "You are an agent that works in a browser. Act on elements by the refs that the pages show."

func (a *Agent) begin() []json.RawMessage {
	switch a.Form {
	case "anthropic":
		return []json.RawMessage{must(object{"role": "user", "content": []object{{"type": "text", "text": "<system-reminder>\nBe brief.\n</system-reminder>"}, {"type": "text", "text": a.Prompt}}})}
	case "openai-chat":
		return []json.RawMessage{must(object{"role": "system", "content": systemPrompt}), must(object{"role": "user", "content": a.Prompt})}
	case "gemini":
		return []json.RawMessage{must(object{"role": "user", "parts": []object{{"text": a.Prompt}}})}
	}
	return []json.RawMessage{must(object{"type": "message", "role": "user", "content": []object{{"type": "input_text", "text": a.Prompt}}})}
}

func (a *Agent) result(id, text string, failed bool) json.RawMessage {
	switch a.Form {
	case "anthropic":
		r := object{"type": "tool_result", "tool_use_id": id, "content": []object{{"type": "text", "text": text}}}
		if failed {
			r["is_error"] = true
		}
		return must(object{"role": "user", "content": []object{r}})
	case "openai-chat":
		return must(object{"role": "tool", "tool_call_id": id, "content": text})
	case "gemini":
		return geminiResult(id, text)
	}
	return must(object{"type": "function_call_output", "call_id": id, "output": text})
}

// body is the request for a history.
func (a *Agent) body(tools []Tool, history []json.RawMessage) (path string, body []byte) {
	var defs []object
	for _, t := range tools {
		name := Prefix + t.Name
		switch a.Form {
		case "anthropic":
			defs = append(defs, object{"name": name, "description": t.Description, "input_schema": t.Schema})
		case "openai-chat":
			defs = append(defs, object{"type": "function", "function": object{"name": name, "description": t.Description, "parameters": t.Schema}})
		case "gemini":
			defs = append(defs, object{"functionDeclarations": []object{{"name": name, "description": t.Description, "parametersJsonSchema": t.Schema}}})
		default:
			defs = append(defs, object{"type": "function", "name": name, "description": t.Description, "parameters": t.Schema})
		}
	}
	switch a.Form {
	case "anthropic":
		if a.Marks {
			history = markLast(history)
		}
		return "/v1/messages", must(object{
			"model": a.Model, "max_tokens": 1000, "stream": a.Stream, "tools": defs, "messages": history, "metadata": object{"user_id": "user_dummy_0815"},
			"system": []object{{"type": "text", "text": systemPrompt, "cache_control": object{"type": "ephemeral"}}}, "thinking": object{"type": "enabled", "budget_tokens": 1024},
		})
	case "openai-chat":
		return "/v1/chat/completions", must(object{"model": a.Model, "stream": a.Stream, "stream_options": object{"include_usage": true}, "tools": defs, "messages": history})
	case "gemini":
		verb := ":generateContent"
		if a.Stream {
			verb = ":streamGenerateContent?alt=sse"
		}
		return "/v1beta/models/" + a.Model + verb, must(object{"systemInstruction": object{"parts": []object{{"text": systemPrompt}}}, "tools": defs, "contents": history})
	}
	return "/v1/responses", must(object{"model": a.Model, "stream": a.Stream, "store": false, "instructions": systemPrompt, "tools": defs, "input": history})
}

// markLast is the history with a mark at its last block.
func markLast(history []json.RawMessage) []json.RawMessage {
	var m struct {
		Role    string   `json:"role"`
		Content []object `json:"content"`
	}
	n := len(history) - 1
	if json.Unmarshal(history[n], &m) != nil || len(m.Content) == 0 {
		return history
	}
	m.Content[len(m.Content)-1]["cache_control"] = object{"type": "ephemeral"}
	return append(slices.Clone(history[:n]), must(object{"role": m.Role, "content": m.Content}))
}

func (a *Agent) ask(ctx context.Context, tools []Tool, history []json.RawMessage) (said, error) {
	path, body := a.body(tools, history)
	var last error
	for range a.Retries + 1 {
		got, err := a.once(ctx, path, body)
		if err == nil {
			return got, nil
		}
		last = err
	}
	return said{}, last
}

func (a *Agent) once(ctx context.Context, path string, body []byte) (said, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.Base+path, bytes.NewReader(body))
	if err != nil {
		return said{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", cmp.Or(a.Name, "scripted-agent/1.0"))
	if a.Key != "" {
		req.Header.Set("Authorization", "Bearer "+a.Key)
		req.Header.Set("X-Api-Key", a.Key)
		req.Header.Set("Cookie", "session="+a.Key)
	}
	if a.Form == "anthropic" {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	client := a.Client
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return said{}, err
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		return said{}, err
	}
	if res.StatusCode != http.StatusOK {
		return said{}, fmt.Errorf("status %d: %.300s", res.StatusCode, got)
	}
	if a.Stream {
		return a.streamed(got)
	}
	return a.whole(got)
}

// whole reads an answer that is one JSON value.
func (a *Agent) whole(b []byte) (out said, err error) {
	var v struct {
		Content []json.RawMessage `json:"content"`
		Choices []struct {
			Message json.RawMessage `json:"message"`
		} `json:"choices"`
		Output []json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return out, fmt.Errorf("the answer is no JSON: %w", err)
	}
	switch a.Form {
	case "anthropic":
		for _, raw := range v.Content {
			var c block
			_ = json.Unmarshal(raw, &c)
			if c.Type == "tool_use" {
				out.calls = append(out.calls, toolCall{c.ID, c.Name, c.Input})
			} else if c.Text != nil {
				out.text += *c.Text
			}
		}
		out.turn = []json.RawMessage{must(object{"role": "assistant", "content": v.Content})}
	case "openai-chat":
		if len(v.Choices) == 0 {
			return out, errors.New("the answer has no choice")
		}
		var m block
		_ = json.Unmarshal(v.Choices[0].Message, &m)
		out.text, _ = textOf(m.Content)
		for _, c := range m.ToolCalls {
			out.calls = append(out.calls, toolCall{c.ID, c.Function.Name, json.RawMessage(c.Function.Arguments)})
		}
		out.turn = []json.RawMessage{v.Choices[0].Message}
	case "gemini":
		return geminiTurn(b)
	default:
		for _, raw := range v.Output {
			var c block
			_ = json.Unmarshal(raw, &c)
			if c.Type == "function_call" {
				out.calls = append(out.calls, toolCall{c.CallID, c.Name, json.RawMessage(c.Arguments)})
			} else {
				t, _ := textOf(c.Content)
				out.text += t
			}
		}
		out.turn = v.Output
	}
	return out, nil
}

// streamed puts a stream together to the answer it stands for.
func (a *Agent) streamed(b []byte) (said, error) {
	s := stream{args: map[int]string{}}
	in := bufio.NewScanner(bytes.NewReader(b))
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		data, ok := strings.CutPrefix(in.Text(), "data: ")
		if ok {
			s.event(data)
		}
	}
	if !s.done {
		return said{}, errors.New("the stream ended early")
	}
	switch a.Form {
	case "anthropic":
		for i, c := range s.blocks {
			if c["type"] == "tool_use" {
				c["input"] = json.RawMessage(s.args[i])
			}
		}
		return a.whole(must(object{"content": s.blocks}))
	case "openai-chat":
		m := object{"role": "assistant", "content": s.text}
		if len(s.calls) > 0 {
			m["tool_calls"] = s.calls
		}
		return a.whole(must(object{"choices": []object{{"message": m}}}))
	}
	return a.whole(s.response)
}

// stream gathers the events of any of the forms.
type stream struct {
	done     bool
	blocks   []object
	args     map[int]string
	text     string
	calls    []json.RawMessage
	response json.RawMessage
}

func (s *stream) event(data string) {
	if data == "[DONE]" {
		s.done = true
		return
	}
	var e struct {
		Type     string          `json:"type"`
		Index    int             `json:"index"`
		Block    object          `json:"content_block"`
		Response json.RawMessage `json:"response"`
		Delta    struct {
			Text      string `json:"text"`
			Thinking  string `json:"thinking"`
			Signature string `json:"signature"`
			JSON      string `json:"partial_json"`
		} `json:"delta"`
		Candidates json.RawMessage `json:"candidates"`
		Choices    []struct {
			Delta struct {
				Content   string            `json:"content"`
				ToolCalls []json.RawMessage `json:"tool_calls"`
			} `json:"delta"`
		} `json:"choices"`
	}
	if json.Unmarshal([]byte(data), &e) != nil {
		return
	}
	if len(e.Candidates) > 0 { // in one piece
		s.done, s.response = true, json.RawMessage(data)
	}
	for _, c := range e.Choices {
		s.text += c.Delta.Content
		s.calls = append(s.calls, c.Delta.ToolCalls...)
	}
	switch e.Type {
	case "content_block_start":
		s.blocks = append(s.blocks, e.Block)
	case "content_block_delta":
		b := s.blocks[e.Index]
		for key, more := range map[string]string{"text": e.Delta.Text, "thinking": e.Delta.Thinking, "signature": e.Delta.Signature} {
			if old, ok := b[key].(string); ok {
				b[key] = old + more
			}
		}
		s.args[e.Index] += e.Delta.JSON
	case "message_stop":
		s.done = true
	case "response.completed":
		s.done, s.response = true, e.Response
	}
}

// MCP are the tools of a server that speaks MCP over stdio.
type MCP struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// StartMCP starts a server and shakes hands with it, by the name of a client.
func StartMCP(cmd *exec.Cmd, client string) (*MCP, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	m := &MCP{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	if _, err := m.ask("initialize", object{"protocolVersion": "2025-06-18", "capabilities": object{}, "clientInfo": object{"name": client, "version": "1.0"}}); err != nil {
		return nil, err
	}
	_, err = fmt.Fprintln(m.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return m, err
}

// Close ends the server.
func (m *MCP) Close() error {
	_ = m.in.Close()
	return m.cmd.Wait()
}

func (m *MCP) ask(method string, params any) (json.RawMessage, error) {
	m.id++
	if _, err := fmt.Fprintf(m.in, "%s\n", must(object{"jsonrpc": "2.0", "id": m.id, "method": method, "params": params})); err != nil {
		return nil, err
	}
	for {
		line, err := m.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("the MCP server ended: %w", err)
		}
		var r struct {
			ID     *int            `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if json.Unmarshal(line, &r) != nil || r.ID == nil || *r.ID != m.id || r.Method != "" {
			continue
		}
		if len(r.Error) > 0 {
			return nil, fmt.Errorf("the MCP server answers %s", r.Error)
		}
		return r.Result, nil
	}
}

// List asks for the tools.
func (m *MCP) List() ([]Tool, error) {
	raw, err := m.ask("tools/list", object{})
	if err != nil {
		return nil, err
	}
	var v struct{ Tools []Tool }
	return v.Tools, json.Unmarshal(raw, &v)
}

// Call calls a tool; the model's id of the call goes along as Claude Code sends it.
func (m *MCP) Call(id, name string, args json.RawMessage) (string, bool, error) {
	raw, err := m.ask("tools/call", object{"name": name, "arguments": args, "_meta": object{"claudecode/toolUseId": id}})
	if err != nil {
		return "", false, err
	}
	var v struct {
		Content json.RawMessage `json:"content"`
		IsError bool            `json:"isError"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return "", false, err
	}
	text, _ := textOf(v.Content)
	return text, v.IsError, nil
}
