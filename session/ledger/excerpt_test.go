package ledger_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
)

func TestTruthFindIsAnExcerpt(t *testing.T) {
	s := truth(t, "find-is-an-excerpt", "full", "keep-one", "delta")
	mustSurvive(t, s, "2/2", "2/2", "2/2")
	for _, r := range append(s.Reports, s.AsSent) {
		if r.Snapshots != 1 || r.InputTokens != s.Full.InputTokens || len(r.Expiries) != 0 {
			t.Errorf("%s: %d snapshots, %d tokens, full %d", r.Policy.Name, r.Snapshots, r.InputTokens, s.Full.InputTokens)
		}
	}
}

// talk is a session as a request to Anthropic's Messages API holds it.
type talk struct {
	messages []any
	n        int
}

type object = map[string]any

func (k *talk) ask(tool string, args object, answer string) {
	k.n++
	id := fmt.Sprintf("t%d", k.n)
	k.messages = append(k.messages,
		object{"role": "assistant", "content": []any{object{"type": "tool_use", "id": id, "name": tool, "input": args}}},
		object{"role": "user", "content": []any{object{"type": "tool_result", "tool_use_id": id, "content": answer}}})
}

func (k *talk) timeline(t *rapid.T, dir string) *session.Timeline {
	b, err := json.Marshal(object{"model": "claude-sonnet-4-5", "messages": append([]any{object{"role": "user", "content": "go"}}, k.messages...)})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "talk.json")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	im, err := transcript.Read(context.Background(), path, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return session.NewTimeline(im.Events)
}

// anyWords are a few words that a page may say.
func anyWords(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"maple", "harbour", "41", "Ränge", "of", "ledger", "ref", "night"}), 1, 3).Draw(t, "words"), " ")
}

// A page, excerpts of it, and actions on what the page shows: whatever is asked for in
// between, every policy answers as if it had not been, but for the tokens of the text.
func TestLawOfExcerpts(t *testing.T) {
	dir := t.TempDir()
	names := []string{"full", "keep-one", "delta", "fold", "compress"}
	rapid.Check(t, func(rt *rapid.T) {
		var with, without talk
		var lines []string
		for i := range rapid.IntRange(3, 150).Draw(rt, "page") {
			lines = append(lines, fmt.Sprintf("  - button %q [ref=e%d]", anyWords(rt), i+2))
		}
		page := func() string {
			return "### Page\n- Page URL: http://heron.test/desk\n- Page Title: Desk\n### Snapshot\n```yaml\n- main [ref=e1]:\n" + strings.Join(lines, "\n") + "\n```"
		}
		both := func(tool string, args object, answer string) {
			with.ask(tool, args, answer)
			without.ask(tool, args, answer)
		}
		both("browser_navigate", object{"url": "http://heron.test/desk"}, page())
		excerpts := 0
		for range rapid.IntRange(1, 6).Draw(rt, "steps") {
			from := rapid.IntRange(0, len(lines)-1).Draw(rt, "from")
			part := "- main [ref=e1]:\n" + strings.Join(lines[from:min(len(lines), from+3)], "\n")
			fenced := "### Snapshot\n```yaml\n" + part + "\n```"
			ref := fmt.Sprintf("e%d", rapid.IntRange(2, len(lines)+1).Draw(rt, "ref"))
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0:
				with.ask("browser_find", object{"text": anyWords(rt)}, "### Result\nFound 1 match for \"x\":\n\n"+part)
			case 1:
				with.ask("browser_snapshot", object{"target": ref}, fenced)
			case 2:
				with.ask("browser_snapshot", object{"depth": 2}, fenced)
			case 3:
				with.ask("browser_evaluate", object{"function": "() => document.body.innerText"}, "### Result\n"+part)
				excerpts--
			case 4:
				lines[from] = fmt.Sprintf("  - button %q [ref=e%d]", anyWords(rt), from+2)
				both("browser_click", object{"element": "x", "target": ref}, page())
				excerpts--
			}
			excerpts++
			both("browser_click", object{"element": "x", "target": ref}, "### Ran Playwright code\n```js\nawait x;\n```")
		}
		a, b := with.timeline(rt, dir), without.timeline(rt, dir)
		if len(a.Snaps) != len(b.Snaps) {
			rt.Fatalf("%d pages, %d without the excerpts", len(a.Snaps), len(b.Snaps))
		}
		seen := 0
		for i := range a.Steps {
			if r := a.Steps[i].Result; r.Seen == session.SeenExcerpt {
				seen++
				if r.Whole() != answerOf(with.messages, i) || a.Steps[i].Document != 1 {
					rt.Fatalf("step %d, document %d: %q", i+1, a.Steps[i].Document, r.Whole())
				}
			}
		}
		if seen != excerpts {
			rt.Fatalf("%d excerpts, %d seen", excerpts, seen)
		}
		x, y := studied(t, a, names...), studied(t, b, names...)
		for i, r := range x.Reports {
			q := y.Reports[i]
			if r.Snapshots != q.Snapshots || r.Survival.Acted != q.Survival.Acted || r.Survival.Survived < q.Survival.Survived {
				rt.Fatalf("%s: %d snapshots, %d of %d; without the excerpts %d, %d of %d", r.Policy.Name,
					r.Snapshots, r.Survival.Survived, r.Survival.Acted, q.Snapshots, q.Survival.Survived, q.Survival.Acted)
			}
			if expired(r) != expired(q) {
				rt.Fatalf("%s: %d expired, %d without the excerpts", r.Policy.Name, expired(r), expired(q))
			}
		}
	})
}

func expired(r *ledger.Report) (n int) {
	for _, e := range r.Expiries {
		n += len(e.Cleared)
	}
	return n
}

func answerOf(messages []any, step int) string {
	content := messages[2*step+1].(object)["content"].([]any)
	return content[0].(object)["content"].(string)
}

// An element that a command found in a snapshot's file can be used: the agent read its
// line, with grep's number before it.
func TestWhatGrepFoundCanBeRead(t *testing.T) {
	s := new(script)
	s.act(session.VerbGoto, "", "")
	r := s.events[1].Result
	r.Text, r.Shown, r.Seen = "", "notes.yml:12:  - button \"Save\" [ref=e7]\nnotes.yml-13-  - text: \"[ref=e8]\"", session.SeenExcerpt
	s.act(session.VerbClick, "e7", "").act(session.VerbClick, "e8", "")
	sheet := studied(t, s.timeline(), "full", "keep-one")
	mustSurvive(t, sheet, "1/2", "1/2")
}
