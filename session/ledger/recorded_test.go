package ledger_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
)

// recordedCall is one tool call of a session that was recorded through a real
// server, with the server's answer.
type recordedCall struct {
	tool   string
	args   map[string]any
	answer string
}

// recordedCalls reads the raw JSON-RPC of a recording, by itself.
func recordedCalls(t *testing.T, file string) (calls []recordedCall) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	open := map[float64]recordedCall{}
	for dec := json.NewDecoder(z); dec.More(); {
		var line struct {
			Msg struct {
				ID     any
				Method string
				Params struct {
					Name      string
					Arguments map[string]any
				}
				Result struct{ Content []struct{ Text string } }
			}
		}
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		id, _ := line.Msg.ID.(float64)
		switch c, asked := open[id]; {
		case line.Msg.Method == "tools/call":
			open[id] = recordedCall{tool: line.Msg.Params.Name, args: line.Msg.Params.Arguments}
		case asked && line.Msg.Method == "" && len(line.Msg.Result.Content) > 0:
			for i, part := range line.Msg.Result.Content {
				if i > 0 {
					c.answer += "\n"
				}
				c.answer += part.Text
			}
			calls = append(calls, c)
		}
	}
	return calls
}

// cutting is a client that cuts what is too large for it: it writes a session in
// its own form, and tells what its model got of each answer.
type cutting struct {
	name  string
	wraps bool // the model gets the answer as JSON in a text
	write func(t *testing.T, dir string, calls []recordedCall) (file string, got []string)
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

type obj = map[string]any

// claudeCode puts more than 50,000 characters into a file beside the session and
// hands on a preview of 2 KB.
func claudeCode(t *testing.T, dir string, calls []recordedCall) (file string, got []string) {
	kept := filepath.Join(dir, "s1", "tool-results")
	if err := os.MkdirAll(kept, 0o755); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, c := range calls {
		id := fmt.Sprintf("toolu_%d", i)
		shown := c.answer
		if utf8.RuneCountInString(shown) > 50_000 {
			whole := "[\n  {\n    \"type\": \"text\",\n    \"text\": " + inJSON(t, shown) + "\n  }\n]"
			if err := os.WriteFile(filepath.Join(kept, id+".txt"), []byte(whole), 0o600); err != nil {
				t.Fatal(err)
			}
			shown = fmt.Sprintf("<persisted-output>\nOutput too large (%dKB). Full output saved to: /home/dev/.claude/projects/p/s1/tool-results/%s.txt\n\nPreview (first 2KB):\n%s\n...\n</persisted-output>",
				len(whole)/1024, id, whole[:2000])
		}
		got = append(got, shown)
		b.WriteString(inJSON(t, obj{"type": "assistant", "uuid": id + "a", "sessionId": "s1", "message": obj{"id": "m" + id, "role": "assistant", "model": "claude-sonnet-4-5", "content": []obj{
			{"type": "tool_use", "id": id, "name": "mcp__browser__" + c.tool, "input": c.args},
		}}}) + "\n")
		b.WriteString(inJSON(t, obj{"type": "user", "uuid": id + "u", "sessionId": "s1", "message": obj{"role": "user", "content": []obj{
			{"type": "tool_result", "tool_use_id": id, "content": shown},
		}}}) + "\n")
	}
	return written(t, dir, "s1.jsonl", b.String()), got
}

// codex keeps the head and the tail of an output of more than 12,000 bytes.
func codex(t *testing.T, dir string, calls []recordedCall) (file string, got []string) {
	var b strings.Builder
	line := func(kind string, payload obj) {
		b.WriteString(inJSON(t, obj{"timestamp": "2026-02-03T09:00:00.000Z", "type": kind, "payload": payload}) + "\n")
	}
	line("session_meta", obj{"id": "0199", "cli_version": "0.169.0"})
	for i, c := range calls {
		id := fmt.Sprintf("call_%d", i)
		out := "Wall time: 0.2 seconds\nOutput:\n" + inJSON(t, []obj{{"type": "text", "text": c.answer}})
		if cut := len(out) - 12_000; cut > 0 {
			from, to := 6_000, len(out)-6_000
			for !utf8.RuneStart(out[from]) {
				from--
			}
			for !utf8.RuneStart(out[to]) {
				to++
			}
			out = fmt.Sprintf("%s…%d tokens truncated…%s", out[:from], cut/4, out[to:])
		}
		got = append(got, out)
		line("response_item", obj{"type": "function_call", "name": c.tool, "namespace": "mcp__browser", "arguments": inJSON(t, c.args), "call_id": id})
		line("response_item", obj{"type": "function_call_output", "call_id": id, "output": out})
	}
	return written(t, dir, "rollout.jsonl", b.String()), got
}

// openCode keeps the first lines, as many as are whole within 50 KB and 2,000 of
// them.
func openCode(t *testing.T, dir string, calls []recordedCall) (file string, got []string) {
	messages := []obj{{"info": obj{"role": "user"}, "parts": []obj{{"type": "text", "text": "Go."}}}}
	for i, c := range calls {
		shown := c.answer
		if n := strings.Count(shown, "\n") + 1; len(shown) > 50<<10 || n > 2000 {
			lines, kept := strings.Split(shown, "\n"), 0
			for size := 0; kept < min(len(lines), 2000) && size+len(lines[kept])+1 <= 50<<10; kept++ {
				size += len(lines[kept]) + 1
			}
			head := strings.Join(lines[:kept], "\n")
			left := fmt.Sprintf("%d bytes", len(shown)-len(head))
			if kept == 2000 {
				left = fmt.Sprintf("%d lines", n-kept)
			}
			shown = head + "\n\n..." + left + " truncated...\n\nThe tool call succeeded but the output was truncated. Full output saved to: /home/dev/.local/share/opencode/tool-output/tool_1\n"
		}
		got = append(got, shown)
		messages = append(messages, obj{"info": obj{"role": "assistant", "modelID": "m"}, "parts": []obj{{"type": "tool", "callID": fmt.Sprintf("c%d", i), "tool": "browser_" + strings.TrimPrefix(c.tool, "browser_"), "state": obj{
			"status": "completed", "input": c.args, "output": shown, "time": obj{"start": 1770109200000 + i, "end": 1770109200500 + i},
		}}}})
	}
	return written(t, dir, "export.json", inJSON(t, obj{"info": obj{"id": "ses_1"}, "messages": messages})), got
}

func written(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Sessions recorded through real MCP servers, as a client that cuts would have
// left them: as sent, an element is lost exactly where its line stood in the part
// that was cut away, and full has it.
func TestRecordedSessionsOfClientsThatCut(t *testing.T) {
	const folder = "../../testdata/transcripts/recorded/"
	servers := map[string]func(ref string) string{ // how a line names an element
		"playwright-mcp-0.0.83.jsonl.gz":      func(ref string) string { return "[ref=" + ref + "]" },
		"chrome-devtools-mcp-1.11.0.jsonl.gz": func(ref string) string { return "uid=" + ref + " " },
	}
	for server, mark := range servers {
		calls := recordedCalls(t, folder+server)
		for _, client := range []cutting{{"Claude Code", true, claudeCode}, {"Codex", true, codex}, {"OpenCode", false, openCode}} {
			t.Run(client.name+" "+server, func(t *testing.T) {
				file, got := client.write(t, t.TempDir(), calls)
				im, err := transcript.Read(t.Context(), file, transcript.Options{})
				if err != nil {
					t.Fatal(err)
				}
				s := studied(t, session.NewTimeline(im.Events), "full")
				want, lost := map[string]bool{}, 0
				for i, c := range calls {
					ref := refOf(c.args)
					if ref == "" {
						continue
					}
					want[ref] = !stillThere(t, calls, got, i, mark(ref), client.wraps)
					if want[ref] {
						lost++
					}
				}
				if len(want) < 20 || lost < 5 || lost == len(want) && client.name != "Claude Code" {
					t.Fatalf("%d elements with %d lost are too few to say anything", len(want), lost)
				}
				sent := s.AsSent.Survival
				if sent.Acted != len(want) || len(sent.Lost) != lost || s.AsSent.Snapshots != 1 {
					t.Errorf("as sent %d acted on, %d lost, %d snapshots; want %d and %d of one", sent.Acted, len(sent.Lost), s.AsSent.Snapshots, len(want), lost)
				}
				for _, l := range sent.Lost {
					if !want[l.Ref] || l.Cause != ledger.CauseCut || !strings.Contains(l.Why, "the snapshot of step ") {
						t.Errorf("%s: %s", l.Ref, l.Why)
					}
					delete(want, l.Ref)
				}
				for ref, is := range want {
					if is {
						t.Errorf("%s is not lost", ref)
					}
				}
				if client.name == "Claude Code" && len(s.Full.Survival.Lost) > 0 { // the others do not keep the whole
					t.Errorf("full lost %+v", s.Full.Survival.Lost)
				}
			})
		}
	}
}

func refOf(args map[string]any) string {
	for _, key := range []string{"target", "uid"} {
		if ref, ok := args[key].(string); ok {
			return ref
		}
	}
	return ""
}

// stillThere reports whether the line of an element in the answer that showed it
// last reached the model whole.
func stillThere(t *testing.T, calls []recordedCall, got []string, at int, mark string, wraps bool) bool {
	t.Helper()
	for i := at - 1; i >= 0; i-- {
		for line := range strings.SplitSeq(calls[i].answer, "\n") {
			if !strings.Contains(line, mark) {
				continue
			}
			text := "\n" + line + "\n"
			if !strings.Contains(got[i], text) && wraps {
				text = strings.Trim(inJSON(t, text), `"`)
			}
			return strings.Contains(got[i], text)
		}
	}
	t.Fatalf("nothing showed %s", mark)
	return false
}
