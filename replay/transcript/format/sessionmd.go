package format

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"snapscope/session"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
	"snapscope/replay/transcript/sidefile"
	"snapscope/snapshot"
)

var sessionMDFormat = &Format{
	Name:  "playwright-session",
	Title: "Playwright MCP session.md",
	Doc: "--save-session, three generations: links to NNN.snapshot.yml (the replies of those versions held the text itself, so it counts as " +
		"seen), a Result with the snapshot as sent, and a Result where snapshot is the side file's text and inlineSnapshot what the model saw.",
	detect: func(h *head) bool {
		return h.open == 0 && h.contains("### Tool call: ", "### User action: ")
	},
	read: readSessionMD,
}

// sessionMD reads the log entry by entry. An entry is whole when the next one
// begins, or where the file ends.
type sessionMD struct {
	p      *importer
	entry  *mdEntry
	fence  string          // what the fenced block is: args, code, result
	body   strings.Builder // of the open fence
	inside bool
	json   bool   // the open fence says that it holds JSON
	plain  bool   // a block that is not kept
	last   string // the line before
	hands  int    // what a person did
}

type mdEntry struct {
	tool, user         string
	line               int
	args, code, result string
	text               bool // the result is plain text
	failed             bool // the result is an error
	link               string
	blocks             int
}

func readSessionMD(ctx context.Context, p *importer, r io.Reader) error {
	m := &sessionMD{p: p}
	p.browserOnly, p.pages.Direct = true, true
	p.start.Agent = "Playwright MCP"
	p.atIdle = func() {
		if e := m.entry; e != nil && !m.inside && (e.result != "" || e.link != "" || (m.last == "" && e.blocks > 1)) {
			m.flush()
		}
	}
	err := eachText(ctx, p, r, m.line)
	if m.inside {
		p.im.Cut = true
		p.im.skip("cut last entry", m.entryLine())
		if m.entry != nil && m.entry.user == "" && m.entry.args != "" {
			m.call(m.entry) // it was called; its result is what is missing
		}
		return err
	}
	m.flush()
	return err
}

func (m *sessionMD) entryLine() int {
	if m.entry == nil {
		return 1
	}
	return m.entry.line
}

func (m *sessionMD) line(n int, text string) {
	defer func() { m.last = text }()
	if m.inside {
		if strings.TrimRight(text, " ") == "```" {
			m.close()
			return
		}
		if !m.plain {
			m.body.WriteString(text)
			m.body.WriteByte('\n')
		}
		return
	}
	if tool, ok := strings.CutPrefix(text, "### Tool call: "); ok {
		m.flush()
		m.entry = &mdEntry{tool: strings.TrimSpace(tool), line: n}
		return
	}
	if act, ok := strings.CutPrefix(text, "### User action: "); ok {
		m.flush()
		m.entry = &mdEntry{user: strings.TrimSpace(act), line: n}
		return
	}
	switch trimmed := strings.TrimSuffix(strings.TrimSpace(text), ":"); {
	case m.entry == nil:
	case strings.HasPrefix(text, "```"):
		m.inside, m.plain, m.json = true, m.fence == "", strings.HasPrefix(text, "```json")
		m.body.Reset()
	case trimmed == "- Args", trimmed == "- Code", trimmed == "- Result", trimmed == "- Error":
		m.fence = strings.ToLower(trimmed[2:])
	case strings.HasPrefix(text, "- Snapshot: "):
		m.entry.link = strings.TrimSpace(strings.TrimPrefix(text, "- Snapshot: "))
		m.entry.blocks++
	}
}

func (m *sessionMD) close() {
	m.inside = false
	body := strings.TrimSuffix(m.body.String(), "\n")
	switch m.fence {
	case "args":
		m.entry.args = body
	case "code":
		m.entry.code = body
	case "result", "error":
		m.entry.result, m.entry.text, m.entry.failed = body, !m.json, m.fence == "error"
	}
	m.fence = ""
	m.entry.blocks++
}

func (m *sessionMD) flush() {
	e := m.entry
	m.entry = nil
	if e == nil {
		return
	}
	if e.user != "" {
		m.byHand(e)
		return
	}
	id := m.call(e)
	a := m.answer(e, id)
	if c := m.p.open[id]; c != nil && c.mean.Verb == session.VerbScreenshot && !a.failed && c.mean.Args["fullPage"] != true {
		m.p.sees([]snapshot.Size{{}}) // the model got the picture; the log does not say of which size
	}
	m.p.result(a)
}

func (m *sessionMD) call(e *mdEntry) string {
	return m.p.toolCall("", e.tool, m.args(e), time.Time{}, e.line).raw
}

func (m *sessionMD) args(e *mdEntry) map[string]any {
	var t tape.Tape
	if v, err := t.ParseText(e.args); err == nil {
		return v.Object()
	}
	if e.args != "" {
		m.p.im.skip("arguments that are not JSON", e.line)
	}
	return nil
}

// byHand is what a person did in the browser: a step that no model chose, with the page
// that it led to, of which the model is not told.
func (m *sessionMD) byHand(e *mdEntry) {
	p := m.p
	mean := reply.Explain(e.user, m.args(e), true)
	p.mask.Args(mean.Args, p.shown(mean.Verb))
	if code := strings.TrimSpace(e.code); code != "" {
		if mean.Args == nil {
			mean.Args = map[string]any{}
		}
		mean.Args["code"] = p.mask.Text(firstLine(code))
	}
	m.hands++
	id := fmt.Sprintf("by-hand-%d", m.hands)
	p.emit(session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Verb: mean.Verb, Tool: e.user, Args: mean.Args, Spoken: true, Person: true}})
	a := reply.Answer{Action: id, Line: e.line}
	if text, err := p.links.Read(e.link); err == nil && e.link != "" {
		a.Side = &reply.SideSnapshot{Text: text, Seen: session.SeenUnasked}
	}
	p.emit(session.Event{Kind: session.KindResult, Result: p.pages.Result(mean, a)})
}

func (m *sessionMD) answer(e *mdEntry, id string) answer {
	a := answer{id: id, line: e.line, failed: e.failed}
	if e.link != "" { // the first generation
		a.text = joinSections(section("Result", e.result), section("Ran Playwright code", fenced("js", e.code)))
		text, err := m.p.links.Read(e.link)
		if err != nil {
			a.side = &reply.SideSnapshot{Seen: session.SeenLink, Note: "the snapshot lies in a file of its own: " + err.Error()}
			m.p.im.skip("link not followed: "+sidefile.Reason(err), e.line)
			return a
		}
		a.text = joinSections(a.text, "### Page state\n- Page Snapshot:\n```yaml\n"+strings.TrimRight(text, "\r\n")+"\n```") // also an empty one
		return a
	}
	if e.result == "" {
		a.text = section("Ran Playwright code", fenced("js", e.code))
		return a
	}
	if e.text {
		a.text = joinSections(section("Result", e.result), section("Ran Playwright code", fenced("js", e.code)))
		return a
	}
	var t tape.Tape
	v, err := t.ParseText(e.result)
	if err != nil || v.Kind() != tape.Object {
		m.p.im.skip("result that is not JSON", e.line)
		a.text = e.result
		return a
	}
	return m.sections(v, a)
}

// sections writes the reply as the server sent it, from the sections that the
// log keeps as fields.
func (m *sessionMD) sections(v tape.Value, a answer) answer {
	inline := v.Get("inlineSnapshot").OK()
	v.Fields(func(key string, x tape.Value) {
		text := x.Str()
		switch key {
		case "error":
			a.failed = true
			a.text = joinSections(a.text, section("Error", text))
		case "isError":
			a.failed = x.Bool()
		case "result":
			a.text = joinSections(a.text, section("Result", text))
		case "code":
			a.text = joinSections(a.text, section("Ran Playwright code", fenced("js", text)))
		case "tabs":
			a.text = joinSections(a.text, section("Open tabs", text))
		case "page":
			a.text = joinSections(a.text, section("Page", text))
		case "modalState", "modal":
			a.text = joinSections(a.text, section("Modal state", text))
		case "events":
			a.text = joinSections(a.text, section("Events", text))
		case "inlineSnapshot":
			if !strings.HasPrefix(text, "```") {
				text = "```yaml\n" + strings.TrimSuffix(text, "\n") + "\n```"
			}
			a.text = joinSections(a.text, "### Snapshot\n"+text)
		case "snapshot":
			switch {
			case strings.HasPrefix(text, "```"):
				a.text = joinSections(a.text, "### Snapshot\n"+text)
			case !inline:
				a.side = &reply.SideSnapshot{Text: text, Seen: session.SeenLink}
			}
		default:
			if text != "" {
				a.text = joinSections(a.text, section(key, text))
			}
			m.p.fieldUnknown("result", key, a.line)
		}
	})
	return a
}

func section(title, body string) string {
	if body == "" {
		return ""
	}
	return "### " + title + "\n" + body
}

func fenced(lang, body string) string {
	if body == "" {
		return ""
	}
	return "```" + lang + "\n" + body + "\n```"
}

func joinSections(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
