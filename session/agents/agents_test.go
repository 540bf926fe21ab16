package agents

import (
	"path/filepath"
	"testing"
	"time"
)

func TestFindKnowsAnAgentByWhatItCallsItself(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": "Claude Code", "Claude Code": "Claude Code", "claude-code/2.1.197": "Claude Code",
		"codex-mcp-client 0.169.0": "Codex", "codex": "Codex", "opencode": "OpenCode", "gemini": "Gemini CLI",
		"codex_exec/0.169.0": "Codex", "GeminiCLI-tui/0.61.0/gemini-2.5-pro": "Gemini CLI", "claude-cli/2.1.330": "Claude Code", // in a User-Agent
		"google-adk@1.2": "Google ADK (Python)",
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
	opencode, _ := Find("opencode")
	for _, c := range []struct {
		cut          Cut
		chars, bytes int
		want         bool
	}{
		{claude.Text, 50_000, 90_000, false},
		{claude.Text, 50_001, 50_001, true},
		{codex.Text, 11_000, 12_000, false},
		{codex.Text, 11_000, 12_001, true},
		{opencode.Text, 51_200, 51_200, false},
		{opencode.Text, 51_000, 51_201, true},
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
	lines := Cut{Bytes: 9, Kept: Lines}
	for text, want := range map[string]string{"one\ntwo\nthree\n": "one\ntwo\n", "one\nseventeen\n": "one\n", "twelve bytes": ""} {
		if got := lines.Leaves(text); got != want {
			t.Errorf("%q leaves %q, want %q", text, got, want)
		}
	}
}

// Where things lie, on each system and as a person's variables move them.
func TestPlacesOnEachSystem(t *testing.T) {
	env := func(vars map[string]string) func(string) string { return func(k string) string { return vars[k] } }
	at := func(name, scope string, w Where) string {
		a, _ := Find(name)
		for _, c := range a.Configs {
			if c.Scope == scope {
				return filepath.ToSlash(c.File.At(w))
			}
		}
		return ""
	}
	for _, c := range []struct {
		name, scope, want string
		w                 Where
	}{
		{"claude-code", User, "/h/.claude.json", Where{Home: "/h"}},
		{"claude-code", Local, "/c/.claude.json", Where{Home: "/h", Getenv: env(map[string]string{"CLAUDE_CONFIG_DIR": "/c"})}},
		{"claude-code", Project, "/w/.mcp.json", Where{Home: "/h", Cwd: "/w"}},
		{"codex", User, "/h/.codex/config.toml", Where{Home: "/h"}},
		{"codex", User, "/x/config.toml", Where{Home: "/h", Getenv: env(map[string]string{"CODEX_HOME": "/x"})}},
		{"opencode", User, "/h/.config/opencode/opencode.json", Where{Home: "/h", OS: "darwin"}},
		{"gemini-cli", User, "/h/.gemini/settings.json", Where{Home: "/h"}},
		{"cursor", Project, "/w/.cursor/mcp.json", Where{Cwd: "/w"}},
		{"vscode", User, "/h/.config/Code/User/mcp.json", Where{Home: "/h", OS: "linux"}},
		{"vscode", User, "/h/Library/Application Support/Code/User/mcp.json", Where{Home: "/h", OS: "darwin"}},
		{"vscode", User, "/a/Code/User/mcp.json", Where{Home: "/h", OS: "windows", Getenv: env(map[string]string{"APPDATA": "/a"})}},
		{"claude-desktop", User, "/h/Library/Application Support/Claude/claude_desktop_config.json", Where{Home: "/h", OS: "darwin"}},
		{"cline", User, "/s/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", Where{Home: "/h", OS: "linux", Getenv: env(map[string]string{"XDG_CONFIG_HOME": "/s"})}},
		{"windsurf", User, "/h/.codeium/windsurf/mcp_config.json", Where{Home: "/h"}},
		{"windsurf", User, "", Where{}},
	} {
		if got := at(c.name, c.scope, c.w); got != c.want {
			t.Errorf("%s, %s on %q: %q, want %q", c.name, c.scope, c.w.OS, got, c.want)
		}
	}
}

// The rows are whole: who can be configured can be found by name and by scope, and
// who has transcripts says what their files are called.
func TestRowsAreWhole(t *testing.T) {
	for _, a := range All() {
		for _, c := range a.Configs {
			if c.Scope == "" || c.Form == "" || c.File.Path == "" || c.Form == TOML && len(c.Keys) != 1 {
				t.Errorf("%s: %+v", a.Name, c)
			}
			if shared := c.File.Base == InProject || c.Scope == Plugin; shared != c.Asked {
				t.Errorf("%s: %s is shared: %v, asked for: %v", a.Name, c.File.Path, shared, c.Asked)
			}
		}
		if tr := a.Transcripts; (tr.Dir.Path != "") != (tr.File != "") || tr.File == "" && tr.Session+tr.Thread != "" {
			t.Errorf("%s: %+v", a.Name, tr)
		}
		if p, ok := Program("/usr/bin/" + a.Command + ".exe"); a.Command != "" && (!ok || p.Name != a.Name) {
			t.Errorf("%s is started by %q, which is %q", a.Name, a.Command, p.Name)
		}
	}
	if _, ok := Program("/bin/"); ok {
		t.Error("nothing is an agent's program")
	}
}
