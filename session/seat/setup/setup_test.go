package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
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
		{"codex", codex, "chrome-devtools playwright", []string{
			"args = [\"mcp\", \"--\", \"npx\", \"@playwright/mcp\", \"--headless\"]\ncommand = \"/opt/snap scope/snapscope\"\nstartup_timeout_sec = 60", "[mcp_servers.files]\ncommand = \"files\"\n\n", "# mine",
		}},
		{"opencode", opencode, "playwright", []string{`"timeout":600000,"command":["/opt/snap scope/snapscope", "mcp", "--", "npx", "@playwright/mcp"]`}},
	} {
		a, err := Find(c.agent)
		if err != nil {
			t.Fatal(err)
		}
		out, changed, err := a.Wrap([]byte(c.data), "", seatArgv)
		if err != nil || strings.Join(changed, " ") != c.changed {
			t.Fatalf("%s: changed %v, %v", c.agent, changed, err)
		}
		for _, w := range c.want {
			if !strings.Contains(string(out), w) {
				t.Errorf("%s: lacks %s\n%s", c.agent, w, out)
			}
		}
		if _, _, err := a.Wrap(out, "", seatArgv); !errors.Is(err, ErrNothing) {
			t.Errorf("%s: wrapped twice: %v", c.agent, err)
		}
		back, changed, err := a.Unwrap(out, "")
		if err != nil || strings.Join(changed, " ") != c.changed {
			t.Fatalf("%s: taken back %v, %v", c.agent, changed, err)
		}
		now, err := a.form.servers(back)
		if err != nil {
			t.Fatal(err)
		}
		was, _ := a.form.servers([]byte(c.data))
		for i := range was {
			if strings.Join(now[i].argv, "|") != strings.Join(was[i].argv, "|") {
				t.Errorf("%s: %v came back as %v", c.agent, was[i].argv, now[i].argv)
			}
		}
		if _, _, err := a.Wrap([]byte(c.data), "nowhere", seatArgv); err == nil || !strings.Contains(err.Error(), "playwright") {
			t.Errorf("%s: an unknown server: %v", c.agent, err)
		}
	}
}

// A program that wrote its file anew between the two finds it, after both, as it
// would have written it had there been no seat.
func TestAFileThatWasWrittenAnewBetween(t *testing.T) {
	a, err := Find("claude-code")
	if err != nil {
		t.Fatal(err)
	}
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
		out, _, err := a.Wrap(from, "", seatArgv)
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := a.Unwrap(anew(out), "")
		if want := anew(from); err != nil || !bytes.Equal(back, want) {
			t.Errorf("%v; got\n%s\nwant\n%s", err, back, want)
		}
	}
}

func TestWhatIsLeftAlone(t *testing.T) {
	for agent, bad := range map[string]string{
		"claude-code": "{ // a comment\n}", "opencode": `{"mcp":`, "codex": "[mcp_servers.x]\ncommand = 1\n",
	} {
		a, err := Find(agent)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := a.Wrap([]byte(bad), "", seatArgv); err == nil {
			t.Errorf("%s: %q was changed", agent, bad)
		}
		if lines := a.Lines("playwright", seatArgv, []string{"npx", "x"}); !strings.Contains(lines, "snapscope") || !strings.Contains(lines, "npx") {
			t.Errorf("%s: lines %s", agent, lines)
		}
	}
	codex, _ := Find("codex")
	inline := "mcp_servers = { playwright = { command = \"npx\", args = [\"@playwright/mcp\"] } }\n"
	if _, _, err := codex.Wrap([]byte(inline), "", seatArgv); !errors.Is(err, errByHand) {
		t.Errorf("an inline table: %v", err)
	}
	if _, err := Find("emacs"); err == nil || !strings.Contains(err.Error(), "codex") {
		t.Errorf("an unknown agent: %v", err)
	}
}

func FuzzTOML(f *testing.F) {
	f.Add(codex)
	f.Add("[mcp_servers.a]\ncommand=\"x\"\nargs=[")
	f.Fuzz(func(t *testing.T, data string) {
		a, _ := Find("codex")
		out, _, err := a.Wrap([]byte(data), "", seatArgv)
		if err != nil {
			return
		}
		if _, _, err := a.Unwrap(out, ""); err != nil {
			t.Fatalf("%q became %q: %v", data, out, err)
		}
	})
}
