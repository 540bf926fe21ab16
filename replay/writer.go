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
)

// flushAt is how many bytes of whole lines are held before they go to the file
// even without a Sync.
const flushAt = 1 << 20

// Writer writes a recording. It implements session.Sink and is safe for
// concurrent use.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	file *os.File // nil for a writer that is not on a file
	enc  *encoder
	buf  []byte // whole lines only
	err  error  // the first failure; what comes after it would leave a gap
}

// Create starts a recording in a new file with mode 0600. A file that exists is
// left alone: the error is fs.ErrExist.
func Create(path string) (*Writer, error) {
	return create(path, os.O_EXCL)
}

// Overwrite is Create for a file that may exist and whose content goes.
func Overwrite(path string) (*Writer, error) {
	return create(path, os.O_TRUNC)
}

func create(path string, flag int) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("record to %s: %w: choose another name or remove it first", path, fs.ErrExist)
	}
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	w, err := NewWriter(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	w.file = f
	if err := w.Sync(); err != nil {
		f.Close()
		return nil, err
	}
	return w, nil
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
	line, err := w.enc.line(e)
	if err != nil {
		w.err = fmt.Errorf("record %s: %w", w.name(), err)
		return w.err
	}
	w.buf = append(w.buf, line...)
	if len(w.buf) >= flushAt {
		return w.flush()
	}
	return nil
}

// Sync brings everything appended to the disk.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.flush(); err != nil || w.file == nil {
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
	if w.file != nil {
		if e := w.file.Close(); err == nil && !errors.Is(e, os.ErrClosed) {
			err = e
		}
		w.file = nil
	}
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
	w.buf = w.buf[:0]
	if err != nil {
		w.err = fmt.Errorf("record %s: %w", w.name(), err)
	}
	return w.err
}

func (w *Writer) name() string {
	if w.file != nil {
		return w.file.Name()
	}
	return "the session"
}
