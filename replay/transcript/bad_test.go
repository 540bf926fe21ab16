package transcript

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/replay/transcript/reply"
	"snapscope/replay/transcript/sidefile"
	"snapscope/session"
	"snapscope/snapshot/mask"
)

func readBytes(t *testing.T, data string, opt Options) (*Import, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return Read(context.Background(), path, opt)
}

func sample(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(samples, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ data, want string }{
		"empty":  {"", "is empty"},
		"spaces": {" \n\n", "is empty"},
		"binary": {"\x7fELF\x00\x00", "is a binary file"},
		"prose":  {"Dear all,\nnothing here.\n", `no known kind of transcript; it looks like text that begins "Dear all,"; name its format with --from`},
		"json":   {`{"a":1}`, "no known kind of transcript"},
		"zip":    {"PK\x03\x04rubbish", "the archive cannot be read"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(context.Background(), path, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{filepath.Join(dir, "nowhere"), dir} {
		if _, err := Read(context.Background(), path, Options{}); err == nil {
			t.Errorf("%s was read", path)
		}
		if _, err := Open(path, Options{}, nil); err == nil {
			t.Errorf("%s was opened", path)
		}
	}
	if _, err := readBytes(t, "{}", Options{Format: "word"}); err == nil || !strings.Contains(err.Error(), "claude-code") {
		t.Errorf("an unknown format's error lists those there are: %v", err)
	}
	if _, err := readBytes(t, "{}", Options{Format: "codex"}); err == nil || !strings.Contains(err.Error(), "nothing whole is in it") {
		t.Errorf("a format that is forced: %v", err)
	}
}

// Line endings and a byte order mark change nothing.
func TestDressing(t *testing.T) {
	for _, name := range []string{"mcp/era-d.jsonl", "anthropic/request.json", "session-v2/session.md", "opencode/session-ses_7.md", "amp/T-7d2f.md", "trace/trace.trace"} {
		want := snaps(read(t, name, Options{}))
		plain := sample(t, name)
		for dress, data := range map[string]string{
			"BOM":   "\xEF\xBB\xBF" + plain,
			"CRLF":  strings.ReplaceAll(plain, "\n", "\r\n"),
			"mixed": strings.Replace(plain, "\n", "\r\n", 3),
		} {
			im, err := readBytes(t, data, Options{})
			if err != nil {
				t.Errorf("%s with %s: %v", name, dress, err)
				continue
			}
			if diff := cmp.Diff(want, snaps(im)); diff != "" {
				t.Errorf("%s with %s: %s", name, dress, diff)
			}
		}
	}
}

func TestInvalidUTF8(t *testing.T) {
	im, err := readBytes(t, strings.ReplaceAll(sample(t, "mcp/era-b.jsonl"), "Maya", "M\xffya"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := snaps(im); len(got) != 4 || !strings.Contains(got[0], "M\uFFFDya") {
		t.Errorf("%d snapshots", len(got))
	}
}

func TestDuplicates(t *testing.T) {
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"browser_snapshot","arguments":{}}}` + "\n"
	result := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"- a [ref=e1]"}]}}` + "\n"
	im, err := readBytes(t, call+result+result+call+result, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range im.Events {
		if e.Action != nil {
			ids = append(ids, e.Action.ID)
		}
	}
	if im.Calls != 2 || im.Results != 2 || !cmp.Equal(ids, []string{"1", "1#2"}) || len(im.Skipped) != 1 || im.Skipped[0].Kind != "second result of a call" {
		t.Errorf("%+v %v", im.Skipped, ids)
	}
	// A line of Claude Code that stands twice counts once.
	lines := strings.SplitAfter(sample(t, "claude-code/"+claudeID+".jsonl"), "\n")
	again, err := readBytes(t, strings.Join(lines[:8], "")+lines[7]+lines[6]+strings.Join(lines[8:], ""), Options{})
	if err != nil || again.Calls != 10 || !strings.Contains(fmt.Sprint(again.Skipped), "{line repeated (same uuid) 2 [9 10]}") {
		t.Errorf("%v %+v", err, again.Skipped)
	}
}

// endless is a line of n bytes, made as it is read.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	if e.n == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.n)
	for i := range p[:n] {
		p[i] = 'x'
	}
	e.n -= n
	return n, nil
}

// A line that is far larger than what is held is read past in bounded memory;
// the lines around it are whole. The same holds for one element of a document.
func TestEndlessLine(t *testing.T) {
	const size = 256 << 20
	message := `{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"browser_snapshot","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"- a [ref=e1]"}]}]`
	for _, c := range []struct{ format, before, after string }{
		{"mcp", `{"x":"`, "\"}\n" + sample(t, "mcp/era-b.jsonl")},
		{"anthropic", `[{"role":"user","content":"`, `"},` + message},
	} {
		r := io.MultiReader(strings.NewReader(c.before), &endless{size}, strings.NewReader(c.after))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		im, err := streamFrom(context.Background(), r, "big", Options{Format: c.format, MaxRecord: 1 << 20}, func(session.Event) {}, nil)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if im.Calls == 0 || im.Results != im.Calls || len(im.Skipped) != 1 || !strings.Contains(im.Skipped[0].Kind, "of more than 1 MB") || im.Bytes < size {
			t.Errorf("%s: %+v", c.format, im)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
			t.Errorf("%s: %d MB were allocated on the way", c.format, grown>>20)
		}
	}
}

func TestDeepLine(t *testing.T) {
	im, err := readBytes(t, sample(t, "mcp/era-a.jsonl")+strings.Repeat("[", 1<<20)+"\n", Options{})
	if err != nil || im.Results != 5 || !strings.Contains(im.Skipped[0].Kind, "nested deeper") {
		t.Errorf("%v %+v", err, im)
	}
}

func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, body := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, body); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestZippedTrace(t *testing.T) {
	ctx := context.Background()
	path := zipped(t, map[string]string{"0-trace.trace": sample(t, "trace/trace.trace"), "0-trace.network": "{}", "resources/x": "y"})
	im, err := Read(ctx, path, Options{})
	if err != nil || im.Calls != 6 || im.Results != 5 || im.Seen[session.SeenInline] != 2 {
		t.Errorf("%v %+v", err, im)
	}
	// A bomb: 70 MB of blank lines in seventy kilobytes. What is before it is kept.
	bomb := zipped(t, map[string]string{"trace.trace": sample(t, "trace/trace.trace") + strings.Repeat("\n", 70<<20)})
	im, err = Read(ctx, bomb, Options{})
	if err != nil || im.Results != 5 || !im.Cut || !strings.Contains(fmt.Sprint(im.Skipped), "unpacks to more than 64 MB") {
		t.Errorf("%v %+v", err, im)
	}
	if _, err := Read(ctx, zipped(t, map[string]string{"a": "b"}), Options{}); err == nil || !strings.Contains(err.Error(), "no .trace file") {
		t.Errorf("%v", err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := 4; n < len(whole); n += 97 {
		if _, err := readBytes(t, string(whole[:n]), Options{}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

func TestLinks(t *testing.T) {
	outside := t.TempDir()
	dir := filepath.Join(outside, "session")
	for path, text := range map[string]string{
		filepath.Join(outside, "secret.yml"):                       "- secret [ref=e1]",
		filepath.Join(dir, ".playwright-mcp", "page-1.yml"):        "- main [ref=e1]",
		filepath.Join(dir, "ID", "tool-results", "mcp-snap-1.txt"): "- spilled [ref=e1]",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "secret.yml"), filepath.Join(dir, "page-2.yml")); err != nil {
		t.Fatal(err)
	}
	l := sidefile.Reader{Roots: []string{dir}}
	for link, want := range map[string]string{
		".playwright-mcp/page-1.yml":                                  "- main [ref=e1]",
		"./.playwright-mcp/../.playwright-mcp/page-1.yml":             "- main [ref=e1]",
		`.playwright-mcp\page-1.yml`:                                  "- main [ref=e1]",
		"/home/dev/app/.playwright-mcp/page-1.yml":                    "- main [ref=e1]",
		"/home/dev/.claude/projects/x/ID/tool-results/mcp-snap-1.txt": "- spilled [ref=e1]",
		"../secret.yml":                      "",
		"x/../../secret.yml":                 "",
		filepath.Join(outside, "secret.yml"): "",
		"page-2.yml":                         "",
		"page-3.yml":                         "",
		".playwright-mcp":                    "",
		"/etc/passwd":                        "",
		"":                                   "",
	} {
		got, err := l.Read(link)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q %v", link, got, err)
		}
	}
	if _, err := l.Read("/etc/passwd"); !errors.Is(err, sidefile.ErrOutside) {
		t.Errorf("%v", err)
	}
}

func TestMaskedOnImport(t *testing.T) {
	im := read(t, "claude-code/"+claudeID+".jsonl", Options{})
	text := jsonLine(im.Events)
	if im.Masked != 4 || strings.Contains(text, "correct horse") || strings.Contains(text, "sk-test") {
		t.Errorf("%d masked", im.Masked)
	}
	kept := jsonLine(read(t, "claude-code/"+claudeID+".jsonl", Options{KeepSecrets: true}).Events)
	if n := strings.Count(kept, "correct horse"); n != 3 {
		t.Errorf("with KeepSecrets %d of 3 are there", n)
	}
}

// What a model's call carries is told: usage, the model's name, its words.
func TestUsage(t *testing.T) {
	im := read(t, "claude-code/"+claudeID+".jsonl", Options{})
	var got []session.Usage
	for _, e := range im.Events {
		if e.Call != nil {
			got = append(got, *e.Call.Usage)
		}
	}
	want := []session.Usage{{Input: 910, CacheWrite: 900, Output: 30}, {Input: 1210, CacheRead: 900, CacheWrite: 300, Output: 42}}
	if diff := cmp.Diff(want, got[:2]); diff != "" {
		t.Error(diff)
	}
	codex := read(t, "codex/"+codexName, Options{})
	if diff := cmp.Diff(session.Usage{Input: 3000, CacheRead: 900, Output: 60}, codex.Usage); diff != "" {
		t.Error(diff)
	}
	count := func(s string) int { return len(strings.Fields(s)) }
	api, err := Read(context.Background(), filepath.Join(samples, "anthropic/request.json"), Options{Count: count})
	if err != nil || api.Events[0].Start.System != 2 || api.Events[0].Start.Definitions == 0 || api.Events[0].Start.Model != "model-c" {
		t.Errorf("%v %+v", err, api.Events[0].Start)
	}
}

func TestUnknowns(t *testing.T) {
	im := read(t, "claude-code/"+claudeID+".jsonl", Options{Unknowns: true})
	want := []Unknown{{Kind: "mystery", Field: "what", Count: 1, Lines: []int{23}}, {Kind: "mystery", Count: 1, Lines: []int{23}}}
	if diff := cmp.Diff(want, im.Unknowns); diff != "" {
		t.Error(diff)
	}
	if n := len(read(t, "claude-code/"+claudeID+".jsonl", Options{}).Unknowns); n != 0 {
		t.Errorf("%d unknowns that were not asked for", n)
	}
}

// A recording is one of the formats.
func TestRecordingIsAFormat(t *testing.T) {
	im := read(t, "mcp/era-d.jsonl", Options{})
	path := filepath.Join(t.TempDir(), "r.jsonl")
	writeRecording(t, path, im.Events)
	again, err := Read(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(im.Events, again.Events); diff != "" {
		t.Error(diff)
	}
	if again.Format != "snapscope" || again.Calls != 8 || again.Results != 8 || !cmp.Equal(again.Seen, im.Seen) || again.Rebuilt != 2 {
		t.Errorf("%+v", again)
	}
	if _, err := readBytes(t, strings.Replace(sample(t, "mcp/era-d.jsonl"), "{", `{"format":"snapscope-recording","version":1}`+"\n{", 1), Options{}); err == nil || !strings.Contains(err.Error(), ":2:1: ") {
		t.Errorf("a damaged recording: %v", err)
	}
}

// A page that speaks of a notice is not one, and a cleared result of another
// tool is no snapshot.
func TestNoticesInPages(t *testing.T) {
	page := "### Page\n- Page URL: http://x/\n### Snapshot\n```yaml\n- main [ref=e1]: it exceeds maximum allowed tokens. Output has been saved to /etc/passwd\n```"
	im, err := readBytes(t, jsonLine(obj{"model": "m", "messages": []obj{
		{"role": "assistant", "content": []obj{{"type": "tool_use", "id": "a", "name": "browser_snapshot", "input": obj{}}, {"type": "tool_use", "id": "b", "name": "Glob", "input": obj{}}}},
		{"role": "user", "content": []obj{{"type": "tool_result", "tool_use_id": "a", "content": page}, {"type": "tool_result", "tool_use_id": "b", "content": "[Old tool result content cleared]"}}},
	}}), Options{})
	if err != nil || seenText(im.Seen) != "inline:1" {
		t.Errorf("%v %v", err, im.Seen)
	}
}

// A tree in a command's output is a page's when it stands whole or its file was
// linked; the lines a search found are not.
func TestTreesInCommands(t *testing.T) {
	for output, want := range map[string]string{
		"- main [ref=e1]:\n  - button [ref=e2]\n  - link [ref=e3]":  "inline:1",
		"  - button [ref=e2]\n  - link [ref=e3]\n  - link [ref=e4]": "",
		"- button [ref=e2]": "",
	} {
		im, err := readBytes(t, jsonLine(obj{"messages": []obj{
			{"role": "assistant", "content": []obj{{"type": "tool_use", "id": "a", "name": "Bash", "input": obj{"command": "rg ref= notes.yml"}}}},
			{"role": "user", "content": []obj{{"type": "tool_result", "tool_use_id": "a", "content": output}}},
		}}), Options{})
		if err != nil || seenText(im.Seen) != want {
			t.Errorf("%q: %v %v", output, err, im.Seen)
		}
	}
}

// One line with very many marks in it is judged once, not once a mark.
func TestLongLinesAreLinear(t *testing.T) {
	for _, mark := range []string{" [unchanged]", " ref=", "assword ", "]: ", "uid="} {
		text := "- text: " + strings.Repeat(mark, 2<<20/len(mark))
		if r := reply.Parse(mask.New(false).Text(text)); r.Part {
			t.Errorf("%q is taken for a part", mark)
		}
	}
}
