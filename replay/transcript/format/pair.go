package format

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"snapscope/replay/transcript/reply"
	"snapscope/replay/transcript/sidefile"
	"snapscope/session"
	"snapscope/snapshot"
	"snapscope/snapshot/mask"
)

// importer is what every format writes to: it pairs results with calls, reads
// the results, and lets the events go in order.
type importer struct {
	opt   Options
	im    *Import
	put   func(session.Event)
	mask  *mask.Masker
	links sidefile.Reader
	pages reply.Pages

	browserOnly bool // every call of the format is a browser's
	late        bool // usage comes after its call: events are held until the next
	queue       []session.Event
	started     bool
	start       session.Start
	call        *session.ModelCall // the latest, as long as it is held
	inCall      bool
	arrivals    int             // user messages and results so far
	images      []snapshot.Size // pictures of the answer or message that is being read

	open  map[string]*openCall // by the transcript's id, the latest of that name
	order []*openCall          // calls without a result, oldest first
	ids   map[string]int       // how often an id was used

	tree idTree

	events    int  // made so far
	something bool // one of them is more than the session's head

	atIdle func() // a format's own: let go what is whole though nothing follows it
}

// openCall is a call and whether it has its answer.
type openCall struct {
	raw, id  string
	line     int
	when     time.Time
	mean     reply.Call
	answered bool
	cookies  bool // it asks for cookies or a page's storage
}

func newImporter(opt Options, im *Import, put func(session.Event)) *importer {
	im.Seen = map[session.Seen]int{}
	p := &importer{
		opt: opt, im: im, put: put, mask: mask.New(opt.KeepSecrets),
		open: map[string]*openCall{}, ids: map[string]int{},
		tree: idTree{seen: map[string]bool{}},
	}
	p.pages = reply.Pages{File: p.links.Read, Mask: p.mask.Text, Again: p.mask.Again, Skip: im.skip}
	return p
}

func (p *importer) max() int {
	if p.opt.MaxRecord > 0 {
		return p.opt.MaxRecord
	}
	return int(p.opt.Raise(MaxRecord))
}

// full reports whether the session has as many events as are read, and says so
// once.
func (p *importer) full() bool {
	most := p.opt.Raise(MaxEvents)
	if int64(p.events) < most {
		return false
	}
	if !p.im.Cut {
		p.im.Cut = true
		p.im.skip(fmt.Sprintf("everything after %d events (--limits raises the bound)", most), 0)
	}
	return true
}

// emit queues an event.
func (p *importer) emit(e session.Event) {
	p.queue = append(p.queue, e)
	p.events++
	if e.Call != nil || e.Action != nil || e.User != nil || e.Result != nil {
		p.something = true
	}
	if e.User != nil || e.Result != nil {
		p.arrivals++
	}
	if !p.late || len(p.queue) > 4096 {
		p.flush()
	}
}

// flush lets go what was held.
func (p *importer) flush() {
	if !p.started && len(p.queue) > 0 {
		p.started = true
		s := p.start
		s.Source = p.im.Format
		if s.Name == "" {
			s.Name = filepath.Base(p.im.Path)
		}
		p.release(session.Event{Kind: session.KindStart, Start: &s})
	}
	for _, e := range p.queue {
		p.release(e)
	}
	p.queue = p.queue[:0]
	p.call = nil
}

func (p *importer) release(e session.Event) {
	if odd := e.Bound(); odd != "" {
		p.remark("%s", odd)
	}
	if e.Call != nil && e.Call.Usage != nil {
		p.im.Usage.Add(*e.Call.Usage)
	}
	p.put(e)
}

// begin opens a model call. The events of the call before are let go.
func (p *importer) begin(c session.ModelCall, when time.Time) *session.ModelCall {
	if p.start.Model == "" {
		p.start.Model = c.Model
	}
	p.flush()
	c.Text = p.mask.Text(c.Text)
	call := &c
	p.call, p.inCall = call, true
	p.emit(session.Event{Kind: session.KindCall, Time: when, Call: call})
	return call
}

// ensureCall opens a model call unless one is open.
func (p *importer) ensureCall(when time.Time) {
	if !p.inCall {
		p.begin(session.ModelCall{Model: p.start.Model}, when)
	}
}

func (p *importer) user(text string, when time.Time) {
	p.inCall = false
	images := p.seen()
	if strings.TrimSpace(text) == "" && len(images) == 0 {
		return
	}
	p.emit(session.Event{Kind: session.KindUser, Time: when, User: &session.Message{Text: p.mask.Text(text), Images: images}})
}

func (p *importer) note(text string, when time.Time) {
	p.emit(session.Event{Kind: session.KindNote, Time: when, Note: &session.Note{Text: p.mask.Text(text)}})
}

// outcome tells how the session ended, by whoever judged it.
func (p *importer) outcome(verdict, why string) {
	text := "judged: " + verdict
	if why != "" {
		text += " (" + why + ")"
	}
	p.emit(session.Event{Kind: session.KindNote, Note: &session.Note{Text: p.mask.Text(text), Outcome: verdict}})
}

// remark is a note for the person, not for the timeline.
func (p *importer) remark(format string, args ...any) {
	if len(p.im.Notes) < 50 {
		p.im.Notes = append(p.im.Notes, fmt.Sprintf(format, args...))
	}
}

// compacted tells that the agent replaced its history by a summary.
// The last keep user messages and results still stand.
func (p *importer) compacted(text string, keep int, when time.Time) {
	p.inCall = false
	p.emit(session.Event{Kind: session.KindCompact, Time: when, Compact: &session.Compaction{Keep: keep, Text: p.mask.Text(text)}})
}

// toolCall notes one call.
func (p *importer) toolCall(id, tool string, args map[string]any, when time.Time, line int) *openCall {
	mean := reply.Explain(tool, args, p.browserOnly)
	return p.act(id, tool, args, mean, when, line)
}

// spokenCall notes a call that stands in a text, or that nobody asked for.
func (p *importer) spokenCall(id, tool string, args map[string]any, when time.Time, line int) *openCall {
	mean := reply.Explain(tool, args, p.browserOnly)
	mean.Spoken = true
	return p.act(id, tool, args, mean, when, line)
}

// act notes one call that is understood already.
func (p *importer) act(id, tool string, args map[string]any, mean reply.Call, when time.Time, line int) *openCall {
	p.im.Calls++
	if id == "" {
		id = fmt.Sprintf("call-%d", p.im.Calls)
	}
	c := &openCall{raw: id, id: id, line: line, when: when}
	p.ids[id]++
	if n := p.ids[id]; n > 1 { // an id that is used again names another call
		c.id = fmt.Sprintf("%s#%d", id, n)
	}
	c.mean = mean
	for _, in := range mean.Carries { // what is typed is learned before the text around it is read
		p.mask.Args(in.Args, p.shown(in.Verb))
	}
	p.mask.Args(args, p.shown(mean.Verb))
	c.cookies = mask.AsksForCookies(tool, args)
	p.open[id] = c
	p.order = append(p.order, c)
	a := &session.Action{ID: c.id, Verb: c.mean.Verb, Tool: tool, Args: args, Target: c.mean.Target, Others: c.mean.Others, Spoken: mean.Spoken}
	if a.Target != nil && a.Target.CSS != "" {
		t := *a.Target
		t.CSS = p.mask.Text(t.CSS)
		a.Target = &t
	}
	for i := range a.Others {
		if css := &a.Others[i].CSS; *css != "" {
			*css = p.mask.Text(*css)
		}
	}
	p.emit(session.Event{Kind: session.KindAction, Time: when, Action: a})
	return c
}

// shown tells how the page shows an element, for actions that type into one.
func (p *importer) shown(verb session.Verb) func(handle string) string {
	switch verb {
	case session.VerbFill, session.VerbType, "":
		return p.pages.Shown
	}
	return nil
}

// oldest is the call that waits longest, for formats without ids.
func (p *importer) oldest() string {
	p.compactOrder()
	if len(p.order) == 0 {
		return ""
	}
	return p.order[0].raw
}

func (p *importer) compactOrder() {
	n := 0
	for n < len(p.order) && p.order[n].answered {
		n++
	}
	p.order = p.order[n:]
}

// answer is a result as a format found it.
type answer struct {
	id     string
	text   string // all its text, as the model saw it
	outer  string // the form the model saw where text is what was inside it
	whole  string // the text before the agent's client cut it, where the file has it
	failed bool
	when   time.Time
	millis int64
	line   int
	side   *reply.SideSnapshot // a snapshot that was not in the text
	url    string
	title  string
}

// result pairs an answer with its call and reads it.
func (p *importer) result(a answer) {
	p.inCall = false
	c := p.open[a.id]
	switch {
	case c == nil:
		p.im.Orphans = append(p.im.Orphans, Orphan{a.line, a.id, "result without a call"})
		c = &openCall{id: "orphan:" + a.id, mean: reply.Call{Tab: -1}}
	case c.answered:
		p.im.skip("second result of a call", a.line)
		return
	default:
		p.im.Results++
		c.answered = true
		p.compactOrder()
	}
	if a.millis == 0 && !a.when.IsZero() && !c.when.IsZero() {
		a.millis = max(0, a.when.Sub(c.when).Milliseconds())
	}
	if c.cookies {
		a.text, a.whole = p.mask.Cookies(a.text), p.mask.Cookies(a.whole)
		a.outer = p.mask.Cookies(a.outer)
	}
	r := p.pages.Result(c.mean, reply.Answer{
		Action: c.id, Text: a.text, Outer: a.outer, Failed: a.failed, Millis: a.millis, Line: a.line, Side: a.side, URL: a.url, Title: a.title,
		Whole: a.whole, Images: p.seen(),
	})
	r.URL, r.Title = p.mask.Again(r.URL), p.mask.Again(r.Title)
	if s := r.Snapshot; s != nil {
		s.URL, s.Title = p.mask.Again(s.URL), p.mask.Again(s.Title)
	}
	if r.Seen != "" {
		p.im.Seen[r.Seen]++
	}
	if r.Snapshot != nil && r.Snapshot.Rebuilt {
		p.im.Rebuilt++
	}
	p.emit(session.Event{Kind: session.KindResult, Time: a.when, Result: r})
}

// expire tells that the agent cleared the results of these calls.
func (p *importer) expire(raw []string, when time.Time) {
	var ids []string
	for _, id := range raw {
		if c := p.open[id]; c != nil {
			id = c.id
		}
		ids = append(ids, id)
	}
	if len(ids) > 0 {
		p.emit(session.Event{Kind: session.KindExpiry, Time: when, Expiry: &session.Expiry{IDs: ids}})
	}
}

// finish states what is left open.
func (p *importer) finish() {
	for _, c := range p.order {
		if !c.answered {
			p.im.Orphans = append(p.im.Orphans, Orphan{c.line, c.raw, "call without a result"})
		}
	}
	p.tree.report(p)
	p.flush()
	p.im.Masked, p.im.Secrets = p.mask.Count(), p.mask.Counts()
}
