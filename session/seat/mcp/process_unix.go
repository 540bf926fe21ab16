//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
	"time"
)

func command(argv []string) *exec.Cmd { return exec.Command(argv[0], argv[1:]...) }

// group is the server's process group: npx does not pass the end of its input on
// to the server it starts.
type group struct{ id int }

func (g *group) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.id = cmd.Process.Pid
	return nil
}

// number names the group to the seat's guard.
func (g *group) number() int { return g.id }

func (g *group) ask()  { _ = syscall.Kill(-g.id, syscall.SIGTERM) }
func (g *group) kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

// gone waits until no process of the group is left, at most for a time.
func (g *group) gone(exited <-chan struct{}, most time.Duration) bool {
	end := time.Now().Add(most)
	for {
		select {
		case <-exited: // reaped; others of its group may live
			if syscall.Kill(-g.id, 0) != nil {
				return true
			}
		default:
		}
		if !time.Now().Before(end) {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func signalOf(e *exec.ExitError) int {
	if w, ok := e.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
