package sweep

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes a file's lock, alone or beside others that share it; false: it
// is taken. Where a file system knows no locks, nobody is kept out.
func lockFile(f *os.File, shared bool) bool {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if !shared {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, new(windows.Overlapped))
	return !errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
