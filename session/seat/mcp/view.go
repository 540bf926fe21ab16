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
//
// The wire timeline holds only what the model's context is known to hold. What
// makes that doubtful empties it, and then no page has a base to be compared
// with and the next one goes out whole.
type view struct {
	n       int
	browser bool // the server is a browser's, whatever its tools are called
	pages   reply.Pages
	files   sidefile.Reader
	open    map[string]reply.Call // what the calls mean, by action
	wire    *session.Timeline
	held    int // bytes of page text in wire
	most    int // that many at most, see maxWire
	count   func(string) int
	// renderer rewrites wire's pages; it is as old as wire, so that nothing is kept of
	// pages that are forgotten.
	renderer *policy.Renderer
	thread   string // who called last
	last     session.Verb
	told     map[string]bool // notations that the agent has been told
	said     map[string]bool // remarks that are made once
}

func newView(n int, roots []string, count func(string) int) *view {
	v := &view{n: n, open: map[string]reply.Call{}, count: count, most: maxWire, told: map[string]bool{}, said: map[string]bool{}}
	v.forget()
	v.files.Roots = slices.Clone(roots)
	v.pages.File, v.pages.Direct = v.read, true
	return v
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

// forget empties what is known of the model's context.
func (v *view) forget() {
	v.wire, v.held, v.renderer = session.NewTimeline(nil), 0, policy.NewDeciding(v.count)
}

// maxWire bounds the page text that is held in memory to compare pages with, in
// bytes; then all of it is forgotten.
const maxWire = 64 << 20

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
