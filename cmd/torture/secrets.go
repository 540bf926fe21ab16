//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"snapscope/replay"
)

// secrets sends secrets past the program wherever a page, a call or a client can bear
// one, between an agent and its server and in the transcripts of one. What it says and
// what it leaves holds none of them, holds the page, and is the person's alone.
func secrets(f *field) {
	f.each(f.n(100, 10), 2, func(i int, r *rand.Rand) (string, error) {
		if i%5 > 1 {
			return f.typedSecret(i%5-2, r)
		}
		s := newBearer(r)
		if i%5 == 0 {
			return f.secretsInSeat(s)
		}
		return f.secretsInTranscript(s)
	})
}

// bearer is a session's calls and answers with a secret in one place of them.
type bearer struct {
	place  string
	secret string
	calls  []bearing
}

type bearing struct {
	tool   string
	args   map[string]any
	answer string
}

// refs is how many elements a bearer's page has.
const refs = 12

// newBearer puts a random secret into a random place.
func newBearer(r *rand.Rand) bearer {
	secret := fmt.Sprintf("z%xq%d", r.Uint64(), r.IntN(1000))
	token := "sk-" + secret + fmt.Sprintf("%016x", r.Uint64())
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	address, title, result := "http://a.test/list", "List", ""
	line := `  - textbox "City" [ref=e3]`
	typing := map[string]any{"ref": "e3", "text": "Bonn"}
	b := bearer{secret: secret}
	places := []struct {
		name string
		put  func()
	}{
		{"the password of an address", func() { address = "http://me:" + secret + "@a.test/list" }},
		{"a parameter of an address", func() {
			address += pick("?", "#") + pick("access_token", "api_key", "password", "code_signature") + "=" + secret
		}},
		{"a title", func() { title, b.secret = "Key "+token, token }},
		{"the field of a password", func() {
			line = `  - textbox "` + pick("Password", "Clave", "Wachtwoord", "API key") + `" [ref=e3]: ` + secret
		}},
		{"what is typed by a description", func() { typing["element"], typing["text"] = pick("Password", "Hasło", "暗証番号"), secret }},
		{"what is typed into a labelled field", func() { line = `  - textbox "Private key" [ref=e3]`; typing["text"] = secret }},
		{"what is typed into the unknown", func() { typing["ref"], typing["text"] = "e999", secret }},
		{"a cookie", func() { result = "### Result\n\"" + pick("sid", "look", "x1") + "=" + secret + "; b=cdefgh\"\n" }},
		{"a header", func() { result = "### Result\nAuthorization: Bearer " + secret + secret + "\n" }},
	}
	at := places[r.IntN(len(places))]
	b.place = at.name
	at.put()
	var page strings.Builder
	page.WriteString("- generic [ref=e1]:\n  - button \"Go\" [ref=e2] [cursor=pointer]\n" + line + "\n")
	for n := 4; n <= refs; n++ {
		fmt.Fprintf(&page, "  - link \"Entry %d\" [ref=e%d]:\n    - /url: /list/%d?page=%d\n", n, n, n, n)
	}
	body := "### Page\n- Page URL: " + address + "\n- Page Title: " + title + "\n### Snapshot\n```yaml\n" + page.String() + "```"
	b.calls = []bearing{
		{"browser_navigate", map[string]any{"url": "http://a.test/list"}, body},
		{"browser_evaluate", map[string]any{"function": "() => document.cookie"}, result + body},
		{"browser_type", typing, "typed " + typing["text"].(string) + "\n" + body},
	}
	return b
}

// secretsInSeat lets the session pass between an agent and its server.
func (f *field) secretsInSeat(b bearer) (string, error) {
	what := "mcp: " + b.place
	home, env := f.home()
	var in, out bytes.Buffer
	for i, c := range b.calls {
		id := i + 1
		line := func(w *bytes.Buffer, v any) { _ = json.NewEncoder(w).Encode(v) }
		line(&in, map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": c.tool, "arguments": c.args}})
		line(&out, map[string]any{"jsonrpc": "2.0", "id": id, "result": map[string]any{"content": []any{map[string]any{"type": "text", "text": c.answer}}}})
	}
	answers := filepath.Join(filepath.Dir(home), "answers") // not in what the program keeps
	if err := os.WriteFile(answers, out.Bytes(), 0o600); err != nil {
		return what, err
	}
	server := `while IFS= read -r call; do IFS= read -r answer <&3 && printf '%s\n' "$answer"; done 3<'` + answers + `'`
	e := f.do(call{args: []string{"mcp", "--", "/bin/sh", "-c", server}, env: env, dir: home, stdin: &in, limit: time.Minute})
	if err := e.sound(0, 0); err != nil {
		return what, err
	}
	if !strings.Contains(e.out, b.secret) {
		return what, errors.New("the agent did not get what its server answered")
	}
	recs, _ := filepath.Glob(filepath.Join(home, "s/snapscope/recordings/*.jsonl"))
	if len(recs) != 1 {
		return what, fmt.Errorf("%d recordings", len(recs))
	}
	return what, f.afterSecret(b, home, env, recs[0], e.err)
}

// secretsInTranscript imports the session from another agent's file.
func (f *field) secretsInTranscript(b bearer) (string, error) {
	what := "import: " + b.place
	home, env := f.home()
	messages := []any{map[string]any{"role": "user", "content": "go"}}
	for i, c := range b.calls {
		id := fmt.Sprint("t", i)
		messages = append(messages,
			map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": c.tool, "input": c.args}}},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": []any{map[string]any{"type": "text", "text": c.answer}}}}})
	}
	data, err := json.Marshal(map[string]any{"model": "claude-sonnet-4-5", "messages": messages})
	from := filepath.Join(filepath.Dir(home), "transcript.json")
	if err := errors.Join(err, os.WriteFile(from, data, 0o600)); err != nil {
		return what, err
	}
	rec := filepath.Join(home, "rec.jsonl")
	e := f.do(call{args: []string{"import", from, "-o", rec}, env: env, dir: home})
	if err := e.sound(0, 0); err != nil {
		return what, err
	}
	if !strings.Contains(e.err, "masked: ") {
		return what, fmt.Errorf("it does not say what it masked: %q", clip(e.err, 200))
	}
	return what, f.afterSecret(b, home, env, rec, e.out+e.err)
}

// afterSecret looks at all that is said and kept of the session.
func (f *field) afterSecret(b bearer, home string, env []string, rec, said string) error {
	got, err := replay.ReadFile(rec)
	if err != nil {
		return err
	}
	pages := 0
	for _, e := range got.Events {
		if e.Result == nil || e.Result.Snapshot == nil {
			continue
		}
		pages++
		if n := strings.Count(e.Result.Snapshot.Text, "[ref=e"); n != refs {
			return fmt.Errorf("a page has %d of its %d refs", n, refs)
		}
		if n := strings.Count(e.Result.Snapshot.Text, "/url: /list/"); n != refs-3 {
			return fmt.Errorf("a page has %d of its %d addresses", n, refs-3)
		}
	}
	if pages != len(b.calls) {
		return fmt.Errorf("%d of %d pages are recorded", pages, len(b.calls))
	}
	for _, args := range [][]string{{"report", rec, "--html", filepath.Join(home, "r.html")}, {"report", rec, "--json"}, {"replay", rec, "--plain"}} {
		e := f.do(call{args: args, env: env, dir: home})
		if err := e.sound(0, 0); err != nil {
			return err
		}
		said += e.out + e.err
	}
	if strings.Contains(said, b.secret) {
		return fmt.Errorf("it said the secret: %q", clip(said[max(0, strings.Index(said, b.secret)-80):], 200))
	}
	return filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if i := bytes.Index(data, []byte(b.secret)); i >= 0 {
			return fmt.Errorf("%s holds the secret: %q", filepath.Base(path), clip(string(data[max(0, i-80):]), 200))
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 && strings.Contains(path, "/s/snapscope/") {
			err = fmt.Errorf("%s may be read by others: %v", filepath.Base(path), info.Mode())
		}
		return err
	})
}
