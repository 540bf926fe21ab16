package transcript

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"snapscope/replay/transcript/format"
	"snapscope/session"
	"snapscope/session/agents"
	"snapscope/session/guard"
)

// Found is a session that was found on this machine.
type Found struct {
	Path   string
	Source string // whose it is, for people: "Claude Code", "Codex", …
	Format string // a name in Formats
	Title  string // what the user asked first, else what it does first, one line; empty: not told
	When   time.Time
	Size   int64 // bytes
}

// Totals are a found session's numbers.
type Totals struct {
	Steps     int // calls with a result
	Snapshots int // results in which the model saw snapshot text
	Tokens    int // that all results added to the history
}

// Playwright's MCP server is no agent, but keeps what its agents do in the folder that
// they work in.
var servers = []agents.Agent{
	{Title: "Playwright MCP", Transcripts: agents.Transcripts{Dir: agents.Place{Base: agents.InProject, Path: ".playwright-mcp"}, Depth: 3, File: "*.jsonl"}},
	{Title: "Playwright MCP", Transcripts: agents.Transcripts{Dir: agents.Place{Base: agents.InProject, Path: ".playwright-mcp"}, Depth: 3, File: "session.md"}},
}

// The bounds of a search: a home folder may hold years of sessions.
const (
	maxFound   = 2000
	maxVisited = 200_000
)

// Find lists the sessions of the agents that session/agents knows, newest first. Of
// each file only the start is read; no other file is opened.
func Find(ctx context.Context, w agents.Where) ([]Found, error) {
	var out []Found
	for _, a := range slices.Concat(agents.All(), servers) {
		t := a.Transcripts
		dir := t.Dir.At(w)
		if t.File == "" || dir == "" {
			continue
		}
		found, err := walk(ctx, dir, t.Depth, func(name string) bool {
			ok, _ := filepath.Match(t.File, name)
			return ok
		})
		if err != nil {
			return nil, err
		}
		for i := range found {
			found[i].Source = a.Title
		}
		out = append(out, found...)
	}
	return newest(out), nil
}

// FindIn lists the sessions in a folder the user named, newest first.
func FindIn(ctx context.Context, dir string) ([]Found, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	found, err := walk(ctx, dir, 6, func(name string) bool {
		switch filepath.Ext(name) {
		case ".jsonl", ".json", ".md", ".trace", ".zip":
			return true
		}
		return false
	})
	for i := range found {
		if f, err := format.Find(found[i].Format); err == nil {
			found[i].Source = f.Title
		}
	}
	return newest(found), err
}

// walk looks at the files of a folder that match, down to a depth. Symbolic
// links are not followed.
func walk(ctx context.Context, dir string, depth int, match func(string) bool) ([]Found, error) {
	type candidate struct {
		path string
		info fs.FileInfo
	}
	var files []candidate
	visited := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if visited++; visited > maxVisited {
			return fs.SkipAll
		}
		if err != nil {
			return nil // what may not be read is not listed
		}
		rel, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			if rel != "." && strings.Count(rel, string(filepath.Separator))+1 > depth || d.Name() == "node_modules" || d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !match(d.Name()) {
			return nil
		}
		if info, err := d.Info(); err == nil {
			files = append(files, candidate{path, info})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sort.Slice(files, func(i, j int) bool { return files[i].info.ModTime().After(files[j].info.ModTime()) })
	var out []Found
	for _, c := range files {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(out) == maxFound {
			break
		}
		f := Found{Path: c.path}
		err := guard.Do("reading "+c.path, func() (err error) {
			f, err = lookAt(ctx, c.path)
			return err
		})
		var broke *guard.Broke
		switch {
		case errors.As(err, &broke): // it is listed, and says why it tells nothing
			f.Title = oneLine(broke.Error())
		case err != nil:
			continue // no transcript
		}
		f.When, f.Size = c.info.ModTime(), c.info.Size()
		out = append(out, f)
	}
	return out, nil
}

var errEnough = errors.New("enough")

// lookAt reads a file's start: its format, and what the user asked first.
func lookAt(ctx context.Context, path string) (Found, error) {
	f, err := os.Open(path)
	if err != nil {
		return Found{}, err
	}
	defer f.Close()
	first := make([]byte, format.HeadSize)
	n, err := readHead(f, first)
	if err != nil {
		return Found{}, err
	}
	kind, err := format.Detect(first[:n], path)
	if err != nil {
		return Found{}, err
	}
	found := Found{Path: path, Format: kind.Name}
	if kind.Name == "playwright-trace" { // an archive cannot be read from its start
		return found, nil
	}
	stop, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begun := "" // what it does first
	_, _ = streamFrom(stop, bytes.NewReader(first[:n]), path, Options{Format: kind.Name, Alone: true}, func(e session.Event) {
		switch {
		case e.User != nil && found.Title == "":
			found.Title = oneLine(e.User.Text)
			cancel(errEnough)
		case e.Action != nil && begun == "":
			begun = e.Action.Label()
		}
	}, nil)
	if found.Title == "" {
		found.Title = oneLine(begun)
	}
	return found, nil
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 100 {
		text = string(r[:99]) + "…"
	}
	return text
}

func newest(found []Found) []Found {
	sort.SliceStable(found, func(i, j int) bool { return found[i].When.After(found[j].When) })
	return found
}

// Sum reads a found session whole and counts it. count counts tokens.
func (f Found) Sum(ctx context.Context, opt Options, count func(string) int) (Totals, error) {
	var t Totals
	im, err := Stream(ctx, f.Path, opt, func(e session.Event) {
		switch r := e.Result; {
		case r == nil:
		case r.At > 0: // as the reply came
			t.Tokens += count(r.Whole())
		default:
			t.Tokens += count(r.Text) + count(r.Showed())
		}
	})
	if err != nil {
		return t, err
	}
	t.Steps, t.Snapshots = im.Results, im.Snapshots()
	return t, nil
}
