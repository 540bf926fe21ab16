package reply

import (
	"strings"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/sidefile"
	"snapscope/session"
	"snapscope/snapshot"
)

// What an agent's own client puts in place of a text that is too large for it.
// Two ways are met: a notice with the name of the file that holds the whole,
// most with a preview of its beginning, and a mark in the middle of the text
// where a part was left out.

// notice is such a notice taken apart.
type notice struct {
	file     string // where the whole was saved; empty where it is gone
	from, to int    // what is left of the text; empty where nothing is
}

// noticeSigns are what the beginning of a notice says.
var noticeSigns = []string{
	"exceeds maximum allowed tokens", // Claude Code, any version
	"Output too large",               // Claude Code since 2.1, Copilot CLI, Gemini CLI
	"Tool output was too large",      // older Gemini CLI
}

var savedSigns = []string{
	"Output has been saved to ", "Full output saved to: ", "Full output saved to ", "The full output has been saved to: ",
	"For full output see: ", "Saved to: ", "saved to: ",
}

// noticeReach is how far from its text's beginning and end a notice stands, in
// bytes.
const noticeReach = 4096

// readNotice finds a notice in an answer's text.
func readNotice(text string) (n notice, ok bool) {
	if n, ok = tailNotice(text); ok {
		return n, true
	}
	if beginsAsReply(text) {
		return notice{}, false
	}
	at := -1
	for _, sign := range noticeSigns {
		if at = strings.Index(text[:min(len(text), noticeReach)], sign); at >= 0 {
			break
		}
	}
	if at < 0 {
		return notice{}, false
	}
	n.file = savedIn(text[at:])
	if end := lineEndAt(text, at); strings.Contains(text[at:end], " and last ") { // Gemini CLI: both follow, with a mark between them
		n.from, n.to = min(end+1, len(text)), len(text)
		return n, true
	}
	if i := strings.Index(text[at:min(len(text), at+noticeReach)], "Preview (first "); i >= 0 {
		n.from = min(lineEndAt(text, at+i)+1, len(text))
		end := len(text)
		if j := strings.LastIndex(text, "</persisted-output>"); j >= n.from {
			end = j
		}
		n.to = n.from + len(strings.TrimSuffix(strings.TrimRight(text[n.from:end], "\n"), "\n..."))
	}
	return n, true
}

// tailNotice finds OpenCode's notice, which stands behind a text that was cut at
// its end. A page that only speaks of it is closed behind.
func tailNotice(text string) (n notice, ok bool) {
	from := max(0, len(text)-noticeReach)
	at := strings.LastIndex(text[from:], "The tool call succeeded but the output was truncated.")
	if at < 0 {
		return notice{}, false
	}
	at += from
	i := strings.LastIndex(text[:at], " truncated...")
	if i < 0 || at-i > 40 || strings.Contains(text[at:], "\n```") {
		return notice{}, false
	}
	n.to = strings.LastIndexByte(text[:i], '\n') + 1
	n.file = savedIn(text[at:])
	return n, true
}

// savedIn is the file that a notice names.
func savedIn(text string) string {
	for _, sign := range savedSigns {
		if _, name, found := strings.Cut(text[:min(len(text), noticeReach)], sign); found {
			return strings.Trim(strings.TrimRight(firstLine(name), " ."), "`'\"")
		}
	}
	return ""
}

// beginsAsReply reports whether a text begins as a server's reply does: a page
// may speak of a notice, a notice does not begin as a page.
func beginsAsReply(text string) bool {
	return strings.HasPrefix(text, "#") || strings.HasPrefix(text, "- ")
}

// cutSigns are the marks in the middle of a text: the words before and behind
// a number.
var cutSigns = [][2]string{
	{"…", " tokens truncated…"},      // Codex since 0.58
	{"…", " chars truncated…"},       // Codex
	{"[... omitted ", " lines ...]"}, // Codex 0.40 to 0.57
	{"[... output truncated to fit ", " bytes ...]"},
	{"\n...", " bytes truncated..."}, // OpenCode
	{"\n...", " lines truncated..."},
	{"... [", " characters truncated] ..."}, // Claude Code before 2.1, Gemini CLI
	{"... [", " characters omitted] ..."},
}

// cutMark finds the first mark of a left out part. Every mark's beginning holds
// an ellipsis, which pages hardly ever do, so a text is gone over for that alone.
func cutMark(text string) (at int, ok bool) {
	for _, dots := range []string{"…", "..."} {
		for i := 0; ; i += len(dots) {
			n := strings.Index(text[i:], dots)
			if n < 0 {
				break
			}
			i += n
			if from := cutMarkAt(text, i, dots); from >= 0 && (!ok || from < at) {
				at, ok = from, true
				break
			}
		}
	}
	return at, ok
}

// cutMarkAt is where the mark with an ellipsis at i begins; -1 where that
// belongs to none.
func cutMarkAt(text string, i int, dots string) int {
	for _, sign := range cutSigns {
		head := strings.TrimRight(sign[0], " ")
		in := strings.Index(head, dots)
		from := i - in
		if in < 0 || from < 0 || !strings.HasPrefix(text[from:], head) {
			continue
		}
		number := from + len(head)
		end := number
		for end < len(text) && end-number < 24 && strings.IndexByte("0123456789, of", text[end]) >= 0 {
			end++
		}
		if end-number > 1 && strings.HasPrefix(text[end-1:], sign[1]) {
			return from
		}
	}
	return -1
}

// IsCut reports whether a client left out a part of a text.
func IsCut(text string) bool {
	_, ok := cutMark(text)
	return ok
}

// cutContent is the text inside saved content that was cut in its middle, so that it
// is no JSON any more.
func cutContent(body string) string {
	rest, ok := body, false
	for !ok { // the field, not the value of the field type
		if _, rest, ok = strings.Cut(rest, `"text"`); !ok {
			return body
		}
		var value string
		if value, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), ":"); ok {
			if rest, ok = strings.CutPrefix(strings.TrimLeft(value, " "), `"`); !ok {
				return body
			}
		}
	}
	for _, tail := range []string{`"}]`, `"}`} {
		if r, found := strings.CutSuffix(strings.TrimRight(rest, "\n "), tail); found {
			rest = r
			break
		}
	}
	return tape.Unescape([]byte(rest))
}

// Inner is the text of a result's content that a client hands on as JSON in a
// text, whole or cut. outer is that text where it is not the same.
func Inner(s string) (text, outer string, images []snapshot.Size) {
	body := s
	if i := strings.Index(s, "Output:\n"); i >= 0 && i < 400 {
		body = s[i+len("Output:\n"):]
	}
	body = strings.TrimLeft(body, " \n")
	if !strings.HasPrefix(body, "[") && !strings.HasPrefix(body, `{"`) {
		return s, "", nil
	}
	var t tape.Tape
	x, err := t.ParseText(body)
	if err != nil {
		if open := strings.TrimLeft(body, "[ \n"); strings.HasPrefix(open, "{") && strings.Contains(open[:min(len(open), 200)], `"text"`) {
			return cutContent(body), s, nil
		}
		return s, "", nil
	}
	first := tape.Value{}
	x.Items(func(v tape.Value) {
		if first.Kind() == tape.None {
			first = v
		}
	})
	switch {
	case first.Kind() == tape.Object:
		text, images = Content(x)
		return text, s, images
	case x.Get("content").Kind() == tape.Array:
		text, images = Content(x.Get("content"))
		return text, s, images
	case x.Has("output"):
		return x.Get("output").Str(), s, nil
	}
	return s, "", nil
}

// cutAnswer deals with an answer of which the client left something out: what
// the model got of the page, and the whole page where that is known.
func (p *Pages) cutAnswer(c Call, a Answer, out *session.Result, n notice) {
	whole := a.Whole
	if whole == "" && n.file != "" {
		if text, err := p.read(n.file); err == nil {
			whole, _, _ = Inner(text)
			whole = p.mask(whole)
			p.remember(n.file, sideFile{text: whole})
		} else if c.Browser {
			out.Events = append(out.Events, "the result was saved apart: "+err.Error())
			p.skip("spilled result not read: "+sidefile.Reason(err), a.Line)
		}
	}
	seen := p.preview(out, n)
	w := Read(Call{Tool: c.Tool, Verb: c.Verb, Browser: c.Browser, Tab: -1}, whole)
	if !w.Found && !seen.Found {
		if c.Browser {
			out.Seen = session.SeenSpilled
			if n.file == "" {
				out.Seen = session.SeenDropped
			}
		}
		return
	}
	told := w
	if !w.Found {
		told, told.Seen = seen, session.SeenCut
	}
	t, _ := p.told(c, out, told)
	out.Seen = session.SeenCut
	if !seen.Found { // the notice alone, or a preview that does not reach the page
		out.Seen = session.SeenSpilled
	}
	p.place(c, t, out, told)
}

// cutPage places a page that a client left something out of.
func (p *Pages) cutPage(c Call, a Answer, t *tabState, out *session.Result, r Reply) {
	out.Seen = session.SeenCut
	if out.Shown == "" {
		out.Shown = r.Snap
	}
	if a.Whole != "" {
		if w := Parse(p.mask(a.Whole)); w.Found && w.Snap != "" {
			r = w
		}
	}
	p.place(c, t, out, r)
}

// preview takes the part of the page out of a notice's preview.
func (p *Pages) preview(out *session.Result, n notice) Reply {
	text := out.Text
	if n.to <= n.from {
		return Reply{Tab: -1}
	}
	part := text[n.from:n.to]
	inner, outer, _ := Inner(part)
	r := Parse(inner)
	if !r.Found {
		return r
	}
	before, shown, after := r.Before, r.Snap, r.After
	if outer != "" {
		var rest string
		var at int
		rest, shown, at = wrapped(part, r.Before, r.Snap)
		before, after = rest[:at], rest[at:]
	}
	out.Text, out.Shown, out.At = text[:n.from]+before+after+text[n.to:], shown, n.from+len(before)
	return r
}
