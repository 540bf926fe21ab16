//go:build unix

package seat

import (
	"io/fs"
	"syscall"
)

func ownedBy(st fs.FileInfo, uid int) bool {
	s, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == uid
}
