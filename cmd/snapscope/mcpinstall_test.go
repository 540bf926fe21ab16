package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/replay/proxy/setup"
	"snapscope/session/agents"
)

// jsonConfigurations are configurations as people have them: KEY stands for the object
// that holds the servers, URL for the key of an address, one(…) for a command.
var jsonConfigurations = map[string]string{
	"plain":                     "{\n  \"KEY\": {\n    \"playwright\": {\n      ONE(npx|@playwright/mcp@latest|--headless)\n    }\n  }\n}\n",
	"a word a line":             "{\n\t\"KEY\": {\n\t\t\"playwright\": {\n\t\t\tLINES(npx|@playwright/mcp@latest)\n\t\t}\n\t}\n}\n",
	"comments":                  "// my servers\n{\n  /* \"KEY\": {} */\n  \"KEY\": { // \"playwright\"\n    \"playwright\": { ONE(npx|@playwright/mcp) /* , */ }\n  }\n}\n",
	"trailing commas":           "{\n  \"KEY\": {\n    \"playwright\": {\n      ONE(npx|@playwright/mcp),\n      \"env\": {\"A\": \"1\",},\n    },\n  },\n}\n",
	"other servers":             "{\"a\": 1.50, \"KEY\": {\"files\": {ONE(files|/home)}, \"playwright\": {ONE(npx|@playwright/mcp)}, \"notes\": {ONE(notes)}}, \"z\": [1, 2]}",
	"arguments of all kinds":    "{\"KEY\": {\"playwright\": {ARGS(\"npx\"|\"@playwright/mcp\"|\"--port\"|8931|true|null|\"\\u0041\\/\")}}}",
	"an env block":              "{\"KEY\": {\"playwright\": {\"env\": {\"PATH\": \"/x:/y\", \"command\": \"no\"}, ONE(npx|@playwright/mcp), \"timeout\": 600000}}}",
	"CRLF":                      "{\r\n  \"KEY\": {\r\n    \"playwright\": {\r\n      LINES(npx|@playwright/mcp)\r\n    }\r\n  }\r\n}\r\n",
	"a byte order mark":         "\xef\xbb\xbf{\"KEY\": {\"playwright\": {ONE(npx|@playwright/mcp)}}}\n",
	"no arguments":              "{\"KEY\": {\"browser\":{BARE(browser-mcp)}}}",
	"HTTP servers":              "{\"KEY\": {\"web\": {\"type\": \"http\", \"URL\": \"https://h.test/mcp?a=1\", \"headers\": {\"Authorization\": \"Bearer x\"}}, \"playwright\": {ONE(npx|@playwright/mcp)}}}",
	"an HTTP server of its own": "{\"KEY\": {\"playwright\": {\"URL\": \"http:\\/\\/localhost:8931/mcp\"}}}",
}

// tomlConfigurations are the same for Codex.
var tomlConfigurations = map[string]string{
	"plain":                     "[mcp_servers.playwright]\ncommand = \"npx\"\nargs = [\"@playwright/mcp@latest\", \"--headless\"]\n",
	"a word a line":             "[mcp_servers.playwright]\ncommand = \"npx\"\nargs = [\n  \"@playwright/mcp\",\n  \"--headless\"\n]\n",
	"comments":                  "# mine\n[mcp_servers.playwright] # the browser\ncommand = \"npx\" # with npm\nargs = [ # all\n  \"@playwright/mcp\", # the server ]\n]\n",
	"trailing commas":           "[mcp_servers.playwright]\ncommand = \"npx\"\nargs = [\"@playwright/mcp\", \"--headless\",]\n",
	"other servers":             "model = \"x\"\n\n[mcp_servers.files]\ncommand = \"files\"\n\n[mcp_servers.playwright]\nargs = ['@playwright/mcp']\ncommand = 'npx'\n\n[mcp_servers.notes]\ncommand = \"notes\"\n",
	"arguments of all kinds":    "[mcp_servers.playwright]\ncommand = \"npx\"\nargs = [\"@playwright/mcp\", \"--port\", 8931, true, 'C:\\x']\n",
	"an env block":              "[mcp_servers.playwright]\ncommand = \"npx\"\nargs = [\"@playwright/mcp\"]\n\n[mcp_servers.playwright.env]\ncommand = \"no\"\n",
	"CRLF":                      "[mcp_servers.playwright]\r\ncommand = \"npx\"\r\nargs = [\r\n  \"@playwright/mcp\",\r\n]\r\n",
	"a byte order mark":         "\xef\xbb\xbf[mcp_servers.playwright]\ncommand = \"npx\"\nargs = [\"@playwright/mcp\"]\n",
	"no arguments":              "[mcp_servers.browser]\r\ncommand = \"browser-mcp\" # alone\r\nstartup_timeout_sec = 60\r\n",
	"HTTP servers":              "[mcp_servers.web]\nurl = \"https://h.test/mcp?a=1\"\n\n[mcp_servers.playwright]\ncommand = \"npx\"\nargs = [\"@playwright/mcp\"]\n",
	"an HTTP server of its own": "[mcp_servers.playwright]\nurl = 'http://localhost:8931/mcp'\n",
}

// written is a configuration as an agent writes it.
func written(text string, c agents.Config, folder string) string {
	key := c.Keys[len(c.Keys)-1]
	for _, form := range []struct{ name, between string }{{"ONE(", ", "}, {"LINES(", "\n"}, {"ARGS(", ", "}, {"BARE(", ""}} {
		for {
			before, rest, ok := strings.Cut(text, form.name)
			if !ok {
				break
			}
			inner, after, _ := strings.Cut(rest, ")")
			words := strings.Split(inner, "|")
			if form.name != "ARGS(" {
				for i := range words {
					words[i] = `"` + words[i] + `"`
				}
			}
			between, open, end := form.between, "[", "]"
			if between == "\n" {
				eol := before[strings.LastIndexByte(before, '\n'):]
				if strings.Contains(before, "\r\n") {
					eol = "\r" + eol
				}
				between, open, end = ","+eol+"  ", "["+eol+"  ", eol+"]"
			}
			all := `"command": ` + words[0]
			switch {
			case c.Whole:
				all = `"command": ` + open + strings.Join(words, between) + end
			case form.name != "BARE(":
				all += `, "args": ` + open + strings.Join(words[1:], between) + end
			}
			text = before + all + after
		}
	}
	url := c.URL
	if url == "" {
		url = "url"
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "KEY", key), "URL", url)
	if len(c.Keys) > 1 { // a local scope: the folder's own object
		head, body, _ := strings.Cut(text, "{")
		text = head + `{"projects": {"` + folder + `": {` + strings.TrimRight(body, "\r\n") + "}}\n"
	}
	return text
}

// Each agent's configurations, in each of its scopes: install, install once more, with
// a policy, and uninstall give the file back to the byte, with its permissions and its
// owner; a link stays a link.
func TestInstallAndBackOnEveryConfiguration(t *testing.T) {
	tried := 0
	for _, ag := range agents.All() {
		for i, c := range ag.Configs {
			all := jsonConfigurations
			if c.Form == agents.TOML {
				all = tomlConfigurations
			}
			if len(c.Keys) == 0 {
				continue // a plugin's file with its servers at the top: below
			}
			for name, text := range all {
				t.Run(fmt.Sprintf("%s/%d-%s/%s", ag.Name, i, c.Scope, name), func(t *testing.T) {
					there(t, ag, c, name, written(text, c, "/home/me/shop"))
				})
				tried++
			}
		}
	}
	if tried < 10*9 {
		t.Errorf("only %d configurations were tried", tried)
	}
	claude, _ := agents.Find("claude-code")
	there(t, claude, agents.Config{Form: agents.JSON}, "a plugin's", "{\n  \"playwright\": {\"command\": \"npx\", \"args\": [\"@playwright/mcp@latest\"]}\n}\n")
}

// there installs and takes back.
func there(t *testing.T, ag agents.Agent, c agents.Config, name, text string) {
	t.Helper()
	dir := t.TempDir()
	real, path := filepath.Join(dir, "real"), filepath.Join(dir, "config")
	if err := os.WriteFile(real, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(real, 1234, 2345); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(real, path); err != nil {
		t.Fatal(err)
	}
	was := stateOf(t, path)
	file := setup.File{Path: path, Agent: ag, Places: []agents.Config{c}, Cwd: "/home/me/shop"}
	f := installFlags{listen: "127.0.0.1:8793"}
	p := setup.Proxy{Argv: []string{"/opt/snapscope", "mcp", "--"}}
	if name == "an HTTP server of its own" {
		f.server, p.URL = "playwright", "http://127.0.0.1:8793"
	}
	var said bytes.Buffer
	if err := installIn(file, f, p, &said); err != nil {
		t.Fatalf("install: %v\n%s", err, text)
	}
	once := stateOf(t, path)
	if list := file.Proxied([]byte(once.text)); len(list) != 1 || !related(t, file, text, list[0]) {
		t.Fatalf("installed before %+v:\n%s", list, once.text)
	}
	if name == "HTTP servers" && !strings.Contains(once.text, `"https://h.test/mcp?a=1"`) {
		t.Errorf("a server that nobody named was changed:\n%s", once.text)
	}
	if f.server != "" && !strings.Contains(said.String(), "snapscope mcp --listen 127.0.0.1:8793 --to http://localhost:8931/mcp\n") {
		t.Errorf("what has to run is not said: %s", said.String())
	}
	if err := installIn(file, f, p, io.Discard); !errors.Is(err, setup.ErrNothing) {
		t.Errorf("the second install: %v", err)
	}
	if again := stateOf(t, path); again != once {
		t.Errorf("the second install made %+v of %+v", again, once)
	}
	if f.server == "" {
		p.Argv = []string{"/opt/snapscope", "mcp", "--policy", "fold", "--"}
		if err := installIn(file, f, p, io.Discard); err != nil {
			t.Fatalf("install with a policy: %v", err)
		}
		if now := stateOf(t, path); strings.Count(now.text, `"mcp", "--policy"`)+strings.Count(strings.Join(strings.Fields(now.text), " "), `"mcp", "--policy"`) == 0 || len(file.Proxied([]byte(now.text))) != 1 {
			t.Errorf("with a policy:\n%s", now.text)
		}
	}
	said.Reset()
	if err := uninstallIn(file, installFlags{}, &said); err != nil {
		t.Fatalf("uninstall: %v", err)
	}
	if back := stateOf(t, path); back != was {
		t.Errorf("back is %+v\nwant    %+v", back, was)
	}
	if !strings.Contains(said.String(), "to the byte") {
		t.Errorf("uninstall says %q", said.String())
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
	if err := uninstallIn(file, installFlags{}, io.Discard); !errors.Is(err, setup.ErrNothing) {
		t.Errorf("the second uninstall: %v", err)
	}
}

// related reports whether a server behind a proxy is one of those in a text.
func related(t *testing.T, f setup.File, text string, s setup.Server) bool {
	t.Helper()
	all, err := f.Servers([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if o.Name == s.Name && (o.Argv != nil && strings.Join(o.Argv, "\n") == strings.Join(s.Argv[s.Proxy:], "\n") || o.Argv == nil && o.URL == s.Behind) {
			return true
		}
	}
	return false
}

// fileState is all of a file that has to stay.
type fileState struct {
	text  string
	mode  os.FileMode
	link  bool
	owner string
}

func stateOf(t *testing.T, path string) fileState {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fileState{string(b), st.Mode(), l.Mode()&os.ModeSymlink != 0, ownerOf(st)}
}

// Two installs of different servers, and an uninstall of one and of all.
func TestTheCopyIsTheFileBeforeTheFirstInstall(t *testing.T) {
	claude, _ := agents.Find("claude-code")
	text := "{ \"mcpServers\": {\n  \"playwright\": {\"command\": \"npx\", \"args\": [\"@playwright/mcp\"]},\n  \"files\": {\"command\": \"files\"}\n} }\n"
	for _, by := range [][]string{{""}, {"files", ""}, {"playwright", "files"}, {"files", "playwright"}} {
		path := filepath.Join(t.TempDir(), "claude.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		file := setup.File{Path: path, Agent: claude, Places: claude.Configs[:1]}
		p := setup.Proxy{Argv: []string{"/opt/snapscope", "mcp", "--"}}
		for _, server := range []string{"playwright", "files"} {
			if err := installIn(file, installFlags{server: server}, p, io.Discard); err != nil {
				t.Fatal(err)
			}
		}
		if copied, err := os.ReadFile(path + backupEnd); err != nil || string(copied) != text {
			t.Errorf("the copy is %q, %v", copied, err)
		}
		for i, server := range by {
			if err := uninstallIn(file, installFlags{server: server}, io.Discard); err != nil {
				t.Fatal(err)
			}
			now, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, gone := os.Stat(path + backupEnd)
			if last := i == len(by)-1; last != os.IsNotExist(gone) || last != (len(file.Proxied(now)) == 0) {
				t.Errorf("%v, %d: the copy: %v; the file: %s", by, i, gone, now)
			}
			if i == len(by)-1 && !strings.Contains(string(now), `"files": {"command": "files"`) {
				t.Errorf("%v: the file became %s", by, now)
			}
		}
		if now, err := os.ReadFile(path); by[0] == "" && (err != nil || string(now) != text) {
			t.Errorf("the file became %s, %v", now, err)
		}
	}
}

// A copy that is a link, or a folder, is somebody else's: nothing is written through it.
func TestACopyThatIsALinkIsLeftAlone(t *testing.T) {
	claude, _ := agents.Find("claude-code")
	dir := t.TempDir()
	path, precious := filepath.Join(dir, "claude.json"), filepath.Join(dir, "precious")
	text := `{"mcpServers": {"playwright": {"command": "npx", "args": ["@playwright/mcp"]}}}`
	for file, b := range map[string]string{path: text, precious: "mine"} {
		if err := os.WriteFile(file, []byte(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(precious, path+backupEnd); err != nil {
		t.Fatal(err)
	}
	file := setup.File{Path: path, Agent: claude, Places: claude.Configs[:1]}
	if err := installIn(file, installFlags{}, setup.Proxy{Argv: []string{"/opt/snapscope", "mcp", "--"}}, io.Discard); err == nil || !strings.Contains(err.Error(), "remove it first") {
		t.Errorf("install: %v", err)
	}
	for file, want := range map[string]string{path: text, precious: "mine"} {
		if b, err := os.ReadFile(file); err != nil || string(b) != want {
			t.Errorf("%s became %s, %v", file, b, err)
		}
	}
}
