package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/session"
)

// Of pages in user messages each is at its address, with its picture's size, and
// the last action names an element of the page before it. How many there are, of
// how many tokens, session/ledger holds against a count by another program.
func TestUserPages(t *testing.T) {
	for name, where := range map[string]string{
		"agentlab": "http://shop.test/", "webarena": "http://shop.test/", "webvoyager": "", "browser-use-langchain": "http://shop.test/",
		"notte": "http://shop.test/", "convergence": "http://shop.test/orders", "browsergym": "http://shop.test/orders",
		"webvoyager-own": "", "langchain-types": "http://shop.test/", "stagehand": "",
	} {
		im := read(t, "user-pages/"+name+".json", Options{KeepSecrets: true})
		acts, res := results(im)
		page, acted := "", 0
		for i, r := range res {
			if a := acts[i]; a.Target != nil && a.Target.Ref != "99" { // which one agent makes up
				acted++
				if !strings.Contains(page, a.Target.Ref) {
					t.Errorf("%s: action %d is on %+v, the page before it is\n%s", name, i+1, a.Target, page)
				}
			}
			if r.Snapshot == nil {
				continue
			}
			page = r.Snapshot.Text
			if !strings.HasPrefix(r.URL, where) || strings.Contains(r.URL, " ") {
				t.Errorf("%s: page %d is at %q", name, i+1, r.URL)
			}
		}
		if acted != 2 {
			t.Errorf("%s: %d actions on elements, want 2", name, acted)
		}
		for _, e := range im.Events {
			if r := e.Result; r != nil && len(r.Images) > 0 && (r.Images[0].W != 1280 || r.Images[0].H != 720) {
				t.Errorf("%s: a picture of %v", name, r.Images)
			}
		}
	}
}

// What a person did, an empty page, a picture of unknown size and an error in
// Playwright MCP's own log are told.
func TestSessionLogOfAPerson(t *testing.T) {
	im := read(t, "session-person/session.md", Options{})
	acts, res := results(im)
	if len(res) != 10 || im.Calls != 8 || im.Results != 8 || im.Images != 1 || len(res[3].Images) != 1 || len(res[8].Images) != 0 {
		t.Errorf("%d results, %d pictures: %+v", len(res), im.Images, res[3])
	}
	if res[0].Snapshot == nil || res[0].Snapshot.Text != "" {
		t.Errorf("the empty page is %+v", res[0].Snapshot)
	}
	if r := res[7]; r.OK || !strings.HasPrefix(r.Error, "Ref e99 not found") || acts[7].Target.Ref != "e99" {
		t.Errorf("the failed click is %+v", r)
	}
	for i, verb := range []session.Verb{session.VerbFill, session.VerbPress} {
		a, r := acts[4+i], res[4+i]
		if !a.Person || a.Verb != verb || a.Target != nil || !strings.Contains(a.Text("code"), string(verb)+"(") || !strings.HasPrefix(a.Label(), "by hand: ") {
			t.Errorf("a person's action: %+v, %q", a, a.Label())
		}
		if r.Seen != session.SeenUnasked || r.Snapshot == nil || !strings.Contains(r.Snapshot.Text, "Search orders") {
			t.Errorf("the page it led to: %+v", r)
		}
	}
	tl := session.NewTimeline(im.Events)
	if len(tl.Calls()) != 8 || tl.Steps[4].Call != -1 {
		t.Errorf("%d model calls are taken, a person's is of call %d", len(tl.Calls()), tl.Steps[4].Call)
	}
}

// A log of nothing but a person's actions is a session.
func TestSessionLogOfAPersonAlone(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"session.md":       "### User action: click\n- Args\n```json\n{\"name\": \"click\", \"ref\": \"e2\"}\n```\n- Code\n```js\nawait page.getByRole('button', { name: 'Go' }).click();\n```\n- Snapshot: 001.snapshot.yml\n\n",
		"001.snapshot.yml": "- main [ref=e1]:\n  - button \"Go\" [ref=e2]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	im, err := Read(t.Context(), filepath.Join(dir, "session.md"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	tl := session.NewTimeline(im.Events)
	if im.Calls != 0 || len(tl.Steps) != 1 || len(tl.Snaps) != 1 || len(tl.Calls()) != 0 || tl.Steps[0].Action.Verb != session.VerbClick {
		t.Errorf("%d calls, steps %+v", im.Calls, tl.Steps)
	}
}

// Runs that follow each other in one stream have a history each: what was read in one
// is not read in the next, and ids may come again.
func TestRunsInOneStream(t *testing.T) {
	one := sample(t, "gemini/stream.jsonl")
	im, err := readBytes(t, one+one, Options{})
	if err != nil || im.Calls != 6 || im.Results != 6 || len(im.Orphans) > 0 || len(im.Skipped) > 0 {
		t.Fatalf("%v: %d calls, %d results, %v, %+v", err, im.Calls, im.Results, im.Orphans, im.Skipped)
	}
	runs := 0
	for _, e := range im.Events {
		if e.Compact != nil {
			runs++
			if e.Compact.Keep != 0 || e.Compact.Text != "" {
				t.Errorf("%+v", e.Compact)
			}
		}
	}
	if runs != 1 {
		t.Errorf("the history began anew %d times, want once", runs)
	}
	tl := session.NewTimeline(im.Events)
	if len(tl.Steps) != 6 || len(tl.Snaps) != 4 {
		t.Errorf("%d steps, %d pages", len(tl.Steps), len(tl.Snaps))
	}
}
