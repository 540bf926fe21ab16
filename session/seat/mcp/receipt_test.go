package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/session/seat"
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
	return `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"` + id + `","type":"tool_result","content":[{"type":"text","text":` + string(seat.Quote(text)) + `}]}]}}`
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
	a, b := inPage(table(40, 1)+words), inPage(table(40, 2)+words)
	turn := func(n, text string, whole bool) {
		t.Helper()
		got := w.ask("browser_click", text, id(n))
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
