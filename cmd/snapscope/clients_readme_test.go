//go:build live

package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy"
	"snapscope/replay/proxy/api/apitest"
)

// readmeLines are the lines of the README's block for a client.
func readmeLines(t *testing.T, client string) []string {
	t.Helper()
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(b), "```sh\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		if lines := strings.Split(strings.TrimSpace(text), "\n"); strings.Contains(text, "snapscope mcp install "+client) {
			return lines
		}
	}
	t.Fatalf("the README has no lines for %s", client)
	return nil
}

// TestReadmeLive carries out the README's lines as they stand, each in a shell; the
// agent's in the background, and the one for another terminal while it runs.
func TestReadmeLive(t *testing.T) {
	for _, c := range []struct{ client, name string }{{"claude", "claude-code"}, {"codex", "codex"}, {"opencode", "opencode"}} {
		t.Run(c.client, func(t *testing.T) {
			lines := readmeLines(t, c.name)
			if len(lines) != 5 {
				t.Fatalf("%d lines, not five", len(lines))
			}
			s := bigTable(t, 20)
			model := &apitest.Model{Script: twoRows(s, 3, 17), Behave: func(n int) apitest.Behaviour {
				if n == 5 {
					return apitest.Behaviour{Delay: 6 * time.Second} // time to attach
				}
				return apitest.Behaviour{}
			}}
			srv := httptest.NewServer(model)
			defer srv.Close()
			sh := newShell(t, c.client, srv.URL)
			sh.run(lines[0])
			before := sh.config(c.client)
			sh.run(lines[1])
			if text := string(sh.config(c.client)); !strings.Contains(text, `"mcp"`) || text == string(before) {
				t.Errorf("installing changed nothing:\n%s", text)
			}
			agent := sh.start(lines[2])
			ended := make(chan struct{})
			go func() { _ = agent.Wait(); close(ended) }()
			listed := ""
			for running := true; running && !strings.Contains(listed, s.URL); {
				listed = sh.run(lines[3])
				select {
				case <-ended:
					running = false
				case <-time.After(200 * time.Millisecond):
				}
			}
			<-ended
			if !strings.Contains(listed, "Playwright") || !strings.Contains(listed, s.URL) {
				t.Errorf("the list while it runs:\n%s", listed)
			}
			if n := s.clicks.Load(); n != 2 {
				t.Errorf("the page saw %d clicks\n%s\n%s", n, agent.Stdout, sh.config(c.client))
			}
			changed := string(sh.config(c.client))
			sh.run(lines[4])
			after := sh.config(c.client)
			if c.client == "claude" { // it counts its starts in the file, and more: the servers must be as they were
				before, after = serversOf(t, before), serversOf(t, after)
			}
			if string(after) != string(before) || bytes.Contains(after, []byte("snapscope")) {
				t.Errorf("uninstalling left\n%s\nof\n%s\nwhich was\n%s", after, changed, before)
			}
		})
	}
}

// serversOf is the text of Claude Code's servers in its configuration.
func serversOf(t *testing.T, config []byte) []byte {
	t.Helper()
	s, ok := proxy.Find(config, "mcpServers")
	if !ok {
		t.Fatalf("no servers in\n%s", config)
	}
	return s.Of(config)
}

// shell runs lines with nothing of the person's around: programs of its own in the
// PATH, an empty home, keys that are none.
type shell struct {
	t    *testing.T
	home string
	env  []string
}

func newShell(t *testing.T, client, model string) *shell {
	t.Helper()
	home, err := os.MkdirTemp("", "l")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeBusy(home) })
	bin := filepath.Join(home, "bin")
	put := func(name, text string, mode os.FileMode) {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	// npx would ask the registry: here it starts what was fetched.
	server := playwrightMCP(t, home)
	put("bin/npx", "#!/bin/sh\nshift\nexec '"+strings.Join(server, "' '")+"' \"$@\"\n", 0o700)
	for name, program := range map[string]string{"snapscope": liveBinary(t), client: clientProgram(t, client)} {
		if err := os.Symlink(program, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	s := &shell{t: t, home: home, env: append(bareEnv(home, ""), "PATH="+bin+":"+os.Getenv("PATH"))}
	switch client {
	case "claude":
		s.env = append(s.env, claudeEnv(model)...)
	case "codex":
		put(".codex/config.toml", "model = \"m\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\nname = \"scripted\"\nbase_url = \""+model+"/v1\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n", 0o600)
		s.env = append(s.env, "OPENAI_API_KEY=dummy")
		if out, err := exec.Command("git", "init", "-q", home).CombinedOutput(); err != nil {
			t.Fatalf("git: %v %s", err, out)
		}
	case "gemini":
		put(".gemini/.keep", "", 0o600)
		s.env = append(s.env, "GEMINI_API_KEY=dummy", "GEMINI_CLI_TRUST_WORKSPACE=true")
	case "opencode":
		put("model.json", `{"model": "scripted/m", "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "`+model+`/v1", "apiKey": "dummy"}, "models": {"m": {}}}}}`, 0o600)
		s.env = append(append(s.env, opencodeEnv...), "OPENCODE_CONFIG="+filepath.Join(home, "model.json"))
	}
	return s
}

// put writes a file below the home.
func (s *shell) put(name, text string) (file string) {
	s.t.Helper()
	file = filepath.Join(s.home, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return file
}

func (s *shell) start(line string) *exec.Cmd {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Minute)
	s.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.home, s.env, 5*time.Second
	out := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return cmd
}

func (s *shell) run(line string) string {
	s.t.Helper()
	cmd := s.start(line)
	err := cmd.Wait()
	out := cmd.Stdout.(*strings.Builder).String()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return out
}

// config is the client's configuration as it is.
func (s *shell) config(client string) []byte {
	s.t.Helper()
	file := map[string]string{"claude": ".claude.json", "codex": ".codex/config.toml", "opencode": "opencode.json"}[client]
	b, err := os.ReadFile(filepath.Join(s.home, file))
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}
