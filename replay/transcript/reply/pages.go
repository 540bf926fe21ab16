package reply

import (
	"fmt"
	"path"
	"strings"

	"snapscope/replay/transcript/sidefile"
	"snapscope/session"
	"snapscope/snapshot"
	"snapscope/snapshot/notation"
)

// Pages reads the answers of one session in their order. It holds what they
// told: of each tab its page, the tree that incremental answers build on, and
// the files that were pointed to.
type Pages struct {
	// File gives the text of a file that an answer points to. nil: none is read.
	File func(name string) (string, error)
	// Mask takes secrets out of a text, Again out of another form of it. nil: none.
	Mask, Again func(string) string
	// Skip is told what was left out, with the line it stood in. nil: nobody is.
	Skip func(kind string, line int)

	tab   int
	tabs  map[int]*tabState
	files map[string]string // files the model was pointed to, by base name → text
	built int64             // bytes of rebuilt text so far
}

// tabState is what is known of one tab.
type tabState struct {
	base     string // the last full text, which incremental replies build on
	revision string // the last full text of those that are told by what they change
	dialect  notation.Dialect
	url      string
	title    string
	document int
}

// Answer is a tool's answer as a source found it.
type Answer struct {
	Action string // the id of the action it answers
	Text   string // all its text, as the model saw it
	Outer  string // the form the model saw where Text is what was inside it
	Failed bool
	Millis int64
	Line   int           // in the source's file, for Skip
	Side   *SideSnapshot // a snapshot that was not in the text
	URL    string
	Title  string
}

// SideSnapshot is a snapshot that a log keeps apart from the reply.
type SideSnapshot struct {
	Text string
	Seen session.Seen
	Note string
}

func (p *Pages) mask(s string) string {
	if p.Mask == nil {
		return s
	}
	return p.Mask(s)
}

func (p *Pages) skip(kind string, line int) {
	if p.Skip != nil {
		p.Skip(kind, line)
	}
}

func (p *Pages) read(name string) (string, error) {
	if p.File == nil {
		return "", fmt.Errorf("%s was not read", path.Base(sidefile.Slashed(name)))
	}
	return p.File(name)
}

func (p *Pages) tabOf(n int) *tabState {
	if p.tabs == nil {
		p.tabs, p.files = map[int]*tabState{}, map[string]string{}
	}
	t := p.tabs[n]
	if t == nil {
		t = &tabState{}
		p.tabs[n] = t
	}
	return t
}

// remember keeps a side file the model was pointed to, so that a later call
// that reads it is known to show a snapshot.
func (p *Pages) remember(link, text string) {
	if len(p.files) < 10000 {
		p.files[path.Base(sidefile.Slashed(link))] = text
	}
}

// Result turns an answer into a result: which part of it is a snapshot, and
// what the model really saw of that.
func (p *Pages) Result(c Call, a Answer) *session.Result {
	text := p.mask(a.Text)
	out := &session.Result{Action: a.Action, OK: !a.Failed, Text: text, Millis: a.Millis, URL: a.URL, Title: a.Title}
	if a.Outer != "" {
		if p.Again != nil { // the same secrets, in another form
			a.Outer = p.Again(a.Outer)
		}
		out.Text = a.Outer
	}
	if c.Tab >= 0 {
		p.tab = c.Tab
	}
	p.tabOf(p.tab)
	r := Read(c, text)
	switch {
	case r.Seen == session.SeenExpired:
		out.Seen = session.SeenExpired
	case c.Reads != "":
		p.readFile(c, out, text)
	case r.Seen == session.SeenSpilled, r.Seen == session.SeenDropped:
		p.oversize(c, out, r.Link, r.Seen, a.Line)
	case c.Shell != "" && !p.fromPage(c.Shell, r):
	default:
		p.fromReply(c, a, out, r)
	}
	if a.Side != nil {
		p.beside(out, a.Side)
	}
	if !out.OK && out.Error == "" {
		out.Error = firstLine(strings.TrimPrefix(strings.TrimSpace(text), "Error: "))
	}
	return out
}

// fromPage reports whether the tree in a command's output is a page's: the
// command names a side file, or the tree stands whole. Lines that a search
// found are none.
func (p *Pages) fromPage(command string, r Reply) bool {
	for name := range p.files {
		if strings.Contains(command, name) {
			return true
		}
	}
	return r.Found && !r.Part && indentOf(r.Snap) == 0 && strings.Count(r.Snap, marks[r.Dialect]) >= 3
}

// fromReply fills a result from a parsed reply.
func (p *Pages) fromReply(c Call, a Answer, out *session.Result, r Reply) {
	if r.Tab >= 0 {
		p.tab = r.Tab
	}
	t := p.tabOf(p.tab)
	if r.Error != "" {
		out.OK, out.Error = false, r.Error
	}
	out.Console, out.Events = r.Console, r.Events
	if out.URL == "" {
		out.URL = r.URL
	}
	if out.Title == "" {
		out.Title = r.Title
	}
	stayed := !p.moved(t, c.Verb, out)
	if url := argText(c.Args["url"]); out.URL == "" && out.OK && c.Verb == session.VerbGoto && strings.Contains(url, "://") {
		p.moved(t, c.Verb, &session.Result{URL: url}) // a server that does not tell where it went
		stayed = false
	}
	switch {
	case r.Found && (r.Snap == "" || r.Snap == "null"): // a blank page, in older servers' words
		p.empty(t, out, r, stayed && c.Verb != session.VerbSnapshot)
		if a.Outer != "" {
			out.Text = a.Outer
		}
	case r.Found:
		out.Text, out.At = r.Before+r.After, len(r.Before)
		out.Seen = session.SeenInline
		shown := r.Snap
		full := r.Snap
		if r.Tree != "" {
			full = r.Tree
			out.Shown = shown
		}
		if a.Outer != "" {
			out.Text, out.Shown, out.At = wrapped(a.Outer, r.Before, shown)
		}
		var notes []string
		rebuilt := false
		if r.Part {
			out.Seen = session.SeenIncremental
			if out.Shown == "" {
				out.Shown = shown
			}
			full, rebuilt, notes = p.rebuilt(t, r)
		}
		if r.Cut || strings.Contains(full, "tokens truncated") {
			notes = append(notes, "the text was cut before the model saw it")
		}
		out.Snapshot = p.snapshot(t, full, r.Dialect, notes)
		out.Snapshot.Rebuilt = rebuilt
		if (!r.Part || rebuilt) && c.Shell == "" {
			t.base, t.dialect = full, r.Dialect
			if r.revised || c.Revises {
				t.revision = full
			}
		}
	case r.Link != "":
		p.follow(t, out, r.Link, a.Line)
	case out.OK && (c.Verb == session.VerbSnapshot || c.Tool == "") && notation.LooksLikeSnapshot(r.Before):
		// No known server's form: told by its content where the call asked for a
		// snapshot, or where the transcript does not say what it asked for.
		out.Seen = session.SeenInline
		out.Snapshot = p.snapshot(t, r.Before, notation.Loose, nil)
		t.base, t.dialect = r.Before, notation.Loose
		out.Text = ""
		if a.Outer != "" {
			out.Text, out.Shown, out.At = wrapped(a.Outer, "", r.Before)
		}
	}
}

// empty reads an empty fence: the model saw no snapshot. A dialog stood before
// the page, or the page is blank; or, where an action left the page where it
// was, nothing changed, and the page is kept for whoever watches.
func (p *Pages) empty(t *tabState, out *session.Result, r Reply, same bool) {
	out.Text = r.Before + r.Snap + r.After
	if r.Modal {
		return
	}
	if !same || t.base == "" {
		t.base = ""
		return
	}
	r.Part, r.same = true, true
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
func (p *Pages) rebuilt(t *tabState, r Reply) (full string, ok bool, notes []string) {
	base := t.base
	if r.revised && t.revision != "" {
		base = t.revision
	}
	if base == "" {
		return r.Snap, false, []string{"only what changed was sent, and the snapshot before it is not known"}
	}
	if p.built += int64(len(base)); p.built > maxBuilt {
		t.base = ""
		return r.Snap, false, []string{"only what changed was sent; more than 1 GB was rebuilt before, so it stays as sent"}
	}
	var err error
	switch {
	case r.same:
		return base, true, nil
	case r.splice != nil:
		full, err = r.splice.apply(base)
	case r.delta != nil:
		url := ""
		if r.Dialect == notation.Aria && t.url != "" { // passmark compares the text with its URL line
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
	case r.Dialect != notation.Aria || r.foreign:
		return r.Snap, false, []string{"only what changed was sent, in a form that is not rebuilt"}
	default:
		full, err = rebuild(base, r.Snap)
	}
	if err != nil {
		return r.Snap, false, []string{"only what changed was sent, and it could not be rebuilt: " + err.Error()}
	}
	return full, true, notes
}

// moved notes where the tab is, and answers whether it loaded another document.
func (p *Pages) moved(t *tabState, verb session.Verb, out *session.Result) bool {
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
func (p *Pages) snapshot(t *tabState, text string, d notation.Dialect, notes []string) *snapshot.Snapshot {
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
func (p *Pages) follow(t *tabState, out *session.Result, link string, line int) {
	out.Seen = session.SeenLink
	text, err := p.read(link)
	if err != nil {
		out.Events = append(out.Events, "the snapshot lies in a file of its own: "+err.Error())
		p.skip("link not followed: "+sidefile.Reason(err), line)
		p.remember(link, "")
		return
	}
	text = strings.TrimRight(p.mask(text), "\r\n")
	p.remember(link, text)
	out.Snapshot = p.snapshot(t, text, notation.Aria, nil)
	t.base, t.dialect = text, notation.Aria
}

// oversize deals with the notice that stands for a result that was too large.
func (p *Pages) oversize(c Call, out *session.Result, file string, seen session.Seen, line int) {
	if seen == session.SeenDropped {
		if c.Browser {
			out.Seen = seen
		}
		return
	}
	text, err := p.read(file)
	if err != nil {
		if c.Browser {
			out.Seen = seen
			out.Events = append(out.Events, "the result was saved apart: "+err.Error())
			p.skip("spilled result not read: "+sidefile.Reason(err), line)
		}
		return
	}
	text = p.mask(Unwrap(text))
	r := Parse(text)
	p.remember(file, text)
	if !r.Found {
		return
	}
	if r.Tab >= 0 {
		p.tab = r.Tab
	}
	out.Seen, out.URL, out.Title = seen, r.URL, r.Title
	t := p.tabOf(p.tab)
	p.moved(t, c.Verb, out)
	full := r.Snap
	if r.Tree != "" {
		full = r.Tree
	}
	out.Snapshot = p.snapshot(t, full, r.Dialect, nil)
	t.base, t.dialect = full, r.Dialect
}

// readFile is the result of a call that read a file: a snapshot, if it is one
// the model was pointed to before.
func (p *Pages) readFile(c Call, out *session.Result, text string) {
	side, ok := p.files[path.Base(sidefile.Slashed(c.Reads))]
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
	out.Snapshot = p.snapshot(p.tabOf(p.tab), tree, notation.Aria, notes)
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
func (p *Pages) beside(out *session.Result, s *SideSnapshot) {
	if out.Snapshot != nil && s.Seen != session.SeenInline {
		return
	}
	t := p.tabOf(p.tab)
	p.moved(t, "", out)
	text := strings.TrimRight(p.mask(s.Text), "\r\n")
	out.Seen = s.Seen
	var notes []string
	if s.Note != "" {
		notes = []string{s.Note}
	}
	if text == "" {
		out.Events = append(out.Events, notes...)
		return
	}
	out.Snapshot = p.snapshot(t, text, notation.Aria, notes)
	t.base, t.dialect = text, notation.Aria
}
