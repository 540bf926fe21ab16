package mcp

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"snapscope/replay/proxy"
	"snapscope/replay/transcript/reply"
	"snapscope/session"
	"snapscope/session/agents"
)

// receipts learn from the client's own transcript what its model really got of an
// answer: the seat sees what it sent, not what the client made of it. They belong
// to the recorder.
type receipts struct {
	find  func(session, thread string) string
	path  string
	offs  map[string]int64      // how much of each file was read
	sent  map[string]sentAnswer // by the client's id of the call
	who   map[string]string     // which agent made a call, by the same: "" the first one
	tries int
}

type sentAnswer struct {
	action, tool string
	text         string
}

// TranscriptOf finds the transcript of a client's session, by the id of the session or
// of the thread, whichever the client tells. It answers "" where there is none.
func TranscriptOf(home string, getenv func(string) string) func(session, thread string) string {
	return func(session, thread string) string {
		w := agents.Where{Home: home, OS: runtime.GOOS, Getenv: getenv}
		for _, a := range agents.All() {
			t := a.Transcripts
			for _, try := range []struct{ id, pattern string }{{session, t.Session}, {thread, t.Thread}} {
				if try.pattern == "" || !plainID.MatchString(try.id) {
					continue
				}
				if got, err := filepath.Glob(filepath.Join(t.Dir.At(w), filepath.FromSlash(fmt.Sprintf(try.pattern, try.id)))); err == nil && len(got) == 1 {
					return got[0]
				}
			}
		}
		return ""
	}
}

var plainID = regexp.MustCompile(`^[A-Za-z0-9-]{8,64}$`)

// callKey is the client's own id of a call, by which its transcript names it.
func callKey(raw []byte) string {
	for _, key := range []string{"claudecode/toolUseId", "callId"} {
		if id := proxy.TextAt(raw, "params", "_meta", key); id != "" {
			return id
		}
	}
	return ""
}

// maxRead is how much of a transcript is read at a time, in bytes; the rest comes
// with the next call.
const maxRead = 32 << 20

// look reads what the transcript holds since the last time: who made which call, and
// what it says of the answers that were sent. cut is called for each that did not
// reach the model as it was sent, compacted where the client shortened its history.
func (c *receipts) look(session, thread string, cut func(a sentAnswer, chars int), compacted func()) {
	if c.find == nil {
		return
	}
	if c.path == "" {
		if c.tries++; c.tries > 50 { // it is not there, or not readable
			c.find, c.sent = nil, nil
			return
		}
		if c.path = c.find(session, thread); c.path == "" {
			return
		}
	}
	for _, line := range c.lines() {
		if bytes.Contains(line, []byte(`"compact_boundary"`)) || bytes.Contains(line, []byte(`"isCompactSummary":true`)) || bytes.Contains(line, []byte(`"type":"compacted"`)) {
			compacted()
		}
		c.callers(line)
		for id, a := range c.sent {
			if !bytes.Contains(line, []byte(id)) {
				continue
			}
			got, ok := received(line, id)
			if !ok {
				continue
			}
			delete(c.sent, id)
			if strings.Contains(got, strings.TrimSpace(a.text)) { // a reminder of the client's own behind it is no cut
				continue
			}
			if seen := reply.Read(reply.Call{Tab: -1}, got).Seen; len(got) < len(a.text)*9/10 || seen != "" && !seen.Readable() {
				cut(a, utf8.RuneCountInString(got))
			}
		}
	}
}

// callers notes who made the calls of a line: Claude Code marks what an agent of its
// agent says as a side chain, and names that agent.
func (c *receipts) callers(line []byte) {
	if !bytes.Contains(line, []byte(`"tool_use"`)) {
		return
	}
	content, ok := proxy.Find(line, "message", "content")
	if !ok {
		return
	}
	who := proxy.TextAt(line, "agentId")
	if side, ok := proxy.Find(line, "isSidechain"); ok && string(side.Of(line)) == "true" && who == "" {
		return // one of several, and not said which
	} else if !ok || string(side.Of(line)) != "true" {
		who = ""
	}
	if len(c.who) > 4096 {
		clear(c.who)
	}
	for at := range proxy.Elements(line, content.From) {
		block := line[at:proxy.End(line, at)]
		if proxy.TextAt(block, "type") == "tool_use" {
			c.who[proxy.TextAt(block, "id")] = who
		}
	}
}

// lines are the whole lines that were written since, to the transcript and to those
// of its agents' agents, which Claude Code keeps in files beside it.
func (c *receipts) lines() (out [][]byte) {
	files := []string{c.path}
	if more, err := filepath.Glob(filepath.Join(strings.TrimSuffix(c.path, ".jsonl"), "subagents", "*.jsonl")); err == nil {
		files = append(files, more...)
	}
	for _, file := range files {
		out = append(out, c.linesOf(file)...)
	}
	return out
}

func (c *receipts) linesOf(file string) [][]byte {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, c.offs[file], maxRead))
	end := bytes.LastIndexByte(b, '\n') + 1
	if err != nil || end == 0 {
		if len(b) == maxRead {
			c.offs[file] += int64(len(b)) // one endless line
		}
		return nil
	}
	c.offs[file] += int64(end)
	return bytes.Split(b[:end-1], []byte("\n"))
}

// received is the text that a transcript's line says the model got for a call.
func received(line []byte, id string) (text string, ok bool) {
	if proxy.TextAt(line, "payload", "call_id") == id { // Codex
		if proxy.TextAt(line, "payload", "type") != "function_call_output" {
			return "", false
		}
		return textOf(line, "payload", "output"), true
	}
	content, ok := proxy.Find(line, "message", "content")
	if !ok {
		return "", false
	}
	for at := range proxy.Elements(line, content.From) {
		block := line[at:proxy.End(line, at)]
		if proxy.TextAt(block, "tool_use_id") == id {
			return textOf(block, "content"), true
		}
	}
	return "", false
}

// textOf is a text, or the texts of a list of blocks.
func textOf(line []byte, path ...any) string {
	s, ok := proxy.Find(line, path...)
	if !ok {
		return ""
	}
	if text, ok := proxy.Text(line, s); ok {
		return text
	}
	var out []string
	for at := range proxy.Elements(line, s.From) {
		out = append(out, proxy.TextAt(line[at:proxy.End(line, at)], "text"))
	}
	return strings.Join(out, "\n")
}

// receive looks at the transcript before a call is recorded: what came before it
// has been written there by now.
func (r *recorder) receive(v *view, thread string) {
	r.got.look(r.p.o.Session, thread, func(a sentAnswer, chars int) {
		v.forget(session.AnewCut)
		r.note(fmt.Sprintf("the agent's own transcript shows that its model got %d of the %d characters of the answer of %s (%s)",
			chars, utf8.RuneCountInString(a.text), a.tool, a.action))
	}, func() {
		v.compacted()
		r.note("the agent shortened its history: the next page goes out whole")
	})
}

// maxExpected bounds the answers that are held until the transcript tells of them, in
// bytes; it does with the next call, or never.
const maxExpected = 16 << 20

// waitForCaller is how long an answer waits for the client to write down who made its
// call, which it does while the server works.
const waitForCaller = 150 * time.Millisecond

// reader tells which agent will read the answer to a call; ok is false where nothing
// tells. The client names its thread, or its transcript tells who made the call.
func (r *recorder) reader(v *view, c *asked) (who string, ok bool) {
	if c.thread != "" {
		return c.thread, true
	}
	for end := time.Now().Add(waitForCaller); c.key != "" && r.got.find != nil; time.Sleep(10 * time.Millisecond) {
		r.receive(v, c.thread)
		if who, ok = r.got.who[c.key]; ok || r.got.path == "" || time.Now().After(end) {
			break
		}
	}
	return who, ok || r.p.o.OneAgent
}

// untold reports whether nothing can tell who reads the answer to a call. It does not
// wait: where nothing is rewritten, an answer waits for nobody.
func (r *recorder) untold(v *view, c *asked) bool {
	if c.thread != "" || r.p.o.OneAgent {
		return false
	}
	if c.key != "" && r.got.find != nil && r.got.path == "" {
		r.receive(v, c.thread)
	}
	return c.key == "" || r.got.path == ""
}

// expect notes an answer that the transcript will tell of.
func (r *recorder) expect(c *asked, text string) {
	if c.key == "" || r.got.find == nil {
		return
	}
	size := len(text)
	for _, a := range r.got.sent {
		size += len(a.text)
	}
	if len(r.got.sent) > 256 || size > maxExpected {
		clear(r.got.sent)
	}
	r.got.sent[c.key] = sentAnswer{c.action, c.tool, text}
}
