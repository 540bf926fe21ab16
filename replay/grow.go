package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pollEvery is how often a followed file is looked at where no notification
// comes: network folders, full inotify tables.
const pollEvery = 150 * time.Millisecond

// ErrReplaced tells that a followed file is shorter than what was read of it,
// or is another file now.
var ErrReplaced = errors.New("the file was replaced while it was followed")

// Growing reads a file that another program appends to. At the end of the file
// Read waits for more instead of answering io.EOF; it ends with the context's
// error, or with ErrReplaced. A reader of lines on top of it never sees a
// half-written one, for a line without its end is waited for.
type Growing struct {
	ctx   context.Context
	f     *os.File
	path  string
	off   int64
	idle  func()
	watch *Watch
}

// NewGrowing opens a file to follow. idle is called each time everything that
// the file holds has been read.
func NewGrowing(ctx context.Context, path string, idle func()) (*Growing, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("follow: %w", err)
	}
	return &Growing{ctx: ctx, f: f, path: path, idle: idle, watch: NewWatch(path)}, nil
}

// Read reads what is there, or waits until there is something.
func (g *Growing) Read(p []byte) (int, error) {
	for {
		if err := g.ctx.Err(); err != nil {
			return 0, err
		}
		n, err := g.f.Read(p)
		g.off += int64(n)
		if n > 0 {
			return n, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if g.idle != nil {
			g.idle()
		}
		if err := g.watch.Wait(g.ctx); err != nil {
			return 0, err
		}
		if err := g.same(); err != nil {
			return 0, err
		}
	}
}

// same checks that the path still names the file that is read.
func (g *Growing) same() error {
	now, err := os.Stat(g.path)
	if err != nil {
		return nil // gone or not to be seen for a moment: what is open stays readable
	}
	was, err := g.f.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(was, now) || now.Size() < g.off {
		return ErrReplaced
	}
	return nil
}

// Close ends the reading.
func (g *Growing) Close() error {
	g.watch.Close()
	return g.f.Close()
}

// Watch waits for changes of one file, by notification and by looking.
type Watch struct {
	path string
	fs   *fsnotify.Watcher // nil where the system gives none
	size int64
	mod  time.Time
}

// NewWatch watches a file from its present state on.
func NewWatch(path string) *Watch {
	w := &Watch{path: path}
	// The folder, not the file: a program that saves by renaming makes a new file.
	if fs, err := fsnotify.NewWatcher(); err == nil {
		if fs.Add(filepath.Dir(path)) == nil {
			w.fs = fs
		} else {
			fs.Close()
		}
	}
	return w
}

// Wait returns when the file may have changed, at the latest after the poll's
// interval; the error is the context's.
func (w *Watch) Wait(ctx context.Context) error {
	tick := time.NewTimer(pollEvery)
	defer tick.Stop()
	var events chan fsnotify.Event
	if w.fs != nil {
		events = w.fs.Events
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			return nil
		case e, ok := <-events:
			if !ok {
				events = nil
			} else if filepath.Base(e.Name) == filepath.Base(w.path) {
				return nil
			}
		}
	}
}

// Changed waits until the file's size or time differs from the last call's.
func (w *Watch) Changed(ctx context.Context) error {
	for {
		if st, err := os.Stat(w.path); err == nil && (st.Size() != w.size || !st.ModTime().Equal(w.mod)) {
			w.size, w.mod = st.Size(), st.ModTime()
			return nil
		}
		if err := w.Wait(ctx); err != nil {
			return err
		}
	}
}

// Close ends the watching.
func (w *Watch) Close() {
	if w.fs != nil {
		w.fs.Close()
	}
}
