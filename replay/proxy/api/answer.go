package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"snapscope/session"
)

// Answer is what a model API answered, as far as it came.
type Answer struct {
	ID    string // the vendor's id of the answer
	Model string
	Text  string     // what the model said; its thoughts are left out
	Calls []ToolCall // the tool calls it made, in order
	Usage *session.Usage
	Stop  string // why it stopped, in the vendor's word
	Error string // the vendor's error, in its words
	// Whole: the vendor's own end came. Some clients hang up as soon as they have it,
	// so it does not matter whether the connection ended well.
	Whole bool
}

// ToolCall is a tool call the model made.
type ToolCall struct {
	ID, Name string
	Args     []byte // JSON
}

// Head is what an answer's HTTP header says of its body.
type Head struct {
	Status   int
	Type     string // Content-Type
	Encoding string // Content-Encoding
}

// ReadAnswer reads the copy of an answer. What cannot be read is left out: it
// never fails, for the answer itself is long with the client.
func ReadAnswer(form Form, h Head, copied []byte) Answer {
	plain, err := Decode(h.Encoding, copied)
	if err != nil && len(plain) == 0 {
		return Answer{Error: "the answer could not be read: " + err.Error()}
	}
	r := reader{form: form}
	if strings.HasPrefix(strings.TrimSpace(h.Type), "text/event-stream") || looksStreamed(plain) {
		r.stream(plain)
	} else if json.Valid(plain) {
		r.object(plain)
		r.ended = true
	}
	a := r.answer()
	if a.Error == "" && h.Status >= 400 {
		a.Error = fmt.Sprintf("status %d", h.Status)
	}
	return a
}

func looksStreamed(b []byte) bool {
	return bytes.HasPrefix(b, []byte("data:")) || bytes.HasPrefix(b, []byte("event:"))
}

// maxPlain is how much a packed body may unfold to, in bytes.
const maxPlain = 256 << 20

// Decode unpacks a body that bears a Content-Encoding: gzip, zstd or none. What
// was unpacked before a damage is answered with the error.
func Decode(encoding string, b []byte) ([]byte, error) {
	var r io.Reader
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return b, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		r = z
	case "zstd":
		z, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPlain))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		r = z
	default:
		return nil, fmt.Errorf("the encoding %q is not known here", encoding)
	}
	out, err := io.ReadAll(io.LimitReader(r, maxPlain+1))
	if err == nil && len(out) > maxPlain {
		err = errors.New("it unfolds to more than 256 MB")
	}
	return out, err
}

// reader gathers an answer from its events.
type reader struct {
	form  Form
	a     Answer
	ended bool // the vendor's own end came

	text  strings.Builder
	calls map[int]*call
	order []int
}

type call struct {
	id, name string
	args     strings.Builder
	given    []byte // arguments that stood whole
}

func (r *reader) at(i int) *call {
	if r.calls == nil {
		r.calls = map[int]*call{}
	}
	c := r.calls[i]
	if c == nil {
		c = &call{}
		r.calls[i] = c
		r.order = append(r.order, i)
	}
	return c
}

func (r *reader) answer() Answer {
	r.a.Text = r.text.String()
	slices.Sort(r.order)
	for _, i := range r.order {
		c := r.calls[i]
		args := c.given
		if s := c.args.String(); s != "" {
			args = []byte(s)
		}
		if len(args) == 0 {
			args = []byte("{}")
		}
		if c.name != "" && json.Valid(args) { // one that was cut off is no call
			r.a.Calls = append(r.a.Calls, ToolCall{ID: c.id, Name: c.name, Args: args})
		}
	}
	r.a.Whole = r.ended
	return r.a
}

// stream reads server-sent events (html.spec.whatwg.org, "Server-sent events").
func (r *reader) stream(b []byte) {
	var data []byte
	lines := 0
	flush := func() {
		if lines > 0 {
			r.event(data)
		}
		data, lines = nil, 0
	}
	for len(b) > 0 {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		b = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			flush()
			continue
		}
		if d, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			d = bytes.TrimPrefix(d, []byte(" "))
			if lines == 0 {
				data = d
			} else {
				data = append(append(slices.Clone(data), '\n'), d...)
			}
			lines++
		}
	}
	flush()
}

// event reads one event of a stream.
func (r *reader) event(data []byte) {
	if bytes.Equal(bytes.TrimSpace(data), []byte("[DONE]")) {
		r.ended = true
		return
	}
	if !json.Valid(data) {
		return
	}
	switch r.form {
	case Messages:
		r.messagesEvent(data)
	case Chat, Gemini:
		r.object(data)
	case Responses:
		r.responsesEvent(data)
	}
}

// object reads a whole answer, or a chunk of a Chat stream.
func (r *reader) object(data []byte) {
	var e struct {
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(data, &e)
	r.failed(e.Error)
	switch r.form {
	case Messages:
		r.message(data)
	case Chat:
		r.chat(data)
	case Responses:
		r.response(data)
	case Gemini:
		r.geminiAnswer(data)
	}
}

// failed reads an error: an object with a message, or a text.
func (r *reader) failed(raw json.RawMessage) {
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	var e struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &e) != nil {
		_ = json.Unmarshal(raw, &e.Message)
	}
	r.a.Error = strings.Trim(e.Type+": "+e.Message, ": ")
	if r.a.Error == "" {
		r.a.Error = string(raw)
	}
}

// Anthropic Messages: docs.claude.com, "Streaming Messages".

type anthropicUsage struct {
	Input  *int `json:"input_tokens"`
	Read   *int `json:"cache_read_input_tokens"`
	Write  *int `json:"cache_creation_input_tokens"`
	Output *int `json:"output_tokens"`
	Kept   struct {
		Hour *int `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

type anthropicBlock struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type anthropicMessage struct {
	ID      string           `json:"id"`
	Model   string           `json:"model"`
	Content []anthropicBlock `json:"content"`
	Stop    string           `json:"stop_reason"`
	Usage   anthropicUsage   `json:"usage"`
}

func (r *reader) message(data []byte) {
	var m anthropicMessage
	if json.Unmarshal(data, &m) != nil {
		return
	}
	r.anthropic(m)
	for i, b := range m.Content {
		r.block(i, b)
	}
}

func (r *reader) anthropic(m anthropicMessage) {
	r.a.ID, r.a.Model = m.ID, m.Model
	if m.Stop != "" {
		r.a.Stop = m.Stop
	}
	r.anthropicUsage(m.Usage)
}

// anthropicUsage takes a count: the parts are apart, and a later one stands for
// the whole answer.
func (r *reader) anthropicUsage(u anthropicUsage) {
	if u == (anthropicUsage{}) {
		return
	}
	if r.a.Usage == nil {
		r.a.Usage = &session.Usage{}
	}
	s := r.a.Usage
	plain := s.Input - s.CacheRead - s.CacheWrite
	for _, f := range []struct {
		from *int
		to   *int
	}{{u.Input, &plain}, {u.Read, &s.CacheRead}, {u.Write, &s.CacheWrite}, {u.Kept.Hour, &s.CacheHour}, {u.Output, &s.Output}} {
		if f.from != nil {
			*f.to = max(0, *f.from)
		}
	}
	s.Input, s.CacheHour = plain+s.CacheRead+s.CacheWrite, min(s.CacheHour, s.CacheWrite)
}

func (r *reader) block(i int, b anthropicBlock) {
	switch b.Type {
	case "text":
		r.text.WriteString(b.Text)
	case "tool_use":
		c := r.at(i)
		c.id, c.name, c.given = b.ID, b.Name, b.Input
	}
}

func (r *reader) messagesEvent(data []byte) {
	var e struct {
		Type    string           `json:"type"`
		Index   int              `json:"index"`
		Message anthropicMessage `json:"message"`
		Block   anthropicBlock   `json:"content_block"`
		Delta   struct {
			Type string `json:"type"`
			Text string `json:"text"`
			JSON string `json:"partial_json"`
			Stop string `json:"stop_reason"`
		} `json:"delta"`
		Usage anthropicUsage  `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, &e) != nil {
		return
	}
	switch e.Type {
	case "message_start":
		r.anthropic(e.Message)
	case "content_block_start":
		r.block(e.Index, e.Block)
	case "content_block_delta":
		switch e.Delta.Type {
		case "text_delta":
			r.text.WriteString(e.Delta.Text)
		case "input_json_delta":
			r.at(e.Index).args.WriteString(e.Delta.JSON)
		}
	case "message_delta":
		r.a.Stop = e.Delta.Stop
		r.anthropicUsage(e.Usage)
	case "message_stop":
		r.ended = true
	case "error":
		r.failed(e.Error)
	}
}

// openAIUsage has the names of both of OpenAI's forms. Its input counts the
// cached part.
type openAIUsage struct {
	Input      int     `json:"input_tokens"`
	InputOf    details `json:"input_tokens_details"`
	Output     int     `json:"output_tokens"`
	Prompt     int     `json:"prompt_tokens"`
	PromptOf   details `json:"prompt_tokens_details"`
	Completion int     `json:"completion_tokens"`
}

type details struct {
	Cached int `json:"cached_tokens"`
}

func (r *reader) openAIUsage(u *openAIUsage) {
	if u == nil {
		return
	}
	in := max(0, u.Input+u.Prompt)
	r.a.Usage = &session.Usage{Input: in, CacheRead: max(0, min(in, u.InputOf.Cached+u.PromptOf.Cached)), Output: max(0, u.Output+u.Completion)}
}
