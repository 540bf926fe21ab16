package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"snapscope/session/agents"
)

var seatArgv = []string{"/opt/snap scope/snapscope", "mcp", "--"}

const claude = `{
  "numStartups": 12345678901234567890, "tipsHistory": {"<b>": 1.0},
  "mcpServers": {
    "playwright": { "type": "stdio", "args": ["@playwright/mcp@latest", "--headless"], "command": "npx", "env": {} },
    "other": {"command": "node", "args": ["x.js"]},
    "remote": {"type": "http", "url": "https://x"},
    "bare": {"command":"browser-mcp"}
  },
  "projects": {}
}
`

const codex = `model = "gpt"   # mine
[mcp_servers.files]
command = "files"

[mcp_servers.playwright]   # the browser
args = [ "@playwright/mcp",   # with a comment ]
  "--headless",
]
command = 'npx'
startup_timeout_sec = 60

[mcp_servers.playwright.env]
A = "1"

[mcp_servers."chrome-devtools"]
command = "npx"
args = ["chrome-devtools-mcp"]
`

const opencode = `{"$schema":"x","mcp":{"playwright":{"type":"local","timeout":600000,"command":["npx","@playwright/mcp"]},"r":{"type":"remote","url":"u"}}}`

// file is a configuration of an agent, all its places in it.
func file(t testing.TB, agent string) File {
	t.Helper()
	a, ok := agents.Find(agent)
	if !ok || len(a.Configs) == 0 {
		t.Fatalf("no configuration of %s is known", agent)
	}
	f := File{Path: "x", Agent: a, Cwd: "/home/me/shop"}
	for _, c := range a.Configs {
		if !slices.ContainsFunc(f.Places, func(o agents.Config) bool { return slices.Equal(o.Keys, c.Keys) }) {
			f.Places = append(f.Places, c)
		}
	}
	return f
}

func names(list []Server) string {
	var out []string
	for _, s := range list {
		out = append(out, s.Name)
	}
	return strings.Join(out, " ")
}

func TestWrapAndUnwrap(t *testing.T) {
	for _, c := range []struct {
		agent, data string
		changed     string
		want        []string
	}{
		{"claude-code", claude, "playwright bare", []string{
			`"args": ["mcp", "--", "npx", "@playwright/mcp@latest", "--headless"], "command": "/opt/snap scope/snapscope", "env": {}`,
			`"bare": {"command":"/opt/snap scope/snapscope","args":["mcp", "--", "browser-mcp"]}`, `"numStartups": 12345678901234567890`,
		}},
		{"codex", codex, "playwright chrome-devtools", []string{
			"args = [ \"mcp\", \"--\", 'npx', \"@playwright/mcp\",   # with a comment ]\n  \"--headless\",\n]\ncommand = \"/opt/snap scope/snapscope\"\nstartup_timeout_sec = 60", "[mcp_servers.files]\ncommand = \"files\"\n\n", "# mine",
		}},
		{"opencode", opencode, "playwright", []string{`"timeout":600000,"command":["/opt/snap scope/snapscope", "mcp", "--", "npx","@playwright/mcp"]`}},
	} {
		f := file(t, c.agent)
		out, changed, err := f.Wrap([]byte(c.data), "", Proxy{Argv: seatArgv})
		if err != nil || names(changed) != c.changed {
			t.Fatalf("%s: changed %v, %v", c.agent, names(changed), err)
		}
		for _, w := range c.want {
			if !strings.Contains(string(out), w) {
				t.Errorf("%s: lacks %s\n%s", c.agent, w, out)
			}
		}
		if _, _, err := f.Wrap(out, "", Proxy{Argv: seatArgv}); !errors.Is(err, ErrNothing) {
			t.Errorf("%s: wrapped twice: %v", c.agent, err)
		}
		back, changed, err := f.Unwrap(out, "")
		if err != nil || names(changed) != c.changed {
			t.Fatalf("%s: taken back %v, %v", c.agent, names(changed), err)
		}
		now, err := f.Servers(back)
		if err != nil {
			t.Fatal(err)
		}
		was, _ := f.Servers([]byte(c.data))
		for i := range was {
			if strings.Join(now[i].Argv, "|") != strings.Join(was[i].Argv, "|") {
				t.Errorf("%s: %v came back as %v", c.agent, was[i].Argv, now[i].Argv)
			}
		}
		if _, _, err := f.Wrap([]byte(c.data), "nowhere", Proxy{Argv: seatArgv}); err == nil || !strings.Contains(err.Error(), "playwright") {
			t.Errorf("%s: an unknown server: %v", c.agent, err)
		}
	}
}

// A program that wrote its file anew between the two finds it, after both, as it
// would have written it had there been no seat.
func TestAFileThatWasWrittenAnewBetween(t *testing.T) {
	f := file(t, "claude-code")
	anew := func(data []byte) []byte {
		var b bytes.Buffer
		if err := json.Indent(&b, bytes.Replace(data, []byte("12345678901234567890"), []byte("12345678901234567891"), 1), "", "  "); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	was := strings.ReplaceAll(claude, `,
    "bare": {"command":"browser-mcp"}`, "")
	for _, from := range [][]byte{[]byte(was), anew([]byte(was))} {
		out, _, err := f.Wrap(from, "", Proxy{Argv: seatArgv})
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := f.Unwrap(anew(out), "")
		if want := anew(from); err != nil || !bytes.Equal(back, want) {
			t.Errorf("%v; got\n%s\nwant\n%s", err, back, want)
		}
	}
}

func TestWhatIsLeftAlone(t *testing.T) {
	for agent, bad := range map[string]string{
		"claude-code": `{"mcpServers": {"playwright": "npx" }`, "opencode": `{"mcp":`, "codex": "[mcp_servers.x]\ncommand = 1\n",
	} {
		f := file(t, agent)
		if _, _, err := f.Wrap([]byte(bad), "", Proxy{Argv: seatArgv}); err == nil {
			t.Errorf("%s: %q was changed", agent, bad)
		}
		if lines := Lines(f.Agent, "playwright", seatArgv, []string{"npx", "x"}); !strings.Contains(lines, "snapscope") || !strings.Contains(lines, "npx") {
			t.Errorf("%s: lines %s", agent, lines)
		}
	}
	inline := "mcp_servers = { playwright = { command = \"npx\", args = [\"@playwright/mcp\"] } }\n"
	if _, _, err := file(t, "codex").Wrap([]byte(inline), "", Proxy{Argv: seatArgv}); !errors.Is(err, errByHand) {
		t.Errorf("an inline table: %v", err)
	}
}

func FuzzTOML(f *testing.F) {
	f.Add(codex)
	f.Add("[mcp_servers.a]\ncommand=\"x\"\nargs=[")
	f.Fuzz(func(t *testing.T, data string) { thereAndBack(t, file(t, "codex"), data) })
}

func FuzzJSON(f *testing.F) {
	f.Add(claude)
	f.Add("{\"mcpServers\":{\"a\":{\"command\":\"browser\",\"args\":[/* , */ \"x\",],}}}")
	f.Fuzz(func(t *testing.T, data string) { thereAndBack(t, file(t, "cursor"), data) })
}

// thereAndBack holds whatever a configuration says: what is put in comes out again, and
// nothing else has changed.
func thereAndBack(t *testing.T, f File, data string) {
	out, changed, err := f.Wrap([]byte(data), "", Proxy{Argv: seatArgv, URL: "http://127.0.0.1:8793"})
	if err != nil {
		return
	}
	back, _, err := f.Unwrap(out, "")
	if err != nil {
		t.Fatalf("%q became %q: %v", data, out, err)
	}
	if len(f.Proxied([]byte(data))) > 0 { // it had some already
		return
	}
	if !f.Same([]byte(data), out) {
		t.Fatalf("%q became %q, which is not known again", data, out)
	}
	made := slices.ContainsFunc(changed, func(s Server) bool { return len(s.Argv) == s.Proxy+1 }) // a list may have been made
	if !made && string(back) != data {
		t.Fatalf("%q came back as %q", data, back)
	}
}
