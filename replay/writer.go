package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"snapscope/session"
	"snapscope/session/atomicfile"
)

// flushAt is how many bytes of whole lines are held before they go to the file
// even without a Sync.
const flushAt = 1 << 20

// Writer writes a recording. It implements session.Sink and is safe for
// concurrent use.
type Writer struct {
	mu    sync.Mutex
	to    io.Writer
	file  *os.File         // nil for a writer that is not on a file
	whole *atomicfile.File // file, where it appears under its name only when it is closed
	enc   *encoder
	buf   []byte // whole lines only
	size  int64  // of what the file holds of them
	err   error  // the first failure; what comes after it would leave a gap
}

// Create starts a recording in a new file with mode 0600 that grows step by step.
// A file that exists is left alone: the error is fs.ErrExist. One that cannot hold
// its first line is taken away again.
func Create(path string) (*Writer, error) {
	f, err := atomicfile.CreateOwned(path, 0o600) // so nobody takes it for one of a run that has ended
	if errors.Is(err, fs.ErrExist) {
		return nil, exists(path)
	}
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	w, err := NewWriter(f)
	if err == nil {
		w.file = f
		err = w.Sync()
	}
	if err != nil {
		f.Close()
		_ = os.Remove(path) // the first error is the one to tell
		return nil, err
	}
	return w, nil
}

// Free answers the error that Create would for a file that exists.
func Free(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return exists(path)
	}
	return nil
}

func exists(path string) error {
	return fmt.Errorf("record to %s: %w: choose another name or remove it first", path, fs.ErrExist)
}

// CreateWhole starts a recording that appears at path only when it is closed
// without an error: what stands there till then is left alone, whatever happens.
// With force it may exist.
func CreateWhole(path string, force bool) (*Writer, error) {
	if err := Free(path); err != nil && !force {
		return nil, err
	}
	f, err := atomicfile.Create(path, 0o600)
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(f)
	if err != nil {
		f.Abort()
		return nil, err
	}
	w.file, w.whole = f.File, f
	return w, nil
}

// Abort throws away a recording of CreateWhole. After Close it does nothing.
func (w *Writer) Abort() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.whole != nil {
		w.whole.Abort()
		w.file, w.whole = nil, nil
	}
	if w.err == nil {
		w.err = fmt.Errorf("record: %w", os.ErrClosed)
	}
}

// NewWriter starts a recording on any writer.
func NewWriter(to io.Writer) (*Writer, error) {
	head, err := json.Marshal(header{Format, Version})
	if err != nil {
		return nil, err
	}
	return &Writer{to: to, enc: newEncoder(), buf: append(head, '\n')}, nil
}

// Append takes one event. It reaches the file as a whole line with the next
// Sync, or before.
func (w *Writer) Append(e session.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	var err error
	if w.buf, err = w.enc.line(w.buf, e); err != nil {
		w.err = fmt.Errorf("record %s: %w", w.name(), err)
		return w.err
	}
	if len(w.buf) >= flushAt {
		return w.flush()
	}
	return nil
}

// Flush brings everything appended to the file: a kill of this program does not lose
// it, a power cut may.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush()
}

// Sync brings everything appended to the disk.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.flush(); err != nil || w.file == nil || w.whole != nil { // a whole one is synced when it is there
		return err
	}
	if err := w.file.Sync(); err != nil {
		w.err = fmt.Errorf("record %s: %w", w.name(), err)
	}
	return w.err
}

// Close syncs and closes the file. It may be called twice.
func (w *Writer) Close() error {
	err := w.Sync()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.whole != nil && err == nil:
		err = w.whole.Commit()
	case w.whole != nil:
		w.whole.Abort()
	case w.file != nil:
		if e := w.file.Close(); err == nil && !errors.Is(e, os.ErrClosed) {
			err = e
		}
	}
	w.file, w.whole = nil, nil
	if w.err == nil {
		w.err = fmt.Errorf("record: %w", os.ErrClosed)
	}
	return err
}

func (w *Writer) flush() error {
	if w.err != nil {
		if errors.Is(w.err, os.ErrClosed) && len(w.buf) == 0 {
			return nil
		}
		return w.err
	}
	if len(w.buf) == 0 {
		return nil
	}
	_, err := w.to.Write(w.buf)
	if err == nil {
		w.size += int64(len(w.buf))
	}
	w.buf = w.buf[:0]
	if err != nil {
		w.err = fmt.Errorf("record %s: %w", w.name(), err)
		if w.file != nil {
			_ = w.file.Truncate(w.size) // of a full disk: no half line stays
		}
	}
	return w.err
}

func (w *Writer) name() string {
	if w.file != nil {
		return w.file.Name()
	}
	return "the session"
}
