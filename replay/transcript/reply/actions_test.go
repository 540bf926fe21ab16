package reply

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
)

type args = map[string]any

// What tool calls mean, under every prefix and wrapping agents put on them.
func TestExplain(t *testing.T) {
	ref := func(r string) *session.Target { return &session.Target{Ref: r} }
	css := func(s string) *session.Target { return &session.Target{CSS: s} }
	for _, c := range []struct {
		tool    string
		args    args
		verb    session.Verb
		target  *session.Target
		browser bool
	}{
		{"browser_click", args{"element": "x", "ref": "e3"}, session.VerbClick, ref("e3"), true},
		{"browser_click", args{"target": "f1e63", "doubleClick": true}, session.VerbDblClick, ref("f1e63"), true},
		{"browser_click", args{"target": "#save > button"}, session.VerbClick, css("#save > button"), true},
		{"mcp__playwright__browser_navigate", args{"url": "u"}, session.VerbGoto, nil, true},
		{"mcp__plugin_playwright_playwright__browser_hover", args{"ref": "e1"}, session.VerbHover, ref("e1"), true},
		{"mcp_playwright_browser_type", args{"ref": "e1", "text": "a"}, session.VerbType, ref("e1"), true},
		{"playwright_browser_select_option", args{"ref": "e1"}, session.VerbSelect, ref("e1"), true},
		{"playwright.browser_press_key", args{"key": "Enter"}, session.VerbPress, nil, true},
		{"functions.browser_wait_for", args{"text": "a"}, session.VerbWait, nil, true},
		{"browser_fill_form", args{"fields": []any{args{"name": "a", "ref": "e9"}}}, session.VerbFill, ref("e9"), true},
		{"browser_drag", args{"startRef": "e1", "endRef": "e2"}, session.VerbDrag, ref("e1"), true},
		{"browser_new_tool", nil, "", nil, true},
		{"skill_mcp", args{"mcp_name": "playwright", "tool_name": "browser_click", "arguments": `{"ref":"e4"}`}, session.VerbClick, ref("e4"), true},
		{"use_mcp_tool", args{"server_name": "playwright", "tool_name": "browser_click", "arguments": args{"ref": "e4"}}, session.VerbClick, ref("e4"), true},
		{"mcp__chrome-devtools__click", args{"uid": "1_21"}, session.VerbClick, ref("1_21"), true},
		{"chrome-devtools_navigate_page", args{"type": "back"}, session.VerbBack, nil, true},
		{"click", args{"uid": "1_21", "dblClick": true}, session.VerbDblClick, ref("1_21"), true},
		{"click", args{"thing": "x"}, "", nil, false},
		{"take_snapshot", nil, session.VerbSnapshot, nil, true},
		{"browser", args{"action": "act", "request": args{"kind": "click", "ref": "e3"}}, session.VerbClick, ref("e3"), true},
		{"browser", args{"action": "act", "kind": "type", "ref": "12"}, session.VerbType, ref("12"), true},
		{"browser", args{"action": "snapshot"}, session.VerbSnapshot, nil, true},
		{"browser", args{"action": "open", "targetUrl": "u"}, session.VerbTab, nil, true},
		{"Bash", args{"command": "npx agent-browser --session a click @e2 && sleep 1"}, session.VerbClick, ref("e2"), true},
		{"Bash", args{"command": `agent-browser fill @e3 "some text"`}, session.VerbFill, ref("e3"), true},
		{"shell", args{"command": []any{"bash", "-lc", "playwright-cli snapshot"}}, session.VerbSnapshot, nil, true},
		{"Bash", args{"command": "ls"}, "", nil, false},
		{"Read", args{"file_path": "x.yml"}, "", nil, false},
		{"Edit", nil, "", nil, false},
		{"", nil, "", nil, false},
	} {
		m := Explain(c.tool, c.args, false)
		if m.Verb != c.verb || !cmp.Equal(m.Target, c.target) || m.Browser != c.browser {
			t.Errorf("%s %v is %q %+v, a browser's: %v", c.tool, c.args, m.Verb, m.Target, m.Browser)
		}
	}
	if m := Explain("Frame.click", args{"selector": "aria-ref=e3"}, true); m.Verb != session.VerbClick || m.Target.Ref != "e3" {
		t.Errorf("%+v", m)
	}
	if m := Explain("click", args{"index": 3.0}, true); m.Target == nil || m.Target.Ref != "3" {
		t.Errorf("%+v", m)
	}
}

// Every verb of the tables is one of snapscope's, so nothing maps to a word
// that the screen does not know.
func TestVerbsExist(t *testing.T) {
	for _, table := range []map[string]toolRow{distinct, plain} {
		for tool, row := range table {
			if _, ok := session.SpecOf(row.verb); row.verb != "" && !ok {
				t.Errorf("%s means %q, which is no verb", tool, row.verb)
			}
		}
	}
}
