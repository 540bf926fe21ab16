package api

import "encoding/json"

// OpenAI Chat Completions: platform.openai.com, "Streaming". A whole answer and
// a chunk have one shape, the one with message, the other with delta.

type chatMessage struct {
	Content string `json:"content"`
	Calls   []struct {
		Index    *int         `json:"index"`
		ID       string       `json:"id"`
		Function chatFunction `json:"function"`
	} `json:"tool_calls"`
}

type chatFunction struct {
	Name string `json:"name"`
	Args string `json:"arguments"`
}

func (r *reader) chat(data []byte) {
	var c struct {
		ID      string `json:"id"`
		Model   string `json:"model"`
		Choices []struct {
			Index   int         `json:"index"`
			Message chatMessage `json:"message"`
			Delta   chatMessage `json:"delta"`
			Stop    string      `json:"finish_reason"`
		} `json:"choices"`
		Usage *openAIUsage `json:"usage"`
	}
	if json.Unmarshal(data, &c) != nil {
		return
	}
	if c.ID != "" {
		r.a.ID, r.a.Model = c.ID, c.Model
	}
	r.openAIUsage(c.Usage)
	for _, ch := range c.Choices {
		if ch.Index > 0 { // the client asked for several answers: the first is told
			continue
		}
		if ch.Stop != "" {
			r.a.Stop = ch.Stop
		}
		for _, m := range []chatMessage{ch.Message, ch.Delta} {
			r.text.WriteString(m.Content)
			for i, t := range m.Calls {
				if t.Index != nil {
					i = *t.Index
				}
				k := r.at(i)
				if t.ID != "" {
					k.id = t.ID
				}
				k.name += t.Function.Name
				k.args.WriteString(t.Function.Args)
			}
		}
	}
}

// OpenAI Responses: platform.openai.com, "Responses", "Streaming events". The
// last event holds the whole answer; the items before it are read for the case
// that it never comes.

type responsesItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Args      string `json:"arguments"`
	Input     string `json:"input"`
	Content   []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

type response struct {
	ID     string          `json:"id"`
	Model  string          `json:"model"`
	Status string          `json:"status"`
	Output []responsesItem `json:"output"`
	Usage  *openAIUsage    `json:"usage"`
	Error  json.RawMessage `json:"error"`
}

func (r *reader) response(data []byte) {
	var v response
	if json.Unmarshal(data, &v) == nil {
		r.final(v)
	}
}

// final reads a whole answer, which stands for what came of it in pieces.
func (r *reader) final(v response) {
	r.a.ID, r.a.Model, r.a.Stop = v.ID, v.Model, v.Status
	r.openAIUsage(v.Usage)
	r.failed(v.Error)
	if len(v.Output) > 0 {
		r.text.Reset()
		r.calls, r.order = nil, nil
	}
	for i, it := range v.Output {
		r.output(i, it)
	}
}

func (r *reader) output(i int, it responsesItem) {
	switch it.Type {
	case "message":
		for _, c := range it.Content {
			r.text.WriteString(c.Text)
		}
	case "function_call", "custom_tool_call":
		c := r.at(i)
		c.id, c.name = it.CallID, it.Name
		if it.Namespace != "" {
			c.name = join(it.Namespace, it.Name)
		}
		c.given = []byte(it.Args)
		if it.Type == "custom_tool_call" {
			c.given = quote(it.Input)
		}
	}
}

func (r *reader) responsesEvent(data []byte) {
	var e struct {
		Type     string          `json:"type"`
		Index    int             `json:"output_index"`
		Item     responsesItem   `json:"item"`
		Response response        `json:"response"`
		Error    json.RawMessage `json:"error"`
		Message  string          `json:"message"`
	}
	if json.Unmarshal(data, &e) != nil {
		return
	}
	switch e.Type {
	case "response.created", "response.in_progress":
		r.a.ID, r.a.Model = e.Response.ID, e.Response.Model
	case "response.output_item.done":
		r.output(e.Index, e.Item)
	case "response.completed", "response.incomplete", "response.failed":
		r.final(e.Response)
		r.ended = true
	case "error":
		r.failed(e.Error)
		if r.a.Error == "" {
			r.a.Error = e.Message
		}
	}
}
