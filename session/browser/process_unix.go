//go:build unix

package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// guard runs the browser and removes its folder when it has ended, whoever
// ended it: should this program be killed, its pipe closes, the browser ends by
// itself, and the folder still goes.
const guard = `dir=$0; "$@"; for i in 1 2 3 4 5; do rm -rf -- "$dir" && break; sleep 0.1; done 2>/dev/null`

// start launches the browser with a pipe to it, in a process group of its own:
// Ctrl-C in the terminal is ours to answer.
func start(path string, args []string) (*process, wire, error) {
	dir, owner, err := newProfile()
	if err != nil {
		return nil, nil, err
	}
	fail := func(err error) (*process, wire, error) {
		return nil, nil, errors.Join(err, removeAll(dir), owner.Close())
	}
	toBrowser, ours, err := os.Pipe()
	if err != nil {
		return fail(fmt.Errorf("starting the browser: %w", err))
	}
	theirs, fromBrowser, err := os.Pipe()
	if err != nil {
		_, _ = toBrowser.Close(), ours.Close()
		return fail(fmt.Errorf("starting the browser: %w", err))
	}
	args = append([]string{"--user-data-dir=" + filepath.Join(dir, "p"), "--remote-debugging-pipe"}, args...)
	p := &process{dir: dir, owner: owner, cmd: exec.Command("/bin/sh", append([]string{"-c", guard, dir, path}, args...)...)}
	p.cmd.Env = environment(dir)
	p.cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser} // 3 and 4, as the switch wants them
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = p.run()
	_, _ = toBrowser.Close(), fromBrowser.Close() // the browser has its own
	if err != nil {
		_, _ = ours.Close(), theirs.Close()
		return fail(err)
	}
	return p, newPipe(theirs, ours), nil
}

// kill ends the whole group, and what its members were about to start.
func (p *process) kill() {
	group := -p.cmd.Process.Pid
	_ = syscall.Kill(group, syscall.SIGKILL) // there may be none left
	p.waitExit(time.Second)
	_ = syscall.Kill(group, syscall.SIGKILL)
}

// own takes possession of a file, making it if need be; it is an error when
// somebody else has it. It ends when the file is closed or the process is gone.
func own(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func isRoot() bool { return os.Geteuid() == 0 }
