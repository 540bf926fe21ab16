package reply

import (
	"testing"

	"snapscope/session"
)

// What an agent asks for decides whether a tree in the answer is the page, an
// excerpt of it, or words in a text.
func TestWhatIsAskedFor(t *testing.T) {
	const tree = "- main [ref=e1]:\n  - list [ref=e2]:\n    - button \"Go\" [ref=e3]\n    - button \"Stay\" [ref=e4]"
	page := "### Page\n- Page URL: http://x/\n### Snapshot\n```yaml\n" + tree + "\n```\n### Events\n- x"
	found := "### Result\nFound 2 matches for \"Go\":\n\n- main [ref=e1]:\n  ...\n    - button \"Go\" [ref=e3]\n\n----\n\n- main [ref=e1]:\n    - button \"Gone\" [ref=e9]"
	uids := "# take_snapshot response\n## Latest page snapshot\nuid=1_0 RootWebArea \"X\"\n  uid=1_1 button \"Go\"\n"
	chromeTree := "banner \"Shop\" [ref_1]\nmain [ref_2]\n button \"Go\" [ref_3] type=\"submit\"\n link \"Home\" [ref_4] href=\"/\""
	chrome := chromeTree + "\n\nViewport: 941x853"
	stagehand := "[0-1] RootWebArea: Shop\n  [0-12] button: Go: now\n  [1-3] scrollable, div\n    [1-4] link: Home"
	type args = map[string]any
	for _, c := range []struct {
		name, tool string
		args       args
		text       string
		seen       session.Seen
		part       string // the snapshot part; empty: none
	}{
		{"find", "mcp__playwright__browser_find", args{"text": "Go"}, found, session.SeenExcerpt, found[len("### Result\nFound 2 matches for \"Go\":\n\n"):]},
		{"nothing found", "browser_find", args{"text": "Go"}, "### Result\nNo matches found for \"Go\".", "", ""},
		{"find, then events", "browser_find", args{"text": "Go"}, found + "\n### Events\n- [LOG] - x [ref=e5]", session.SeenExcerpt, found[len("### Result\nFound 2 matches for \"Go\":\n\n"):]},
		{"page", "browser_snapshot", args{}, page, session.SeenInline, tree},
		{"page with boxes", "browser_snapshot", args{"boxes": true, "target": ""}, page, session.SeenInline, tree},
		{"target", "browser_snapshot", args{"target": "e2"}, page, session.SeenExcerpt, tree},
		{"older servers' target", "browser_snapshot", args{"ref": "e2"}, page, session.SeenExcerpt, tree},
		{"depth", "browser_snapshot", args{"depth": 2.0}, page, session.SeenExcerpt, tree},
		{"a click's target", "browser_click", args{"target": "e3"}, page, session.SeenInline, tree},
		{"devtools", "take_snapshot", args{"verbose": true}, uids, session.SeenInline, uids[len("# take_snapshot response\n## Latest page snapshot\n") : len(uids)-1]},
		{"fast-playwright", "browser_click", args{"ref": "e3", "expectation": args{"snapshotOptions": args{"selector": "main"}}}, page, session.SeenExcerpt, tree},
		{"OpenClaw", "browser", args{"action": "snapshot", "target": "host", "compact": true}, tree, session.SeenInline, tree},
		{"OpenClaw, one element", "browser", args{"action": "snapshot", "selector": "#list"}, tree, session.SeenExcerpt, tree},
		{"agent-browser", "Bash", args{"command": "agent-browser snapshot -i -c"}, tree, session.SeenInline, tree},
		{"agent-browser, one element", "Bash", args{"command": "agent-browser --session a snapshot -i -s '#list'"}, tree, session.SeenExcerpt, tree},
		{"agent-browser, depth", "Bash", args{"command": "agent-browser snapshot --depth=2"}, tree, session.SeenExcerpt, tree},
		{"agent-browser's MCP", "mcp__agent-browser__agent_browser_snapshot", args{"interactive": true}, tree, session.SeenInline, tree},
		{"agent-browser's MCP, depth", "mcp__agent-browser__agent_browser_snapshot", args{"depth": 3.0}, tree, session.SeenExcerpt, tree},
		{"playwright-cli", "Bash", args{"command": "playwright-cli snapshot e2"}, tree, session.SeenExcerpt, tree},
		{"agent-browser, searched", "Bash", args{"command": "agent-browser snapshot -i 2>/dev/null | grep -i 'go'"}, "    - button \"Go\" [ref=e3]", session.SeenExcerpt, "    - button \"Go\" [ref=e3]"},
		{"agent-browser, its first lines", "Bash", args{"command": "agent-browser snapshot -i | head -4"}, tree, session.SeenExcerpt, tree},
		{"agent-browser, fewer than that", "Bash", args{"command": "agent-browser snapshot -i | head -n 80"}, tree, session.SeenInline, tree},
		{"Codex's standard input", "write_stdin", args{"session_id": 7.0, "chars": "agent-browser snapshot -i\n"}, "Chunk ID: 1\nWall time: 0.2 seconds\nOutput:\n" + tree, session.SeenInline, tree},
		{"Claude in Chrome", "mcp__claude-in-chrome__read_page", args{"tabId": 453242428.0, "filter": "interactive"}, chrome, session.SeenInline, chromeTree},
		{"Claude in Chrome, one element", "mcp__claude-in-chrome__read_page", args{"tabId": 453242428.0, "ref_id": "ref_2"}, chrome, session.SeenExcerpt, chromeTree},
		{"Claude in Chrome, found", "mcp__claude-in-chrome__find", args{"tabId": 453242428.0, "query": "go"}, "Found 1 matching element\n\n- ref_3: button \"Go\" (button) - This goes", session.SeenExcerpt, "- ref_3: button \"Go\" (button) - This goes"},
		{"Claude in Chrome, its text", "mcp__claude-in-chrome__get_page_text", args{"tabId": 453242428.0}, chrome, "", ""},
		{"Stagehand", "ariaTree", args{}, "Accessibility Tree:\n" + stagehand, session.SeenInline, stagehand},
		{"a script's text", "browser_evaluate", args{"function": "() => x"}, "### Result\n" + tree, "", ""},
		{"a script's text in a fence", "evaluate_script", args{"function": "() => x"}, "Script ran on page and returned:\n```json\n" + tree + "\n```", "", ""},
		{"a script's text in a command", "Bash", args{"command": "agent-browser eval 'x'"}, tree, "", ""},
		{"a script, then the page", "browser_evaluate", args{"function": "() => x"}, "### Result\n\"- a [ref=e77]\"\n" + page, session.SeenInline, tree},
		{"the console", "browser_console_messages", args{}, "### Result\n[LOG] this is it\n" + tree, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := Explain(c.tool, c.args, false)
			r := Read(call, c.text)
			if r.Seen != c.seen || r.Snap != c.part || r.Found != (c.part != "") || r.Before+r.Snap+r.After != c.text {
				t.Errorf("seen %q, %q before, %q, %q after", r.Seen, r.Before, r.Snap, r.After)
			}
			var p Pages
			p.Result(Explain("browser_navigate", nil, true), Answer{Action: "0", Text: "- main [ref=e1]:\n  - text: first"})
			base := p.tabOf(0).base
			out := p.Result(call, Answer{Action: "1", Text: c.text})
			if out.Whole() != c.text && c.seen != session.SeenInline || out.Seen != c.seen || (out.Snapshot != nil) != (c.seen == session.SeenInline) {
				t.Errorf("the result %+v", out)
			}
			if c.seen != session.SeenInline && p.tabOf(0).base != base {
				t.Errorf("the page that is built on became %q", p.tabOf(0).base)
			}
		})
	}
}

// An excerpt in a file is one when it is read; of a page that was left it tells
// nothing.
func TestExcerptsInFiles(t *testing.T) {
	const tree = "- main [ref=e1]:\n  - button \"Go\" [ref=e3]\n  - button \"Stay\" [ref=e4]\n  - button \"Wait\" [ref=e5]\n  - button \"End\" [ref=e6]"
	files := map[string]string{"a.yml": tree}
	p := Pages{File: func(name string) (string, error) { return files[name], nil }}
	tell := func(tool string, args map[string]any, text string) *session.Result {
		return p.Result(Explain(tool, args, false), Answer{Action: "1", Text: text})
	}
	link := func(url string) string {
		return "### Page\n- Page URL: " + url + "\n### Snapshot\n- [Snapshot](a.yml)"
	}
	if r := tell("browser_click", nil, link("http://x/")); r.Seen != session.SeenLink || r.Snapshot == nil {
		t.Errorf("a link %+v", r)
	}
	if r := tell("Read", map[string]any{"file_path": "/w/a.yml"}, "     1→- main [ref=e1]:\n     2→  - button \"Go\" [ref=e3]"); r.Seen != session.SeenExcerpt || r.Snapshot != nil {
		t.Errorf("a part of the file %+v", r)
	}
	if r := tell("Read", map[string]any{"file_path": "/w/a.yml"}, tree); r.Seen != session.SeenInline || r.Snapshot == nil {
		t.Errorf("the file %+v", r)
	}
	if r := tell("browser_navigate", nil, "### Page\n- Page URL: http://y/"); r.Seen != "" {
		t.Errorf("no page %+v", r)
	}
	if r := tell("Read", map[string]any{"file_path": "/w/a.yml"}, "- main [ref=e1]:\n  - button \"Go\" [ref=e3]"); r.Seen != "" || r.Snapshot != nil {
		t.Errorf("a part of a page that was left %+v", r)
	}
	if r := tell("browser_snapshot", map[string]any{"target": "e3", "filename": "b.yml"}, "### Snapshot\n- [Snapshot](b.yml)"); r.Seen != "" {
		t.Errorf("a link to an excerpt %+v", r)
	}
	if r := tell("Read", map[string]any{"file_path": "/w/b.yml"}, "- button \"Go\" [ref=e3]"); r.Seen != session.SeenExcerpt || r.Snapshot != nil {
		t.Errorf("the excerpt in its file %+v", r)
	}
}

// What a command prints of a snapshot's file is an excerpt, unless it prints all of it.
func TestCommandsOnSnapshotFiles(t *testing.T) {
	const tree = "- main [ref=e1]:\n  - button \"Go\" [ref=e3]\n  - button \"Stay\" [ref=e4]\n  - button \"Wait\" [ref=e5]\n  - button \"End\" [ref=e6]"
	p := Pages{File: func(string) (string, error) { return tree, nil }}
	p.Result(Explain("browser_click", nil, false), Answer{Action: "0", Text: "### Page\n- Page URL: http://x/\n### Snapshot\n- [Snapshot](.playwright-mcp/a.yml)"})
	for _, c := range []struct {
		command, text string
		seen          session.Seen
		part          string
	}{
		{"grep -n button .playwright-mcp/a.yml | head -2", "2:  - button \"Go\" [ref=e3]\n3:  - button \"Stay\" [ref=e4]", session.SeenExcerpt, "2:  - button \"Go\" [ref=e3]\n3:  - button \"Stay\" [ref=e4]"},
		{"grep -Hn Go /w/.playwright-mcp/a.yml", "/w/.playwright-mcp/a.yml:2:  - button \"Go\" [ref=e3]\n", session.SeenExcerpt, "/w/.playwright-mcp/a.yml:2:  - button \"Go\" [ref=e3]"},
		{"head -2 .playwright-mcp/a.yml", "- main [ref=e1]:\n  - button \"Go\" [ref=e3]\n", session.SeenExcerpt, "- main [ref=e1]:\n  - button \"Go\" [ref=e3]"},
		{"sed -n 1,99p .playwright-mcp/a.yml", tree, session.SeenInline, ""},
		{"wc -l .playwright-mcp/a.yml", "4 .playwright-mcp/a.yml", "", ""},
		{"grep -n Go other.yml", "2:  - button \"Go\" [ref=e3]", "", ""},
	} {
		r := p.Result(Explain("Bash", map[string]any{"command": c.command}, false), Answer{Action: "1", Text: c.text})
		if r.Seen != c.seen || r.Shown != c.part || c.seen == session.SeenExcerpt && (r.Whole() != c.text || r.Snapshot != nil) {
			t.Errorf("%s: seen %q, %q of %q", c.command, r.Seen, r.Shown, r.Whole())
		}
	}
}

// Codex tells the output of a program that runs on when it is asked for it.
func TestProgramsThatRunOn(t *testing.T) {
	const tree = "- main [ref=e1]:\r\n  - button \"Go\" [ref=e3]\r\n  - button \"Stay\" [ref=e4]"
	var p Pages
	tell := func(tool string, args map[string]any, text string) *session.Result {
		return p.Result(Explain(tool, args, false), Answer{Action: "1", Text: text})
	}
	r := tell("exec_command", map[string]any{"cmd": "agent-browser snapshot -i | grep e3"}, "Chunk ID: a1\nWall time: 1.0 seconds\nProcess running with session ID 42\nOutput:\n")
	if r.Seen != "" {
		t.Errorf("nothing came yet: %+v", r)
	}
	if r = tell("write_stdin", map[string]any{"session_id": 42.0, "chars": ""}, "Chunk ID: a2\nProcess exited with code 0\nOutput:\n  - button \"Go\" [ref=e3]"); r.Seen != session.SeenExcerpt {
		t.Errorf("what the pipe left: %+v", r)
	}
	tell("exec_command", map[string]any{"cmd": "bash"}, "Process running with session ID 43\nOutput:\n$ ")
	r = tell("write_stdin", map[string]any{"session_id": 43.0, "chars": "agent-browser snapshot -i\n"}, "Process running with session ID 43\nOutput:\n"+tree)
	if r.Seen != session.SeenInline || r.Snapshot == nil || r.Snapshot.Count() != 3 {
		t.Errorf("a page: %+v", r)
	}
}

func TestClaudeInChrome(t *testing.T) {
	for action, want := range map[string]session.Verb{"left_click": session.VerbClick, "key": session.VerbPress, "scroll_to": session.VerbScroll, "screenshot": session.VerbScreenshot, "unheard": ""} {
		c := Explain("mcp__claude-in-chrome__computer", map[string]any{"action": action, "ref": "ref_12", "tabId": 7.0}, false)
		if c.Verb != want || c.Target == nil || c.Target.Ref != "ref_12" || c.Tab != 7 || !c.Browser {
			t.Errorf("%s: %+v", action, c)
		}
	}
	if c := Explain("computer", map[string]any{"action": "left_click"}, false); c.Verb != "" || c.Browser {
		t.Errorf("another's computer: %+v", c)
	}
	if c := Explain("mcp__claude-in-chrome__form_input", map[string]any{"ref": "ref_3", "value": true}, false); c.Verb != session.VerbFill || c.Target.Ref != "ref_3" {
		t.Errorf("%+v", c)
	}
	if c := Explain("mcp__claude-in-chrome__navigate", map[string]any{"url": "back"}, false); c.Verb != session.VerbBack {
		t.Errorf("%+v", c)
	}
}
