//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// secret stands in the file that no transcript may lead to.
const secret = "xq-secret-of-the-file-outside"

// links leads out of a transcript's folder in every way that a path can, in every
// place where a transcript may name a file.
func links(f *field) {
	carriers := []func(link string) (name, text string){pageLink, savedTo, sessionFile}
	n := len(outward("", "")) * len(carriers)
	if f.short {
		n = 12
	}
	followed := 0
	f.each(n, 2, func(i int, _ *rand.Rand) (string, error) {
		home, env := f.home()
		outside, session := filepath.Join(home, "out"), filepath.Join(home, "out", "session")
		if err := hideSecret(outside, session); err != nil {
			return "", err
		}
		link := outward(outside, session)[i/len(carriers)]
		name, text := carriers[i%len(carriers)](link)
		file := filepath.Join(session, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return link, err
		}
		rec := filepath.Join(home, "rec.jsonl")
		e := f.do(call{args: []string{"import", file, "-o", rec}, env: env, dir: session})
		if err := e.sound(0, 1<<30); err != nil {
			return link, err
		}
		data, _ := os.ReadFile(rec) // none where the import failed
		if strings.Contains(string(data)+e.out+e.err, secret) {
			return link, errors.New("it was followed")
		}
		return link, nil
	})
	// The same places do lead to a file that lies beside the transcript: else the tries above tried nothing.
	f.each(len(carriers), 1, func(i int, _ *rand.Rand) (string, error) {
		home, env := f.home()
		beside := filepath.Join(home, "tool-results", "page.yml")
		_ = os.MkdirAll(filepath.Dir(beside), 0o700)
		if err := os.WriteFile(beside, []byte("- button \""+secret+"\" [ref=e1]\n"), 0o600); err != nil {
			return "", err
		}
		name, text := carriers[i]("tool-results/page.yml")
		file, rec := filepath.Join(home, name), filepath.Join(home, "rec.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return name, err
		}
		e := f.do(call{args: []string{"import", file, "-o", rec}, env: env, dir: home})
		data, _ := os.ReadFile(rec)
		if !strings.Contains(string(data), secret) {
			return name, fmt.Errorf("the file beside it was not read: %s", e.err)
		}
		followed++
		return name, nil
	})
	f.note = fmt.Sprintf("%d of them links that do lead to a file beside it, and were followed", followed)
}

// hideSecret puts the file outside of the session's folder, and the links of the
// file system that lead there.
func hideSecret(outside, session string) error {
	page := []byte("- button \"" + secret + "\" [ref=e1]\n")
	err := os.MkdirAll(filepath.Join(session, ".playwright-mcp"), 0o700)
	for _, at := range []string{"secret.yml", "tool-results/secret.yml", ".playwright-mcp/secret.yml"} {
		at = filepath.Join(outside, at)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, page, 0o600))
	}
	return errors.Join(
		err,
		os.Symlink(filepath.Join(outside, "secret.yml"), filepath.Join(session, "soft.yml")),
		os.Symlink("../secret.yml", filepath.Join(session, "up.yml")),
		os.Symlink("..", filepath.Join(session, "folder")),
		os.Symlink("/", filepath.Join(session, "root")),
		os.Symlink("../../secret.yml", filepath.Join(session, ".playwright-mcp", "page.yml")),
		os.Symlink("loop", filepath.Join(session, "loop")),
	)
}

// outward are ways to write a path that leads out.
func outward(outside, session string) []string {
	abs := filepath.Join(outside, "secret.yml")
	return []string{
		"../secret.yml", "./../secret.yml", "a/../../secret.yml", "../session/../secret.yml", ".//..//secret.yml", `..\secret.yml`, `.\..\secret.yml`,
		abs, "file://" + abs, "file:" + abs, "FILE://" + abs, "//" + abs, "/." + abs, "/../../../../" + abs, `\\?\` + abs, "C:" + abs, `C:\..\..\secret.yml`,
		"soft.yml", "./soft.yml", "up.yml", "folder/secret.yml", "folder/../folder/secret.yml", "root" + abs, "root/../" + abs, "loop", "loop/secret.yml",
		".playwright-mcp/page.yml", ".playwright-mcp/../../secret.yml", ".playwright-mcp/../../.playwright-mcp/secret.yml", "tool-results/../../tool-results/secret.yml",
		filepath.Join(outside, "tool-results", "secret.yml"), filepath.Join(outside, ".playwright-mcp", "secret.yml"),
		"..%2fsecret.yml", "%2e%2e/secret.yml", "..%5csecret.yml", url.PathEscape(abs), "../secret.yml\x00.yml", "../secret.yml#a", "../secret.yml?a", "~/out/secret.yml", "$HOME/out/secret.yml",
		session + "/../secret.yml", "file://" + session + "/../secret.yml", "http://127.0.0.1/" + abs, "../" + strings.Repeat("x/../", 50) + "secret.yml",
	}
}

// pageLink is an answer of Playwright's MCP server that links to its page.
func pageLink(link string) (name, text string) {
	return "rpc.jsonl", rpc("### Page\n- Page URL: http://a.test/\n### Snapshot\n- [Snapshot](" + link + ")\n")
}

// savedTo is an answer that a client put into a file.
func savedTo(link string) (name, text string) {
	quoted, err := json.Marshal("<persisted-output>\nOutput too large (60KB). Full output saved to: " + link + "\n\nPreview (first 2KB):\n- main [ref=e1]\n...\n</persisted-output>")
	if err != nil {
		panic(err) // a string is JSON
	}
	return "big.json", `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"mcp__playwright__browser_navigate","input":{"url":"http://a.test/"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":` + string(quoted) + `}]}]}]}`
}

// sessionFile is a session.md whose page lies in a file.
func sessionFile(link string) (name, text string) {
	return "session.md", "\n### Tool call: browser_navigate\n- Args\n```json\n{\n  \"url\": \"http://a.test/\"\n}\n```\n- Code\n```js\nawait page.goto('http://a.test/');\n```\n- Snapshot: " + link + "\n"
}

func rpc(answer string) string {
	data, err := json.Marshal(answer)
	if err != nil {
		panic(err) // a string is JSON
	}
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"browser_navigate","arguments":{"url":"http://a.test/"}}}` + "\n" +
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + string(data) + `}]}}` + "\n"
}
