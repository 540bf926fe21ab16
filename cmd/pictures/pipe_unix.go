//go:build unix

package main

import "syscall"

// namedPipe makes a pipe that tmux writes to and the camera reads.
func namedPipe(path string) error { return syscall.Mkfifo(path, 0o600) }
