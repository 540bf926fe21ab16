//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// configured are agents by the form of their configuration.
var configured = []struct {
	agent string
	draw  func(r *rand.Rand) string
}{
	{"claude-code", func(r *rand.Rand) string { return servers(r, `"mcpServers"`, false) }},
	{"opencode", func(r *rand.Rand) string { return servers(r, `"mcp"`, true) }},
	{"codex", tomlServers},
}

// install puts the proxy into random configurations and takes it out again, once and
// more often: the file is as it was, to the byte, with its mode, and a link stays one.
func install(f *field) {
	f.each(f.n(240, 9), 2, func(i int, r *rand.Rand) (string, error) {
		c := configured[i%len(configured)]
		home, env := f.home()
		file, was := filepath.Join(home, "conf"), c.draw(r)
		real, mode := file, []os.FileMode{0o600, 0o644, 0o664, 0o400}[r.IntN(4)]
		if r.IntN(4) == 0 {
			real = filepath.Join(home, "elsewhere")
			if err := os.Symlink(real, file); err != nil {
				return c.agent, err
			}
		}
		if err := errors.Join(os.WriteFile(real, []byte(was), 0o600), os.Chmod(real, mode)); err != nil {
			return c.agent, err
		}
		what := fmt.Sprintf("%s, mode %v, link %t: %s", c.agent, mode, real != file, was)
		put := false
		for range 1 + r.IntN(3) {
			e := f.do(call{args: []string{"mcp", "install", c.agent, "--file", file}, env: env, dir: home})
			if err := e.sound(0, 0); err != nil {
				return what, err
			}
			put = put || e.status == 0
		}
		now, err := os.ReadFile(real)
		if err != nil || put && string(now) == was {
			return what, errors.Join(err, errors.New("it says that it is installed, and nothing changed"))
		}
		if !put && string(now) != was {
			return what, errors.New("it failed, and changed the file")
		}
		for range 1 + r.IntN(2) {
			e := f.do(call{args: []string{"mcp", "uninstall", c.agent, "--file", file}, env: env, dir: home})
			if err := e.sound(0, 0); err != nil {
				return what, err
			}
		}
		now, err = os.ReadFile(real)
		if err != nil || string(now) != was {
			return what, errors.Join(err, fmt.Errorf("afterwards it holds %q", clip(string(now), 300)))
		}
		return what, asItWas(home, file, real, mode)
	})
}

// asItWas looks at what is not the text of a configuration: its mode, whether it is
// a link, and what lies beside it.
func asItWas(home, file, real string, mode os.FileMode) error {
	st, err := os.Stat(real)
	if err != nil || st.Mode().Perm() != mode {
		return errors.Join(err, fmt.Errorf("its mode is %v", st.Mode()))
	}
	if st, err := os.Lstat(file); real != file && (err != nil || st.Mode()&os.ModeSymlink == 0) {
		return errors.Join(err, errors.New("the link is none any more"))
	}
	entries, err := os.ReadDir(home)
	for _, e := range entries {
		if name := e.Name(); name != filepath.Base(file) && name != filepath.Base(real) && !e.IsDir() {
			return fmt.Errorf("%s is left", name)
		}
	}
	return err
}

// servers draws a configuration of JSON; whole: the command is one list.
func servers(r *rand.Rand, key string, whole bool) string {
	nl := []string{"\n", "\r\n", " ", ""}[r.IntN(4)]
	word := func() string {
		return []string{`"npx"`, `"@playwright/mcp@latest"`, `"--headless"`, `"--port"`, `"a b"`, `"\u0022q\\"`, `"日本"`, `"--config=C:\\x"`}[r.IntN(8)]
	}
	odd := func() string { return []string{word(), "8931", "true", "null", "1.5e3", `{"x":1}`}[r.IntN(6)] }
	var list []string
	for i := range 1 + r.IntN(3) {
		args := []string{`"@playwright/mcp"`}
		for range r.IntN(4) {
			args = append(args, odd())
		}
		command := `"command":` + []string{`"npx"`, `"/usr/bin/npx"`}[r.IntN(2)] + `,` + nl + `"args": [` + strings.Join(args, ", ") + `]`
		if whole {
			command = `"type":"local","command":["npx",` + strings.Join(args, ",") + `]`
		}
		if i > 0 && r.IntN(2) == 0 {
			command = []string{`"url":"http://127.0.0.1:1/mcp"`, `"command":"other","args":[1,{"a":[]}]`, `"command":["x"]`}[r.IntN(3)]
		}
		extra := []string{"", `,"env":{"A":"b"}`, `,"enabled":true,"x":[1,2.50,-0]`, `,"timeout":600000`}[r.IntN(4)]
		list = append(list, fmt.Sprintf(`"%s%d": {%s%s%s%s}`, []string{"playwright", "browser", "p\\u0041"}[r.IntN(3)], i, nl, command, extra, nl))
	}
	before := []string{"", `"numStartups": 12345678901234567890,` + nl, `"theme":"dark",` + nl + `"projects":{"/x":{"mcpServers":{}}},`}[r.IntN(3)]
	after := []string{"", `,"last":[ ]`, "," + nl + `"dup":1,"dup":2`}[r.IntN(3)]
	return "{" + nl + before + key + " : {" + nl + strings.Join(list, ","+nl) + nl + "}" + after + nl + "}" + []string{"", "\n", "\n\n"}[r.IntN(3)]
}

// tomlServers draws a configuration of TOML.
func tomlServers(r *rand.Rand) string {
	nl := []string{"\n", "\r\n"}[r.IntN(2)]
	var b strings.Builder
	b.WriteString([]string{"", "# mine" + nl, `model = "x" # "mcp"` + nl, `s = """` + nl + `[mcp_servers.no]` + nl + `"""` + nl}[r.IntN(4)])
	for i := range 1 + r.IntN(3) {
		fmt.Fprintf(&b, "[mcp_servers.%s]%s", []string{"playwright", `"play wright"`, "browser"}[i%3], nl)
		lines := []string{`command = "npx"`, []string{`args = ["@playwright/mcp"]`, "args = [" + nl + `  "@playwright/mcp", # it` + nl + `  '--headless',` + nl + "]", `args = ["@playwright/mcp", "--port", "8931"]`}[r.IntN(3)]}
		if r.IntN(3) == 0 {
			lines = append(lines, "startup_timeout_sec = 60")
		}
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		b.WriteString(strings.Join(lines, nl) + nl)
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "%s[mcp_servers.%s.env]%sA = 'b'%s", nl, []string{"playwright", `"play wright"`, "browser"}[i%3], nl, nl)
		}
	}
	return strings.TrimSuffix(b.String(), []string{"", nl}[r.IntN(2)])
}
