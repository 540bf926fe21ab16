//go:build unix

package sweep

import (
	"os"
	"syscall"
)

// lockFile takes a file's lock, alone or beside others that share it; false: it
// is taken. Where a file system knows no locks, nobody is kept out.
func lockFile(f *os.File, shared bool) bool {
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	return syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB) != syscall.EWOULDBLOCK
}
