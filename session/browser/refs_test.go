package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
)

// sequence is one of refs.json: pages by name and what is done on the first.
type sequence struct {
	Name  string            `json:"name"`
	Pages map[string]string `json:"pages"`
	Steps [][]string        `json:"steps"` // verb, words of the element's line (an address, a script), value
}

// TestRefsOverTime does the sequences of refs.json and holds each text, refs as
// they stand, against the oracle's stored answer (testdata/aria/refs.mjs).
func TestRefsOverTime(t *testing.T) {
	t.Parallel()
	var sequences []sequence
	if err := json.Unmarshal([]byte(read(t, filepath.Join(ariaFolder, "refs.json"))), &sequences); err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for _, s := range sections(t, filepath.Join(ariaFolder, "refs.aria"), regexp.MustCompile(`(?m)^=== (.*)\n`)) {
		answers[s.name] = strings.TrimSuffix(s.body, "\n")
	}
	var origin string
	filled := func(text string, n int) string {
		here := fmt.Sprintf("%s/%d", origin, n)
		return strings.NewReplacer("$HERE", here, "$OTHER", strings.Replace(here, "127.0.0.1", "localhost", 1)).Replace(text)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		number, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		_, err := fmt.Sscan(number, &n)
		if err != nil || n >= len(sequences) || sequences[n].Pages[name] == "" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>\n", filled(sequences[n].Pages[name], n))
	}))
	defer server.Close()
	origin = server.URL
	if len(sequences) < 20 {
		t.Errorf("%d sequences, want at least 20", len(sequences))
	}
	own := with(t, patience)
	for n, s := range sequences {
		t.Run(s.Name, func(t *testing.T) {
			r := &rig{t, own.b}
			r.must(act(session.VerbTab, "do", "new"))
			var res *session.Result
			for i, step := range append([][]string{{"goto", ""}}, s.Steps...) {
				res = r.must(s.act(t, res, step, func(text string) string { return filled(text, n) }))
				want, ok := answers[fmt.Sprintf("%s, step %d", s.Name, i)]
				if !ok {
					t.Fatalf("refs.aria has no step %d: run node refs.mjs", i)
				}
				if res.Snapshot.Text != want {
					t.Fatalf("step %d, %q (-oracle +ours):\n%s", i, step, cmp.Diff(strings.Split(want, "\n"), strings.Split(res.Snapshot.Text, "\n")))
				}
			}
		})
	}
}

// act makes the action of a step.
func (s sequence) act(t *testing.T, last *session.Result, step []string, filled func(string) string) session.Action {
	switch verb := session.Verb(step[0]); verb {
	case session.VerbGoto:
		return act(verb, "url", filled("$HERE/"+step[1]))
	case "js":
		return act(session.VerbEvaluate, "js", filled(step[1]))
	case session.VerbFill:
		return act(verb, "ref", refOf(t, last, step[1]), "text", step[2])
	case session.VerbSelect:
		return act(verb, "ref", refOf(t, last, step[1]), "value", step[2])
	default:
		return act(verb, "ref", refOf(t, last, step[1]))
	}
}
