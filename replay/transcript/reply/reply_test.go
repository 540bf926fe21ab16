package reply

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/snapshot/notation"
)

// reminders are what Claude Code writes behind the answers of tools.
const reminders = "\n\n<system-reminder>\nmind the {\"gap\"}\n</system-reminder>\n<system-reminder>\n<total_tokens>14968355 tokens left</total_tokens>\n</system-reminder>"

func TestReplies(t *testing.T) {
	tree := "- main [ref=e1]:\n  - button \"Go\" [ref=e2]"
	for _, c := range []struct {
		name, text, snap string
		want             Reply
	}{
		{"quoted marker in code", "### Ran Playwright code\n```js\nx('### Snapshot\\n```yaml')\n```\n### Snapshot\n```yaml\n" + tree + "\n```", tree, Reply{}},
		{"nested fence", "### Snapshot\n```yaml\n- code [ref=e1]: a\n```\n- b [ref=e2]\n```\n### Events\n- x", "- code [ref=e1]: a\n```\n- b [ref=e2]", Reply{Events: []string{"x"}}},
		{"unclosed", "### Page\n- Page URL: http://x/\n### Snapshot\n```yaml\n" + tree, tree, Reply{URL: "http://x/", Cut: true}},
		{"current tab is believed", "### Open tabs\n- 0: [A](http://a/)\n- 1: (current) [B (1)](http://b/)\n### Page\n- Page URL: http://a/\n- Page Title: A\n### Snapshot\n```yaml\n" + tree + "\n```", tree, Reply{URL: "http://b/", Title: "B (1)", Tab: 1}},
		{"error", "### Error\nError: Ref e9 not found\n### Page\n- Page URL: http://x/", "", Reply{Error: "Ref e9 not found", URL: "http://x/"}},
		{"console", "### New console messages\n- [ERROR] boom @ http://x/\n\n### Page state\n- Page URL: http://x/\n- Page Snapshot:\n```yaml\n" + tree + "\n```\n", tree, Reply{URL: "http://x/", Console: []string{"[ERROR] boom @ http://x/"}}},
		{"openclaw heading", "url: http://x/\ntitle: X\n\n" + tree + "\n\n(2 refs)", tree, Reply{URL: "http://x/", Title: "X"}},
		{"passmark", "url: http://x/\n\n" + tree, tree, Reply{URL: "http://x/"}},
		{"CRLF", "### Page\r\n- Page URL: http://x/\r\n### Snapshot\r\n```yaml\r\n" + tree + "\r\n```\r\n", tree, Reply{URL: "http://x/"}},
		{"bare uid", "uid=1_0 RootWebArea \"X\" url=\"http://x/\"\n  uid=1_1 button \"Go\"\n", "uid=1_0 RootWebArea \"X\" url=\"http://x/\"\n  uid=1_1 button \"Go\"", Reply{Dialect: notation.UID}},
		{"older devtools", "# click response\nok\n## Page content\nuid=1_0 RootWebArea \"\"\n## Network requests\nnone", "uid=1_0 RootWebArea \"\"", Reply{Dialect: notation.UID}},
		{"agent-browser", "- heading \"X\" [level=1, ref=e1]\n- link \"y\" [ref=e2]", "- heading \"X\" [level=1, ref=e1]\n- link \"y\" [ref=e2]", Reply{Dialect: notation.AgentBrowser}},
		{"agent-browser JSON", `{"success":true,"data":{"snapshot":"- link \"y\" [ref=e2]","origin":"http://x/"}}`, `- link \"y\" [ref=e2]`, Reply{Dialect: notation.AgentBrowser, URL: "http://x/", Tree: `- link "y" [ref=e2]`}},
		{"browser-use", "<browser_state>\n[Start of page]\n[3]<a />\n[End of page]\n</browser_state>", "[3]<a />", Reply{Dialect: notation.Index}},
		{"no snapshot", "### Result\n\"- x [ref=\"", "", Reply{}},
		{"a list is no tree", "- one\n- two\nref=3", "", Reply{}},
		{"changes alone", "### Changes from previous response\n```diff\n- - a [ref=e1]\n+ - b [ref=e1]\n```\n", "- - a [ref=e1]\n+ - b [ref=e1]", Reply{}},
		{"changes beside", "### Changes from previous response\n```diff\n- - a [ref=e1]\n```\n### Page state\n- Page Snapshot:\n```yaml\n" + tree + "\n```", tree, Reply{}},
		{"tabs alone", "### Result\n- 0: (current) [A](http://a/)\n", "", Reply{Tab: 0, URL: "http://a/", Title: "A"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Parse(c.text)
			if got.Before+got.Snap+got.After != c.text {
				t.Errorf("the parts are not the whole: %q", got.Before+got.Snap+got.After)
			}
			if got.Snap != c.snap || got.Found != (c.snap != "") {
				t.Errorf("snapshot %q", got.Snap)
			}
			if got.URL != c.want.URL || got.Title != c.want.Title || got.Error != c.want.Error || got.Cut != c.want.Cut || got.Tree != c.want.Tree ||
				!cmp.Equal(got.Console, c.want.Console) || !cmp.Equal(got.Events, c.want.Events) || (c.want.Tab > 0 && got.Tab != c.want.Tab) {
				t.Errorf("%+v", got)
			}
			if d := c.want.Dialect; d != "" && got.Dialect != d {
				t.Errorf("dialect %s, want %s", got.Dialect, d)
			}
			behind := Parse(c.text + reminders) // they are the client's, not the page's
			if behind.Snap != got.Snap || behind.Found != got.Found || behind.Tree != got.Tree || behind.Before+behind.Snap+behind.After != c.text+reminders {
				t.Errorf("with reminders behind it: %q, %q", behind.Snap, behind.After)
			}
		})
	}
}

func TestNotices(t *testing.T) {
	for text, want := range map[string][3]string{
		"MCP tool \"browser_snapshot\" response (53223 tokens) exceeds maximum allowed tokens (25000).":                                   {"", "", "dropped"},
		"Error: result (178,003 characters) exceeds maximum allowed tokens. Output has been saved to /a/b/tool-results/x.txt.\nFormat: …": {"/a/b/tool-results/x.txt", "", "spilled"},
		"<persisted-output>\nOutput too large (60KB). Full output saved to: /a/tool-results/y.txt\n\nPreview (first 2KB):\n- main [ref=e1]:\n  - bu\n...\n</persisted-output>": {
			"/a/tool-results/y.txt", "- main [ref=e1]:\n  - bu", "cut",
		},
		"Output too large to read at once (63.5 KB). Saved to: C:\\Temp\\t-2.txt\nConsider using tools\n\nPreview (first 500 chars):\n### Page\n- Pa": {"C:\\Temp\\t-2.txt", "### Page\n- Pa", "cut"},
		"### Page\n### Snapshot\n```yaml\n- main [ref=e1]\n\n...73605 bytes truncated...\n\nThe tool call succeeded but the output was truncated. Full output saved to: /o/tool_1\nUse Grep": {
			"/o/tool_1", "### Page\n### Snapshot\n```yaml\n- main [ref=e1]\n\n", "cut",
		},
		"Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /h/.gemini/tmp/p/tool-outputs/session-1/x.txt\n- main [ref=e1]:\n\n... [9 characters omitted] ...\n\n  - a [ref=e2]": {
			"/h/.gemini/tmp/p/tool-outputs/session-1/x.txt", "- main [ref=e1]:\n\n... [9 characters omitted] ...\n\n  - a [ref=e2]", "cut",
		},
		"### Page": {"", "", ""},
		"- main [ref=e1]:\n  - button \"Go\" [ref=e2]\n…77 chars truncated…tton \"X\" [ref=e8]\n  - button \"Y\" [ref=e9]": {"", "", "cut"},
		"- main [ref=e1]:\n  - button \"Go\" [ref=e2]\n\n... [7 lines truncated] ...":                                      {"", "", "inline"},
		"### Snapshot\n```yaml\n- p [ref=e1]: The tool call succeeded but the output was truncated.\n```":                  {"", "", "inline"},
	} {
		r := Read(Call{Browser: true, Tab: -1}, text)
		part := ""
		if r.notice != nil {
			part = text[r.notice.from:r.notice.to]
		}
		if r.Link != want[0] || part != want[1] || r.Seen != session.Seen(want[2]) {
			t.Errorf("%q:\n%q %q %q", text, r.Link, part, r.Seen)
		}
	}
	for text, want := range map[string]int{
		"abc…123 tokens truncated…def": 3, "a\n...7 lines truncated...\n": 1, "x tokens truncated…": -1, "[... omitted 34 of 324 lines ...]": 0,
		"it says tokens truncated": -1,
	} {
		if at, ok := cutMark(text); ok != (want >= 0) || ok && at != want {
			t.Errorf("%q: %d %v", text, at, ok)
		}
	}
}

func TestRebuild(t *testing.T) {
	base := "- generic [ref=e1]:\n  - list [ref=e2]:\n    - item \"a\" [ref=e3]\n    - item \"b\" [ref=e4]:\n      - text: deep\n  - button [ref=e5]"
	for _, c := range []struct{ name, sent, want string }{
		{"nothing", "", base},
		{"leaf", "- <changed> button [active] [ref=e5]", strings.Replace(base, "button [ref=e5]", "button [active] [ref=e5]", 1)},
		{"removed and moved", "- <changed> list [ref=e2]:\n  - ref=e4 [unchanged]", "- generic [ref=e1]:\n  - list [ref=e2]:\n    - item \"b\" [ref=e4]:\n      - text: deep\n  - button [ref=e5]"},
		{"deeper", "- <changed> generic [ref=e1]:\n  - group [ref=e9]:\n    - ref=e2 [unchanged]", "- generic [ref=e1]:\n  - group [ref=e9]:\n    - list [ref=e2]:\n      - item \"a\" [ref=e3]\n      - item \"b\" [ref=e4]:\n        - text: deep"},
		{"nested roots", "- <changed> list [ref=e2]:\n  - item \"c\" [ref=e6]\n- <changed> item \"b\" [ref=e4]", "- generic [ref=e1]:\n  - list [ref=e2]:\n    - item \"c\" [ref=e6]\n  - button [ref=e5]"},
	} {
		got, err := rebuild(base, c.sent, nil)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%s", c.name, err, cmp.Diff(c.want, got))
		}
	}
	for _, bad := range []string{"- <changed> list [ref=e2]:\n  - ref=e77 [unchanged]", "- <changed> x [ref=e77]\n- <changed> y [ref=e5]", "- <changed> text: x"} {
		if got, err := rebuild(base, bad, nil); err == nil {
			t.Errorf("%q was rebuilt to %q", bad, got)
		}
	}
}

// A delta made of any two texts rebuilds the second from the first.
func TestDeltaLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"- a [ref=e1]", "- b [ref=e2]", "  - c", "", "- d: x"})
		old := rapid.SliceOfN(line, 1, 12).Draw(t, "old")
		var body, now []string
		for _, l := range old { // every line is told, so there is one place only
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				body = append(body, "- "+l)
			case 1:
				body = append(body, "  "+l, "+ new")
				now = append(now, l, "new")
			default:
				body = append(body, "  "+l)
				now = append(now, l)
			}
		}
		got, _, err := applyDelta(strings.Join(old, "\n"), body)
		if err != nil || got != strings.Join(now, "\n") {
			t.Fatalf("%v\n%s", err, cmp.Diff(strings.Join(now, "\n"), got))
		}
	})
}

func TestDeltaFaults(t *testing.T) {
	if _, _, err := applyDelta("a\nb", []string{"  z"}); err == nil {
		t.Error("a line that is not there was found")
	}
	if _, _, err := applyDelta("a\nb", []string{"?"}); err == nil {
		t.Error("a line without a sign was read")
	}
	if got, several, err := applyDelta("a\nb\na\nc", []string{"...", "  a", "+ x", "..."}); err != nil || got != "a\nx\nb\na\nc" || !several {
		t.Errorf("%q %v %v", got, several, err)
	}
}

func TestIncremental(t *testing.T) {
	for text, want := range map[string]bool{
		"- <changed> button [ref=e1]":                      true,
		"- main [ref=e1]:\n  - ref=e2 [unchanged]":         true,
		"- main [ref=e1]:\n  - text: ref=e2 [unchanged]":   false,
		"- main \"it is [unchanged] here\" [ref=e1]":       false,
		"- main [ref=e1]: <changed> [unchanged]":           false,
		"- heading \"- <changed> x\" [ref=e1]\n- b: \"x\"": false,
	} {
		if got := isIncremental(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzReply(f *testing.F) {
	for _, s := range []string{
		"### Page\n- Page URL: http://x/\n### Snapshot\n```yaml\n- a [ref=e1]\n```", "## Latest page snapshot\nuid=1_0 x\n", "- a [ref=e1]", "url: x\n\n- a [ref=e1]",
		`{"data":{"snapshot":"- a [ref=e1]"}}`, `{"kind":"delta","removed":["a"],"added":["b"]}`, "[Start of page]\n[1]<a>\n[End of page]", "### Open tabs\n- 0: (current) [a] (b)",
		"[delta snapshot: +1 lines added, -0 lines removed]\n\n+ - a [ref=e1]", "```yaml\n- a [ref=e1]\n```\n- b\n```",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := Parse(text)
		if r.Before+r.Snap+r.After != text {
			t.Fatalf("%q was taken apart into %q %q %q", text, r.Before, r.Snap, r.After)
		}
	})
}

func FuzzRebuild(f *testing.F) {
	f.Add("- a [ref=e1]:\n  - b [ref=e2]", "- <changed> a [ref=e1]:\n  - ref=e2 [unchanged]", "...\n  - b [ref=e2]\n+ c")
	f.Fuzz(func(t *testing.T, base, sent, delta string) {
		if got, err := rebuild(base, base, nil); err == nil && sent == "" && got == "" && base != "" {
			t.Fatalf("%q rebuilt from itself is empty", base)
		}
		if got, err := rebuild(base, sent, nil); err == nil && sent == "" && got != base {
			t.Fatalf("nothing changed, but %q became %q", base, got)
		}
		if got, _, err := applyDelta(base, strings.Split(delta, "\n")); err != nil && got != "" {
			t.Fatalf("an error with a text: %q", got)
		}
	})
}
