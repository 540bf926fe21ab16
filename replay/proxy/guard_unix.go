//go:build unix

package proxy

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Guard is a small process that outlives its program when that is killed: it then
// removes what the program leaves, such as a seat's socket, and ends the processes
// that would else go on, such as the server's group. A nil Guard does nothing.
//
// It is a shell, which is there before there is anything to be left and weighs a
// megabyte; this program itself would take as long to start as the seat does.
type Guard struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

// guardScript reads a line for each process, and for each group with a minus before
// it. The line "well" says that all is well, the end of the pipe that the program was
// killed. The times are those of a server's ending.
const guardScript = `trap '' INT TERM HUP PIPE
all=
while read -r id; do
	[ "$id" = well ] && exit
	all="$all $id"
done
[ $# = 0 ] || rm -rf -- "$@"
lives() { for id in $all; do kill -0 "$id" && return; done; exit; }
for i in 1 2 3 4; do lives; sleep 0.1; done
for id in $all; do kill -TERM "$id"; done
for i in 1 2 3 4 5 6 7; do lives; sleep 0.1; done
for id in $all; do kill -KILL "$id"; done
`

// StartGuard starts a guard that removes these files and folders. nil: there is no
// shell, and who is killed leaves everything to itself.
func StartGuard(paths ...string) *Guard {
	cmd := exec.Command("/bin/sh", append([]string{"-c", guardScript, "snapscope-guard"}, paths...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // what kills the seat's group leaves it
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/bin:/usr/bin:" + os.Getenv("PATH")}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil
	}
	if cmd.Start() != nil {
		_ = pipe.Close()
		return nil
	}
	return &Guard{cmd, pipe}
}

// Watch names a process group that is to end.
func (g *Guard) Watch(group int) { g.watch("-", group) }

// WatchChild names a process that is to end, with all of our own group where that
// holds nothing but us and what we have started.
func (g *Guard) WatchChild(pid int) {
	if group := syscall.Getpgrp(); group == os.Getpid() {
		g.watch("-", group)
	}
	g.watch("", pid)
}

func (g *Guard) watch(sign string, id int) {
	if g != nil && id > 1 {
		_, _ = io.WriteString(g.pipe, sign+strconv.Itoa(id)+"\n")
	}
}

// Dismiss ends the guard: there is nothing left to watch over.
func (g *Guard) Dismiss() {
	if g == nil {
		return
	}
	_, _ = io.WriteString(g.pipe, "well\n")
	_ = g.pipe.Close()
	_ = g.cmd.Wait()
}
