//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"syscall"
)

// ownerOf is who a file is for.
func ownerOf(st fs.FileInfo) string {
	s := st.Sys().(*syscall.Stat_t)
	return fmt.Sprint(s.Uid, s.Gid)
}
