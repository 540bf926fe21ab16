package format

import (
	"context"
	"fmt"
	"io"
	"strings"

	"snapscope/session"
)

// Reading is a transcript that is being read.
type Reading struct {
	p   *importer
	f   *Format
	seq int
}

// Begin starts to read the transcript at path. Its events go to put, one by one
// as they are read; an event is not changed after it was given.
func (f *Format) Begin(path string, opt Options, put func(session.Event)) *Reading {
	r := &Reading{f: f}
	r.p = newImporter(opt, &Import{Path: path, Format: f.Name}, func(e session.Event) {
		r.seq++
		e.Seq = r.seq
		put(e)
	})
	r.p.links.Roots, r.p.links.Fetch = opt.Roots, opt.Fetch
	return r
}

// Read reads a file of the session: the only one, or the next.
func (r *Reading) Read(ctx context.Context, in io.Reader) error {
	before := r.p.im.Bytes
	r.p.im.Bytes = 0
	err := r.f.read(ctx, r.p, in)
	r.p.im.Bytes += before
	return err
}

// Agent names the agent that the format itself does not tell.
func (r *Reading) Agent(name string) { r.p.start.Agent = name }

// Skip counts something that was left out.
func (r *Reading) Skip(what string) { r.p.im.skip(what, 0) }

// Idle lets go what is whole where a file that still grows ends for now.
func (r *Reading) Idle() {
	if r.p.atIdle != nil {
		r.p.atIdle()
	}
	r.p.flush()
}

// Finish states what is left open. A transcript with nothing in it is an error
// that says why.
func (r *Reading) Finish() (*Import, error) {
	r.p.finish()
	if !r.p.something {
		return nil, fmt.Errorf("%s: it looks like %s, but nothing whole is in it: %s", r.p.im.Path, article(r.f.Title), reasons(r.p.im))
	}
	return r.p.im, nil
}

func reasons(im *Import) string {
	var out []string
	for _, s := range im.Skipped[:min(5, len(im.Skipped))] {
		out = append(out, fmt.Sprintf("%s (line %d)", s.Kind, s.Lines[0]))
	}
	if len(out) == 0 {
		return "no message and no tool call"
	}
	return strings.Join(out, ", ")
}

func article(title string) string {
	if strings.ContainsRune("AEIOUaeiou", rune(title[0])) {
		return "an " + title
	}
	if strings.HasPrefix(title, "one ") || strings.HasPrefix(title, "MCP traffic") {
		return title
	}
	return "a " + title
}
