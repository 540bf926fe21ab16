//go:build unix

package seat

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Guard is a small process that outlives a seat that is killed: it then removes
// the seat's socket and ends the process group of its server, which would else go
// on. A nil Guard does nothing.
//
// It is a shell, which is there before the seat has opened its socket and weighs a
// megabyte; this program itself would take as long to start as the seat does.
type Guard struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

// guardScript reads what the seat writes to it: first its server's process group,
// 0 for none, then nothing more until all is over: a second line says that all is
// well, the end of the pipe that the seat was killed. The times are those of a
// server's ending.
const guardScript = `trap '' INT TERM HUP PIPE
read group
read well && exit
[ -n "$1" ] && rm -f "$1"
[ "${group:-0}" -gt 1 ] || exit
for i in 1 2 3 4; do kill -0 -"$group" || exit; sleep 0.1; done
kill -TERM -"$group"
for i in 1 2 3 4 5 6 7; do kill -0 -"$group" || exit; sleep 0.1; done
kill -KILL -"$group"
`

// StartGuard starts the guard of a seat with this socket; "": it has none. nil:
// there is no shell, and a seat that is killed leaves its server to itself.
func StartGuard(socket string) *Guard {
	cmd := exec.Command("/bin/sh", "-c", guardScript, "snapscope-guard", socket)
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

// Watch names the process group of the seat's server. It is called once.
func (g *Guard) Watch(group int) {
	if g != nil {
		_, _ = io.WriteString(g.pipe, strconv.Itoa(group)+"\n")
	}
}

// Dismiss ends the guard: there is nothing left to watch over.
func (g *Guard) Dismiss() {
	if g == nil {
		return
	}
	_, _ = io.WriteString(g.pipe, "0\nwell\n") // one line more than is read does no harm
	_ = g.pipe.Close()
	_ = g.cmd.Wait()
}
