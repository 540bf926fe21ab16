package reply

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
)

func refs(c Call) (out []string) {
	if c.Target != nil {
		out = append(out, c.Target.Ref)
	}
	for _, t := range c.Others {
		out = append(out, t.Ref)
	}
	return out
}

// A call that carries several actions names all their elements.
func TestACallOfSeveralActions(t *testing.T) {
	do := func(name string, input args) any { return args{"name": name, "input": input} }
	batch := func(list ...any) args { return args{"actions": list} }
	const chrome = "mcp__claude-in-chrome__browser_batch"
	for name, c := range map[string]struct {
		tool    string
		args    args
		verb    session.Verb
		refs    []string
		excerpt bool
		browser bool
		url     string
	}{
		"fill, click, look": {
			chrome, batch(do("form_input", args{"ref": "ref_4", "value": "March"}), do("computer", args{"action": "left_click", "ref": "ref_5", "tabId": 7.0}), do("read_page", args{"filter": ""})),
			session.VerbFill,
			[]string{"ref_4", "ref_5"},
			false, true, "",
		},
		"go there":      {chrome, batch(do("navigate", args{"url": "https://heron.test/"}), do("computer", args{"action": "screenshot"})), session.VerbGoto, nil, false, true, "https://heron.test/"},
		"find":          {chrome, batch(do("find", args{"query": "x"}), do("computer", args{"action": "screenshot"})), session.VerbScreenshot, nil, true, true, ""},
		"a part":        {chrome, batch(do("computer", args{"action": "left_click", "ref": "ref_1"}), do("read_page", args{"ref_id": "ref_2"})), session.VerbClick, []string{"ref_1"}, true, true, ""},
		"look and find": {chrome, batch(do("read_page", nil), do("find", args{"query": "x"})), session.VerbSnapshot, nil, false, true, ""},
		"of no form":    {chrome, args{"actions": []any{"x", 1.0, nil, args{"name": 3.0}, args{"name": "browser_batch", "input": batch()}}}, "", nil, false, true, ""},

		"code":                {"python", args{"code": "new_tab('https://heron.test/')\nbu.click(41); bu.type(12, \"tea\")\nprint(bu.state())"}, session.VerbGoto, []string{"41", "12"}, false, true, "https://heron.test/"},
		"code in a command":   {"Bash", args{"command": "browser-use <<'PY'\nbu.click(7)\nPY"}, session.VerbClick, []string{"7"}, false, true, ""},
		"a search for code":   {"Bash", args{"command": "grep -rn 'new_tab(' . | grep bu.close"}, "", nil, false, false, ""},
		"code of others":      {"python", args{"code": "cpu.click(41)\nself.bu.click(3)\nx = sub.u"}, "", nil, false, false, ""},
		"no number":           {"python", args{"code": "bu.click(n)"}, session.VerbClick, nil, false, true, ""},
		"a part of something": {"python", args{"code": "bu.click(41.5); bu.wait(3); bu.(1); bu.click("}, session.VerbClick, nil, false, true, ""},
	} {
		got := Explain(c.tool, c.args, false)
		if got.Verb != c.verb || got.Excerpt != c.excerpt || got.Browser != c.browser || argText(got.Args["url"]) != c.url {
			t.Errorf("%s: %+v", name, got)
		}
		if d := cmp.Diff(c.refs, refs(got)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// The page that a batch answers with is the part behind [read_page], and nothing of the
// answers around it.
func TestThePageOfABatch(t *testing.T) {
	const page = "main [ref_1]\n button \"Go\" [ref_2] type=\"submit\"\n text \"[navigate] is written here\""
	for name, c := range map[string]struct{ text, want string }{
		"alone":             {"[read_page] " + page, page},
		"between":           {"[navigate] Navigated to https://heron.test/\n[read_page] " + page + "\n[computer] Clicked on element ref_2", page},
		"before a failure":  {"[read_page] " + page + "\nactions[1] (computer) failed: timed out (1 completed, 0 remaining)", page},
		"two of them":       {"[read_page] main [ref_8]\n link \"Old\" [ref_9]\n[computer] Clicked on element ref_9\n[read_page] " + page, page},
		"none":              {"[navigate] Navigated to https://heron.test/", ""},
		"one without lines": {"[read_page] Error: page is not there", ""},
	} {
		r := Read(Explain("mcp__claude-in-chrome__browser_batch", args{"actions": []any{args{"name": "read_page", "input": args{}}}}, false), c.text)
		if r.Snap != c.want || r.Before+r.Snap+r.After != c.text || r.Found != (c.want != "") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A batch that failed says which of its calls did and why, not what went well before.
func TestWhyABatchFailed(t *testing.T) {
	for text, want := range map[string]string{
		"[computer] Clicked on element ref_6\n\nactions[1] (computer) failed: Error capturing: timed out (1 completed, 0 remaining)\nmore": "Error capturing: timed out (1 completed, 0 remaining)",
		"actions[0] (navigate) failed: no such host": "no such host",
		"actions[0] is unknown":                      "actions[0] is unknown",
	} {
		var p Pages
		if got := p.Result(Call{Tool: "browser_batch", Browser: true, Tab: -1}, Answer{Text: text, Failed: true}).Error; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Nothing in an answer takes long to be read.
func TestABatchIsReadInLinearTime(t *testing.T) {
	Read(Call{}, strings.Repeat("[read_page] main [ref_1]\n", 200_000))
	Explain("python", args{"code": strings.Repeat("bu.click(1);", 200_000)}, false)
}
