//go:build unix

package lab

import (
	"os/exec"
	"syscall"
	"time"
)

// ownGroup puts the agent into a process group of its own: what it starts, servers
// and shells in the background, is interrupted and ended with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}

// endGroup ends what a run has left behind: asked first, then killed.
func endGroup(cmd *exec.Cmd) {
	group := -cmd.Process.Pid
	if syscall.Kill(group, syscall.SIGTERM) != nil { // nobody is left
		return
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if syscall.Kill(group, 0) != nil {
			return
		}
	}
	_ = syscall.Kill(group, syscall.SIGKILL) // it may have gone meanwhile
}
