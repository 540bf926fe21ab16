package mcp

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"snapscope/replay/transcript/reply"
	"snapscope/replay/transcript/sidefile"
	"snapscope/session"
	"snapscope/session/policy"
)

// view is what one connection's agent has been given so far, as it was given:
// unmasked, and therefore in memory alone. It belongs to the recorder.
type view struct {
	n       int
	browser bool // the server is a browser's, whatever its tools are called
	pages   reply.Pages
	files   sidefile.Reader
	open    map[string]reply.Call // what the calls mean, by action
	// wire is the session with the pages that went out under a policy; what went out
	// under none has no page here.
	wire     *session.Timeline
	renderer *policy.Renderer
	under    *policy.Policy // what plan and reader are of
	plan     policy.Plan
	reader   *policy.Reader
	cuts     func(chars, bytes int) bool
	said     map[string]bool // remarks that are made once
	anew     session.Whole   // a compaction that the recording does not tell of yet
}

func newView(n int, roots []string, count func(string) int, cuts func(chars, bytes int) bool) *view {
	v := &view{n: n, open: map[string]reply.Call{}, cuts: cuts, said: map[string]bool{}, wire: session.NewTimeline(nil), renderer: policy.NewDeciding(count)}
	v.files.Roots = slices.Clone(roots)
	v.pages.File, v.pages.Direct = v.read, true
	return v
}

// rewrites makes the policy the one that pages go out under.
func (v *view) rewrites(p *policy.Policy) {
	if v.under == p && v.reader != nil {
		return
	}
	v.under, v.plan = p, v.renderer.Plan(*p)
	v.reader = v.plan.Reader(v.cuts)
	v.forget(session.AnewPolicy)
}

// forget tells that nothing of what went out before can be taken for read.
func (v *view) forget(why session.Whole) {
	if n := len(v.wire.Snaps); n > 0 && v.reader != nil {
		v.reader.Forget(n, why)
	}
}

// compacted tells that the agent shortened its history.
func (v *view) compacted() {
	v.anew = session.AnewCompacted
	v.wire.Append(session.Event{Kind: session.KindCompact, Compact: &session.Compaction{}})
}

// give puts a result into the wire; of a page that went out under no policy nothing
// is kept. What is kept of the others is no piece of a longer text.
func (v *view) give(res *session.Result, kept bool) {
	r := session.Result{Action: res.Action, OK: res.OK, Seen: res.Seen, URL: strings.Clone(res.URL), Reader: strings.Clone(res.Reader)}
	if kept {
		s := *res.Snapshot
		s.URL, s.Title, s.Document, s.Text = strings.Clone(s.URL), strings.Clone(s.Title), strings.Clone(s.Document), strings.Clone(s.Text)
		r.Snapshot = &s
	}
	v.wire.Append(session.Event{Kind: session.KindResult, Result: &r})
	if v.reader != nil && v.plan.Compares() {
		v.wire.ReleaseForgotten()
	} else {
		v.wire.Release(1)
	}
}

// read is the text of a file that the server points to, as it is now.
func (v *view) read(name string) (string, error) {
	fresh := sidefile.Reader{Roots: v.files.Roots}
	return fresh.Read(name)
}

// addRoot lets files below one of the client's roots be read: a server writes its
// files there.
func (v *view) addRoot(uri string) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return
	}
	dir := filepath.FromSlash(u.Path)
	if len(dir) > 2 && dir[0] == '\\' && dir[2] == ':' { // \C:\…
		dir = dir[1:]
	}
	if filepath.IsAbs(dir) && !slices.Contains(v.files.Roots, dir) && len(v.files.Roots) < 32 {
		v.files.Roots = append(v.files.Roots, dir)
	}
}

// inlined puts the text of a linked snapshot where the link stood, fenced as the
// server fences one. ok is false where there is no link or its file cannot be read.
func (v *view) inlined(text string) (out string, ok bool) {
	r := reply.Parse(text)
	if r.Found || r.Link == "" {
		return text, false
	}
	page, err := v.read(r.Link)
	if err != nil || strings.TrimSpace(page) == "" {
		return text, false
	}
	line := "- [Snapshot](" + r.Link + ")"
	at := strings.Index(text, line)
	if at < 0 {
		return text, false
	}
	return text[:at] + "```yaml\n" + strings.TrimRight(page, "\r\n") + "\n```" + text[at+len(line):], true
}
