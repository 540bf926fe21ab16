//go:build unix

package proxy

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// writable asks whether a file can be made in a folder, without making one: a seat
// that is killed at that moment leaves nothing.
func writable(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "access", Path: dir, Err: err}
	}
	return nil
}

func ownedBy(st fs.FileInfo, uid int) bool {
	s, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == uid
}
