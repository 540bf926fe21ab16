package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Form is a wire form of a model API.
type Form string

// The wire forms.
const (
	Messages  Form = "anthropic"        // Anthropic, POST /v1/messages
	Chat      Form = "openai-chat"      // OpenAI, POST /v1/chat/completions
	Responses Form = "openai-responses" // OpenAI, POST /v1/responses
	Gemini    Form = "gemini"           // Google, POST …/models/MODEL:generateContent
)

// Endpoint tells what a path of a model API is asked for. counts: it only counts
// the tokens of a request that may follow. ok is false for any other path, which
// a proxy passes on unread.
//
// Sources: docs.claude.com, "Messages" and "Count Message tokens";
// platform.openai.com, "Chat Completions", "Responses" and "Get input token counts";
// docs.claude.com, "Claude on Vertex AI"; ai.google.dev, "GenerateContent".
func Endpoint(path string) (form Form, counts, ok bool) {
	path = strings.TrimSuffix(path, "/")
	if model, verb := vertex(path); verb != "" {
		return Messages, model == "count-tokens", true
	}
	if _, counts, ok := gemini(path); ok {
		return Gemini, counts, true
	}
	for _, e := range []struct {
		end    string
		form   Form
		counts bool
	}{
		{"/messages", Messages, false},
		{"/messages/count_tokens", Messages, true},
		{"/chat/completions", Chat, false},
		{"/responses", Responses, false},
		{"/responses/input_tokens", Responses, true},
	} {
		if strings.HasSuffix(path, e.end) {
			return e.form, e.counts, true
		}
	}
	return "", false, false
}

// vertex reads the path of an Anthropic model on Google's Vertex AI, whose body is of
// the Messages form but for the model: …/publishers/anthropic/models/MODEL:rawPredict.
func vertex(path string) (model, verb string) {
	_, rest, ok := strings.Cut(path, "/publishers/anthropic/models/")
	model, verb, _ = strings.Cut(rest, ":")
	if !ok || verb != "rawPredict" && verb != "streamRawPredict" {
		return "", ""
	}
	return model, verb
}

// ModelIn is the model that a path names; "" where the body does.
func ModelIn(path string) string {
	path = strings.TrimSuffix(path, "/")
	if model, _, ok := gemini(path); ok {
		return model
	}
	model, _ := vertex(path)
	return model
}

// PassedOnly names the model API whose requests a path takes, where they are known but
// not read: they pass, and no recording tells of them.
func PassedOnly(path string) (name string, ok bool) {
	path = strings.TrimSuffix(path, "/")
	if _, _, read := Endpoint(path); read {
		return "", false
	}
	end := path[strings.LastIndexAny(path, "/:")+1:]
	switch end {
	case "generateContent", "streamGenerateContent":
		return "Gemini Code Assist's API", true
	case "rawPredict", "streamRawPredict", "predict", "serverStreamingPredict":
		return "Vertex AI's API", true
	case "invoke", "invoke-with-response-stream", "converse", "converse-stream":
		return "Bedrock's API", strings.Contains(path, "/model/")
	case "completions":
		return "OpenAI's older Completions API", true
	}
	return "", false
}

// Role says whose a block of a request is.
type Role string

// The roles.
const (
	User   Role = "user"   // what a user, or the agent for the user, said
	Model  Role = "model"  // what the model said or thought: never touched
	Call   Role = "call"   // a tool call the model made: never touched
	Result Role = "result" // a tool's answer
	System Role = "system" // system and developer messages in the history
)

// Block is one piece of the history that a request carries.
type Block struct {
	Role   Role
	Turn   int    // index of the message or item it stands in
	ID     string // of a call or a result: what pairs them
	Name   string // of a call: the tool, with its namespace
	Args   []byte // of a call: its arguments as JSON
	Text   string // all its text
	Images int    // pictures in it
	Failed bool   // of a result: the client marked it as an error
	Marked bool   // it bears a cache_control

	texts []span // of a result: the JSON strings that hold its text
}

// Request is a model request read for what it carries.
type Request struct {
	Form   Form
	Model  string
	Stream bool
	System []byte // the system prompt's JSON; nil where the request has none of its own
	Tools  []byte // the tool definitions' JSON; nil where there are none
	// Previous is the id of a response whose history the vendor keeps: then Blocks
	// holds only what is new. Only the Responses form has it.
	Previous string
	Blocks   []Block

	source body
	calls  int   // in Gemini's form, so far
	open   []int // of them, the blocks of those without a result
}

// Errors of Parse.
var (
	ErrJSON  = errors.New("the body is not JSON")
	ErrShape = errors.New("the body is not of the shape of its API")
)

// Parse reads a request. source is kept and must not change.
func Parse(form Form, source []byte) (*Request, error) {
	if !json.Valid(source) {
		return nil, ErrJSON
	}
	b := body(source)
	root := span{b.space(0), len(bytes.TrimRight(source, " \t\r\n"))}
	if b.kind(root) != '{' {
		return nil, ErrShape
	}
	r := &Request{Form: form, source: b}
	var list span
	b.fields(root, func(key string, v span) {
		switch key {
		case "model":
			r.Model = b.text(v)
		case "stream":
			r.Stream = b.isTrue(v)
		case "tools":
			r.Tools = b.raw(v)
		case "system", "instructions":
			r.System = b.raw(v)
		case "systemInstruction", "system_instruction":
			r.System = b.raw(b.pick(v, "parts")[0])
		case "contents":
			if form == Gemini {
				list = v
			}
		case "messages":
			if form == Messages || form == Chat {
				list = v
			}
		case "input":
			if form == Responses {
				list = v
			}
		case "previous_response_id":
			r.Previous = b.text(v)
		}
	})
	switch {
	case b.kind(list) == '[':
		turn := 0
		b.items(list, func(v span) {
			r.take(v, turn)
			turn++
		})
	case form == Responses && b.kind(list) == '"':
		r.Blocks = []Block{{Role: User, Text: b.text(list)}}
	default:
		return nil, ErrShape
	}
	return r, nil
}

// take reads one message or item.
func (r *Request) take(v span, turn int) {
	switch r.Form {
	case Messages:
		r.message(v, turn)
	case Chat:
		r.chat(v, turn)
	case Responses:
		r.item(v, turn)
	case Gemini:
		r.geminiContent(v, turn)
	}
}

func (r *Request) add(b Block) { r.Blocks = append(r.Blocks, b) }

// message reads a message of Anthropic's form.
func (r *Request) message(v span, turn int) {
	b := r.source
	m := b.pick(v, "role", "content")
	role := roleOf(b.text(m[0]))
	if b.kind(m[1]) == '"' {
		r.add(Block{Role: role, Turn: turn, Text: b.text(m[1])})
		return
	}
	b.items(m[1], func(c span) {
		k := Block{Role: role, Turn: turn}
		switch o := b.pick(c, "type"); b.text(o[0]) {
		case "tool_result":
			o := b.pick(c, "tool_use_id", "is_error", "content", "cache_control")
			k.Role, k.ID, k.Failed, k.Marked = Result, b.text(o[0]), b.isTrue(o[1]), b.kind(o[3]) == '{'
			r.content(&k, o[2])
		case "tool_use":
			o := b.pick(c, "id", "name", "input", "cache_control")
			k.Role, k.ID, k.Name, k.Args, k.Marked = Call, b.text(o[0]), b.text(o[1]), b.raw(o[2]), b.kind(o[3]) == '{'
		case "image", "document":
			k.Images = 1
		default:
			o := b.pick(c, "text", "thinking", "cache_control")
			k.Text, k.Marked = b.text(o[0])+b.text(o[1]), b.kind(o[2]) == '{'
		}
		r.add(k)
	})
}

func roleOf(word string) Role {
	switch word {
	case "assistant":
		return Model
	case "system", "developer":
		return System
	case "tool", "function":
		return Result
	}
	return User
}

// chat reads a message of OpenAI's Chat form.
func (r *Request) chat(v span, turn int) {
	b := r.source
	m := b.pick(v, "role", "content", "tool_call_id", "tool_calls")
	k := Block{Role: roleOf(b.text(m[0])), Turn: turn}
	r.content(&k, m[1])
	if k.Role == Result {
		k.ID = b.text(m[2])
		r.add(k)
		return
	}
	k.texts = nil
	if k.Text != "" || k.Images > 0 || b.kind(m[3]) != '[' {
		r.add(k)
	}
	b.items(m[3], func(c span) {
		o := b.pick(c, "id", "function", "custom")
		f := o[1]
		if b.kind(f) == 0 {
			f = o[2]
		}
		g := b.pick(f, "name", "arguments", "input")
		args := g[1]
		if b.kind(args) == 0 {
			args = g[2]
		}
		r.add(Block{Role: Call, Turn: turn, ID: b.text(o[0]), Name: b.text(g[0]), Args: b.inner(args)})
	})
}

// item reads an item of OpenAI's Responses form.
func (r *Request) item(v span, turn int) {
	b := r.source
	o := b.pick(v, "type", "call_id", "role", "content", "output")
	t, id := b.text(o[0]), b.text(o[1])
	k := Block{Turn: turn}
	switch {
	case strings.HasSuffix(t, "_call_output"):
		k.Role, k.ID = Result, id
		r.content(&k, o[4])
	case t == "function_call" || t == "custom_tool_call" || t == "local_shell_call":
		c := b.pick(v, "name", "namespace", "arguments", "input", "action")
		args := c[2]
		for _, other := range c[3:5] {
			if b.kind(args) == 0 {
				args = other
			}
		}
		k.Role, k.ID, k.Name, k.Args = Call, id, b.text(c[0]), b.inner(args)
		if ns := b.text(c[1]); ns != "" {
			k.Name = join(ns, k.Name)
		}
	case t == "message" || t == "":
		k.Role = roleOf(b.text(o[2]))
		r.content(&k, o[3])
		k.texts = nil
	case t == "item_reference":
		return
	default: // reasoning, calls of the vendor's own tools
		k.Role = Model
	}
	r.add(k)
}

// join puts a tool's namespace before its name.
func join(space, name string) string {
	if strings.HasPrefix(name, space) {
		return name
	}
	return strings.TrimSuffix(space, "__") + "__" + name
}

// inner is the JSON of arguments that are given as a value or as JSON in a
// string.
func (b body) inner(s span) []byte {
	if b.kind(s) == '"' {
		if in := []byte(b.text(s)); json.Valid(in) {
			return in
		}
	}
	return b.raw(s)
}

// content reads a result's or message's content: a string, or a list of parts.
// Texts that stand apart are joined with a newline.
func (r *Request) content(k *Block, v span) {
	b := r.source
	if b.kind(v) == '"' {
		k.Text, k.texts = b.text(v), []span{v}
		return
	}
	var parts []string
	b.items(v, func(p span) {
		if b.kind(p) == '"' { // a list of bare strings
			parts, k.texts = append(parts, b.text(p)), append(k.texts, p)
			return
		}
		o := b.pick(p, "type", "text")
		switch b.text(o[0]) {
		case "text", "input_text", "output_text":
			if b.kind(o[1]) == '"' {
				parts, k.texts = append(parts, b.text(o[1])), append(k.texts, o[1])
			}
		case "image", "image_url", "input_image", "computer_screenshot":
			k.Images++
		}
	})
	k.Text = strings.Join(parts, "\n")
}

// key names a result across requests: its id and its text as it came, and how
// many of both stood before it.
func (k *Block) key(before int) [32]byte {
	return sha256.Sum256([]byte(k.ID + "\x00" + strconv.Itoa(before) + "\x00" + k.Text))
}
