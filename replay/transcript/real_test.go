package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
)

// The files of this test are what real servers said about the demo pages.

func results(im *Import) (acts []*session.Action, res []*session.Result) {
	for _, e := range im.Events {
		if e.Action != nil {
			acts = append(acts, e.Action)
		}
		if e.Result != nil {
			res = append(res, e.Result)
		}
	}
	return acts, res
}

// A tree put together from a change equals the full one that was asked for
// right after it.
func TestRebuiltAsAsked(t *testing.T) {
	for name, pairs := range map[string][][2]int{
		"mcp/frames.jsonl":        {{2, 3}},          // what changed stands inside a frame
		"mcp/agent-browser.jsonl": {{6, 7}, {9, 10}}, // a splice of lines, counted in revisions
	} {
		_, res := results(read(t, name, Options{}))
		for _, p := range pairs {
			built, full := res[p[0]-1].Snapshot, res[p[1]-1].Snapshot
			if built == nil || !built.Rebuilt || full.Rebuilt {
				t.Fatalf("%s: step %d is not rebuilt, or %d is", name, p[0], p[1])
			}
			if d := cmp.Diff(full.Text, built.Text); d != "" {
				t.Errorf("%s: step %d: %s", name, p[0], d)
			}
		}
	}
}

// A reply can be put together again: the snapshot part goes where At says.
func TestRepliesComeBackWhole(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(samples, "mcp", "*.jsonl"))
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var raw []string
		for _, line := range bytes.Split(data, []byte("\n")) {
			var m struct {
				Msg struct {
					Result struct{ Content []struct{ Text string } }
				}
			}
			if json.Unmarshal(line, &m) == nil && len(m.Msg.Result.Content) == 1 {
				raw = append(raw, m.Msg.Result.Content[0].Text)
			}
		}
		im, err := Read(context.Background(), file, Options{KeepSecrets: true})
		if err != nil {
			t.Fatal(err)
		}
		_, res := results(im)
		for i, r := range res {
			if len(raw) != len(res) { // results of several blocks
				break
			}
			if got := r.Text[:r.At] + r.Showed() + r.Text[r.At:]; got != raw[i] {
				t.Errorf("%s step %d: %s", filepath.Base(file), i+1, cmp.Diff(raw[i], got))
			}
		}
	}
}

func TestEmptyFences(t *testing.T) {
	seen := func(name string) string {
		_, res := results(read(t, name, Options{}))
		var out []string
		for _, r := range res {
			out = append(out, string(r.Seen))
		}
		return strings.Join(out, ",")
	}
	// A dialog stands before the page: there was no snapshot to send.
	if got, want := seen("mcp/dialog.jsonl"), "inline,,,,inline"; got != want {
		t.Errorf("dialog: %s, want %s", got, want)
	}
	// Nothing changed: the model read nothing, who watches still sees the page.
	if got, want := seen("mcp/unchanged.jsonl"), "inline,unasked,unasked"; got != want {
		t.Errorf("unchanged: %s, want %s", got, want)
	}
	for _, text := range []string{
		"- Page URL: about:blank\n- Page Title: \n- Page Snapshot\n```yaml\nnull\n```\n",
		"### Page state\n- Page URL: about:blank\n- Page Title: \n- Page Snapshot:\n```yaml\n\n```\n",
	} {
		im := fromMessages(t, "browser_tab_new", nil, text)
		_, res := results(im)
		r := res[0] // a snapshot of nothing
		if r.Seen != session.SeenInline || r.Snapshot == nil || r.Snapshot.Text != "" || r.Text[:r.At]+r.Showed()+r.Text[r.At:] != text {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

// fromMessages imports one call and its answer.
func fromMessages(t *testing.T, tool string, args any, text string) *Import {
	t.Helper()
	in, err := json.Marshal([]any{
		map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": "a", "name": tool, "input": args}}},
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "a", "content": text}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var events []session.Event
	im, err := streamFrom(context.Background(), bytes.NewReader(in), "x", Options{KeepSecrets: true}, func(e session.Event) { events = append(events, e) }, nil)
	if err != nil {
		t.Fatal(err)
	}
	im.Events = events
	return im
}

func TestClineTwoBlocks(t *testing.T) {
	const in = `[{"role":"user","content":[{"type":"text","text":"<task>\ngo\n</task>"}]},
{"role":"assistant","content":[{"type":"text","text":"<use_mcp_tool>\n<server_name>playwright</server_name>\n<tool_name>browser_click</tool_name>\n<arguments>\n{\"ref\":\"e2\"}\n</arguments>\n</use_mcp_tool>"}]},
{"role":"user","content":[{"type":"text","text":"[use_mcp_tool for 'playwright'] Result:"},{"type":"text","text":"### Page\n### Snapshot\n` + "```yaml\\n- main [ref=e1]\\n```" + `"},{"type":"text","text":"<environment_details>\nx\n</environment_details>"}]}]`
	var res []*session.Result
	im, err := streamFrom(context.Background(), strings.NewReader(in), "x", Options{}, func(e session.Event) {
		if e.Result != nil {
			res = append(res, e.Result)
		}
	}, nil)
	if err != nil || im.Results != 1 || len(res) != 1 || res[0].Seen != session.SeenInline || res[0].Snapshot.Text != "- main [ref=e1]" {
		t.Errorf("%v, %+v, %+v", err, im, res)
	}
}

// What a person did is told with the code of it; an empty snapshot counts.
func TestSessionMDByHandAndEmpty(t *testing.T) {
	dir := t.TempDir()
	log := "### User action: click\n- Args\n```json\n{}\n```\n- Code\n```js\nawait page.getByRole('button').click();\n```\n\n" +
		"### Tool call: browser_navigate\n- Args\n```json\n{\"url\":\"about:blank\"}\n```\n- Result\n```\nok\n```\n- Snapshot: 001.snapshot.yml\n\n"
	for name, text := range map[string]string{"session.md": log, "001.snapshot.yml": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	im, err := Read(context.Background(), filepath.Join(dir, "session.md"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	acts, res := results(im)
	if len(res) != 2 || res[1].Seen != session.SeenInline || res[1].Snapshot == nil || res[1].Snapshot.Text != "" {
		t.Fatalf("%+v", res)
	}
	if !acts[0].Person || acts[0].Verb != session.VerbClick || acts[0].Text("code") != "await page.getByRole('button').click();" || acts[1].Person {
		t.Errorf("%+v, %+v", acts[0], acts[1])
	}
}
