package tape

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// long is a line as transcripts hold them: a result of 150 KB that stands there
// twice, of which one is wanted.
var long = func() []byte {
	page := strings.Repeat("- row \"Order 1001\" [ref=e12]:\n  - cell \"Ada\" [ref=e13]\n", 2600)
	b, err := json.Marshal(map[string]any{
		"type": "user", "message": map[string]any{"content": []any{map[string]any{"type": "tool_result", "content": page}}},
		"toolUseResult": []any{map[string]any{"type": "text", "text": page}},
	})
	if err != nil {
		panic(err)
	}
	return b
}()

func BenchmarkTape(b *testing.B) {
	b.SetBytes(int64(len(long)))
	var t Tape
	for b.Loop() {
		v, err := t.Parse(long)
		if err != nil {
			b.Fatal(err)
		}
		v.Get("message", "content").Items(func(x Value) {
			if x.Get("content").Str() == "" {
				b.Fatal("nothing")
			}
		})
	}
}

// BenchmarkStandard reads the same with encoding/json: what is not wanted is
// skipped as far as it can be.
func BenchmarkStandard(b *testing.B) {
	b.SetBytes(int64(len(long)))
	for b.Loop() {
		var v struct {
			Message struct{ Content []struct{ Content string } }
		}
		if err := json.NewDecoder(bytes.NewReader(long)).Decode(&v); err != nil || v.Message.Content[0].Content == "" {
			b.Fatal(err)
		}
	}
}
