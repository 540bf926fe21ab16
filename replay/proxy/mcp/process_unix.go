//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
	"time"

	"snapscope/replay/proxy"
)

func command(argv []string) *exec.Cmd { return exec.Command(argv[0], argv[1:]...) }

// group is the server's process group: npx does not pass the end of its input on
// to the server it starts.
type group struct{ id int }

// start starts the server in a group that the guard knows of before: a seat that is
// killed between the two would leave the server to itself. So the group is opened
// by a process that only waits for the server to be in it, or for the seat's end.
func (g *group) start(cmd *exec.Cmd, guard *proxy.Guard) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	first := exec.Command("/bin/sh", "-c", "read end")
	first.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if end, err := first.StdinPipe(); err == nil && guard != nil && first.Start() == nil {
		defer func() { _, _ = end.Close(), first.Wait() }()
		g.id = first.Process.Pid
		guard.Watch(g.id)
		cmd.SysProcAttr.Pgid = g.id
		return cmd.Start()
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.id = cmd.Process.Pid
	guard.Watch(g.id)
	return nil
}

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
