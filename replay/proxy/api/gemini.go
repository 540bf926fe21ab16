package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"snapscope/session"
)

// Google's Gemini API: ai.google.dev, "GenerateContent" and "Function calling". The
// model and what is asked of it stand in the path; an answer and a piece of a streamed
// one have one shape.

// geminiVerbs are what is asked for; true: it only counts tokens.
var geminiVerbs = map[string]bool{"generateContent": false, "streamGenerateContent": false, "countTokens": true}

// gemini reads a path …/models/MODEL:VERB. Code Assist's paths, which name no model,
// have another body and are not read.
func gemini(path string) (model string, counts, ok bool) {
	_, rest, named := strings.Cut(path, "/models/")
	model, verb, _ := strings.Cut(rest, ":")
	counts, ok = geminiVerbs[verb]
	return model, counts, ok && named
}

// geminiContent reads one content of a history in Gemini's form. The API's calls bear no
// id; Gemini CLI gives them one in its history. A call without is called by its number,
// and a result belongs to the call of its id, else to the first of its name that has no
// result yet.
func (r *Request) geminiContent(v span, turn int) {
	b := r.source
	m := b.pick(v, "role", "parts")
	role := User
	if b.text(m[0]) == "model" {
		role = Model
	}
	b.items(m[1], func(p span) {
		o := b.pick(p, "text", "functionCall", "functionResponse", "inlineData", "fileData")
		k := Block{Role: role, Turn: turn, Text: b.text(o[0])}
		switch {
		case b.kind(o[1]) == '{':
			c := b.pick(o[1], "id", "name", "args")
			k.Role, k.ID, k.Name, k.Args = Call, b.text(c[0]), b.text(c[1]), b.raw(c[2])
			if len(k.Args) == 0 {
				k.Args = []byte("{}")
			}
			if r.calls++; k.ID == "" {
				k.ID = fmt.Sprintf("call_%d", r.calls)
			}
			r.open = append(r.open, len(r.Blocks))
		case b.kind(o[2]) == '{':
			c := b.pick(o[2], "id", "name", "response", "parts")
			k.Role, k.ID, k.Name = Result, r.answers(b.text(c[0]), b.text(c[1])), b.text(c[1])
			r.geminiResult(&k, c[2])
			b.items(c[3], func(p span) {
				k.Images += b2i(b.kind(b.pick(p, "inlineData")[0]) == '{')
			})
		case b.kind(o[3]) == '{' || b.kind(o[4]) == '{':
			k.Images = 1
		}
		r.add(k)
	})
}

// geminiResult reads a function's response: agents put a tool's text under output, an
// error's under error, or hand on the list of an MCP server's blocks.
func (r *Request) geminiResult(k *Block, v span) {
	b := r.source
	o := b.pick(v, "output", "result", "content", "error")
	for i, s := range o[:4] {
		if kind := b.kind(s); kind == '"' || kind == '[' {
			k.Failed = i == 3
			r.content(k, s)
			return
		}
	}
	k.Text = string(b.raw(v))
}

// answers is the id of the call that a result belongs to: the one of its own id, else
// the first without a result and of the same name.
func (r *Request) answers(id, name string) string {
	at := slices.IndexFunc(r.open, func(i int) bool { return r.Blocks[i].ID == id })
	if at < 0 {
		at = slices.IndexFunc(r.open, func(i int) bool { return r.Blocks[i].Name == name })
	}
	if at < 0 {
		return id
	}
	id = r.Blocks[r.open[at]].ID
	r.open = slices.Delete(r.open, at, at+1)
	return id
}

// geminiAnswer reads a whole answer, a piece of a streamed one, or a list of pieces.
func (r *reader) geminiAnswer(data []byte) {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		for _, piece := range list {
			r.geminiAnswer(piece)
		}
		return
	}
	var a struct {
		ID         string `json:"responseId"`
		Model      string `json:"modelVersion"`
		Candidates []struct {
			Index   int `json:"index"`
			Content struct {
				Parts []struct {
					Text    string `json:"text"`
					Thought bool   `json:"thought"`
					Call    *struct {
						ID   string          `json:"id"`
						Name string          `json:"name"`
						Args json.RawMessage `json:"args"`
					} `json:"functionCall"`
				} `json:"parts"`
			} `json:"content"`
			Stop string `json:"finishReason"`
		} `json:"candidates"`
		Usage *struct {
			Prompt   int `json:"promptTokenCount"`
			ToolUse  int `json:"toolUsePromptTokenCount"`
			Cached   int `json:"cachedContentTokenCount"`
			Answer   int `json:"candidatesTokenCount"`
			Thoughts int `json:"thoughtsTokenCount"`
		} `json:"usageMetadata"`
	}
	if json.Unmarshal(data, &a) != nil {
		return
	}
	if a.ID != "" {
		r.a.ID, r.a.Model = a.ID, a.Model
	}
	for _, c := range a.Candidates {
		if c.Index > 0 { // the client asked for several answers: the first is told
			continue
		}
		for _, p := range c.Content.Parts {
			switch {
			case p.Call != nil:
				k := r.at(len(r.order))
				k.id, k.name, k.given = p.Call.ID, p.Call.Name, p.Call.Args
			case !p.Thought:
				r.text.WriteString(p.Text)
			}
		}
		if c.Stop != "" {
			r.a.Stop, r.ended = c.Stop, true
		}
	}
	if u := a.Usage; u != nil {
		in := max(0, u.Prompt+u.ToolUse)
		r.a.Usage = &session.Usage{Input: in, CacheRead: max(0, min(in, u.Cached)), Output: max(0, u.Answer+u.Thoughts)}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
