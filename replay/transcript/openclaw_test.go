package transcript

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
	"snapscope/snapshot/notation"
)

// clawFile writes a pi session: the entries are numbered e1, e2, … in a line of
// descent.
func clawFile(t *testing.T, entries ...string) string {
	t.Helper()
	lines := []string{`{"type":"session","version":3,"id":"s"}`}
	for i, e := range entries {
		lines = append(lines, fmt.Sprintf(`{"id":"e%d","parentId":%q,%s`, i+1, fmt.Sprintf("e%d", i), e[1:]))
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func clawSaid(text string) string {
	return fmt.Sprintf(`{"type":"message","message":{"role":"user","content":%q}}`, text)
}

func clawCall(id, tool, args string) string {
	return fmt.Sprintf(`{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":%q,"arguments":%s}]}}`, id, tool, args)
}

func clawResult(id, text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"type":"message","message":{"role":"toolResult","toolCallId":%q,"content":[{"type":"text","text":%s}]}}`, id, b)
}

// A compaction keeps what stands from the entry on that it names.
func TestCompactionKeepsFromTheNamedEntry(t *testing.T) {
	for kept, want := range map[string]int{"e1": 3, "e2": 2, "e3": 2, "e4": 1, "e5": 1, "none": 0} {
		path := clawFile(t,
			clawSaid("go"), clawCall("c1", "browser", `{"action":"snapshot"}`), clawResult("c1", "- main [ref=e1]"),
			clawCall("c2", "browser", `{"action":"act"}`), clawResult("c2", "done"),
			`{"type":"compaction","summary":"so far","firstKeptEntryId":"`+kept+`"}`, clawSaid("on"),
		)
		im, err := Read(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, e := range im.Events {
			if e.Compact != nil {
				got = append(got, e.Compact.Keep)
			}
		}
		if diff := cmp.Diff([]int{want}, got); diff != "" {
			t.Errorf("kept from %s (-want +got)\n%s", kept, diff)
		}
	}
}

// What no known server writes is told by its content where the call asked for a
// snapshot, or where no call is known; else a tool's name decides.
func TestSnapshotsToldByContent(t *testing.T) {
	page := "url: http://x/\ntitle: Leads\n[e1] button Go\n[e2] link Home"
	for _, tt := range []struct {
		name, call, text string
		want             bool
	}{
		{"the browser's snapshot", clawCall("c1", "browser", `{"action":"snapshot"}`), page, true},
		{"landmarks", clawCall("c1", "browser", `{"action":"snapshot"}`), "<main>\n<h1>Leads</h1>", true},
		{"no call known", clawSaid("go"), page, true},
		{"a file of another tool", clawCall("c1", "read", `{"path":"notes.yml"}`), page, false},
		{"the browser's tabs", clawCall("c1", "browser", `{"action":"snapshot"}`), `[{"url":"http://x/","title":"Leads [e1]"}]`, false},
		{"an answer without a page", clawCall("c1", "browser", `{"action":"snapshot"}`), "The browser is not running.", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			im, err := Read(t.Context(), clawFile(t, tt.call, clawResult("c1", tt.text)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range im.Events {
				if e.Result == nil {
					continue
				}
				s := e.Result.Snapshot
				if got := s != nil; got != tt.want || tt.want != (e.Result.Seen == session.SeenInline) {
					t.Fatalf("a snapshot: %v, seen %q", got, e.Result.Seen)
				}
				if s != nil && (s.Text != tt.text || e.Result.Text != "" || s.Dialect != notation.Loose) {
					t.Errorf("%q and %q, dialect %s", s.Text, e.Result.Text, s.Dialect)
				}
				return
			}
			t.Fatal("no result")
		})
	}
}
