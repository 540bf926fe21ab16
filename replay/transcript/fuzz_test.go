package transcript

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/session"
)

// fuzzFormat holds the laws of every import for one format, whatever the bytes.
func fuzzFormat(f *testing.F, format string, names ...string) {
	for _, n := range names {
		b, err := os.ReadFile(filepath.Join(samples, n))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 6000)])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var events []session.Event
		im, err := streamFrom(context.Background(), bytes.NewReader(data), "f", Options{Format: format, Unknowns: true, MaxRecord: 1 << 20}, func(e session.Event) { events = append(events, e) }, nil)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("an error of several lines: %q", err)
			}
			return
		}
		checkImport(t, im, events)
	})
}

func FuzzClaude(f *testing.F) { fuzzFormat(f, "claude-code", "claude-code/"+claudeID+".jsonl") }
func FuzzAnthropic(f *testing.F) {
	fuzzFormat(f, "anthropic", "anthropic/lines.jsonl", "anthropic/request.json", "cline/xml_history.json")
}
func FuzzChat(f *testing.F)      { fuzzFormat(f, "openai-chat", "openai/chat.json") }
func FuzzResponses(f *testing.F) { fuzzFormat(f, "openai-responses", "openai/responses.json") }
func FuzzCodex(f *testing.F)     { fuzzFormat(f, "codex", "codex/"+codexName) }
func FuzzRPC(f *testing.F)       { fuzzFormat(f, "mcp", "mcp/era-d.jsonl", "mcp/chrome-devtools.jsonl") }
func FuzzOpenclaw(f *testing.F)  { fuzzFormat(f, "openclaw", "openclaw/"+openclawName) }
func FuzzSessionMD(f *testing.F) {
	fuzzFormat(f, "playwright-session", "session-v1/session.md", "session-v2/session.md", "session-v3/session.md")
}
func FuzzOpenCode(f *testing.F) { fuzzFormat(f, "opencode", "opencode/export.json") }
func FuzzMarkdown(f *testing.F) {
	fuzzFormat(f, "opencode-md", "opencode/session-ses_7.md", "amp/T-7d2f.md")
}

func FuzzBrowserUse(f *testing.F) {
	fuzzFormat(f, "browser-use", "browser-use/history.json")
}
func FuzzStagehand(f *testing.F) { fuzzFormat(f, "stagehand", "stagehand/history.json") }
func FuzzTrace(f *testing.F)     { fuzzFormat(f, "playwright-trace", "trace/trace.trace") }
func FuzzDetect(f *testing.F) {
	fuzzFormat(f, "", "single/reply.txt", "single/uid.txt", "single/content.json", "trace/trace.trace", "amp/T-7d2f.md")
}
