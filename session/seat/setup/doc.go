// Package setup puts "snapscope mcp --" before the server in the configuration of
// an agent, and takes it out again.
//
//	configuration ─▶ Wrap ─▶ the same with one command changed
//	configuration ─▶ Unwrap ─▶ the same with it changed back
//
// Both replace the few bytes of a command in the text and leave all else, comments
// and order among it, as it stands; taking back a file that nobody has touched since
// gives it back to the byte. The functions are pure: files are read and written by
// whoever calls them.
package setup

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Agent is one agent program that is configured by a file.
type Agent struct {
	Name  string // key: "claude-code"
	Title string
	// File is where the person's own configuration lies; home and getenv are those of
	// the person.
	File func(home string, getenv func(string) string) string
	form form
}

// form is how a configuration names its servers' commands.
type form interface {
	servers(data []byte) ([]entry, error)
	// lines are what a person would write by hand.
	lines(name string, argv []string) string
}

// entry is one server of a configuration.
type entry struct {
	name string
	argv []string
	set  func(argv []string) ([]byte, error) // the configuration with another command
}

// Agents is the table of those that are known.
var Agents = []Agent{
	{"claude-code", "Claude Code", func(home string, env func(string) string) string {
		if d := env("CLAUDE_CONFIG_DIR"); d != "" {
			return filepath.Join(d, ".claude.json")
		}
		return filepath.Join(home, ".claude.json")
	}, jsonForm{path: []any{"mcpServers"}}},
	{"codex", "Codex", func(home string, env func(string) string) string {
		if d := env("CODEX_HOME"); d != "" {
			return filepath.Join(d, "config.toml")
		}
		return filepath.Join(home, ".codex", "config.toml")
	}, tomlForm{}},
	{"opencode", "OpenCode", func(home string, env func(string) string) string {
		dir := env("XDG_CONFIG_HOME")
		if dir == "" {
			dir = filepath.Join(home, ".config")
		}
		return filepath.Join(dir, "opencode", "opencode.json")
	}, jsonForm{path: []any{"mcp"}, whole: true}},
}

// Find answers the agent of a name.
func Find(name string) (Agent, error) {
	var names []string
	for _, a := range Agents {
		if a.Name == name || name == "claude" && a.Name == "claude-code" {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return Agent{}, fmt.Errorf("no agent %q; there are %s", name, strings.Join(names, ", "))
}

// ErrNothing is answered where there is nothing to change.
var ErrNothing = errors.New("there is nothing to change")

// Lines are what a person would write by hand to have a server stood before.
func (a Agent) Lines(server string, seat, argv []string) string {
	return a.form.lines(server, append(slices.Clone(seat), argv...))
}

// Wrap puts a seat's command before that of the browser's servers in a
// configuration; server names the one that is meant, "" stands for all whose
// command says that it is a browser's. It answers the names of those it changed.
func (a Agent) Wrap(data []byte, server string, seat []string) (out []byte, changed []string, err error) {
	return a.each(data, server, func(e entry) []string {
		if seated(e.argv) > 0 || server == "" && !browsers(e.argv) {
			return nil
		}
		return append(slices.Clone(seat), e.argv...)
	})
}

// Unwrap takes every seat out of a configuration.
func (a Agent) Unwrap(data []byte, server string) (out []byte, changed []string, err error) {
	return a.each(data, server, func(e entry) []string {
		if n := seated(e.argv); n > 0 {
			return e.argv[n:]
		}
		return nil
	})
}

// Seated are the servers of a configuration that a seat is before.
func (a Agent) Seated(data []byte) []string {
	list, err := a.form.servers(data)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range list {
		if seated(e.argv) > 0 {
			out = append(out, e.name)
		}
	}
	return out
}

// each changes one server after the other: every change moves what comes after it.
func (a Agent) each(data []byte, server string, change func(entry) []string) ([]byte, []string, error) {
	list, err := a.form.servers(data)
	if err != nil {
		return nil, nil, err
	}
	var names, changed []string
	for i := range list {
		names = append(names, list[i].name)
	}
	if server != "" && !slices.Contains(names, server) {
		return nil, nil, fmt.Errorf("no server %q is configured; there are: %s", server, or(strings.Join(names, ", "), "none"))
	}
	for i := range list {
		now, err := a.form.servers(data)
		if err != nil || len(now) != len(list) {
			return nil, nil, fmt.Errorf("changing %s: the configuration reads otherwise afterwards: %w", list[i].name, err)
		}
		e := now[i]
		if server != "" && e.name != server {
			continue
		}
		argv := change(e)
		if argv == nil {
			continue
		}
		if data, err = e.set(argv); err != nil {
			return nil, nil, fmt.Errorf("changing %s: %w", e.name, err)
		}
		changed = append(changed, e.name)
	}
	if changed == nil {
		return nil, nil, fmt.Errorf("%w: the servers are %s", ErrNothing, or(strings.Join(names, ", "), "none"))
	}
	return data, changed, nil
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// seated is where the server's own command begins behind a seat's; 0 where there
// is no seat.
func seated(argv []string) int {
	if len(argv) < 3 || strings.TrimSuffix(filepath.Base(argv[0]), ".exe") != "snapscope" || argv[1] != "mcp" {
		return 0
	}
	return slices.Index(argv, "--") + 1
}

// browsers reports whether a command is one of a browser's server.
func browsers(argv []string) bool {
	line := strings.ToLower(strings.Join(argv, " "))
	for _, w := range []string{"playwright", "chrome-devtools", "browser", "puppeteer"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}
