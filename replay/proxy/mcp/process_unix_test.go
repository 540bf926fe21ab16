//go:build unix

package mcp

import "syscall"

// lives reports that a process is there.
func lives(pid int) bool { return syscall.Kill(pid, 0) == nil }
