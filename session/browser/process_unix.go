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
// itself, and the folder still goes. It is there before the folder is, and waits for
// the word that the folder is made.
const guard = `dir=$0; if read -r made <&5; then exec 5<&-; "$@"; fi
for i in 1 2 3 4 5; do rm -rf -- "$dir" && break; sleep 0.1; done 2>/dev/null`

// start launches the browser with a pipe to it, in a process group of its own:
// Ctrl-C in the terminal is ours to answer.
func start(path string, args []string) (*process, wire, error) {
	var ends []*os.File // of three pipes: what the guard gets, and then what we keep
	closeAll := func(files []*os.File) {
		for _, f := range files {
			_ = f.Close()
		}
	}
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ends)
			return nil, nil, fmt.Errorf("starting the browser: %w", err)
		}
		ends = append(ends, r, w)
	}
	toBrowser, ours, theirs, fromBrowser, word, made := ends[0], ends[1], ends[2], ends[3], ends[4], ends[5]
	dir := newProfile()
	args = append([]string{"--user-data-dir=" + filepath.Join(dir, "p"), "--remote-debugging-pipe"}, args...)
	p := &process{dir: dir, cmd: exec.Command("/bin/sh", append([]string{"-c", guard, dir, path}, args...)...)}
	p.cmd.Env = environment(dir)
	p.cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser, word} // 3 and 4, as the switch wants them, and 5
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.run(); err != nil {
		closeAll(ends)
		return nil, nil, err
	}
	closeAll([]*os.File{toBrowser, fromBrowser, word}) // the browser has its own
	var err error
	if p.owner, err = makeProfile(dir); err == nil {
		if _, err = made.WriteString("made\n"); err != nil {
			err = errors.Join(fmt.Errorf("starting the browser: its guard has ended: %w", err), p.owner.Close(), removeAll(dir))
		}
	}
	_ = made.Close()
	if err != nil {
		closeAll([]*os.File{ours, theirs})
		return nil, nil, err
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

func isRoot() bool { return os.Geteuid() == 0 }
