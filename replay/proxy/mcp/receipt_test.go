package mcp

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"snapscope/replay/proxy"
	"snapscope/session/policy"
)

// transcriptOf writes what a client says of its calls.
func (w *wire) writes(file string, lines ...string) {
	w.t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		w.t.Fatal(err)
	}
}

func claudeGot(id, text string) string {
	return `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"` + id + `","type":"tool_result","content":[{"type":"text","text":` + string(proxy.Quote(text)) + `}]}]}}`
}

// claudeCalls is the line in which Claude Code writes down a call, its own or that of
// an agent it started.
func claudeCalls(id, agent string) string {
	side := `"isSidechain":false`
	if agent != "" {
		side = `"isSidechain":true,"agentId":"` + agent + `"`
	}
	return `{"parentUuid":"u1",` + side + `,"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `","name":"mcp__playwright__browser_click","input":{}}]}}`
}

// Claude Code tells no thread: whose call it was stands in its transcript. A delta
// goes only to the agent that has the page before.
func TestASubagentsPageIsNoBaseForItsAgent(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	const session = "0b5c3a52-7f2e-4c1d-9a53-0123456789ab"
	file := filepath.Join(home, ".claude", "projects", "-work-app", session+".jsonl")
	beside := filepath.Join(strings.TrimSuffix(file, ".jsonl"), "subagents", "agent-ab12.jsonl")
	if err := os.MkdirAll(filepath.Dir(beside), 0o700); err != nil {
		t.Fatal(err)
	}
	w := newWire(t, "delta", "claude-code", Options{Session: session, Transcript: TranscriptOf(home, func(string) string { return "" })})
	pages := []string{inPage(table(200, 1)), inPage(table(200, 2))}
	for i, c := range []struct {
		file, agent string
		whole       bool
	}{
		{file, "ab12", true}, // an agent's agent opens the page
		{file, "", true},     // its agent acts on it
		{file, "", false},
		{file, "ab12", false},
		{beside, "cd34", true}, // newer versions write it to a file of its own
		{beside, "cd34", false},
		{file, "", false},
		{"", "", true}, // nothing tells who called
		{file, "", true},
		{file, "", false},
	} {
		id := "toolu_x" + strconv.Itoa(i)
		if c.file != "" {
			w.writes(c.file, claudeCalls(id, c.agent))
		}
		text := pages[i%2]
		got := w.ask("browser_click", text, `,"_meta":{"claudecode/toolUseId":"`+id+`"}`)
		if whole := got == text; whole != c.whole {
			t.Errorf("turn %d: whole is %v, want %v", i, whole, c.whole)
		}
		delta, err := policy.Find("delta", nil)
		if err != nil {
			t.Fatal(err)
		}
		if first := i == 2 || i == 3 || i == 5; first != strings.HasPrefix(got, delta.Stages[0].Strategy.Notation) {
			t.Errorf("turn %d: how a delta is read is told: %v", i, !first)
		}
	}
	rec := finish(t, w.odd)
	if strings.Count(rec, `"reader":"ab12"`) != 2 || strings.Count(rec, `"reader":"cd34"`) != 2 || !strings.Contains(rec, "does not tell which of its agents") {
		t.Errorf("the recording does not tell who read:\n%s", clip(rec, 2000))
	}
}

func TestTheTranscriptTellsWhatTheModelGot(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	const session = "0b5c3a52-7f2e-4c1d-9a53-0123456789ab"
	file := filepath.Join(home, ".claude", "projects", "-work-app", session+".jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	w := newWire(t, "delta", "claude-code", Options{Session: session, Transcript: TranscriptOf(home, func(string) string { return "" })})
	id := func(n string) string { return `,"_meta":{"claudecode/toolUseId":"toolu_` + n + `"}` }
	words := "\n  - paragraph [ref=e9]: it says …9 chars truncated… there"
	a, b := inPage(table(200, 1)+words), inPage(table(200, 2)+words)
	delta, err := policy.Find("delta", nil)
	if err != nil {
		t.Fatal(err)
	}
	turn := func(n, text string, whole bool) {
		t.Helper()
		w.writes(file, claudeCalls("toolu_"+n, ""))
		got := w.ask("browser_click", text, id(n))
		if !whole && !strings.HasPrefix(got, delta.Stages[0].Strategy.Notation) { // the cut and the compaction took it
			t.Errorf("turn %s: how a delta is read is not told", n)
		}
		if is := got == text; is != whole {
			t.Errorf("turn %s: whole is %v, want %v", n, is, whole)
		}
	}
	turn("1", a, true)
	w.writes(file, `{"type":"summary"}`, claudeGot("toolu_1", a+"\n\n<system-reminder>\n<total_tokens>5 tokens left</total_tokens>\n</system-reminder>"))
	turn("2", b, false)
	w.writes(file, claudeGot("toolu_2", "Error: result (120,000 characters) exceeds maximum allowed tokens. Output has been saved to /x/tool-results/y.txt."))
	turn("3", a, true) // the delta before it never reached the model
	w.writes(file, claudeGot("toolu_3", a))
	turn("4", b, false)
	w.writes(file, `{"type":"system","subtype":"compact_boundary"}`)
	turn("5", a, true)
	turn("6", b, false)
	rec := finish(t, w.odd)
	if strings.Count(rec, "the agent's own transcript shows that its model got") != 1 || !strings.Contains(rec, "shortened its history") {
		t.Errorf("the recording does not tell it:\n%s", rec)
	}
}

func TestTranscriptsOfCodex(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".codex", "sessions", "2026", "01", "02")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "rollout-2026-01-02T03-04-05-0199aaaa-bbbb.jsonl")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	find := TranscriptOf(home, func(string) string { return "" })
	if got := find("", "0199aaaa-bbbb"); got != file {
		t.Errorf("found %q", got)
	}
	for _, bad := range []string{"", "*", "../../../etc/passwd", "0199"} {
		if got := find(bad, bad); got != "" {
			t.Errorf("%q found %q", bad, got)
		}
	}
	line := []byte(`{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"head …900 tokens truncated… tail"}}`)
	if text, ok := received(line, "call_1"); !ok || !strings.Contains(text, "truncated") {
		t.Errorf("received %q, %v", text, ok)
	}
}
