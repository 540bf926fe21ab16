package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// gemini is Google's form: the model and what is asked of it stand in the path
// (…/models/NAME:streamGenerateContent).
const gemini = "generateContent"

func isGemini(path string) bool {
	_, verb, _ := strings.Cut(path, ":")
	return strings.EqualFold(verb, gemini) || verb == "streamGenerateContent" || verb == "countTokens"
}

// geminiPart is one part of a content.
type geminiPart struct {
	Text *string `json:"text"`
	Call *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// gemini checks what ai.google.dev asks of a content: as many results as calls, right
// behind them and of the same names. Calls without an id get one of their own.
func (w *walk) gemini(i int, b block) {
	var list []geminiPart
	var raws []json.RawMessage
	if json.Unmarshal(b.Parts, &list) != nil || json.Unmarshal(b.Parts, &raws) != nil || len(list) == 0 {
		w.refuse("content %d has no parts", i)
		return
	}
	due := w.due
	w.due = nil
	for k, p := range list {
		switch {
		case p.Call != nil:
			w.calls++
			id := fmt.Sprintf("g%d", w.calls)
			w.due = append(w.due, p.Call.Name+" "+id)
			w.add("call", id, p.Call.Name+" "+canonical(p.Call.Args), raws[k])
		case p.Response != nil:
			if len(due) == 0 || !strings.HasPrefix(due[0], p.Response.Name+" ") {
				w.refuse("content %d: function response %s without its call", i, p.Response.Name)
				return
			}
			_, id, _ := strings.Cut(due[0], " ")
			due = due[1:]
			w.add("result", id, outputOf(p.Response.Response), raws[k])
		case p.Text != nil:
			w.add("text", "", *p.Text, raws[k])
		}
	}
	if len(due) > 0 {
		w.refuse("content %d: %d function calls have no response", i, len(due))
	}
}

// outputOf is a result's text: Gemini CLI puts it under output, or in a list of an
// MCP server's blocks.
func outputOf(raw json.RawMessage) string {
	var r struct {
		Output  *string         `json:"output"`
		Content json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(raw, &r)
	if r.Output != nil {
		return *r.Output
	}
	if text, _ := textOf(r.Content); text != "" {
		return text
	}
	return string(raw)
}

// gemini is an answer in Google's form.
func (a *answer) gemini() (object, []byte) {
	parts := []object{{"text": a.text}}
	if a.tool != "" {
		parts = append(parts, object{"functionCall": object{"name": a.tool, "args": json.RawMessage(a.args)}})
	}
	whole := object{
		"candidates":    []object{{"index": 0, "content": object{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": a.input, "cachedContentTokenCount": a.cached, "candidatesTokenCount": a.output, "totalTokenCount": a.input + a.output},
		"modelVersion":  a.model, "responseId": fmt.Sprintf("g_%d", a.n),
	}
	return whole, sse(false, whole)
}

// takes reports whether a function is declared with an argument of this name.
func (q *request) takes(tool, key string) bool {
	for _, raw := range q.Tools {
		var t struct {
			Declared []json.RawMessage `json:"functionDeclarations"`
		}
		_ = json.Unmarshal(raw, &t)
		for _, d := range t.Declared {
			var f struct{ Name string }
			if json.Unmarshal(d, &f) == nil && f.Name == tool {
				return strings.Contains(string(d), `"`+key+`"`)
			}
		}
	}
	return false
}

// geminiTurn reads an answer in Google's form. As Gemini CLI does, the agent gives each
// call an id of its own in its history.
func geminiTurn(b []byte) (out said, err error) {
	var v struct {
		ID         string `json:"responseId"`
		Candidates []struct {
			Content struct {
				Parts []object `json:"parts"`
			} `json:"content"`
		} `json:"candidates"`
	}
	if err = json.Unmarshal(b, &v); err == nil && len(v.Candidates) == 0 {
		err = errors.New("the answer has no candidate")
	}
	if err != nil {
		return out, err
	}
	parts := v.Candidates[0].Content.Parts
	for _, p := range parts {
		if text, ok := p["text"].(string); ok {
			out.text += text
		}
		if call, ok := p["functionCall"].(object); ok {
			name, _ := call["name"].(string)
			call["id"] = name + "-" + v.ID
			out.calls = append(out.calls, toolCall{name + "-" + v.ID, name, must(call["args"])})
		}
	}
	out.turn = []json.RawMessage{must(object{"role": "model", "parts": parts})}
	return out, nil
}

// geminiResult is a tool's answer in Google's form.
func geminiResult(id, text string) json.RawMessage {
	name, _, _ := strings.Cut(id, "-")
	return must(object{"role": "user", "parts": []object{{"functionResponse": object{"id": id, "name": name, "response": object{"output": text}}}}})
}
