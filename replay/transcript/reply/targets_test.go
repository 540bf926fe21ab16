package reply

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/replay/tape"
	"snapscope/session"
)

func TestEveryElementIsNamed(t *testing.T) {
	ref := func(refs ...string) (out []session.Target) {
		for _, r := range refs {
			out = append(out, session.Target{Ref: r})
		}
		return out
	}
	list := func(xs ...map[string]any) (out []any) {
		for _, x := range xs {
			out = append(out, x)
		}
		return out
	}
	type m = map[string]any
	for _, c := range []struct {
		tool string
		args m
		want []session.Target
	}{
		{"browser_fill_form", m{"fields": list(m{"name": "a", "ref": "e1"}, m{"name": "b", "ref": "e2"}, m{"target": "f1e3"})}, ref("e1", "e2", "f1e3")},
		{"mcp__chrome-devtools__fill_form", m{"elements": list(m{"uid": "1_2", "value": "x"}, m{"uid": "1_3"})}, ref("1_2", "1_3")},
		{"browser_drag", m{"startRef": "e1", "endRef": "e2"}, ref("e1", "e2")},
		{"browser_drag", m{"startTarget": "e1", "endTarget": "e2"}, ref("e1", "e2")},
		{"mcp__chrome-devtools__drag", m{"from_uid": "1_1", "to_uid": "1_9"}, ref("1_1", "1_9")},
		{"browser_click", m{"selectors": list(m{"ref": "e7"}, m{"css": "#b"})}, ref("e7")},
		{"browser_click", m{"selectors": list(m{"role": "tab", "text": "Notes"})}, []session.Target{{Role: "tab", Name: "Notes"}}},
		{"browser_type", m{"selectors": list(m{"css": "#phone"})}, []session.Target{{CSS: "#phone"}}},
		{"browser_drag", m{"startSelectors": list(m{"ref": "e1"}), "endSelectors": list(m{"ref": "e2"})}, ref("e1", "e2")},
		{"browser_execute", m{"tool": "browser_click", "arguments": m{"selectors": list(m{"ref": "e7"})}}, ref("e7")},
		{"mcp__agent-browser__agent_browser_click", m{"selector": "@e8"}, ref("e8")},
		{"agent_browser_get_text", m{"selector": "h1"}, []session.Target{{CSS: "h1"}}},
		{"agent_browser_tab_switch", m{"tab": "t2"}, nil},
	} {
		got := Explain(c.tool, c.args, false)
		var all []session.Target
		if got.Target != nil {
			all = append(append(all, *got.Target), got.Others...)
		}
		if d := cmp.Diff(c.want, all); d != "" || !got.Browser {
			t.Errorf("%s %v: browser %v %s", c.tool, c.args, got.Browser, d)
		}
	}
	for tool, verb := range map[string]session.Verb{
		"agent_browser_open": session.VerbGoto, "mcp__agent-browser__agent_browser_snapshot": session.VerbSnapshot, "agent_browser_press": session.VerbPress,
		"agent_browser_tab_new": session.VerbTab, "agent_browser_wait_for_text": session.VerbWait, "agent_browser_select": session.VerbSelect,
	} {
		if got := Explain(tool, nil, false).Verb; got != verb {
			t.Errorf("%s: %q, want %q", tool, got, verb)
		}
	}
}

func TestSnapshotInOtherEscapes(t *testing.T) {
	const before, snap = "### Page\n```yaml\n", "- row \"é \uFFFD 😀 \x01\" [ref=e1]\n- a/b [ref=e2]"
	for _, outer := range []string{
		`[{"type":"text","text":"### Page\n` + "```yaml" + `\n- row \"\u00e9 \ud83d \ud83d\ude00 \u0001\" [ref=e1]\n- a\/b [ref=e2]\n` + "```" + `"}]`,
		`{"content":[{"type":"text","text": "### Page\u000a` + "```yaml" + `\n- row \"é \udc00 😀 \u0001\" [ref=e1]\n- a/b [ref=e2]\n"}]}`,
	} {
		text, shown, at := wrapped(outer, before, snap)
		if tape.Unescape([]byte(shown)) != snap || text[:at]+shown+text[at:] != outer {
			t.Errorf("%s: %q at %d of %q", outer, shown, at, text)
		}
	}
	if text, shown, at := wrapped("no such text", before, snap); text != "" || shown != "no such text" || at != 0 {
		t.Errorf("a form that is not known: %q %q %d", text, shown, at)
	}
}

// A server may be called "browser": what its tools mean does not depend on that.
func TestToolsOfAServerCalledBrowser(t *testing.T) {
	for tool, want := range map[string]session.Verb{
		"mcp__browser__hover": session.VerbHover, "browser_hover": session.VerbHover, "mcp__browser__take_snapshot": session.VerbSnapshot,
		"mcp__browser__browser_hover": session.VerbHover, "browser_navigate_page": session.VerbGoto, "browser_nothing_known": "",
	} {
		c := Explain(tool, map[string]any{"uid": "1_64", "pageId": 1.0}, false)
		if c.Verb != want || !c.Browser || want == session.VerbHover && (c.Target == nil || c.Target.Ref != "1_64") {
			t.Errorf("%s is %q on %+v, browser %v", tool, c.Verb, c.Target, c.Browser)
		}
	}
}
