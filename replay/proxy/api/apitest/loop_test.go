package apitest

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// Forms are the three wire forms by their names.
var forms = []string{"anthropic", "openai-chat", "openai-responses"}

func TestTheLoopRunsInEveryForm(t *testing.T) {
	for _, form := range forms {
		for _, streamed := range []bool{false, true} {
			m := &Model{Think: true, Script: []Step{{Goto: "http://127.0.0.1/leads"}, {Click: Name(3)}, {Eval: "1"}, {Look: true}, {Click: Name(5)}}}
			srv := httptest.NewServer(m)
			a := Agent{Base: srv.URL, Form: form, Model: "m", Stream: streamed, Prompt: "take two leads"}
			page := &Page{Rows: 8}
			out, err := a.Run(context.Background(), page)
			srv.Close()
			if err != nil || out.Said != "DONE" || out.Turns != 6 || !page.checked[3] || !page.checked[5] {
				t.Errorf("%s, streamed %v: %+v, %v, checked %v", form, streamed, out, err, page.checked)
			}
			log := m.Log()
			for i, c := range log {
				if len(c.Refused) > 0 {
					t.Errorf("%s: call %d refused: %v", form, i, c.Refused)
				}
				if i > 0 && c.Cached != log[i-1].Input {
					t.Errorf("%s: call %d reads %d tokens from the cache, the call before was %d", form, i, c.Cached, log[i-1].Input)
				}
			}
		}
	}
}

// What the vendors refuse the model refuses too: without that, a test against it
// would show nothing.
func TestTheModelRefuses(t *testing.T) {
	for what, c := range map[string]struct{ path, body, want string }{
		"result lost":     {"/v1/messages", `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}}]}]}`, "has 0 results"},
		"result alone":    {"/v1/chat/completions", `{"messages":[{"role":"tool","tool_call_id":"a","content":"x"}]}`, "without a call"},
		"twice":           {"/v1/responses", `{"input":[{"type":"function_call","call_id":"a","name":"x","arguments":"{}"},{"type":"function_call","call_id":"a","name":"x","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"x"}]}`, "stands 2 times"},
		"empty text":      {"/v1/messages", `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":" "}]}]}]}`, "non-whitespace"},
		"thought changed": {"/v1/messages", `{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"b"}]}]}`, "invalid signature"},
		"no response":     {"/v1beta/models/m:generateContent", `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"x","args":{}}}]},{"role":"user","parts":[{"text":"go on"}]}]}`, "have no response"},
		"another's":       {"/v1beta/models/m:streamGenerateContent", `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"x","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"y","response":{}}}]}]}`, "without its call"},
		"marks":           {"/v1/messages", `{"messages":[{"role":"user","content":[` + strings.Repeat(`{"type":"text","text":"x","cache_control":{}},`, 4) + `{"type":"text","text":"x","cache_control":{}}]}]}`, "more than 4"},
	} {
		rec := httptest.NewRecorder()
		(&Model{}).ServeHTTP(rec, httptest.NewRequest("POST", c.path, strings.NewReader(c.body)))
		if rec.Code != 400 || !strings.Contains(rec.Body.String(), c.want) {
			t.Errorf("%s: %d %s", what, rec.Code, rec.Body)
		}
	}
}

// Gemini's form: the script goes on by the calls in the history, and the element is
// found in the result as Gemini CLI sends it.
func TestTheModelSpeaksGeminisForm(t *testing.T) {
	page, err := json.Marshal("- button \"" + Name(1) + "\" [ref=e7]")
	if err != nil {
		t.Fatal(err)
	}
	body := `{"systemInstruction":{"parts":[{"text":"be brief"}]},"tools":[{"functionDeclarations":[{"name":"mcp_playwright_browser_navigate"},{"name":"mcp_playwright_browser_click","parametersJsonSchema":{"properties":{"target":{}},"additionalProperties":false}}]}],` +
		`"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"text":"Next."},{"functionCall":{"name":"mcp_playwright_browser_navigate","args":{"url":"x"}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"mcp_playwright_browser_navigate","response":{"output":` + string(page) + `}}}]}]}`
	for path, stream := range map[string]bool{"/v1beta/models/gemini-2.5-pro:generateContent": false, "/v1beta/models/gemini-2.5-pro:streamGenerateContent": true} {
		m := &Model{Script: []Step{{Goto: "x"}, {Click: Name(1)}}}
		rec := httptest.NewRecorder()
		m.ServeHTTP(rec, httptest.NewRequest("POST", path+"?alt=sse", strings.NewReader(body)))
		got := rec.Body.String()
		if rec.Code != 200 || strings.HasPrefix(got, "data: ") != stream || !strings.Contains(got, `"name":"mcp_playwright_browser_click"`) || !strings.Contains(got, `"args":{"target":"e7"}`) || !strings.Contains(got, `"promptTokenCount"`) {
			t.Errorf("%s: %d %s", path, rec.Code, got)
		}
	}
}

// An element that no result shows any more is lost, as it is to a real model.
func TestTheModelReadsOnlyWhatItGot(t *testing.T) {
	body := `{"tools":[{"name":"browser_navigate"},{"name":"browser_click"}],"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"browser_navigate","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"[Browser snapshot expired - content cleared]"}]}]}`
	rec := httptest.NewRecorder()
	m := &Model{Script: []Step{{Goto: "x"}, {Click: Name(1)}}}
	m.ServeHTTP(rec, httptest.NewRequest("POST", "/v1/messages", strings.NewReader(body)))
	if !strings.Contains(rec.Body.String(), "LOST") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}
