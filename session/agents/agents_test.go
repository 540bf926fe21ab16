package agents

import (
	"testing"
	"time"
)

func TestFindKnowsAnAgentByWhatItCallsItself(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": "Claude Code", "Claude Code": "Claude Code", "claude-code/2.1.197": "Claude Code",
		"codex-mcp-client 0.169.0": "Codex", "codex": "Codex", "opencode": "OpenCode", "gemini": "Gemini CLI", "google-adk@1.2": "Google ADK (Python)",
	} {
		if c, ok := Find(name); !ok || c.Title != want {
			t.Errorf("%q is %q, %v; want %q", name, c.Title, ok, want)
		}
	}
	for _, name := range []string{"", " ", "/", "someone else", "claudes"} {
		if c, ok := Find(name); ok {
			t.Errorf("%q is %q", name, c.Title)
		}
	}
}

func TestNoNameStandsTwice(t *testing.T) {
	seen := map[string]string{}
	for _, c := range table {
		for _, n := range append([]string{c.Name}, c.Aliases...) {
			if seen[n] != "" {
				t.Errorf("%q names %s and %s", n, seen[n], c.Title)
			}
			seen[n] = c.Title
		}
		if c.Text.Kept != Whole && (c.Text.Setting == "" || c.Text.Chars+c.Text.Bytes == 0) {
			t.Errorf("%s cuts texts, but not where and what lifts it: %+v", c.Name, c.Text)
		}
	}
}

func TestDeadlinesAndCuts(t *testing.T) {
	codex, _ := Find("codex")
	if d, ok := codex.Call.Deadline(); !ok || d != 290*time.Second {
		t.Errorf("Codex: held for %v, %v", d, ok)
	}
	adk, _ := Find("google-adk")
	if d, ok := adk.Call.Deadline(); !ok || d != 2500*time.Millisecond {
		t.Errorf("ADK: held for %v, %v", d, ok)
	}
	claude, _ := Find("claude-code")
	if _, ok := claude.Call.Deadline(); ok {
		t.Error("Claude Code has no limit of its own")
	}
	for _, c := range []struct {
		cut          Cut
		chars, bytes int
		want         bool
	}{
		{claude.Text, 50_000, 90_000, false},
		{claude.Text, 50_001, 50_001, true},
		{codex.Text, 11_000, 12_000, false},
		{codex.Text, 11_000, 12_001, true},
		{Cut{}, 1 << 30, 1 << 30, false},
	} {
		if got := c.cut.Cuts(c.chars, c.bytes); got != c.want {
			t.Errorf("%+v cuts %d characters, %d bytes: %v", c.cut, c.chars, c.bytes, got)
		}
	}
}

func TestWhatIsLeftOfATextThatIsTooLarge(t *testing.T) {
	for _, c := range []struct {
		cut        Cut
		head, tail string
	}{
		{Cut{Bytes: 4}, "ab", "ij"},
		{Cut{Chars: 5, First: 1}, "a", "ghéj"},
		{Cut{Chars: 4}, "ab", "éj"},
	} {
		text := "abcdefghéj"
		if c.cut.Bytes > 0 {
			text = "abcdefghij"
		}
		if head, tail := c.cut.HeadAndTail(text); head != c.head || tail != c.tail {
			t.Errorf("%+v leaves %q and %q", c.cut, head, tail)
		}
	}
}
