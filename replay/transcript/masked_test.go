package transcript

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapscope/snapshot/notation"
)

// notes is what the notation says of a page, line by line.
func notes(text string) (out []string) {
	for _, line := range strings.Split(text, "\n") {
		l := notation.ReadLine(line, notation.Aria)
		out = append(out, fmt.Sprint(l.Kind, l.Indent, l.Role, " ", l.Ref, " ", l.HasName, l.Whole, l.AttrsAt.Of(line)))
	}
	return out
}

// keepsItsPages reads a session with its secrets and without, and holds the pages of
// both against each other.
func keepsItsPages(t *testing.T, file, said string, secrets ...string) {
	t.Helper()
	both := make([]*Import, 2)
	for i := range both {
		var err error
		if both[i], err = Read(context.Background(), file, Options{KeepSecrets: i == 1}); err != nil {
			t.Fatal(err)
		}
	}
	_, masked := results(both[0])
	_, kept := results(both[1])
	if len(masked) != len(kept) || len(kept) == 0 {
		t.Fatalf("%d results with masks, %d without", len(masked), len(kept))
	}
	pages := 0
	for i := range kept {
		a, b := masked[i], kept[i]
		if (a.Snapshot == nil) != (b.Snapshot == nil) || a.Seen != b.Seen || a.OK != b.OK {
			t.Errorf("result %d is read otherwise: %+v, %+v", i+1, a, b)
			continue
		}
		if b.Snapshot == nil {
			continue
		}
		pages++
		if got, want := notes(a.Snapshot.Text), notes(b.Snapshot.Text); !slices.Equal(got, want) {
			t.Errorf("page %d: %q, want %q", i+1, got, want)
		}
		if a.Snapshot.URL != b.Snapshot.URL {
			t.Errorf("page %d: %s, want %s", i+1, a.Snapshot.URL, b.Snapshot.URL)
		}
	}
	if pages < 3 {
		t.Errorf("%d pages", pages)
	}
	text := jsonLine(both[0].Events)
	for _, s := range secrets {
		if strings.Contains(text, s) || !strings.Contains(jsonLine(both[1].Events), s) {
			t.Errorf("%s is not masked, or never was there", s)
		}
	}
	if got := both[0].Secrets.String(); got != said || both[0].Masked != both[0].Secrets.Sum() {
		t.Errorf("masked: %s (%d), want %s", got, both[0].Masked, said)
	}
}

// An answer that holds cookies loses their values, and nothing of the page beside them.
func TestMaskingAnAnswerKeepsItsPage(t *testing.T) {
	keepsItsPages(t, filepath.Join(samples, "truth", "masked-page.json"), "2 cookies", "abc123def456ghi789", "theme=dark")
}

// The same with other words, and a password that is a word of the notation besides.
func TestMaskingKeepsGeneratedPages(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		pick := func(words ...string) string { return words[r.IntN(len(words))] }
		name, value, theme := pick("visitor", "JSESSIONID", "csrf", "b_user"), fmt.Sprintf("q%d-%x", seed, r.Uint64()), pick("warm", "night", "e100", "ref=e100")
		password := pick("hunter22", "listitem", "cursor=pointer", "checkout", "generic", "active", "e1000")
		rows := 90 + r.IntN(60)
		host := pick("heron", "marten", "stoat") + ".test"
		var page strings.Builder
		fmt.Fprintf(&page, "- generic [active] [ref=e1]:\n")
		for i := range rows {
			fmt.Fprintf(&page, "  - %s \"%s %d\" [ref=e%d] [cursor=pointer]\n    - /url: /checkout/%d?page=%d\n", pick("listitem", "link", "row"), pick("Offer", "Parcel"), i, i+2, i, i)
		}
		body := "### Page\n- Page URL: http://" + host + "/checkout\n- Page Title: " + host + "\n### Snapshot\n```yaml\n" + page.String() + "```"
		tool, args := "mcp__playwright__browser_evaluate", map[string]any{"function": pick("() => document.cookie", "() => { return document.cookie }")}
		calls := []struct {
			tool   string
			args   map[string]any
			answer string
		}{
			{"mcp__playwright__browser_navigate", map[string]any{"url": "http://" + host + "/checkout"}, body},
			{"mcp__playwright__browser_type", map[string]any{"element": "Password", "ref": "e5", "text": password}, body},
			{tool, args, fmt.Sprintf("### Result\n\"%s=%s; look=%s\"\n", name, value, theme) + body},
			{"mcp__playwright__browser_click", map[string]any{"element": "Parcel", "ref": "e13"}, body},
		}
		messages := []any{map[string]any{"role": "user", "content": "go"}}
		for i, c := range calls {
			id := fmt.Sprint("t", i)
			messages = append(messages,
				map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": c.tool, "input": c.args}}},
				map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": []any{map[string]any{"type": "text", "text": c.answer}}}}})
		}
		b, err := json.Marshal(map[string]any{"model": "claude-sonnet-4-5", "messages": messages})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), fmt.Sprint(seed, ".json"))
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		keepsItsPages(t, file, "1 password, 2 cookies", value)
		if t.Failed() {
			t.Fatalf("seed %d: password %s, cookie %s=%s", seed, password, name, value)
		}
	}
}

// What is typed into an element that no page showed and that nothing describes is
// masked: it may be anything.
func TestTypedIntoTheUnknownIsMasked(t *testing.T) {
	const session = `{"model":"m","messages":[{"role":"user","content":"go"},
{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"browser_snapshot","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"### Snapshot\n` + "```yaml" + `\n- generic [ref=e1]:\n  - textbox \"City\" [ref=e2]\n` + "```" + `"}]},
{"role":"assistant","content":[{"type":"tool_use","id":"b","name":"browser_type","input":{"ref":"e99","text":"opensesame1"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"no such element; opensesame1 was not typed"}]},
{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"browser_type","input":{"ref":"e2","text":"Bonn-am-Rhein"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"typed"}]}]}`
	file := filepath.Join(t.TempDir(), "unknown.json")
	if err := os.WriteFile(file, []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	im, err := Read(context.Background(), file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := jsonLine(im.Events)
	if strings.Contains(text, "opensesame1") || !strings.Contains(text, "Bonn-am-Rhein") {
		t.Errorf("%s", text)
	}
}

// What is typed into a field for secrets is masked in a call that carries several
// actions, too: in its arguments, and in the code that it runs.
func TestWhatABatchTypesIsMasked(t *testing.T) {
	const secret = "Kestrel-77"
	for name, c := range map[string]struct{ page, tool, args string }{
		"batch": {
			`main [ref_1]\n textbox \"Your name\" [ref_2]\n textbox \"Password\" [ref_3] type=\"password\"`, "mcp__claude-in-chrome__browser_batch",
			`{"actions":[{"name":"computer","input":{"action":"left_click","ref":"ref_2"}},{"name":"form_input","input":{"ref":"ref_3","value":"` + secret + `"}}]}`,
		},
		"code": {
			`[1] heading \"Sign in\"\n[2] textbox \"Your name\"\n[3] textbox \"Password\"`, "python",
			`{"code":"bu.click(2)\nbu.type(3, \"` + secret + `\"); print('` + secret + ` was typed')"}`,
		},
	} {
		first := `{"role":"assistant","content":[{"type":"tool_use","id":"a1","name":"mcp__claude-in-chrome__read_page","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a1","content":"` + c.page + `"}]}`
		file := filepath.Join(t.TempDir(), "session.json")
		text := `{"messages":[{"role":"user","content":"Sign in."},` + first + `,{"role":"assistant","content":[{"type":"tool_use","id":"a2","name":"` + c.tool + `","input":` + c.args + `}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a2","content":"Done with ` + secret + `."}]}]}`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, keep := range []bool{false, true} {
			im, err := Read(context.Background(), file, Options{KeepSecrets: keep})
			if err != nil {
				t.Fatal(err)
			}
			all, err := json.Marshal(im.Events)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(all), secret) != keep || im.Results != 2 {
				t.Errorf("%s, secrets kept %v: %s", name, keep, all)
			}
		}
	}
}
