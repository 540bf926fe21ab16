package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCodexIsToldByFlags(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	conf := "[mcp_servers.files]\ncommand = \"files\"\n[mcp_servers.web]\ncommand = \"/opt/snapscope\"\nargs = [\"mcp\", \"--\", \"npx\", \"@playwright/mcp\"]\n"
	if err := os.MkdirAll(filepath.Join(home, ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".codex", "config.toml"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	none := func(string) string { return "" }
	got := strings.Join(comparedAgent([]string{"/usr/bin/codex", "exec", "go"}, none), " ")
	for _, want := range []string{`/usr/bin/codex -c model_provider=snapscope`, `base_url="{url}/v1"`, `-c mcp_servers.web.env_vars=["SNAPSCOPE_GROUP", "SNAPSCOPE_POLICY"`, " exec go"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	if strings.Contains(got, "mcp_servers.files") {
		t.Errorf("a server without a seat is told of: %s", got)
	}
	for _, as := range []string{"claude -p go", "codex -c x={url} exec"} {
		if got := strings.Join(comparedAgent(strings.Fields(as), none), " "); got != as {
			t.Errorf("%s became %s", as, got)
		}
	}
}
