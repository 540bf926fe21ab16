package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"snapscope/replay"
	"snapscope/replay/transcript/format"
	"snapscope/session"
	"snapscope/session/guard"
)

// Read reads a transcript or a recording whole. A folder stands for the
// session in it: session.md, a trace, or OpenCode's parts.
func Read(ctx context.Context, path string, opt Options) (*Import, error) {
	var events []session.Event
	im, err := Stream(ctx, path, opt, func(e session.Event) { events = append(events, e) })
	if err != nil {
		return nil, err
	}
	im.Events = events
	return im, nil
}

// Stream reads a transcript and gives its events one by one, as they are read;
// Events of the answer is empty. An event is not changed after it was given.
func Stream(ctx context.Context, path string, opt Options, put func(session.Event)) (im *Import, err error) {
	err = guard.Do("reading "+path, func() error {
		im, err = stream(ctx, path, opt, put)
		return err
	})
	return im, err
}

func stream(ctx context.Context, path string, opt Options, put func(session.Event)) (*Import, error) {
	path, err := within(path)
	if err != nil {
		return nil, err
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return readParts(ctx, path, opt, put)
	}
	if path == Stdin {
		return streamFrom(ctx, &whileLasting{ctx: ctx, r: os.Stdin}, path, opt, put, nil)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close()
	return streamFrom(ctx, f, path, opt, put, nil)
}

// streamFrom reads from r, which is the file at path. start is given the
// reading before it begins.
func streamFrom(ctx context.Context, r io.Reader, path string, opt Options, put func(session.Event), start func(*format.Reading)) (*Import, error) {
	r, kind, err := detectFrom(r, path, opt)
	if err != nil {
		return nil, err
	}
	opt.Roots = append([]string{filepath.Dir(path)}, opt.Roots...)
	if opt.Alone {
		opt.Roots = nil
	}
	reading := kind.Begin(path, opt, put)
	if start != nil {
		start(reading)
	}
	if err := reading.Read(ctx, r); err != nil {
		return nil, err
	}
	return reading.Finish()
}

func detectFrom(r io.Reader, path string, opt Options) (io.Reader, *format.Format, error) {
	first := make([]byte, format.HeadSize)
	n, err := readHead(r, first)
	if err != nil {
		return nil, nil, fmt.Errorf("read transcript %s: %w", path, err)
	}
	rest := io.MultiReader(bytes.NewReader(first[:n]), r)
	if isGzip(first[:n]) || isZstd(first[:n]) {
		if rest, err = unpack(rest, first[:n], path, opt); err != nil {
			return nil, nil, err
		}
		path = withoutPacking(path)
		first = make([]byte, format.HeadSize)
		if n, err = readHead(rest, first); err != nil {
			return nil, nil, err
		}
		rest = io.MultiReader(bytes.NewReader(first[:n]), rest)
	}
	first = first[:n]
	if opt.Format != "" {
		f, err := format.Find(opt.Format)
		if err == nil && len(bytes.TrimSpace(first)) == 0 {
			err = fmt.Errorf("%s is empty", path)
		}
		return rest, f, err
	}
	f, err := format.Detect(first, path)
	return rest, f, err
}

// readHead reads a file's start: full, or what is there.
func readHead(r io.Reader, b []byte) (int, error) {
	if g, ok := r.(*replay.Growing); ok { // its Read waits where the file ends
		return g.Read(b)
	}
	n, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// Open plays a transcript or a recording while it is still being read: the
// first steps are there at once, however large the file. done is called with
// the finished import, unless it is nil.
func Open(path string, opt Options, done func(*Import)) (session.Engine, error) {
	if err := check(path, opt); err != nil {
		return nil, err
	}
	info := session.Info{Mode: session.ModeReplay, Name: path}
	return replay.NewFeed(info, func(ctx context.Context, in *replay.Inlet) error {
		im, err := Stream(ctx, path, opt, in.Put)
		if err == nil && done != nil {
			done(im)
		}
		return err
	}), nil
}

// check fails early: a file that is missing or of no known kind is said before
// a screen is opened.
func check(path string, opt Options) error {
	path, err := within(path)
	if err != nil {
		return err
	}
	if st, err := os.Stat(path); path == Stdin || err == nil && st.IsDir() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close()
	_, _, err = detectFrom(f, path, opt)
	return err
}

// Stdin is the path that stands for standard input.
const Stdin = "-"

// kindOf names what is no file.
func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "no file"
}

// whileLasting reads until a context ends, also where a read blocks: what is
// piped in may come late or never.
type whileLasting struct {
	ctx context.Context
	r   io.Reader
	got chan piped
	buf []byte
	err error
}

type piped struct {
	b   []byte
	err error
}

func (w *whileLasting) Read(p []byte) (int, error) {
	if w.got == nil {
		w.got = make(chan piped)
		go func() {
			for {
				b := make([]byte, 256<<10)
				var n int
				err := guard.Do("reading what is piped in", func() (err error) {
					n, err = w.r.Read(b)
					return err
				})
				select {
				case w.got <- piped{b[:n], err}:
				case <-w.ctx.Done():
					return
				}
				if err != nil {
					return
				}
			}
		}()
	}
	for len(w.buf) == 0 && w.err == nil {
		select {
		case x := <-w.got:
			w.buf, w.err = x.b, x.err
		case <-w.ctx.Done():
			w.err = w.ctx.Err()
		}
	}
	if len(w.buf) == 0 {
		return 0, w.err
	}
	n := copy(p, w.buf)
	w.buf = w.buf[n:]
	return n, nil
}

// within finds the session that a folder stands for.
func within(path string) (string, error) {
	if path == Stdin {
		return path, nil
	}
	st, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read transcript: %w", err)
	}
	if !st.IsDir() {
		if !st.Mode().IsRegular() {
			return "", fmt.Errorf("read transcript: %s is %s; only files are read, and what is piped in: name it - and give it on standard input", path, kindOf(st.Mode()))
		}
		return path, nil
	}
	for _, name := range []string{"session.md", "trace.trace"} {
		in := filepath.Join(path, name)
		if st, err := os.Stat(in); err == nil && st.Mode().IsRegular() {
			return in, nil
		}
	}
	if len(partFiles(path)) > 0 {
		return path, nil
	}
	return "", fmt.Errorf("%s is a folder of no session; name a file in it", path)
}

// partFiles lists OpenCode's parts below a folder in the order of their names,
// which is that of time.
func partFiles(dir string) []string {
	var out []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasPrefix(d.Name(), "prt_") && strings.HasSuffix(d.Name(), ".json") {
			out = append(out, path)
		}
		if len(out) > 100_000 {
			return fs.SkipAll
		}
		return nil
	})
	sort.Slice(out, func(i, j int) bool { return filepath.Base(out[i]) < filepath.Base(out[j]) })
	return out
}

// readParts reads a folder of OpenCode's parts as one session.
func readParts(ctx context.Context, dir string, opt Options, put func(session.Event)) (*Import, error) {
	kind, err := format.Find("opencode")
	if err != nil {
		return nil, err
	}
	opt.Roots = append([]string{dir}, opt.Roots...)
	r := kind.Begin(dir, opt, put)
	r.Agent("OpenCode")
	for _, name := range partFiles(dir) {
		f, err := os.Open(name)
		if err != nil {
			r.Skip("part that cannot be read")
			continue
		}
		err = r.Read(ctx, f)
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return r.Finish()
}
