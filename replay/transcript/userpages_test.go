package transcript

import (
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
		"webvoyager-own": "", "langchain-types": "http://shop.test/",
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
	if len(res) != 8 || im.Images != 1 || len(res[3].Images) != 1 || len(res[6].Images) != 0 {
		t.Errorf("%d results, %d pictures: %+v", len(res), im.Images, res[3])
	}
	if res[0].Snapshot == nil || res[0].Snapshot.Text != "" {
		t.Errorf("the empty page is %+v", res[0].Snapshot)
	}
	if r := res[5]; r.OK || !strings.HasPrefix(r.Error, "Ref e99 not found") || acts[5].Target.Ref != "e99" {
		t.Errorf("the failed click is %+v", r)
	}
	var notes []string
	for _, e := range im.Events {
		if e.Note != nil {
			notes = append(notes, e.Note.Text)
		}
	}
	if got := strings.Join(notes, "|"); !strings.Contains(got, "fill(") || !strings.Contains(got, "press(") {
		t.Errorf("a person's actions: %q", got)
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
