package reply

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
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
	// Direct: the answers come from the server itself, with no client in between.
	Direct bool
	// Mask takes secrets out of a text, Again out of another form of it. nil: none.
	Mask, Again func(string) string
	// Skip is told what was left out, with the line it stood in. nil: nobody is.
	Skip func(kind string, line int)

	tab     int
	tabs    map[int]*tabState
	files   map[string]sideFile // files the model was pointed to, by base name
	running map[string]Call     // programs that run on, by the id that their output told
	built   int64               // bytes of rebuilt text so far
}

// tabState is what is known of one tab.
type tabState struct {
	base   string   // the last full text, which incremental replies build on
	known  bool     // base is known, be it empty
	parts  bool     // the server sends changed parts: pages are kept for what comes back
	before []string // pages of the document before base, oldest first, for what comes back
	size   int      // of them, in bytes
	looked int64    // bytes of them that were read again
	last   struct { // the one that was read last
		text string
		read *notation.Text
	}
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
	Whole  string // the text before the agent's client cut it, where the source has it
	Failed bool
	Millis int64
	Line   int           // in the source's file, for Skip
	Side   *SideSnapshot // a snapshot that was not in the text
	URL    string
	Title  string
	Images []snapshot.Size // pictures in it, in pixels; a zero size is not known
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
		p.tabs, p.files = map[int]*tabState{}, map[string]sideFile{}
	}
	t := p.tabs[n]
	if t == nil {
		t = &tabState{}
		p.tabs[n] = t
	}
	return t
}

// Shown is the line in which the current tab's page shows an element, as far as
// the answers told; empty where it does not.
func (p *Pages) Shown(handle string) string {
	t := p.tabOf(p.tab)
	ref := notation.BareRef(handle)
	if t.base == "" || ref == "" || len(ref) > 16 {
		return ""
	}
	raw, ok := notation.LineOf(t.base, t.dialect, ref)
	if !ok {
		return ""
	}
	l := notation.ReadLine(raw, t.dialect)
	return l.Name() + " " + l.AttrsAt.Of(l.Raw)
}

// sideFile is a file that the model was pointed to.
type sideFile struct {
	text    string // empty: it could not be read
	page    string // the document whose page is in it
	excerpt bool   // it holds a part of that page
}

// remember keeps a side file the model was pointed to, so that a later call
// that reads it is known to show a snapshot.
func (p *Pages) remember(link string, f sideFile) {
	if len(p.files) < 10000 {
		f.page = p.inView()
		p.files[path.Base(sidefile.Slashed(link))] = f
	}
}

// inView names the document of the current tab.
func (p *Pages) inView() string {
	return fmt.Sprintf("t%dd%d", p.tab, max(1, p.tabOf(p.tab).document))
}

// Result turns an answer into a result: which part of it is a snapshot, and
// what the model really saw of that.
func (p *Pages) Result(c Call, a Answer) *session.Result {
	text := p.mask(a.Text)
	out := &session.Result{Action: a.Action, OK: !a.Failed, Text: text, Millis: a.Millis, URL: a.URL, Title: a.Title, Images: a.Images}
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
	c = p.goesOn(c, text)
	r := read(c, text, p.Direct)
	if (r.Seen == session.SeenCut || r.notice != nil) && a.Whole != "" && strings.Contains(text, strings.TrimSpace(p.mask(a.Whole))) {
		r = read(c, text, true) // all of it is there: the words of a cut are the page's
	}
	switch {
	case r.Seen == session.SeenExpired:
		out.Seen = session.SeenExpired
	case c.Reads != "":
		p.readFile(c, out, text)
	case r.notice != nil:
		p.cutAnswer(c, a, out, *r.notice)
	case c.Shell != "" && p.printed(c, out, text): // a part of a file
	case c.Shell != "" && !p.fromPage(c.Shell, r), !showsPage(c, r):
	default:
		p.fromReply(c, a, out, r)
	}
	if a.Side != nil {
		p.beside(out, a.Side)
	}
	if !out.OK && out.Error == "" {
		out.Error = whyFailed(text)
	}
	return out
}

// mostTold bounds the JSON that is read for its message.
const mostTold = 64 << 10

// told is the message of an answer that is a JSON object; empty: it is none, or has
// none.
func told(text string) string {
	var v map[string]any
	if !strings.HasPrefix(text, "{") || len(text) > mostTold || json.Unmarshal([]byte(text), &v) != nil {
		return ""
	}
	for _, key := range []string{"error", "message", "reason"} {
		switch m := v[key].(type) {
		case string:
			return m
		case map[string]any:
			if s, ok := m["message"].(string); ok {
				return s
			}
		}
	}
	return ""
}

// whyFailed is the first line of a failed answer that says something, or the message
// of one that is JSON.
func whyFailed(text string) string {
	text = strings.TrimSpace(text)
	if m := strings.TrimSpace(told(text)); m != "" {
		text = m
	}
	if head, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(head, "#") {
		text = strings.TrimSpace(rest)
	}
	text = batchFailure(text)
	return firstLine(strings.TrimPrefix(text, "Error: "))
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
	return r.Found && !r.Part && notation.Indent(r.Snap) == 0 && r.read().Elements() >= 3
}

// noPages are tools whose answers are about something else: a page in one of
// them is an example.
var noPages = []string{"skill", "docs", "documentation", "doc", "search", "fetch", "library", "wiki", "memory", "read", "grep", "task", "agent", "context7", "context"}

// showsPage reports whether the tree in an answer can be a page's. A tool that
// is no browser's shows one only where its answer begins as a page does.
func showsPage(c Call, r Reply) bool {
	if c.Browser || c.Verb != "" || c.Tool == "" || c.Shell != "" || !r.Found && r.Link == "" {
		return true
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(c.Tool), func(x rune) bool { return x == '_' || x == '-' || x == '.' || x == '/' || x == ':' }) {
		if slices.Contains(noPages, w) {
			return false
		}
	}
	return r.URL != "" || strings.TrimSpace(r.Before) == ""
}

// told notes what a reply tells besides its page: the tab, where it is, what
// went wrong. It answers the tab's state.
func (p *Pages) told(c Call, out *session.Result, r Reply) (t *tabState, stayed bool) {
	if r.Tab >= 0 {
		p.tab = r.Tab
	}
	t = p.tabOf(p.tab)
	if r.Error != "" {
		out.OK, out.Error = false, r.Error
	}
	out.Console, out.Events = append(out.Console, r.Console...), append(out.Events, r.Events...)
	if out.URL == "" {
		out.URL = r.URL
	}
	if out.Title == "" {
		out.Title = r.Title
	}
	stayed = !p.moved(t, c.Verb, out, t.goesOn(r))
	if url := argText(c.Args["url"]); out.URL == "" && out.OK && c.Verb == session.VerbGoto && strings.Contains(url, "://") {
		p.moved(t, c.Verb, &session.Result{URL: url}, false) // a server that does not tell where it went
		stayed = false
	}
	return t, stayed
}

// fromReply fills a result from a parsed reply.
func (p *Pages) fromReply(c Call, a Answer, out *session.Result, r Reply) {
	t, stayed := p.told(c, out, r)
	switch {
	case r.Seen == session.SeenExcerpt:
		out.Seen, out.Text, out.Shown, out.At = r.Seen, r.Before+r.After, r.Snap, len(r.Before)
		if a.Outer != "" {
			out.Text, out.Shown, out.At = wrapped(a.Outer, r.Before, r.Snap)
		}
	case c.Excerpt && r.Link != "": // a file that holds no page
		p.remember(r.Link, sideFile{excerpt: true})
	case r.Found && (r.Snap == "" || r.Snap == "null"): // a blank page, in older servers' words
		p.empty(t, out, r, stayed && c.Verb != session.VerbSnapshot)
		if a.Outer != "" {
			out.Text, out.Shown, out.At = a.Outer, "", 0
		}
	case r.Found:
		out.Text, out.At = r.Before+r.After, len(r.Before)
		out.Seen = session.SeenInline
		if r.Tree != "" {
			out.Shown = r.Snap
		}
		if a.Outer != "" {
			out.Text, out.Shown, out.At = wrapped(a.Outer, r.Before, r.Snap)
		}
		if r.Seen == session.SeenCut {
			p.cutPage(c, a, t, out, r)
			return
		}
		p.place(c, t, out, r)
	case r.Link != "":
		p.follow(t, out, r.Link, a.Line)
	case out.OK && (c.Verb == session.VerbSnapshot || c.Tool == "") && notation.LooksLikeSnapshot(r.Before):
		// No known server's form: told by its content where the call asked for a
		// snapshot, or where the transcript does not say what it asked for.
		out.Seen = session.SeenInline
		out.Snapshot = p.snapshot(t, r.Before, notation.Loose, nil)
		t.keep(r.Before, notation.Loose)
		out.Text = ""
		if a.Outer != "" {
			out.Text, out.Shown, out.At = wrapped(a.Outer, "", r.Before)
		}
	}
}

// place puts a reply's page into a result: whole, or put together from what
// changed.
func (p *Pages) place(c Call, t *tabState, out *session.Result, r Reply) {
	page := r.Snap
	if r.Tree != "" {
		page = r.Tree
	}
	var notes []string
	rebuilt := false
	cut := r.Cut || r.Seen == session.SeenCut
	if r.Part && !cut {
		t.parts = true
		if out.Seen == session.SeenInline {
			out.Seen = session.SeenIncremental
			if out.Shown == "" {
				out.Shown = r.Snap
			}
		}
		var full string
		if full, rebuilt, notes = p.rebuilt(t, r); rebuilt {
			page = full
		}
	}
	if cut {
		notes = append(notes, "the text was cut before the model saw it")
	}
	out.Snapshot = p.snapshot(t, page, r.Dialect, notes)
	out.Snapshot.Rebuilt = rebuilt
	out.Snapshot.Partial = r.Part && !rebuilt || cut
	switch {
	case c.Shell != "":
	case out.Snapshot.Partial: // what comes next cannot build on it
		t.known, t.base = false, ""
	default:
		t.keep(page, r.Dialect)
		if r.revised || c.Revises {
			t.revision = page
		}
	}
}

func (t *tabState) keep(text string, d notation.Dialect) {
	if t.parts && t.known && t.base != "" && t.dialect == notation.Aria && t.base != text {
		t.before = append(t.before, t.base)
		for t.size += len(t.base); t.size > maxOlder; t.before = t.before[1:] {
			t.size -= len(t.before[0])
		}
	}
	t.base, t.dialect, t.known = text, d, true
}

// empty reads an empty fence: a dialog stands before the page, or the page is
// blank, which is a snapshot of nothing; or, where an action left the page
// where it was, nothing changed, and the page is kept for whoever watches.
func (p *Pages) empty(t *tabState, out *session.Result, r Reply, same bool) {
	out.Text = r.Before + r.Snap + r.After
	if r.Modal {
		return
	}
	if !same || t.base == "" {
		out.Seen, out.Text, out.Shown, out.At = session.SeenInline, r.Before+r.After, r.Snap, len(r.Before)
		out.Snapshot = p.snapshot(t, "", r.Dialect, nil)
		t.keep("", r.Dialect)
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

// moved notes where the tab is, and answers whether it loaded another document.
// goesOn says that the reply goes on from the tree before it: then the page is
// the same document, whatever became of its URL.
func (p *Pages) moved(t *tabState, verb session.Verb, out *session.Result, goesOn bool) bool {
	if out.URL == "" {
		return false
	}
	before, _, _ := strings.Cut(t.url, "#")
	now, _, _ := strings.Cut(out.URL, "#")
	other := t.document == 0 || !goesOn && (verb.Navigates() || before != now)
	if other {
		t.document++
		t.before, t.size = nil, 0
	}
	t.url, t.title = out.URL, out.Title
	return other
}

// goesOn reports whether a reply builds on the page before it: it names parts
// of that page as unchanged, or changes one below its root.
func (t *tabState) goesOn(r Reply) bool {
	if !r.Part || !t.known || t.base == "" || r.Dialect != notation.Aria || r.foreign {
		return r.Part && r.same
	}
	page := r.read()
	for i := range page.Len() {
		if page.Kind(i) == notation.UnchangedLine {
			return true
		}
	}
	first := page.Ref(0)
	return first != "" && notation.Read(t.base, t.dialect).Find(first) > 0
}

// snapshot makes the page of a result.
func (p *Pages) snapshot(t *tabState, text string, d notation.Dialect, notes []string) *snapshot.Snapshot {
	t.document = max(1, t.document)
	return &snapshot.Snapshot{
		URL: t.url, Title: t.title, Text: text, Hash: snapshot.HashText(text), Dialect: d,
		Tab: p.tab, Document: p.inView(), Notes: notes,
	}
}

// follow reads the file a reply links to. The model saw the link.
func (p *Pages) follow(t *tabState, out *session.Result, link string, line int) {
	out.Seen = session.SeenLink
	text, err := p.read(link)
	if err != nil {
		out.Events = append(out.Events, "the snapshot lies in a file of its own: "+err.Error())
		p.skip("link not followed: "+sidefile.Reason(err), line)
		p.remember(link, sideFile{})
		return
	}
	text = strings.TrimRight(p.mask(text), "\r\n")
	p.remember(link, sideFile{text: text})
	out.Snapshot = p.snapshot(t, text, notation.Aria, nil)
	t.keep(text, notation.Aria)
}

// beside adds a snapshot that a log keeps apart from the reply's text.
func (p *Pages) beside(out *session.Result, s *SideSnapshot) {
	if out.Snapshot != nil && s.Seen != session.SeenInline {
		return
	}
	t := p.tabOf(p.tab)
	p.moved(t, "", out, false)
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
	t.keep(text, notation.Aria)
}
