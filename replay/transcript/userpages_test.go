package transcript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A count of pages in user messages that knows nothing of the importers: every
// message's text, as the JSON has it.
func TestUserPagesIndependentCount(t *testing.T) {
	isPage := regexp.MustCompile(`(?m)^\s*\*?\[?[A-Z]?[a-z]?\d+(\]|\[:\])`)
	for _, name := range []string{"agentlab", "webarena", "webvoyager", "browser-use-langchain", "notte"} {
		data, err := os.ReadFile(filepath.Join(samples, "user-pages", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var doc any
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		if m, ok := doc.(map[string]any); ok {
			doc = m["messages"]
		}
		pages, chars := 0, 0
		for _, x := range doc.([]any) {
			m := x.(map[string]any)
			if k, ok := m["kwargs"].(map[string]any); ok {
				m = k
			}
			if m["role"] == "assistant" || m["role"] == "system" {
				continue
			}
			text := ""
			switch c := m["content"].(type) {
			case string:
				text = c
			case []any:
				text = c[0].(map[string]any)["text"].(string)
			}
			if isPage.MatchString(text) {
				pages++
				chars += len(text)
			}
		}
		im := read(t, "user-pages/"+name+".json", Options{KeepSecrets: true})
		acts, res := results(im)
		got, shown := 0, 0
		for _, r := range res {
			got += len(r.Text) + len(r.Showed())
			if r.Snapshot != nil {
				shown++
				if r.URL != "http://shop.test/" && name != "webvoyager" {
					t.Errorf("%s: page %d is at %q", name, shown, r.URL)
				}
			}
		}
		if shown != pages || got != chars || im.Results != im.Calls {
			t.Errorf("%s: %d pages of %d characters, counted %d of %d; %d calls, %d results", name, shown, got, pages, chars, im.Calls, im.Results)
		}
		last := acts[len(acts)-1]
		page := ""
		for _, r := range res[:len(res)-1] {
			if r.Snapshot != nil {
				page = r.Snapshot.Text
			}
		}
		if last.Target == nil || !strings.Contains(page, last.Target.Ref) {
			t.Errorf("%s: the last action is %+v", name, last)
		}
		for _, e := range im.Events {
			if r := e.Result; r != nil && len(r.Images) > 0 && (r.Images[0].W != 1280 || r.Images[0].H != 720) {
				t.Errorf("%s: a picture of %v", name, r.Images)
			}
		}
	}
}
