package atomicfile

import (
	"io/fs"
	"os"
)

// Own takes possession of a file, making it if need be: a file that somebody
// has open cannot be removed here.
func Own(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// claim is true: what is open cannot be removed here.
func claim(*os.File) bool { return true }

// RemoveLeft removes a file that nobody has open; for one that somebody has it is an
// error.
func RemoveLeft(path string) error { return os.Remove(path) }

// keepOwner does nothing: a new file has the owner that its folder gives it.
func keepOwner(*os.File, fs.FileInfo) {}
