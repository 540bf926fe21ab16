package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"snapscope/session"
)

// bigPage is a snapshot of about 150 KB that differs from step to step.
func bigPage(step int) string {
	var b strings.Builder
	b.WriteString("- generic [active] [ref=e1]:\n  - table [ref=e2]:\n")
	for i := range 400 {
		n := i * 9
		fmt.Fprintf(&b, "    - row \"Select order %d %d Ada Abel Open %d.50 Archive\" [ref=e%d]:\n", 1000+i, step, n+step, n+3)
		fmt.Fprintf(&b, "      - cell \"Select order %d\" [ref=e%d]:\n        - checkbox \"Select order %d\" [ref=e%d]\n", i, n+4, i, n+5)
		fmt.Fprintf(&b, "      - cell \"Ada Abel\" [ref=e%d]\n      - cell \"Open\" [ref=e%d]\n      - cell \"%d.50\" [ref=e%d]\n", n+6, n+7, step, n+8)
		fmt.Fprintf(&b, "      - cell \"Archive\" [ref=e%d]:\n        - button \"Archive\" [ref=e%d] [cursor=pointer]\n", n+9, n+10)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func bigReply(step int) string {
	return "### Ran Playwright code\n```js\nawait page.goto('http://x/');\n```\n### Page\n- Page URL: http://x/\n- Page Title: X\n### Snapshot\n```yaml\n" + bigPage(step) + "\n```"
}

func jsonLine(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return b.String()
}

type obj = map[string]any

// bigFile writes a transcript of about size bytes in a format.
func bigFile(tb testing.TB, format string, size int) string {
	path := filepath.Join(tb.TempDir(), "big.jsonl")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	written := 0
	put := func(v any) {
		n, err := f.WriteString(jsonLine(v))
		if err != nil {
			tb.Fatal(err)
		}
		written += n
	}
	for i := 0; written < size; i++ {
		id := fmt.Sprintf("call_%d", i)
		content := []obj{{"type": "text", "text": bigReply(i)}}
		switch format {
		case "claude":
			put(obj{"type": "assistant", "uuid": "a" + id, "sessionId": "s", "message": obj{"id": "m" + id, "role": "assistant", "content": []obj{{"type": "tool_use", "id": id, "name": "mcp__playwright__browser_navigate", "input": obj{"url": "http://x/"}}}}})
			put(obj{"type": "user", "uuid": "b" + id, "sessionId": "s", "message": obj{"role": "user", "content": []obj{{"type": "tool_result", "tool_use_id": id, "content": content}}}, "toolUseResult": content})
		case "mcp":
			put(obj{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": obj{"name": "browser_navigate", "arguments": obj{"url": "http://x/"}}})
			put(obj{"jsonrpc": "2.0", "id": i, "result": obj{"content": content}})
		case "codex":
			inner := strings.TrimSpace(jsonLine(content))
			put(obj{"type": "response_item", "payload": obj{"type": "function_call", "name": "browser_navigate", "namespace": "mcp__playwright", "arguments": "{}", "call_id": id}})
			put(obj{"type": "event_msg", "payload": obj{"type": "mcp_tool_call_end", "call_id": id, "result": obj{"Ok": obj{"content": content}}}})
			put(obj{"type": "response_item", "payload": obj{"type": "function_call_output", "call_id": id, "output": "Wall time: 0.2 seconds\nOutput:\n" + inner}})
		}
	}
	return path
}

// BenchmarkImport reads 32 MB of each of the three formats that matter most.
// The bound is 100 MB/s.
func BenchmarkImport(b *testing.B) {
	for _, format := range []string{"claude", "mcp", "codex"} {
		b.Run(format, func(b *testing.B) {
			path := bigFile(b, format, 32<<20)
			st, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(st.Size())
			for b.Loop() {
				if _, err := Read(context.Background(), path, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMemory reads 96 MB and reports the heap's high-water mark against
// the snapshot text that the import holds. The bound is 3.
func BenchmarkMemory(b *testing.B) {
	for _, format := range []string{"claude", "mcp", "codex"} {
		b.Run(format, func(b *testing.B) {
			path := bigFile(b, format, 96<<20)
			for b.Loop() {
				runtime.GC()
				peak, text := uint64(0), 0
				var keep []session.Event
				_, err := Stream(context.Background(), path, Options{}, func(e session.Event) {
					keep = append(keep, e)
					if e.Result != nil && e.Result.Snapshot != nil {
						text += len(e.Result.Snapshot.Text)
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						peak = max(peak, m.HeapInuse)
					}
				})
				if err != nil {
					b.Fatal(err)
				}
				runtime.KeepAlive(keep)
				b.ReportMetric(float64(peak)/float64(text), "peak/text")
			}
		})
	}
}

// BenchmarkFirstStep opens 96 MB and waits for the first step. The bound is a
// second.
func BenchmarkFirstStep(b *testing.B) {
	path := bigFile(b, "claude", 96<<20)
	for b.Loop() {
		e, err := Open(path, Options{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Step(context.Background()); err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}
