package apitest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// sign is the signature of a thought.
func sign(thought string) string {
	sum := sha256.Sum256([]byte("signed " + thought))
	return hex.EncodeToString(sum[:])
}

// answer is one answer on its way.
type answer struct {
	n      int
	form   string
	model  string
	stream bool

	thought, text, tool string
	space               string // the namespace of the tool
	args                []byte

	input, cached, written, output int

	status int
	plain  []byte // an error, or what is no JSON
}

type object = map[string]any

func (a *answer) refuse(status int, why string) {
	kind := "invalid_request_error"
	if status >= 500 {
		kind = "api_error"
	}
	var v any = object{"error": object{"message": why, "type": kind, "param": nil, "code": nil}}
	if a.form == messages {
		v = object{"type": "error", "error": object{"type": kind, "message": why}}
	}
	a.status = status
	a.plain, _ = json.Marshal(v)
}

func (a *answer) garbage() { a.status, a.plain = http.StatusOK, []byte("<html>not JSON") }

// write sends the answer, or the first cut bytes of it.
func (a *answer) write(w http.ResponseWriter, cut int) {
	body, typ := a.plain, "application/json"
	if body == nil {
		a.status = http.StatusOK
		whole, events := a.build()
		if a.stream {
			body, typ = events, "text/event-stream; charset=utf-8"
		} else {
			body, _ = json.Marshal(whole)
		}
	}
	w.Header().Set("Content-Type", typ)
	w.Header().Set("Request-Id", fmt.Sprintf("req_%d", a.n))
	w.WriteHeader(a.status)
	for i := 0; i < len(body); i += 200 { // in pieces, as a model does
		end := min(i+200, len(body))
		if cut > 0 && end > cut {
			_, _ = w.Write(body[i:max(i, cut)])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(body[i:end])
		_ = http.NewResponseController(w).Flush()
	}
}

// build is the answer whole and as a stream.
func (a *answer) build() (whole object, stream []byte) {
	switch a.form {
	case messages:
		return a.messages()
	case chat:
		return a.chat()
	case gemini:
		return a.gemini()
	}
	return a.responses()
}

// sse writes events; named ones bear their type.
func sse(named bool, events ...any) []byte {
	var b strings.Builder
	for _, e := range events {
		if o, ok := e.(object); ok && named {
			fmt.Fprintf(&b, "event: %s\n", o["type"])
		}
		if s, ok := e.(string); ok {
			fmt.Fprintf(&b, "data: %s\n\n", s)
			continue
		}
		j, _ := json.Marshal(e)
		fmt.Fprintf(&b, "data: %s\n\n", j)
	}
	return []byte(b.String())
}

// halves cuts a text in two, so that a stream has more than one piece of it.
func halves(s string) [2]string { return [2]string{s[:len(s)/2], s[len(s)/2:]} }

func (a *answer) messages() (object, []byte) {
	usage := object{"input_tokens": a.input - a.cached - a.written, "cache_read_input_tokens": a.cached, "cache_creation_input_tokens": a.written, "output_tokens": 1}
	id := fmt.Sprintf("msg_%d", a.n)
	var content []object
	if a.thought != "" {
		content = append(content, object{"type": "thinking", "thinking": a.thought, "signature": sign(a.thought)})
	}
	content = append(content, object{"type": "text", "text": a.text})
	stop := "end_turn"
	if a.tool != "" {
		stop = "tool_use"
		content = append(content, object{"type": "tool_use", "id": fmt.Sprintf("toolu_%04d", a.n), "name": a.tool, "input": json.RawMessage(a.args)})
	}
	start := object{"id": id, "type": "message", "role": "assistant", "model": a.model, "content": []object{}, "stop_reason": nil, "usage": usage}
	events := []any{object{"type": "message_start", "message": start}, object{"type": "ping"}}
	for i, c := range content {
		begin, deltas := object{"type": c["type"]}, []object{}
		switch c["type"] {
		case "thinking":
			begin["thinking"], begin["signature"] = "", ""
			deltas = []object{{"type": "thinking_delta", "thinking": a.thought}, {"type": "signature_delta", "signature": c["signature"]}}
		case "text":
			begin["text"] = ""
			for _, h := range halves(a.text) {
				deltas = append(deltas, object{"type": "text_delta", "text": h})
			}
		default:
			begin["id"], begin["name"], begin["input"] = c["id"], c["name"], object{}
			for _, h := range halves(string(a.args)) {
				deltas = append(deltas, object{"type": "input_json_delta", "partial_json": h})
			}
		}
		events = append(events, object{"type": "content_block_start", "index": i, "content_block": begin})
		for _, d := range deltas {
			events = append(events, object{"type": "content_block_delta", "index": i, "delta": d})
		}
		events = append(events, object{"type": "content_block_stop", "index": i})
	}
	events = append(events, object{"type": "message_delta", "delta": object{"stop_reason": stop}, "usage": object{"output_tokens": a.output}}, object{"type": "message_stop"})
	full := object{"input_tokens": a.input - a.cached - a.written, "cache_read_input_tokens": a.cached, "cache_creation_input_tokens": a.written, "output_tokens": a.output}
	return object{"id": id, "type": "message", "role": "assistant", "model": a.model, "content": content, "stop_reason": stop, "usage": full}, sse(true, events...)
}

func (a *answer) chat() (object, []byte) {
	id := fmt.Sprintf("chatcmpl-%d", a.n)
	usage := object{"prompt_tokens": a.input, "completion_tokens": a.output, "total_tokens": a.input + a.output, "prompt_tokens_details": object{"cached_tokens": a.cached}}
	message, stop := object{"role": "assistant", "content": a.text}, "stop"
	chunk := func(delta object, stop any) object {
		return object{"id": id, "object": "chat.completion.chunk", "model": a.model, "choices": []object{{"index": 0, "delta": delta, "finish_reason": stop}}}
	}
	events := []any{chunk(object{"role": "assistant", "content": ""}, nil)}
	for _, h := range halves(a.text) {
		events = append(events, chunk(object{"content": h}, nil))
	}
	if a.tool != "" {
		stop = "tool_calls"
		call := object{"index": 0, "id": fmt.Sprintf("call_%04d", a.n), "type": "function", "function": object{"name": a.tool, "arguments": string(a.args)}}
		message["tool_calls"] = []object{call}
		events = append(events, chunk(object{"tool_calls": []object{call}}, nil))
	}
	events = append(events, chunk(object{}, stop), object{"id": id, "model": a.model, "choices": []object{}, "usage": usage}, "[DONE]")
	return object{"id": id, "object": "chat.completion", "model": a.model, "choices": []object{{"index": 0, "message": message, "finish_reason": stop}}, "usage": usage}, sse(false, events...)
}

func (a *answer) responses() (object, []byte) {
	id := fmt.Sprintf("resp_%d", a.n)
	usage := object{"input_tokens": a.input, "input_tokens_details": object{"cached_tokens": a.cached}, "output_tokens": a.output, "total_tokens": a.input + a.output}
	items := []object{{"type": "message", "id": "m" + id, "role": "assistant", "status": "completed", "content": []object{{"type": "output_text", "text": a.text, "annotations": []any{}}}}}
	if a.tool != "" {
		items = append(items, object{"type": "function_call", "id": "f" + id, "call_id": fmt.Sprintf("call_%04d", a.n), "name": a.tool, "arguments": string(a.args), "status": "completed"})
		if a.space != "" {
			items[len(items)-1]["namespace"] = a.space
		}
	}
	begun := object{"id": id, "object": "response", "model": a.model, "status": "in_progress", "output": []object{}, "usage": nil}
	done := object{"id": id, "object": "response", "model": a.model, "status": "completed", "output": items, "usage": usage, "error": nil}
	events := []any{object{"type": "response.created", "response": begun}}
	for i, it := range items {
		events = append(events, object{"type": "response.output_item.done", "output_index": i, "item": it})
	}
	return done, sse(true, append(events, object{"type": "response.completed", "response": done})...)
}
