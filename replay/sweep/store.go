package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"snapscope/session/atomicfile"
	"snapscope/session/ledger"
)

// Store is where the files of a sweep are kept: a folder, or a bucket. Its names
// hold no separators.
type Store interface {
	// Names are the files that are there, in no certain order.
	Names() ([]string, error)
	// Read is a file's content; an error that is fs.ErrNotExist where there is none.
	Read(name string) ([]byte, error)
	// Write puts a file in place, in one move.
	Write(name string, data []byte) error
}

// Folder is a folder as a Store.
type Folder string

// Names lists the folder.
func (f Folder) Names() ([]string, error) {
	entries, err := os.ReadDir(string(f))
	if err != nil {
		return nil, err
	}
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Name()
	}
	return out, nil
}

// Read reads a file of the folder.
func (f Folder) Read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(f), name))
}

// Write puts a file into the folder.
func (f Folder) Write(name string, data []byte) error {
	return atomicfile.Write(filepath.Join(string(f), name), data, 0o644)
}

// PricesDigest tells a price table from another.
func PricesDigest(p *ledger.Prices) string {
	if p == nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Append(nil, p))
	return p.Date + " " + hex.EncodeToString(sum[:8])
}

// Fingerprint tells a file from another and from what it was: by its size and a
// digest of its content. Of a file that cannot be read it tells that; its row will
// say why.
func Fingerprint(ctx context.Context, path string) InputFile {
	in := InputFile{Name: path, Hash: "unreadable"}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return in
	}
	f, err := os.Open(path)
	if err != nil {
		return in
	}
	defer f.Close()
	h, size := sha256.New(), int64(0)
	buf := make([]byte, 1<<20)
	for ctx.Err() == nil {
		n, err := f.Read(buf)
		size += int64(n)
		h.Write(buf[:n])
		if errors.Is(err, io.EOF) {
			in.Size, in.Hash = size, hex.EncodeToString(h.Sum(nil)[:16])
			break
		}
		if err != nil {
			break
		}
	}
	return in
}

// Err is the error of a sweep in which recordings could not be counted: how many,
// and the first with why. nil: all were.
func (r *Result) Err() error {
	n := len(r.Failed)
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d recordings could not be counted; the first: %s", n, n+len(r.Recordings), r.Failed[0])
}
