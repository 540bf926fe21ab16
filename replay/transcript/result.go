package transcript

import (
	"fmt"
	"path"
	"strings"

	"snapscope/session"
	"snapscope/snapshot"
)

// read turns an answer into a result: which part of it is a snapshot, and what
// the model really saw of that.
func (p *importer) read(c *openCall, a answer) *session.Result {
	text := p.mask.text(a.text)
	out := &session.Result{Action: c.id, OK: !a.failed, Text: text, Millis: a.millis, URL: a.url, Title: a.title}
	if a.outer != "" {
		counted := p.mask.count // the same secrets, in another form
		a.outer = p.mask.text(a.outer)
		out.Text, p.mask.count = a.outer, counted
	}
	if c.mean.tab >= 0 {
		p.tab = c.mean.tab
	}
	switch {
	case isPlaceholder(text) && (c.mean.browser || strings.Contains(text, "snapshot")):
		out.Seen = session.SeenExpired
	case c.mean.reads != "":
		p.readFile(c, out, text)
	default:
		// A page may speak of such a notice; a server's reply begins otherwise.
		if file, seen := oversized(text); seen != "" && !strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "- ") {
			p.oversize(c, out, file, seen, a.line)
			break
		}
		r := parseReply(text)
		if c.mean.shell != "" && !p.fromPage(c.mean.shell, r) {
			break
		}
		p.fromReply(c, a, out, r)
	}
	if a.side != nil {
		p.beside(out, a.side)
	}
	if !out.OK && out.Error == "" {
		out.Error = firstLine(strings.TrimPrefix(strings.TrimSpace(text), "Error: "))
	}
	return out
}

// fromPage reports whether the tree in a command's output is a page's: the
// command names a side file, or the tree stands whole. Lines that a search
// found are none.
func (p *importer) fromPage(command string, r reply) bool {
	for name := range p.files {
		if strings.Contains(command, name) {
			return true
		}
	}
	return r.found && !r.part && indentOf(r.snap) == 0 && strings.Count(r.snap, marks[r.dialect]) >= 3
}

// fromReply fills a result from a parsed reply.
func (p *importer) fromReply(c *openCall, a answer, out *session.Result, r reply) {
	if r.tab >= 0 {
		p.tab = r.tab
	}
	t := p.tabOf(p.tab)
	if r.failed != "" {
		out.OK, out.Error = false, r.failed
	}
	out.Console, out.Events = r.console, r.events
	if out.URL == "" {
		out.URL = r.url
	}
	if out.Title == "" {
		out.Title = r.title
	}
	stayed := !p.moved(t, c.mean.verb, out)
	if url := argText(c.mean.args["url"]); out.URL == "" && out.OK && c.mean.verb == session.VerbGoto && strings.Contains(url, "://") {
		p.moved(t, c.mean.verb, &session.Result{URL: url}) // a server that does not tell where it went
		stayed = false
	}
	switch {
	case r.found && (r.snap == "" || r.snap == "null"): // a blank page, in older servers' words
		p.empty(t, out, r, stayed && c.mean.verb != session.VerbSnapshot)
		if a.outer != "" {
			out.Text = a.outer
		}
	case r.found:
		out.Text, out.At = r.before+r.after, len(r.before)
		out.Seen = session.SeenInline
		shown := r.snap
		full := r.snap
		if r.tree != "" {
			full = r.tree
			out.Shown = shown
		}
		if a.outer != "" {
			out.Text, out.Shown, out.At = wrapped(a.outer, r.before, shown)
		}
		var notes []string
		rebuilt := false
		if r.part {
			out.Seen = session.SeenIncremental
			if out.Shown == "" {
				out.Shown = shown
			}
			full, rebuilt, notes = p.rebuilt(t, r)
		}
		if r.cut || strings.Contains(full, "tokens truncated") {
			notes = append(notes, "the text was cut before the model saw it")
		}
		out.Snapshot = p.snapshot(t, full, r.dialect, notes)
		out.Snapshot.Rebuilt = rebuilt
		if (!r.part || rebuilt) && c.mean.shell == "" {
			t.base, t.dialect = full, r.dialect
			if r.revised || c.mean.revises {
				t.revision = full
			}
		}
	case r.link != "":
		p.follow(t, out, r.link, a.line)
	case out.OK && (c.mean.verb == session.VerbSnapshot || c.mean.tool == "") && snapshot.LooksLikeSnapshot(r.before):
		// No known server's form: told by its content where the call asked for a
		// snapshot, or where the transcript does not say what it asked for.
		out.Seen = session.SeenInline
		out.Snapshot = p.snapshot(t, r.before, snapshot.Loose, nil)
		t.base, t.dialect = r.before, snapshot.Loose
		out.Text = ""
		if a.outer != "" {
			out.Text, out.Shown, out.At = wrapped(a.outer, "", r.before)
		}
	}
}

// empty reads an empty fence: the model saw no snapshot. A dialog stood before
// the page, or the page is blank; or, where an action left the page where it
// was, nothing changed, and the page is kept for whoever watches.
func (p *importer) empty(t *tabState, out *session.Result, r reply, same bool) {
	out.Text = r.before + r.snap + r.after
	if r.modal {
		return
	}
	if !same || t.base == "" {
		t.base = ""
		return
	}
	r.part, r.same = true, true
	full, rebuilt, notes := p.rebuilt(t, r)
	if rebuilt {
		out.Seen = session.SeenUnasked
		out.Snapshot = p.snapshot(t, full, t.dialect, notes)
		out.Snapshot.Rebuilt = true
	}
}

// maxBuilt bounds the text that is put together from incremental replies, in
// bytes: a few of them can stand for a very large tree, thousands of times.
const maxBuilt = 1 << 30

// rebuilt is the full tree of an incremental reply.
func (p *importer) rebuilt(t *tabState, r reply) (full string, ok bool, notes []string) {
	base := t.base
	if r.revised && t.revision != "" {
		base = t.revision
	}
	if base == "" {
		return r.snap, false, []string{"only what changed was sent, and the snapshot before it is not known"}
	}
	if p.built += int64(len(base)); p.built > maxBuilt {
		t.base = ""
		return r.snap, false, []string{"only what changed was sent; more than 1 GB was rebuilt before, so it stays as sent"}
	}
	var err error
	switch {
	case r.same:
		return base, true, nil
	case r.splice != nil:
		full, err = r.splice.apply(base)
	case r.delta != nil:
		url := ""
		if r.dialect == snapshot.Aria && t.url != "" { // passmark compares the text with its URL line
			url = "url: " + t.url + "\n\n"
		}
		var several bool
		if full, several, err = applyDelta(base, r.delta); err != nil && url != "" {
			full, several, err = applyDelta(url+base, r.delta)
			if rest, found := strings.CutPrefix(full, "url: "); found {
				_, full, _ = strings.Cut(rest, "\n\n")
			}
		}
		if several {
			notes = []string{"rebuilt from a delta that fits in several places; the first was taken"}
		}
	case r.dialect != snapshot.Aria || r.foreign:
		return r.snap, false, []string{"only what changed was sent, in a form that is not rebuilt"}
	default:
		full, err = rebuild(base, r.snap)
	}
	if err != nil {
		return r.snap, false, []string{"only what changed was sent, and it could not be rebuilt: " + err.Error()}
	}
	return full, true, notes
}

// moved notes where the tab is, and answers whether it loaded another document.
func (p *importer) moved(t *tabState, verb session.Verb, out *session.Result) bool {
	if out.URL == "" {
		return false
	}
	before, _, _ := strings.Cut(t.url, "#")
	now, _, _ := strings.Cut(out.URL, "#")
	other := t.document == 0 || verb.Navigates() || before != now
	if other {
		t.document++
	}
	t.url, t.title = out.URL, out.Title
	return other
}

// snapshot makes the page of a result.
func (p *importer) snapshot(t *tabState, text string, d snapshot.Dialect, notes []string) *snapshot.Snapshot {
	if t.document == 0 {
		t.document = 1
	}
	return &snapshot.Snapshot{
		URL: t.url, Title: t.title, Text: text, Hash: snapshot.HashText(text), Dialect: d,
		Elements: strings.Count(text, marks[d]), Tab: p.tab,
		Document: fmt.Sprintf("t%dd%d", p.tab, t.document), Notes: notes,
	}
}

// follow reads the file a reply links to. The model saw the link.
func (p *importer) follow(t *tabState, out *session.Result, link string, line int) {
	out.Seen = session.SeenLink
	text, err := p.links.read(link)
	if err != nil {
		out.Events = append(out.Events, "the snapshot lies in a file of its own: "+err.Error())
		p.im.skip("link not followed: "+reasonOf(err), line)
		p.remember(link, "")
		return
	}
	text = strings.TrimRight(p.mask.text(text), "\r\n")
	p.remember(link, text)
	out.Snapshot = p.snapshot(t, text, snapshot.Aria, nil)
	t.base, t.dialect = text, snapshot.Aria
}

func reasonOf(err error) string {
	if err == errOutside {
		return "it points outside the folder"
	}
	return "the file is missing"
}

// oversize deals with the notice that stands for a result that was too large.
func (p *importer) oversize(c *openCall, out *session.Result, file string, seen session.Seen, line int) {
	if seen == session.SeenDropped {
		if c.mean.browser {
			out.Seen = seen
		}
		return
	}
	text, err := p.links.read(file)
	if err != nil {
		if c.mean.browser {
			out.Seen = seen
			out.Events = append(out.Events, "the result was saved apart: "+err.Error())
			p.im.skip("spilled result not read: "+reasonOf(err), line)
		}
		return
	}
	text = p.mask.text(unwrapContent(text))
	r := parseReply(text)
	p.remember(file, text)
	if !r.found {
		return
	}
	if r.tab >= 0 {
		p.tab = r.tab
	}
	out.Seen, out.URL, out.Title = seen, r.url, r.title
	t := p.tabOf(p.tab)
	p.moved(t, c.mean.verb, out)
	full := r.snap
	if r.tree != "" {
		full = r.tree
	}
	out.Snapshot = p.snapshot(t, full, r.dialect, nil)
	t.base, t.dialect = full, r.dialect
}

// unwrapContent is the text of a saved result: a JSON array of text blocks, or
// the text itself.
func unwrapContent(text string) string {
	var t tape
	v, err := t.parse([]byte(text))
	if err != nil || (v.kind() != kindArray && v.kind() != kindObject) {
		return text
	}
	if s, _ := contentText(v); s != "" {
		return s
	}
	return text
}

// readFile is the result of a call that read a file: a snapshot, if it is one
// the model was pointed to before.
func (p *importer) readFile(c *openCall, out *session.Result, text string) {
	side, ok := p.files[path.Base(slashed(c.mean.reads))]
	if !ok {
		return
	}
	body, lines := unnumbered(text)
	start, end, found := findTree(body)
	if !found {
		return
	}
	tree := body[start:end]
	out.Seen = session.SeenInline
	from, to := start, end
	if lines != nil { // as it stood, with its line numbers
		from, to = numberedSpan(lines, strings.Count(body[:start], "\n"), strings.Count(tree, "\n"))
	}
	out.Shown, out.Text, out.At = text[from:to], text[:from]+text[to:], from
	if lines == nil {
		out.Shown = ""
	}
	var notes []string
	if side != "" && strings.Count(side, "\n") > strings.Count(tree, "\n")+2 {
		notes = []string{"a part of the snapshot, read from its file"}
	}
	out.Snapshot = p.snapshot(p.tabOf(p.tab), tree, snapshot.Aria, notes)
}

// unnumbered takes the line numbers off a file as agents' read tools print it:
// "   12→text" or "12\ttext". lines are the offsets of the lines as they stood;
// nil where there are no numbers.
func unnumbered(text string) (body string, lines []int) {
	var out []string
	at := 0
	for _, l := range strings.Split(text, "\n") {
		lines = append(lines, at)
		at += len(l) + 1
		s := strings.TrimLeft(l, " ")
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		rest := s[n:]
		if n > 0 && strings.HasPrefix(rest, "→") {
			out = append(out, rest[len("→"):])
		} else if n > 0 && strings.HasPrefix(rest, "\t") {
			out = append(out, rest[1:])
		} else {
			if len(out) == 0 {
				return text, nil
			}
			out = append(out, "\x00")
		}
	}
	return strings.Join(out, "\n"), append(lines, len(text)+1)
}

func numberedSpan(lines []int, first, more int) (from, to int) {
	last := min(first+more+1, len(lines)-1)
	return lines[first], lines[last] - 1
}

// beside adds a snapshot that a log keeps apart from the reply's text.
func (p *importer) beside(out *session.Result, s *sideSnapshot) {
	if out.Snapshot != nil && s.seen != session.SeenInline {
		return
	}
	t := p.tabOf(p.tab)
	p.moved(t, "", out)
	text := strings.TrimRight(p.mask.text(s.text), "\r\n")
	out.Seen = s.seen
	var notes []string
	if s.note != "" {
		notes = []string{s.note}
	}
	if text == "" {
		out.Events = append(out.Events, notes...)
		return
	}
	out.Snapshot = p.snapshot(t, text, snapshot.Aria, notes)
	t.base, t.dialect = text, snapshot.Aria
}
