//go:build unix

package mcp

import (
	"os"
	"os/exec"
	"strconv"
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

// guard is a small process that outlives a seat that is killed: it then ends the
// server's group, which would else go on, and removes the seat's socket.
type guard struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// GuardCommand is the hidden subcommand that runs Guard. A program that is not
// snapscope itself leaves it empty and has no guard.
var GuardCommand string

func startGuard(pgid int, socket string) *guard {
	exe, err := os.Executable()
	if err != nil || GuardCommand == "" {
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close()
	cmd := exec.Command(exe, GuardCommand, strconv.Itoa(pgid), socket)
	cmd.Stdin = r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // what kills the seat's group leaves it
	if cmd.Start() != nil {
		w.Close()
		return nil
	}
	return &guard{cmd, w}
}

// dismiss ends the guard: there is nothing left to watch over.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_, _ = g.pipe.Write([]byte("x"))
	_ = g.pipe.Close()
	_ = g.cmd.Wait()
}

// Guard waits for its seat to end. alive is a pipe that ends with the seat; a byte
// on it says that all is well.
func Guard(alive *os.File, pgid int, socket string) {
	var b [1]byte
	if n, _ := alive.Read(b[:]); n > 0 || pgid <= 1 {
		return
	}
	if socket != "" {
		_ = os.Remove(socket)
	}
	g := group{pgid}
	dead := make(chan struct{})
	close(dead) // it is not ours to wait for
	if g.gone(dead, 400*time.Millisecond) {
		return
	}
	g.ask()
	if !g.gone(dead, termFor) {
		g.kill()
	}
}
