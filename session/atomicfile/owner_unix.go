//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Own takes possession of a file, making it if need be; it is an error when
// somebody else has it. It ends when the file is closed or the process is gone.
func Own(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// claim takes possession of an open file; false: somebody else has it, or it has been
// removed meanwhile. Where a file system knows no locks, it is nobody's.
func claim(f *os.File) bool {
	if errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
		return false
	}
	at, err := os.Lstat(f.Name())
	if err != nil {
		return false
	}
	st, err := f.Stat()
	return err == nil && os.SameFile(at, st)
}

// RemoveLeft removes a regular file that nobody owns. It is an error where somebody
// does, and where the file system cannot tell.
func RemoveLeft(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return fmt.Errorf("removing %s: %w", path, errors.Join(err, fs.ErrInvalid))
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return &fs.PathError{Op: "removing", Path: path, Err: err}
	}
	return os.Remove(path)
}

// keepOwner gives a file the owner and the group of another one, where it may: a
// person's file stays the person's when root writes it.
func keepOwner(f *os.File, like fs.FileInfo) {
	var own syscall.Stat_t
	st, ok := like.Sys().(*syscall.Stat_t)
	if !ok || syscall.Fstat(int(f.Fd()), &own) != nil || own.Uid == st.Uid && own.Gid == st.Gid {
		return
	}
	if f.Chown(int(st.Uid), int(st.Gid)) != nil && own.Uid == st.Uid {
		_ = f.Chown(-1, int(st.Gid))
	}
}
