package api

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The requests of four clients, written after the public documentation of the
// APIs and in the layout that each client's library writes. turn i answers a
// tool call with text(i).

// page is the text of Playwright's answer with a snapshot of n rows.
func page(n int, mark string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Ran Playwright code\n```js\nawait page.getByRole('button', { name: '%s' }).click();\n```\n### Page state\n"+
		"- Page URL: http://127.0.0.1/leads?a=1&b=2\n- Page Title: Leads \U0001F600 — <all>\n- Page Snapshot:\n```yaml\n- main [ref=e1]:\n", mark)
	for i := range n {
		fmt.Fprintf(&b, "  - row \"%s %d \\\"quoted\\\"\" [ref=e%d]:\n    - cell \"a & b < c\"\n", mark, i, i+2)
	}
	b.WriteString("```\n")
	return b.String()
}

func js(v any) string {
	b, err := json.Marshal(v) // with HTML escapes, as many clients' libraries write
	if err != nil {
		panic(err)
	}
	return string(b)
}

// claudeCode is a request as Claude Code sends it: system in blocks, reminders
// beside the user's words, thinking with signatures, cache_control on the last
// message, metadata with a user id.
func claudeCode(turns int, text func(i int) string) string {
	var b strings.Builder
	b.WriteString(`{"model":"claude-sonnet-4-5-20250929","messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder>\nAs you answer…\n</system-reminder>\n"},` +
		`{"type":"text","text":"take over the two leads"}]}`)
	for i := range turns {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"thinking","thinking":"I look at row %d < %d","signature":"EqQB/+aGk%d==\u003d"},`+
			`{"type":"text","text":"Next."},{"type":"tool_use","id":"toolu_%02d","name":"mcp__playwright__browser_click","input":{"element":"Save \u003c","ref":"e%d"}}]}`, i, i, i, i, i+2)
		last := ""
		if i == turns-1 {
			last = `,"cache_control":{"type":"ephemeral"}`
		}
		content := `[{"type":"text","text":` + js(text(i)) + `}]`
		if i%3 == 2 {
			content = js(text(i))
		}
		fmt.Fprintf(&b, `,{"role":"user","content":[{"tool_use_id":"toolu_%02d","type":"tool_result","content":%s%s}]}`, i, content, last)
	}
	b.WriteString(`],"system":[{"type":"text","text":"You are Claude Code…","cache_control":{"type":"ephemeral"}}],` +
		`"tools":[{"name":"mcp__playwright__browser_click","description":"Click","input_schema":{"type":"object","properties":{"ref":{"type":"string"}}}}],` +
		`"metadata":{"user_id":"user_0a1b_account__session_77"},"max_tokens":32000,"thinking":{"budget_tokens":31999,"type":"enabled"},"temperature":1.0,"stream":true}`)
	return b.String()
}

// codex is a request as Codex sends it: Responses, nothing stored, reasoning
// encrypted, outputs as text that holds JSON, or as parts.
func codex(turns int, text func(i int) string) string {
	var b strings.Builder
	b.WriteString(`{"model":"gpt-5-codex","instructions":"You are Codex.","input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions instructions>"}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n  <cwd>/tmp</cwd>\n</environment_context>"}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"take over the two leads"}]}`)
	for i := range turns {
		fmt.Fprintf(&b, `,{"type":"reasoning","summary":[],"encrypted_content":"gAAAAB%d\/=="},`+
			`{"type":"function_call","name":"browser_click","namespace":"mcp__playwright","arguments":%s,"call_id":"call_%02d"}`, i, js(`{"element":"Save <","ref":"e2"}`), i)
		out := js("Wall time: 0.26 seconds\nOutput:\n" + js([]any{map[string]any{"type": "text", "text": text(i)}}))
		if i%2 == 1 {
			out = `[{"type":"input_text","text":` + js(text(i)) + `},{"type":"input_image","image_url":"data:image/png;base64,AAAA"},{"type":"input_text","text":"and a second text"}]`
		}
		fmt.Fprintf(&b, `,{"type":"function_call_output","call_id":"call_%02d","output":%s}`, i, out)
	}
	b.WriteString(`],"tools":[{"type":"function","name":"shell","strict":false,"parameters":{"type":"object"}}],"tool_choice":"auto","parallel_tool_calls":false,` +
		`"reasoning":{"effort":"medium"},"store":false,"stream":true,"include":["reasoning.encrypted_content"],"prompt_cache_key":"019a"}`)
	return b.String()
}

// openCode is a request as OpenCode's OpenAI-compatible provider sends it.
func openCode(turns int, text func(i int) string) string {
	var b strings.Builder
	b.WriteString("{\n  \"model\": \"big-pickle\",\n  \"max_tokens\": 32000, \"messages\": [ {\"role\":\"system\",\"content\":\"You are opencode\"},\n" +
		"{\"role\":\"user\",\"content\":\"take over the two leads\"}")
	for i := range turns {
		fmt.Fprintf(&b, ",\n{\"role\":\"assistant\",\"content\":\"\",\"reasoning_content\":\"row \\u00e9 %d\",\"tool_calls\":[{\"id\":\"call_%02d\",\"type\":\"function\",\"function\":{\"name\":\"playwright_browser_click\",\"arguments\":%s}}]}",
			i, i, js(`{"ref":"e2"}`))
		content := js(text(i))
		if i%2 == 1 {
			content = `[ {"type":"text" , "text":` + js(text(i)) + `} ]`
		}
		fmt.Fprintf(&b, ",\n {\"role\":\"tool\",\"tool_call_id\":\"call_%02d\",\"content\":%s}", i, content)
	}
	b.WriteString("],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"playwright_browser_click\",\"parameters\":{}}}],\"tool_choice\":\"auto\",\"stream\":true,\"stream_options\":{\"include_usage\":true}}\n")
	return b.String()
}

// geminiCLI is a request as Gemini CLI sends it: calls without ids, results of the tool's
// name with an id of the client's own, text under output.
func geminiCLI(turns int, text func(i int) string) string {
	var b strings.Builder
	b.WriteString(`{"contents":[{"role":"user","parts":[{"text":"<session_context>\nToday is a day.\n</session_context>"}]},{"parts":[{"text":"take over the two leads"}],"role":"user"}`)
	for i := range turns {
		fmt.Fprintf(&b, `,{"role":"model","parts":[{"text":"I look","thought":true},{"text":"Next."},{"functionCall":{"name":"mcp_playwright_browser_click","args":{"element":"Save \u003c","ref":"e%d"}},"thoughtSignature":"Eq/+%d=="}]}`, i+2, i)
		response := `{"output":` + js(text(i)) + `}`
		if i%3 == 2 {
			response = `{"content":[{"type":"text","text":` + js(text(i)) + `},{"type":"image","data":"AAAA"}]}`
		}
		fmt.Fprintf(&b, `,{"role":"user","parts":[{"functionResponse":{"id":"mcp_playwright_browser_click-17%d","name":"mcp_playwright_browser_click","response":%s}}]}`, i, response)
	}
	b.WriteString(`],"systemInstruction":{"role":"user","parts":[{"text":"You are Gemini CLI"}]},"tools":[{"functionDeclarations":[{"name":"mcp_playwright_browser_click","parametersJsonSchema":{"type":"object"}}]}],` +
		`"generationConfig":{"temperature":1,"topP":0.95,"thinkingConfig":{"includeThoughts":true}}}`)
	return b.String()
}

// clients are the shapes by wire form.
var clients = []struct {
	name string
	form Form
	make func(turns int, text func(i int) string) string
}{
	{"Claude Code", Messages, claudeCode},
	{"Codex", Responses, codex},
	{"OpenCode", Chat, openCode},
	{"Gemini CLI", Gemini, geminiCLI},
}
