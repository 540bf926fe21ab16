package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
)

const samples = "../../testdata/transcripts"

// want is what one sample holds, counted by hand.
type want struct {
	format                string
	calls, results        int
	seen                  string // kinds with counts, sorted
	users, models         int
	rebuilt, orphans      int
	expiries, notes, skip int
}

var table = map[string]want{
	"mcp/era-a.jsonl":                    {format: "mcp", calls: 5, results: 5, seen: "inline:4"},
	"mcp/era-b.jsonl":                    {format: "mcp", calls: 5, results: 5, seen: "inline:4"},
	"mcp/era-c.jsonl":                    {format: "mcp", calls: 5, results: 5, seen: "incremental:2 inline:2", rebuilt: 2},
	"mcp/era-d.jsonl":                    {format: "mcp", calls: 8, results: 8, seen: "incremental:2 inline:3", rebuilt: 2},
	"mcp-e/rpc.jsonl":                    {format: "mcp", calls: 5, results: 5, seen: "inline:2 link:3", skip: 1},
	"mcp-f/rpc.jsonl":                    {format: "mcp", calls: 6, results: 6, seen: "inline:2 link:4", skip: 2},
	"mcp/fast-playwright.jsonl":          {format: "mcp", calls: 2, results: 2, seen: "inline:2"},
	"mcp/chrome-devtools.jsonl":          {format: "mcp", calls: 4, results: 4, seen: "inline:2"},
	"mcp/restarted.jsonl":                {format: "mcp", calls: 3, results: 2, seen: "inline:2", orphans: 1, skip: 2},
	"mcp/agent-browser.jsonl":            {format: "mcp", calls: 10, results: 10, seen: "incremental:3 inline:4", rebuilt: 3},
	"mcp/frames.jsonl":                   {format: "mcp", calls: 3, results: 3, seen: "incremental:1 inline:2", rebuilt: 1},
	"mcp/dialog.jsonl":                   {format: "mcp", calls: 5, results: 5, seen: "inline:2"},
	"mcp/unchanged.jsonl":                {format: "mcp", calls: 3, results: 3, seen: "inline:1 unasked:2", rebuilt: 2},
	"mcp/selectors.jsonl":                {format: "mcp", calls: 5, results: 5, seen: "inline:3"},
	"table/full.rpc.jsonl":               {format: "mcp", calls: 5, results: 5, seen: "inline:5"},
	"table/incremental.rpc.jsonl":        {format: "mcp", calls: 5, results: 5, seen: "incremental:4 inline:1", rebuilt: 4},
	"claude-code/" + claudeID + ".jsonl": {format: "claude-code", calls: 10, results: 9, seen: "dropped:1 inline:3 link:2 spilled:1", users: 2, models: 10, orphans: 1, skip: 2},
	"anthropic/request.json":             {format: "anthropic", calls: 3, results: 3, seen: "inline:3", users: 1, models: 3},
	"anthropic/lines.jsonl":              {format: "anthropic", calls: 3, results: 3, seen: "inline:3", users: 1, models: 3},
	"anthropic/log.jsonl":                {format: "anthropic", calls: 3, results: 3, seen: "inline:3", users: 1, models: 3},
	"passmark/request.json":              {format: "anthropic", calls: 3, results: 3, seen: "incremental:2 inline:1", users: 1, models: 3, rebuilt: 2},
	"cline/api_conversation_history.json": {
		format: "cline", calls: 3, results: 3, seen: "expired:1 inline:1", users: 1, models: 3,
	},
	"cline/xml_history.json":                                 {format: "cline", calls: 2, results: 2, seen: "inline:2", users: 1, models: 2},
	"openai/chat.json":                                       {format: "openai-chat", calls: 3, results: 3, seen: "inline:3", users: 1, models: 3, orphans: 1},
	"openai/responses.json":                                  {format: "openai-responses", calls: 4, results: 4, seen: "inline:4", users: 1, models: 4},
	"codex/" + codexName:                                     {format: "codex", calls: 3, results: 3, seen: "cut:1 incremental:1 inline:1", users: 1, models: 4, rebuilt: 1},
	"openclaw/" + openclawName:                               {format: "openclaw", calls: 6, results: 6, seen: "inline:3", users: 4, models: 6, expiries: 2, notes: 2, skip: 1},
	"opencode/session-ses_7.md":                              {format: "opencode-md", calls: 3, results: 3, seen: "inline:3", users: 1, models: 3},
	"opencode/export.json":                                   {format: "opencode", calls: 3, results: 3, seen: "inline:3", users: 1, models: 1},
	"opencode/storage":                                       {format: "opencode", calls: 3, results: 3, seen: "inline:3"},
	"amp/T-7d2f.md":                                          {format: "amp", calls: 3, results: 3, seen: "inline:3", users: 1, models: 3},
	"browser-use/history.json":                               {format: "browser-use", calls: 4, results: 4, seen: "inline:2", users: 1, models: 3, expiries: 1},
	"stagehand/history.json":                                 {format: "stagehand", calls: 2, results: 2},
	"session-v1/session.md":                                  {format: "playwright-session", calls: 3, results: 3, seen: "inline:2 link:1", skip: 1},
	"session-v2":                                             {format: "playwright-session", calls: 4, results: 4, seen: "incremental:1 inline:1", rebuilt: 1},
	"session-v3/session.md":                                  {format: "playwright-session", calls: 3, results: 3, seen: "inline:1 link:2"},
	"trace/trace.trace":                                      {format: "playwright-trace", calls: 6, results: 5, seen: "inline:2", orphans: 1},
	"codex/rollout-2026-02-03T09-05-00-0200.jsonl":           {format: "codex", calls: 3, results: 3, seen: "inline:1", users: 1, models: 2},
	"gemini/session-2026-02-03T09-00-0a1b2c3d.json":          {format: "gemini", calls: 3, results: 3, seen: "inline:2", users: 1, models: 4},
	"gemini/session-2026-02-03T09-00-0a1b2c3d.jsonl":         {format: "gemini", calls: 3, results: 3, seen: "inline:2", users: 1, models: 4},
	"codex/rollout-2026-03-01T10-00-00-0300.jsonl":           {format: "codex", calls: 3, results: 3, seen: "cut:1 inline:2", users: 1, models: 4},
	"claude-code/5f1d0000-0000-4000-8000-000000000330.jsonl": {format: "claude-code", calls: 3, results: 3, seen: "inline:3", users: 1, models: 4},
	"gemini/stream.jsonl":                                    {format: "gemini", calls: 3, results: 3, seen: "inline:2", users: 1, models: 4},
	"copilot/events.jsonl":                                   {format: "copilot", calls: 4, results: 4, seen: "inline:2", users: 1, models: 5, skip: 1},
	"openfleet/ses_4023.md":                                  {format: "openfleet", calls: 3, results: 3, seen: "inline:2", users: 1, models: 4},
	"user-pages/agentlab.json":                               {format: "openai-chat", calls: 3, results: 3, seen: "inline:3", models: 3},
	"user-pages/webarena.json":                               {format: "openai-chat", calls: 3, results: 3, seen: "inline:3", models: 3},
	"user-pages/webvoyager.json":                             {format: "openai-chat", calls: 4, results: 4, seen: "inline:4", models: 4},
	"user-pages/webvoyager-own.json":                         {format: "openai-chat", calls: 4, results: 4, seen: "inline:4", models: 4},
	"user-pages/langchain-types.json":                        {format: "openai-chat", calls: 3, results: 3, seen: "inline:3", users: 1, models: 3},
	"open-operator/results.json":                             {format: "open-operator", calls: 3, results: 3, seen: "inline:3", users: 1, models: 3, expiries: 2, notes: 1},
	"open-operator/runs.json":                                {format: "open-operator", calls: 9, results: 9, seen: "inline:9", users: 3, models: 9, expiries: 6, notes: 6},
	"user-pages/stagehand.json":                              {format: "openai-chat", calls: 3, results: 3, seen: "inline:3", models: 3},
	"browser-use/code.json":                                  {format: "anthropic", calls: 4, results: 4, seen: "inline:2", users: 1, models: 5},
	"claude-in-chrome/6c2f0000-0000-4000-8000-000000000411.jsonl": {
		format: "claude-code", calls: 6, results: 6, seen: "excerpt:1 inline:2", users: 1, models: 7,
	},
	"user-pages/browser-use-langchain.json": {format: "openai-chat", calls: 4, results: 4, seen: "inline:2", users: 1, models: 3},
	"user-pages/convergence.json":           {format: "openai-chat", calls: 8, results: 7, seen: "inline:4", users: 1, models: 4, orphans: 1},
	"user-pages/browsergym.json":            {format: "openai-chat", calls: 4, results: 4, seen: "inline:4", models: 4},
	"browser-use/history-tokens.json":       {format: "browser-use", calls: 5, results: 5, models: 4},
	"session-person/session.md":             {format: "playwright-session", calls: 8, results: 8, seen: "inline:4"},
	"user-pages/notte.json":                 {format: "openai-chat", calls: 3, results: 3, seen: "inline:3", users: 1, models: 3},
	"single/snapshot.yml":                   {format: "reply", calls: 1, results: 1, seen: "inline:1"},
	"single/reply.txt":                      {format: "reply", calls: 1, results: 1, seen: "inline:1"},
	"single/uid.txt":                        {format: "reply", calls: 1, results: 1, seen: "inline:1"},
	"single/content.json":                   {format: "content", calls: 1, results: 1, seen: "inline:1"},
}

const (
	claudeID     = "7d2f0000-0000-4000-8000-000000000001"
	codexName    = "rollout-2026-02-03T09-00-00-0199.jsonl"
	openclawName = "2026-02-03T09-00-00-000Z_0c7d.jsonl"
)

func read(t *testing.T, name string, opt Options) *Import {
	t.Helper()
	im, err := Read(context.Background(), filepath.Join(samples, name), opt)
	if err != nil {
		t.Fatal(err)
	}
	return im
}

func seenText(m map[session.Seen]int) string {
	var out []string
	for k, n := range m {
		out = append(out, fmt.Sprintf("%s:%d", k, n))
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

func TestSamples(t *testing.T) {
	for name, w := range table {
		t.Run(name, func(t *testing.T) {
			im := read(t, name, Options{})
			got := want{
				format: im.Format, calls: im.Calls, results: im.Results, seen: seenText(im.Seen),
				rebuilt: im.Rebuilt, orphans: len(im.Orphans),
			}
			for _, s := range im.Skipped {
				got.skip += s.Count
			}
			for i, e := range im.Events {
				if e.Seq != i+1 {
					t.Fatalf("event %d has seq %d", i+1, e.Seq)
				}
				switch {
				case e.User != nil:
					got.users++
				case e.Call != nil:
					got.models++
				case e.Expiry != nil:
					got.expiries++
				case e.Note != nil, e.Compact != nil:
					got.notes++
				}
			}
			if diff := cmp.Diff(w, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\nskipped %+v orphans %+v", diff, im.Skipped, im.Orphans)
			}
			tl := session.NewTimeline(im.Events)
			if n := agentSteps(tl); n != im.Results {
				t.Errorf("the timeline has %d steps of %d results", n, im.Results)
			}
			if im.Events[0].Start == nil || im.Events[0].Start.Source != w.format {
				t.Errorf("the first event is %+v", im.Events[0])
			}
		})
	}
}

// Every file of the samples is in the table, or lies beside one that is.
func TestSamplesComplete(t *testing.T) {
	beside := []string{"recorded", "count.mjs", "counts.json", "truth", ".playwright-mcp", "tool-results", ".snapshot.yml", "storage", "session-v2"}
	err := filepath.WalkDir(samples, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(samples, path)
		if _, ok := table[filepath.ToSlash(rel)]; ok {
			return nil
		}
		for _, b := range beside {
			if strings.Contains(rel, b) {
				return nil
			}
		}
		t.Errorf("%s is in no table", rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// tally is an independent count: a walk over the decoded JSON that knows
// nothing of the importers.
type tally struct {
	calls, results, shows, chars int
	gemini                       string
}

func (c *tally) result(text string) {
	c.results++
	c.chars += len(text)
	if strings.Contains(text, "ref=") && !strings.Contains(text, "- [Snapshot](") || strings.Contains(text, "uid=1_") || strings.HasPrefix(text, "[snapshot unchanged") {
		c.shows++
	}
}

func plainText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, x := range v {
			if m, ok := x.(map[string]any); ok {
				parts = append(parts, fmt.Sprint(m["text"]))
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

func (c *tally) walk(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			c.walk(x)
		}
	case map[string]any:
		if v["type"] == "event_msg" {
			return
		}
		switch {
		case v["type"] == "tool_use", v["type"] == "toolCall", v["type"] == "function_call", v["method"] == "tools/call", v["type"] == "before":
			c.calls++
		case v["type"] == "mcp_call", v["type"] == "tool":
			c.calls++
			if st, ok := v["state"].(map[string]any); ok {
				v = st
			}
			c.result(plainText(v["output"]))
			return
		case v["type"] == "function" && v["function"] != nil:
			c.calls++
		case v["functionResponse"] != nil: // Gemini: the parts beside it are walked as parts of result
			c.gemini += fmt.Sprint(v["functionResponse"].(map[string]any)["response"].(map[string]any)["output"])
			return
		case v["args"] != nil && v["status"] != nil:
			c.calls++
			c.gemini = ""
			for i, x := range v["result"].([]any) {
				if i > 0 && x.(map[string]any)["text"] != nil {
					c.gemini += "\n" + fmt.Sprint(x.(map[string]any)["text"])
				}
				c.walk(x)
			}
			c.result(c.gemini)
			c.gemini = ""
			return
		case v["type"] == "tool.execution_start":
			c.calls++
			return
		case v["type"] == "tool.execution_complete":
			d := v["data"].(map[string]any)
			if r, ok := d["result"].(map[string]any); ok {
				c.result(plainText(r["content"]))
			} else {
				c.result(fmt.Sprint(d["error"].(map[string]any)["message"]))
			}
			return
		case v["type"] == "assistant.message":
			return
		case v["type"] == "web_search_call":
			c.calls++
			c.results++
			return
		case v["type"] == "tool_search_call":
			c.calls++
			return
		case v["type"] == "tool_search_output":
			c.results++
			c.chars += len(`[{"type":"function","name":"browser_navigate","description":"Navigate to a URL"}]`)
			return
		case v["type"] == "tool_result" && v["output"] != nil:
			c.result(plainText(v["output"]))
			return
		case v["type"] == "tool_result", v["role"] == "toolResult", v["role"] == "tool":
			c.result(plainText(v["content"]))
			return
		case v["type"] == "function_call_output":
			c.result(plainText(v["output"]))
		case v["jsonrpc"] != nil && v["result"] != nil:
			if r := v["result"].(map[string]any); r["content"] != nil {
				c.result(plainText(r["content"]))
			}
		}
		for k, x := range v {
			if k != "toolUseResult" {
				c.walk(x)
			}
		}
	}
}

// The importers' numbers are those of the independent count, and a result's
// text with the snapshot the model saw has every byte of the original.
func TestIndependentCount(t *testing.T) {
	for _, name := range []string{
		"mcp/era-a.jsonl", "mcp/era-b.jsonl", "mcp/era-c.jsonl", "mcp/era-d.jsonl", "mcp-e/rpc.jsonl", "mcp-f/rpc.jsonl",
		"mcp/fast-playwright.jsonl", "mcp/chrome-devtools.jsonl", "mcp/restarted.jsonl", "table/full.rpc.jsonl", "table/incremental.rpc.jsonl",
		"claude-code/" + claudeID + ".jsonl", "anthropic/request.json", "anthropic/lines.jsonl", "passmark/request.json",
		"cline/api_conversation_history.json", "openai/chat.json", "openai/responses.json", "codex/" + codexName,
		"openclaw/" + openclawName, "opencode/export.json", "gemini/session-2026-02-03T09-00-0a1b2c3d.json", "gemini/stream.jsonl",
		"copilot/events.jsonl", "codex/rollout-2026-02-03T09-05-00-0200.jsonl",
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(samples, name))
			if err != nil {
				t.Fatal(err)
			}
			var c tally
			if strings.HasSuffix(name, ".json") {
				var v any
				if err := json.Unmarshal(data, &v); err != nil {
					t.Fatal(err)
				}
				c.walk(v)
			} else {
				for _, l := range bytes.Split(data, []byte("\n")) {
					var v any
					if json.Unmarshal(l, &v) == nil {
						c.walk(v)
					}
				}
			}
			im := read(t, name, Options{KeepSecrets: true})
			got := tally{calls: im.Calls, results: im.Results, shows: im.Snapshots()}
			for _, o := range im.Orphans {
				if o.What == "result without a call" {
					got.results++
				}
			}
			for _, e := range im.Events {
				if e.Result != nil {
					got.chars += len(e.Result.Text) + len(e.Result.Showed())
				}
			}
			if diff := cmp.Diff(c, got, cmp.AllowUnexported(tally{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func snaps(im *Import) []string {
	var out []string
	for _, e := range im.Events {
		if e.Result != nil && e.Result.Snapshot != nil {
			out = append(out, e.Result.Snapshot.Text)
		}
	}
	return out
}

// The same script against a server with full and one with incremental replies
// gives the same trees.
func TestRebuiltEqualsFull(t *testing.T) {
	full, inc := snaps(read(t, "table/full.rpc.jsonl", Options{})), snaps(read(t, "table/incremental.rpc.jsonl", Options{}))
	if diff := cmp.Diff(full, inc); diff != "" {
		t.Error(diff)
	}
	b, c := snaps(read(t, "mcp/era-b.jsonl", Options{})), snaps(read(t, "mcp/era-c.jsonl", Options{}))
	if diff := cmp.Diff(b, c); diff != "" {
		t.Error(diff)
	}
	// passmark's delta is rebuilt to what the other formats hold in full.
	p, a := snaps(read(t, "passmark/request.json", Options{})), snaps(read(t, "anthropic/request.json", Options{}))
	if diff := cmp.Diff([]string{a[0], a[1], a[1]}, p); diff != "" {
		t.Error(diff)
	}
	// And the same steps in every wrapping give the same snapshots.
	for _, name := range []string{"anthropic/lines.jsonl", "anthropic/log.jsonl", "openai/chat.json", "opencode/export.json", "opencode/storage", "opencode/session-ses_7.md", "amp/T-7d2f.md"} {
		if diff := cmp.Diff(a, snaps(read(t, name, Options{}))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Every prefix of every sample parses, or gives one clear error.
func TestEveryPrefix(t *testing.T) {
	for name := range table {
		path := filepath.Join(samples, name)
		data, err := os.ReadFile(path)
		if err != nil {
			continue // a folder
		}
		step := 1 + len(data)/150
		for n := 0; n <= len(data); n += step {
			checkPrefix(t, path, data[:n])
		}
	}
}

func checkPrefix(t *testing.T, path string, data []byte) {
	t.Helper()
	var events []session.Event
	im, err := streamFrom(context.Background(), bytes.NewReader(data), path, Options{Unknowns: true}, func(e session.Event) { events = append(events, e) }, nil)
	if err != nil {
		if s := err.Error(); strings.Contains(s, "\n") || len(s) > 600 {
			t.Fatalf("%s, first %d bytes: an error of several lines: %q", path, len(data), s)
		}
		return
	}
	checkImport(t, im, events)
}

// agentSteps counts the steps that a call of the agent made: what a person did beside
// it is a step, too.
func agentSteps(tl *session.Timeline) (n int) {
	for i := range tl.Steps {
		if !tl.Steps[i].Action.Person {
			n++
		}
	}
	return n
}

// checkImport holds the laws of every import.
func checkImport(t *testing.T, im *Import, events []session.Event) {
	t.Helper()
	open := 0
	for _, o := range im.Orphans {
		if o.What == "call without a result" {
			open++
		}
	}
	if im.Calls != im.Results+open {
		t.Fatalf("%s: %d calls, %d results, %d calls without one", im.Path, im.Calls, im.Results, open)
	}
	tl := session.NewTimeline(events)
	if n := agentSteps(tl); n != im.Results {
		t.Fatalf("%s: %d steps of %d results", im.Path, n, im.Results)
	}
	for _, e := range events {
		if e.Result == nil || e.Result.Snapshot == nil {
			continue
		}
		switch e.Result.Seen {
		case session.SeenInline, session.SeenIncremental, session.SeenLink, session.SeenSpilled, session.SeenUnasked, session.SeenCut:
		default:
			t.Fatalf("%s: a snapshot that is seen as %q", im.Path, e.Result.Seen)
		}
	}
	if _, err := json.Marshal(events); err != nil {
		t.Fatalf("%s: %v", im.Path, err)
	}
}
