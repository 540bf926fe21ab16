package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// What a program makes for a while it owns for as long as it lives: the system takes
// a lock from a process that ends, however it ends. So what nobody owns is left over,
// and whoever comes next may remove it.

// ownerFile lies in a folder of MakeFolder, and its owner holds it.
const ownerFile = "owner"

// FolderName is the path of a folder that does not exist yet: name and random digits,
// in root.
func FolderName(root, name string) string {
	return filepath.Join(root, fmt.Sprintf("%s%016x", name, rand.Uint64()))
}

// MakeFolder makes a folder that only we may enter, and takes it into possession. It
// is ours until owner is closed or the process is gone.
func MakeFolder(dir string) (owner *os.File, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if owner, err = Own(filepath.Join(dir, ownerFile)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return owner, nil
}

// SweepFolders removes the folders in root whose names begin with name and that
// nobody owns any more: those of programs that were killed. One without the owner's
// file is being made, or its maker was killed just then: it goes after an hour.
func SweepFolders(root, name string) {
	left, err := filepath.Glob(filepath.Join(root, name+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		file := filepath.Join(dir, ownerFile)
		if st, err := os.Lstat(dir); err != nil || !st.IsDir() {
			continue
		} else if _, err := os.Lstat(file); err != nil {
			if time.Since(st.ModTime()) > time.Hour {
				_ = os.RemoveAll(dir) // not ours, or not now
			}
			continue
		}
		if owner, err := Own(file); err == nil {
			_ = os.RemoveAll(dir) // what cannot be removed is tried again next time
			_ = owner.Close()
		}
	}
}

// CreateOwned makes a new file and takes it into possession. The error is
// fs.ErrExist where there is one.
func CreateOwned(path string, perm fs.FileMode) (*os.File, error) {
	for tries := 0; ; tries++ {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		switch {
		case errors.Is(err, fs.ErrExist) && 0 < tries && tries < 1000:
			time.Sleep(time.Millisecond)
			continue
		case err != nil:
			return nil, err
		case claim(f):
			return f, nil
		}
		_ = f.Close() // somebody took it for left over before we had it, and is removing it
	}
}

// sweepTemp removes the files in a folder that were being written by programs that
// were killed.
func sweepTemp(dir string) {
	left, err := filepath.Glob(filepath.Join(dir, tempStart+"????????"+tempEnd))
	if err != nil {
		return
	}
	for _, name := range left {
		_ = RemoveLeft(name) // not ours, or still written
	}
}
