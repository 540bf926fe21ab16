//go:build unix

package main

import (
	"os"
	"syscall"
)

// lives reports that a process is there.
func lives(pid int) bool { return syscall.Kill(pid, 0) == nil }

// suspend stops a process from running until it is killed.
func suspend(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

// kill ends a process at once.
func kill(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }
