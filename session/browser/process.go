package browser

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"snapscope/session/atomicfile"
)

// process is a browser we started: the command, the folder that holds its
// profile and everything else it writes, and its last words.
type process struct {
	cmd    *exec.Cmd
	dir    string
	owner  *os.File // held while we live: see atomicfile.MakeFolder
	last   lastWords
	exited chan struct{} // closed when the command has ended

	once sync.Once
	err  error
}

// profileName begins the names of profile folders.
const profileName = "snapscope-profile-"

// newProfile names the folder of a browser, which is not made yet, and removes those
// that nobody owns any more: of a program that was killed together with the guard
// that removes its folder.
func newProfile() (dir string) {
	atomicfile.SweepFolders(profileRoot(), profileName)
	return atomicfile.FolderName(profileRoot(), profileName)
}

// makeProfile makes the folder and takes it into possession. What it holds is of
// no use to anybody when the session ends.
func makeProfile(dir string) (owner *os.File, err error) {
	owner, err = atomicfile.MakeFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("making a profile folder for the browser: %w", err)
	}
	for _, sub := range []string{"p", "t", "d", "c"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("making a profile folder for the browser: %w", err), owner.Close(), os.RemoveAll(dir))
		}
	}
	return owner, nil
}

// profileRoot is the folder for temporary files, unless its path is so long that
// the browser's socket below it would pass what the system allows (108 bytes
// with the folders and the name that the browser adds).
func profileRoot() string {
	const most = 24
	root := os.TempDir()
	if short := filepath.Clean("/tmp"); len(root) > most && runtime.GOOS != "windows" {
		if st, err := os.Stat(short); err == nil && st.IsDir() {
			return short
		}
	}
	return root
}

// environment is ours with every place the browser writes to moved into dir.
func environment(dir string) []string {
	var env []string
	for _, kv := range os.Environ() {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "BREAKPAD_DUMP_LOCATION":
		default:
			env = append(env, kv)
		}
	}
	return append(env,
		"TMPDIR="+filepath.Join(dir, "t"), "XDG_CONFIG_HOME="+filepath.Join(dir, "c"),
		"XDG_CACHE_HOME="+filepath.Join(dir, "c"), "BREAKPAD_DUMP_LOCATION="+filepath.Join(dir, "t"))
}

// run starts the command and watches it.
func (p *process) run() error {
	p.exited = make(chan struct{})
	p.cmd.Stderr = &p.last
	p.cmd.WaitDelay = 2 * time.Second // a child that lives on must not hold Wait
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("starting the browser: %w", err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended does not matter, that it did does
		close(p.exited)
	}()
	return nil
}

// waitExit waits for the end at most d. It has come when the command and every
// process that it left behind have closed what they were given.
func (p *process) waitExit(d time.Duration) bool {
	select {
	case <-p.exited:
		return true
	default:
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// end makes sure that nothing is left: no process, no folder. ask, if there is
// one, is the polite way to end the browser: one with a window likes to be
// asked, one without has nothing to put away.
func (p *process) end(ask func()) error {
	p.once.Do(func() {
		if ask != nil && !p.waitExit(0) {
			ask()
			p.waitExit(2 * time.Second)
		}
		p.kill()
		p.waitExit(2 * time.Second)
		_ = p.owner.Close() // some systems remove no file that is open
		p.err = removeAll(p.dir)
	})
	return p.err
}

// removeAll removes the folder; the last writes of a dying browser may come
// between reading it and removing it.
func removeAll(dir string) error {
	var err error
	for wait := 5 * time.Millisecond; wait < time.Second; wait *= 2 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(wait)
	}
	return fmt.Errorf("removing the browser's profile: %w", err)
}

// lastWords keeps the end of what the browser wrote.
type lastWords struct {
	mu  sync.Mutex
	buf []byte
}

// Write keeps the last 8 KB.
func (l *lastWords) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = append(l.buf, p...)
	if n := len(l.buf); n > 8<<10 {
		l.buf = bytes.Clone(l.buf[n-8<<10:])
	}
	return len(p), nil
}

// why is the line that likeliest says what went wrong, "" when there is none.
func (l *lastWords) why() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	best := ""
	for _, line := range strings.Split(string(l.buf), "\n") {
		line = strings.TrimSpace(line)
		if i := strings.Index(line, "] "); strings.HasPrefix(line, "[") && i > 0 {
			line = line[i+2:] // the browser's own time stamp and place
		}
		if line == "" || strings.HasPrefix(line, "#") || strings.Contains(strings.ToLower(line), "dbus") {
			continue
		}
		best = line
		if strings.Contains(line, "sandbox") || strings.Contains(line, "Missing X server") {
			break
		}
	}
	return best
}

// downloads is where files go that a page makes the browser download.
func (p *process) downloads() string { return filepath.Join(p.dir, "d") }
