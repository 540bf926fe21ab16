package mcp

import "os"

// lives reports that a process is there.
func lives(pid int) bool {
	_, err := os.FindProcess(pid)
	return err == nil
}
