// Package atomicfile puts files in place in one move: what is written goes to a
// file beside the target, reaches the disk, and is renamed over the target only
// when all of it is there. A crash, a kill or a full disk leaves the old file or
// the new one, never a part of either.
//
// It also knows who owns what is there for a while only, files that are being written
// and folders for temporary files: a kill leaves them behind, and whoever comes next
// removes them. Each folder is swept by a program's first file in it.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// open holds the names of files that are being written, for AbortAll; swept the
// folders in which nothing is left over from others.
var open, swept sync.Map

// A file that is being written has eight hexadecimal digits between these for a name.
const (
	tempStart = ".snapscope-"
	tempEnd   = ".tmp"
)

// File is a file that is being written. It appears under its name with Commit.
type File struct {
	*os.File
	path string
	like fs.FileInfo // the file whose permissions and owner it gets; nil: none
	done bool
}

// Create begins a file that will stand at path. A file that stands there keeps
// its permissions and, where we may give it away, its owner; a new one gets perm less
// the process's umask. Folders are not made.
func Create(path string, perm fs.FileMode) (*File, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a link stays a link
	}
	like, err := os.Stat(path)
	switch {
	case err != nil:
		like = nil
	case !like.Mode().IsRegular():
		return nil, fmt.Errorf("writing %s: it is not a regular file", path)
	}
	dir := filepath.Dir(path)
	if _, was := swept.LoadOrStore(dir, nil); !was {
		sweepTemp(dir)
	}
	for {
		name := filepath.Join(dir, fmt.Sprintf("%s%08x%s", tempStart, rand.Uint32(), tempEnd))
		f, err := CreateOwned(name, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", path, cause(err))
		}
		open.Store(name, nil)
		return &File{File: f, path: path, like: like}, nil
	}
}

// Like gives the file the permissions and the owner of another one.
func (f *File) Like(other fs.FileInfo) { f.like = other }

// Commit puts the file in place. After an error nothing has changed at its path.
func (f *File) Commit() error {
	if f.done {
		return fs.ErrClosed
	}
	f.done = true
	var err error
	if f.like != nil {
		keepOwner(f.File, f.like) // first: it may take permissions away
		err = f.Chmod(f.like.Mode().Perm())
	}
	if serr := f.Sync(); err == nil {
		err = serr
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	open.Delete(f.Name())
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to tell
		return fmt.Errorf("writing %s: %w", f.path, cause(err))
	}
	return nil
}

// Abort throws away what was written. After Commit it does nothing, so it can
// be deferred.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	_ = f.Close()
	open.Delete(f.Name())
	_ = os.Remove(f.Name())
}

// AbortAll takes away what every File that is not committed has written: for a
// program that ends where it stands. Only a kill leaves such a file behind.
func AbortAll() {
	open.Range(func(name, _ any) bool {
		_ = os.Remove(name.(string)) // nobody is left to tell
		return true
	})
}

// Write puts data at path. A new file gets perm, an old one keeps its own.
func Write(path string, data []byte, perm fs.FileMode) error {
	f, err := Create(path, perm)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return f.Commit()
}

// cause leaves the name of the file beside the target out of an error.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}
