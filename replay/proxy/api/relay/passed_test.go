package relay_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"snapscope/replay/proxy/api/relay"
)

// Model APIs that are not read are passed on, and that is said once of each.
func TestPassedOnly(t *testing.T) {
	b := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.URL.Path+" "+string(body))
	}), relay.Options{})
	paths := []string{
		"/v1internal:generateContent", "/v1internal:streamGenerateContent",
		"/model/anthropic.claude/invoke", "/model/anthropic.claude/converse-stream",
		"/v1/projects/p/locations/l/publishers/mistralai/models/m:rawPredict", "/v1/completions", "/api/event_logging/batch", "/v1/embeddings",
	}
	for _, path := range append(paths, paths...) {
		res, err := http.Post(b.url+path, "application/json", strings.NewReader(`{"x":1}`))
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if string(got) != path+` {"x":1}` {
			t.Errorf("%s passed as %s", path, got)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	logs := strings.Join(b.logs, "\n")
	if len(b.logs) != 4 {
		t.Errorf("%d lines, want one of each API:\n%s", len(b.logs), logs)
	}
	for _, want := range []string{"Gemini Code Assist's API is passed on only", "Bedrock's API is", "Vertex AI's API is", "Completions API is", "not in the recording"} {
		if !strings.Contains(logs, want) {
			t.Errorf("%q was not said:\n%s", want, logs)
		}
	}
}

// An Anthropic model on Vertex AI is read like any other; its path names the model.
func TestAnthropicOnVertex(t *testing.T) {
	b := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":2}}`)
	}), relay.Options{})
	const models = "/v1/projects/p/locations/us-east5/publishers/anthropic/models/"
	for _, path := range []string{"claude-opus-5@20260101:rawPredict", "claude-opus-5@20260101:streamRawPredict", "count-tokens:rawPredict"} {
		res, err := http.Post(b.url+models+path, "application/json", strings.NewReader(`{"anthropic_version":"vertex-2023-10-16","messages":[{"role":"user","content":"hi"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
	told := b.ended(t, 3)
	for i, x := range told[:2] {
		if x.Request == nil || x.Request.Model != "claude-opus-5@20260101" || x.Answer.Text != "hi" || x.Answer.Usage == nil || x.Counts {
			t.Errorf("%d: %+v", i, x)
		}
	}
	if !told[2].Counts {
		t.Error("counting tokens was taken for a model call")
	}
}
