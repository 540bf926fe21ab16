package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"snapscope/session"
)

// sse writes events as a stream.
func sse(named bool, events ...string) string {
	var b strings.Builder
	for _, e := range events {
		if named {
			var t struct{ Type string }
			_ = json.Unmarshal([]byte(e), &t)
			fmt.Fprintf(&b, "event: %s\n", t.Type)
		}
		fmt.Fprintf(&b, "data: %s\n\n", e)
	}
	return b.String()
}

// The same answer of each vendor, whole and streamed.
var answers = []struct {
	form           Form
	plain, streamd string
	want           Answer
}{
	{
		Messages,
		`{"id":"msg_1","type":"message","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Next 😀"},` +
			`{"type":"tool_use","id":"toolu_1","name":"browser_click","input":{"ref":"e2"}}],"stop_reason":"tool_use","usage":{"input_tokens":7,"cache_read_input_tokens":1000,"cache_creation_input_tokens":90,"output_tokens":33}}`,
		sse(true,
			`{"type":"message_start","message":{"id":"msg_1","model":"claude-x","content":[],"stop_reason":null,"usage":{"input_tokens":7,"cache_read_input_tokens":1000,"cache_creation_input_tokens":90,"output_tokens":1}}}`,
			`{"type":"ping"}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Next "}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"😀"}}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"browser_click","input":{}}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"re"}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"f\":\"e2\"}"}}`,
			`{"type":"content_block_stop","index":2}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":33}}`,
			`{"type":"message_stop"}`),
		Answer{
			ID: "msg_1", Model: "claude-x", Text: "Next 😀", Calls: []ToolCall{{"toolu_1", "browser_click", []byte(`{"ref":"e2"}`)}},
			Usage: &session.Usage{Input: 1097, CacheRead: 1000, CacheWrite: 90, Output: 33}, Stop: "tool_use", Whole: true,
		},
	},
	{
		Chat,
		`{"id":"chatcmpl-1","object":"chat.completion","model":"gpt-x","choices":[{"index":0,"message":{"role":"assistant","content":"Next 😀","tool_calls":[{"id":"call_1","type":"function",` +
			`"function":{"name":"browser_click","arguments":"{\"ref\":\"e2\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1097,"completion_tokens":33,"prompt_tokens_details":{"cached_tokens":1000}}}`,
		sse(false,
			`{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`,
			`{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{"content":"Next 😀"}}]}`,
			`{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"browser_click","arguments":""}}]}}]}`,
			`{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"ref\":\"e2\"}"}}]}}]}`,
			`{"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
			`{"id":"chatcmpl-1","model":"gpt-x","choices":[],"usage":{"prompt_tokens":1097,"completion_tokens":33,"prompt_tokens_details":{"cached_tokens":1000}}}`,
			`[DONE]`),
		Answer{
			ID: "chatcmpl-1", Model: "gpt-x", Text: "Next 😀", Calls: []ToolCall{{"call_1", "browser_click", []byte(`{"ref":"e2"}`)}},
			Usage: &session.Usage{Input: 1097, CacheRead: 1000, Output: 33}, Stop: "tool_calls", Whole: true,
		},
	},
	{
		Gemini,
		`{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"Next 😀"},{"functionCall":{"name":"browser_click","args":{"ref":"e2"}}}]},"finishReason":"STOP"},` +
			`{"index":1,"content":{"parts":[{"text":"or not"}]}}],"usageMetadata":{"promptTokenCount":1090,"toolUsePromptTokenCount":7,"cachedContentTokenCount":1000,"candidatesTokenCount":30,"thoughtsTokenCount":3},"modelVersion":"gemini-x","responseId":"r1"}`,
		sse(false,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true}]}}],"usageMetadata":{"promptTokenCount":1090},"modelVersion":"gemini-x","responseId":"r1"}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"Next 😀"}]}}],"modelVersion":"gemini-x","responseId":"r1"}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"browser_click","args":{"ref":"e2"}}}]},"finishReason":"STOP"}],`+
				`"usageMetadata":{"promptTokenCount":1090,"toolUsePromptTokenCount":7,"cachedContentTokenCount":1000,"candidatesTokenCount":30,"thoughtsTokenCount":3},"modelVersion":"gemini-x","responseId":"r1"}`),
		Answer{
			ID: "r1", Model: "gemini-x", Text: "Next 😀", Calls: []ToolCall{{"", "browser_click", []byte(`{"ref":"e2"}`)}},
			Usage: &session.Usage{Input: 1097, CacheRead: 1000, Output: 33}, Stop: "STOP", Whole: true,
		},
	},
	{
		Responses,
		`{"id":"resp_1","model":"gpt-x","status":"completed","error":null,"output":[{"type":"reasoning"},{"type":"message","content":[{"type":"output_text","text":"Next 😀"}]},` +
			`{"type":"function_call","call_id":"call_1","name":"browser_click","namespace":"mcp__pw","arguments":"{\"ref\":\"e2\"}"}],"usage":{"input_tokens":1097,"input_tokens_details":{"cached_tokens":1000},"output_tokens":33}}`,
		sse(true,
			`{"type":"response.created","response":{"id":"resp_1","model":"gpt-x","status":"in_progress","output":[],"usage":null}}`,
			`{"type":"response.output_text.delta","delta":"Next "}`,
			`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"Next 😀"}]}}`,
			`{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"call_1","name":"browser_click","namespace":"mcp__pw","arguments":"{\"ref\":\"e2\"}"}}`,
			`{"type":"response.completed","response":{"id":"resp_1","model":"gpt-x","status":"completed","output":[],"usage":{"input_tokens":1097,"input_tokens_details":{"cached_tokens":1000},"output_tokens":33}}}`),
		Answer{
			ID: "resp_1", Model: "gpt-x", Text: "Next 😀", Calls: []ToolCall{{"call_1", "mcp__pw__browser_click", []byte(`{"ref":"e2"}`)}},
			Usage: &session.Usage{Input: 1097, CacheRead: 1000, Output: 33}, Stop: "completed", Whole: true,
		},
	},
}

func packed(t testing.TB, how string, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	switch how {
	case "gzip":
		w := gzip.NewWriter(&out)
		_, _ = w.Write(b)
		_ = w.Close()
	case "zstd":
		w, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(b)
		_ = w.Close()
	default:
		return b
	}
	return out.Bytes()
}

func TestAnswersOfTheVendors(t *testing.T) {
	for _, c := range answers {
		for _, enc := range []string{"", "gzip", "zstd"} {
			for _, v := range []struct{ typ, body string }{
				{"application/json", c.plain},
				{"text/event-stream; charset=utf-8", c.streamd},
				{"text/event-stream", strings.ReplaceAll(c.streamd, "\n", "\r\n")},
			} {
				got := ReadAnswer(c.form, Head{200, v.typ, enc}, packed(t, enc, []byte(v.body)))
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("%s %s %q (-want +got):\n%s", c.form, v.typ, enc, d)
				}
			}
		}
	}
}

// A stream that breaks off anywhere gives what came of it, and never a whole
// answer or half a tool call.
func TestStreamsThatEndEarly(t *testing.T) {
	for _, c := range answers {
		for n := range len(c.streamd) - 2 {
			got := ReadAnswer(c.form, Head{200, "text/event-stream", ""}, []byte(c.streamd[:n]))
			if got.Whole {
				t.Fatalf("%s cut at %d of %d is whole", c.form, n, len(c.streamd))
			}
			for _, k := range got.Calls {
				if !json.Valid(k.Args) || k.Name == "" {
					t.Fatalf("%s cut at %d: half a call %+v", c.form, n, k)
				}
			}
			if !strings.HasPrefix(c.want.Text, got.Text) {
				t.Fatalf("%s cut at %d: text %q", c.form, n, got.Text)
			}
		}
		// The connection ends well, the vendor's own end never came.
		half := c.streamd[:strings.LastIndex(strings.TrimRight(c.streamd, "\n"), "\n\n")]
		if ReadAnswer(c.form, Head{200, "text/event-stream", ""}, []byte(half)).Whole {
			t.Errorf("%s without its last event is whole", c.form)
		}
	}
	got := ReadAnswer(Messages, Head{200, "text/event-stream", ""}, []byte(answers[0].streamd[:400]))
	if got.Usage == nil || got.Usage.CacheRead != 1000 {
		t.Errorf("the count of the stream's head is lost: %+v", got)
	}
}

func TestErrorsAreTold(t *testing.T) {
	for _, c := range []struct {
		form Form
		head Head
		body string
		want string
	}{
		{Messages, Head{529, "application/json", ""}, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "overloaded_error: Overloaded"},
		{Messages, Head{200, "text/event-stream", ""}, sse(true, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), "overloaded_error: Overloaded"},
		{Chat, Head{400, "application/json", ""}, `{"error":{"message":"no such model","type":"invalid_request_error","param":null,"code":null}}`, "invalid_request_error: no such model"},
		{Chat, Head{502, "text/html", ""}, `<html>bad gateway`, "status 502"},
		{Responses, Head{200, "text/event-stream", ""}, sse(true, `{"type":"response.failed","response":{"error":{"code":"x","message":"broken"}}}`), "broken"},
		{Responses, Head{200, "application/json", "br"}, `??`, `the answer could not be read: the encoding "br" is not known here`},
		{Messages, Head{200, "application/json", "gzip"}, `not packed`, "the answer could not be read: gzip: invalid header"},
	} {
		if got := ReadAnswer(c.form, c.head, []byte(c.body)); got.Error != c.want {
			t.Errorf("%s %d: error %q, want %q", c.form, c.head.Status, got.Error, c.want)
		}
	}
	for _, form := range []Form{Messages, Chat, Responses} {
		if got := ReadAnswer(form, Head{Status: 502}, ErrorBody(form, 502, "down <now>")); !strings.HasSuffix(got.Error, "_error: down <now>") {
			t.Errorf("our own %s error is read as %q", form, got.Error)
		}
	}
	if got := ReadAnswer(Gemini, Head{Status: 502}, ErrorBody(Gemini, 502, "down <now>")); got.Error != "down <now>" {
		t.Errorf("our own %s error is read as %q", Gemini, got.Error)
	}
}

// Gemini's calls bear no id, or one that the client gave them: what is not named is
// numbered, and results are paired by id, else by name.
func TestGeminisResultsFindTheirCalls(t *testing.T) {
	call := func(name, id string) string {
		return `{"functionCall":{` + id + `"name":"` + name + `","args":{}}}`
	}
	result := func(name string) string {
		return `{"functionResponse":{"id":"own-` + name + `","name":"` + name + `","response":{"output":"of ` + name + `"}}}`
	}
	next := parse(t, Gemini, `{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[`+call("a", "")+`,`+call("b", "")+`,`+call("c", `"id":"own-c",`)+`,`+call("c", "")+`]},`+
		`{"role":"user","parts":[`+result("c")+`,`+result("b")+`,`+result("a")+`,{"functionResponse":{"id":"lone","name":"d","response":{"error":"no"}}}]}]}`)
	got := map[string]string{}
	for _, k := range next.Blocks {
		if k.Role == Result {
			got[k.ID] = k.Text
		}
	}
	want := map[string]string{"call_1": "of a", "call_2": "of b", "own-c": "of c", "lone": "no"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
	pieces := `[{"candidates":[{"content":{"parts":[` + call("a", "") + `]}}]},{"candidates":[{"content":{"parts":[` + call("c", `"id":"x",`) + `]},"finishReason":"STOP"}]}]`
	if a := ReadAnswer(Gemini, Head{Status: 200}, []byte(pieces)); len(a.Calls) != 2 || a.Calls[1].ID != "x" || !a.Whole {
		t.Errorf("a list of pieces is read as %+v", a)
	}
	for path, counts := range map[string]bool{"/v1beta/models/gemini-x:streamGenerateContent": false, "/v1/projects/p/locations/l/publishers/google/models/gemini-x:countTokens": true} {
		if form, c, ok := Endpoint(path); form != Gemini || c != counts || !ok || ModelIn(path) != "gemini-x" {
			t.Errorf("%s: %s %v %v, model %q", path, form, c, ok, ModelIn(path))
		}
	}
	if name, ok := PassedOnly("/v1internal:generateContent"); !ok {
		t.Errorf("Code Assist's body is another, and its path is taken for one that is read: %q", name)
	}
}

func FuzzAnswer(f *testing.F) {
	for i, c := range answers {
		f.Add(uint8(i), true, []byte(c.streamd))
		f.Add(uint8(i), false, []byte(c.plain))
	}
	f.Fuzz(func(t *testing.T, which uint8, streamed bool, b []byte) {
		h := Head{Status: 200, Type: "application/json"}
		if streamed {
			h.Type = "text/event-stream"
		}
		a := ReadAnswer(answers[int(which)%len(answers)].form, h, b)
		for _, c := range a.Calls {
			if !json.Valid(c.Args) {
				t.Fatalf("arguments that are no JSON: %q", c.Args)
			}
		}
		if u := a.Usage; u != nil && (u.CacheRead < 0 || u.CacheWrite < 0) {
			t.Fatalf("usage %+v", u)
		}
	})
}
