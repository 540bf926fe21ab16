package transcript

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/session"
)

// longPage is a page of 3,000 lines and the reply that holds it.
func longPage() (page, text string) {
	var b strings.Builder
	b.WriteString("- main [ref=e1]:")
	for i := range 3000 {
		fmt.Fprintf(&b, "\n  - button \"Row %d\" [ref=e%d]", i, i+2)
	}
	return b.String(), "### Page\n- Page URL: http://x/\n- Page Title: X\n### Snapshot\n```yaml\n" + b.String() + "\n```"
}

// checkCut holds what is true of a page that a client cut: the whole is known,
// what the model got is part of it, and both together are the answer to the byte.
func checkCut(t *testing.T, r *session.Result, page, answer string) {
	t.Helper()
	if r.Seen != session.SeenCut || r.Snapshot == nil {
		t.Fatalf("seen %q, %+v", r.Seen, r)
	}
	if r.Snapshot.Text != page || r.Snapshot.Partial {
		t.Errorf("the page has %d bytes, partial %v", len(r.Snapshot.Text), r.Snapshot.Partial)
	}
	if got := r.Text[:r.At] + r.Showed() + r.Text[r.At:]; got != answer {
		t.Errorf("the answer is %q\nwant %q", got, answer)
	}
	if !strings.Contains(r.Shown, "e1]") || strings.Contains(r.Shown, "Row 1500") {
		t.Errorf("the model is said to have got %q", r.Shown)
	}
}

// Claude Code writes a text of more than 50,000 characters to a file and shows
// 2 KB of it: of the text, or of the JSON that it came in.
func TestClaudeCut(t *testing.T) {
	page, text := longPage()
	inJSON := jsonLine([]obj{{"type": "text", "text": text}})
	for name, whole := range map[string]string{"text": text, "JSON": strings.Replace(inJSON, `[{`, "[\n  {\n    ", 1)} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kept := filepath.Join(dir, "s", "tool-results")
			if err := os.MkdirAll(kept, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(kept, "t1.txt"), []byte(whole), 0o600); err != nil {
				t.Fatal(err)
			}
			answer := "<persisted-output>\nOutput too large (110KB). Full output saved to: /home/x/.claude/projects/p/s/tool-results/t1.txt\n\nPreview (first 2KB):\n" +
				whole[:2000] + "\n...\n</persisted-output>"
			lines := jsonLine(obj{"type": "assistant", "uuid": "1", "sessionId": "s", "message": obj{"id": "m", "role": "assistant", "content": []obj{{"type": "tool_use", "id": "t1", "name": "mcp__playwright__browser_snapshot", "input": obj{}}}}}) +
				jsonLine(obj{"type": "user", "uuid": "2", "sessionId": "s", "message": obj{"role": "user", "content": []obj{{"type": "tool_result", "tool_use_id": "t1", "content": answer}}}})
			path := filepath.Join(dir, "s.jsonl")
			if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
				t.Fatal(err)
			}
			im, err := Read(context.Background(), path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, res := results(im)
			checkCut(t, res[0], page, answer)
			if err := os.Remove(filepath.Join(kept, "t1.txt")); err != nil {
				t.Fatal(err)
			}
			if im, err = Read(context.Background(), path, Options{}); err != nil {
				t.Fatal(err)
			}
			if _, res = results(im); res[0].Seen != session.SeenCut || !res[0].Snapshot.Partial || !strings.HasPrefix(page, res[0].Snapshot.Text[:500]) {
				t.Errorf("without the file: %q %+v", res[0].Seen, res[0].Snapshot)
			}
		})
	}
}

// Codex leaves out the middle of an answer; the line about the call's end may
// hold the whole.
func TestCodexCut(t *testing.T) {
	page, text := longPage()
	inner := strings.TrimSpace(jsonLine([]obj{{"type": "text", "text": text}}))
	answer := "Wall time: 0.2 seconds\nOutput:\n" + inner[:6000] + "…28431 tokens truncated…" + inner[len(inner)-6000:]
	call := jsonLine(obj{"type": "response_item", "payload": obj{"type": "function_call", "name": "browser_snapshot", "namespace": "mcp__playwright", "arguments": "{}", "call_id": "c1"}})
	end := jsonLine(obj{"type": "event_msg", "payload": obj{"type": "mcp_tool_call_end", "call_id": "c1", "result": obj{"Ok": obj{"content": []obj{{"type": "text", "text": text}}}}}})
	output := jsonLine(obj{"type": "response_item", "payload": obj{"type": "function_call_output", "call_id": "c1", "output": answer}})
	im, err := readBytes(t, call+end+output, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, res := results(im)
	checkCut(t, res[0], page, answer)
	completed := jsonLine(obj{"type": "event_msg", "payload": obj{"type": "item_completed", "item": obj{"type": "McpToolCall", "id": "c1", "result": obj{"content": []obj{{"type": "text", "text": text}}}}}})
	if im, err = readBytes(t, call+completed+output, Options{}); err != nil { // as newer versions tell it
		t.Fatal(err)
	}
	_, res = results(im)
	checkCut(t, res[0], page, answer)
	if im, err = readBytes(t, call+output, Options{}); err != nil {
		t.Fatal(err)
	}
	_, res = results(im)
	if r := res[0]; r.Seen != session.SeenCut || !r.Snapshot.Partial || !strings.Contains(r.Snapshot.Text, "Row 2999") || !strings.Contains(r.Snapshot.Text, "Row 1\"") {
		t.Errorf("head and tail alone: %q", r.Seen)
	}
}

// Gemini CLI leaves out the middle of a text of more than 40,000 characters and writes
// the whole beside its sessions.
func TestGeminiCut(t *testing.T) {
	page, text := longPage()
	dir := t.TempDir()
	kept := filepath.Join(dir, "tool-outputs", "session-1", "browser_snapshot_1.txt")
	for _, d := range []string{filepath.Dir(kept), filepath.Join(dir, "chats")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(kept, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	answer := fmt.Sprintf("Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /home/x/.gemini/tmp/p/tool-outputs/session-1/browser_snapshot_1.txt\n%s\n\n... [%d characters omitted] ...\n\n%s",
		text[:8000], len(text)-40000, text[len(text)-32000:])
	path := filepath.Join(dir, "chats", "session-1.json")
	whole := jsonLine(obj{"sessionId": "s", "projectHash": "p", "messages": []obj{
		{"id": "1", "type": "user", "content": "look"},
		{"id": "2", "type": "gemini", "content": "", "toolCalls": []obj{{
			"id": "c", "name": "mcp_playwright_browser_snapshot", "args": obj{}, "status": "success",
			"result": []obj{{"functionResponse": obj{"id": "c", "name": "browser_snapshot", "response": obj{"output": answer}}}},
		}}},
	}})
	if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	im, err := Read(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, res := results(im)
	checkCut(t, res[0], page, answer)
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	if im, err = Read(context.Background(), path, Options{}); err != nil {
		t.Fatal(err)
	}
	if _, res = results(im); res[0].Seen != session.SeenCut || !res[0].Snapshot.Partial || !strings.Contains(res[0].Snapshot.Text, "Row 2999") {
		t.Errorf("without the file: %q %+v", res[0].Seen, res[0].Snapshot)
	}
}

// A page that shows the words of a cut is not cut where the file has the whole answer
// and it is the one that the model got.
func TestAPageAboutCuts(t *testing.T) {
	text := "### Page\n- Page URL: http://x/\n### Snapshot\n```yaml\n- main [ref=e1]:\n  - paragraph [ref=e2]: it says …123 tokens truncated… there\n```"
	inner := strings.TrimSpace(jsonLine([]obj{{"type": "text", "text": text}}))
	call := jsonLine(obj{"type": "response_item", "payload": obj{"type": "function_call", "name": "browser_snapshot", "namespace": "mcp__playwright", "arguments": "{}", "call_id": "c1"}})
	end := jsonLine(obj{"type": "event_msg", "payload": obj{"type": "mcp_tool_call_end", "call_id": "c1", "result": obj{"Ok": obj{"content": []obj{{"type": "text", "text": text}}}}}})
	output := jsonLine(obj{"type": "response_item", "payload": obj{"type": "function_call_output", "call_id": "c1", "output": "Wall time: 0.2 seconds\nOutput:\n" + inner}})
	im, err := readBytes(t, call+end+output, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, res := results(im); res[0].Seen != session.SeenInline || res[0].Snapshot.Partial {
		t.Errorf("seen %q, %+v", res[0].Seen, res[0].Snapshot)
	}
}
