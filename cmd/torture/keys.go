//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"snapscope/tui/safetext"
)

// sequencesEach is how many key sequences one run of the debugger is given.
const sequencesEach = 200

// typeable are the keys a person may press, the frequent ones more often; a word is
// what is typed behind : or /.
var typeable = []string{
	"j", "k", "j", "k", "\r", "\r", "\x1b", "\x1b", "\t", "[", "]", "{", "}", "s", "c", "l", "v", "o", "z", "!", "&", "f", "u", "n", "N", "+", "-", "g", "G", "e", "b", "R", "T", "W", "t", "m", "y", "d", "w", "?", ".", "1", "2", "9", "0", " ", "<", ">", "=", "x", "p", "r", "h", "i",
	"\x10", "\x0c", "\x04", "\x15", "\x06", "\x02", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F", "\x7f", "\x1b[Z", "\x1b[<0;30;10M\x1b[<0;30;10m", "\x1b[<64;30;10M", "\x1b[<65;90;12M", "\x1b[200~pasted [ref=e1]\x1b[201~",
}

var typed = []string{"/Select\r", "/e1\r", "/a\r", "/checkbox\r", "/row\r", "/[0-9]+\r", "/\u65e5\r", ":step 3\r", ":until 9\r", ":policy delta\r", ":policy compress\r", ":policy combined\r", ":set compress.keep_n=3\r", ":set x=y\r", ":filter button\r", ":break before lost\r", ":ref e12\r", ":theme light\r", ":model claude-sonnet-4-5\r", ":click e2\r", ":\r", ":tune\r", ":do help\r"}

// keys presses random keys at random sizes over every recording there is and
// generated ones, and turns the window about meanwhile.
func keys(f *field) {
	at, err := filepath.Abs(filepath.Join(f.testdata, "transcripts"))
	if err != nil {
		f.failed = append(f.failed, err.Error())
		return
	}
	samples, err := sampleFiles(at)
	if err != nil {
		f.failed = append(f.failed, err.Error())
		return
	}
	shared, env := f.home()
	samples = slices.DeleteFunc(samples, func(file string) bool { // what lies beside sessions is none
		return f.do(call{args: []string{"import", file, "-o", filepath.Join(shared, "tried"), "--force"}, env: env, dir: shared}).status != 0
	})
	for i := range f.n(20, 2) {
		file := filepath.Join(shared, fmt.Sprintf("random-%d.jsonl", i))
		if _, err := randomRecording(file, rand.New(rand.NewPCG(f.seed, uint64(i)))); err != nil {
			f.failed = append(f.failed, err.Error())
			return
		}
		samples = append(samples, file)
	}
	runs := f.n(50, 1)
	f.each(runs, 2, func(i int, r *rand.Rand) (string, error) {
		home, env := f.home()
		line := words("replay FILE", "FILE", samples[(i*7)%len(samples)])
		if i%4 == 1 || f.short {
			line = []string{"demo", "--recorded"}
		}
		n, err := f.pressed(line, home, append(env, "TERM=xterm-256color"), r)
		f.mu.Lock()
		f.tried += max(0, n-1) // a try is a sequence; one is counted for the run
		f.mu.Unlock()
		if err == nil {
			err = left(home, goneWithin)
		}
		return strings.Join(line, " "), err
	})
}

// pressed runs the debugger, presses keys, and answers how many sequences it took.
func (f *field) pressed(line []string, home string, env []string, r *rand.Rand) (int, error) {
	size := anySize(r)
	ours, theirs, err := openPTY(size)
	if err != nil {
		return 0, err
	}
	defer ours.Close()
	cmd := exec.Command(f.bin, line...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = home, env, theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		return 0, err
	}
	said := follow(ours)
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	var history strings.Builder
	n := 0
	for ; n < f.n(sequencesEach, 60) && !over(done, 0) && f.ctx.Err() == nil; n++ {
		if r.IntN(4) == 0 {
			size = anySize(r)
			setSize(ours, size)
			fmt.Fprintf(&history, "<%d×%d>", size[0], size[1])
		}
		seq := sequence(r)
		fmt.Fprintf(&history, "%q ", seq)
		for _, k := range seq {
			_, _ = ours.WriteString(k) // it may have ended
			time.Sleep(2 * time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
	}
	ended := over(done, 0)
	for tries := 0; !over(done, time.Second) && tries < 60; tries++ { // out of whatever is open, then out of the program
		_, _ = ours.WriteString("\x1b")
		time.Sleep(300 * time.Millisecond)
		_, _ = ours.WriteString("q")
	}
	if !over(done, 0) {
		_ = cmd.Process.Kill()
		<-done
		return n, fmt.Errorf("it hung after %s", tail(history.String(), 300))
	}
	out, code := said.String(), cmd.ProcessState.ExitCode()
	switch {
	case strings.Contains(out, "goroutine ") || strings.Contains(out, "runtime error") || strings.Contains(out, "internal error") || strings.Contains(out, "broke off"):
		at := strings.Index(out, "runtime error")
		return n, fmt.Errorf("a panic after %s: %q", tail(history.String(), 200), clip(out[max(0, at):], 150))
	case code != 0 && code != 130:
		return n, fmt.Errorf("status %d after %s", code, tail(history.String(), 300))
	case ended && code == 0:
		return n, errors.New("it ended by itself")
	}
	return n, safetext.CheckStream([]byte(out))
}

// sequence is a few keys, and now and then a whole line.
func sequence(r *rand.Rand) []string {
	var out []string
	for range 3 + r.IntN(15) {
		if r.IntN(8) == 0 {
			out = append(out, typed[r.IntN(len(typed))])
			continue
		}
		out = append(out, typeable[r.IntN(len(typeable))])
	}
	return out
}

func anySize(r *rand.Rand) [2]uint16 {
	common := [][2]uint16{{80, 24}, {120, 36}, {160, 45}, {200, 60}}
	if r.IntN(2) == 0 {
		return common[r.IntN(len(common))]
	}
	return [2]uint16{uint16(1 + r.IntN(250)), uint16(1 + r.IntN(70))}
}

func setSize(ours *os.File, size [2]uint16) {
	window := struct{ rows, cols, x, y uint16 }{size[1], size[0], 0, 0}
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, ours.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&window))) // it may have ended
}

// follow reads what a terminal is sent. Only the end is kept: a panic is told last.
func follow(ours *os.File) *lastSaid {
	said := &lastSaid{}
	go func() {
		b := make([]byte, 64<<10)
		for {
			n, err := ours.Read(b)
			_, _ = said.Write(b[:n])
			if err != nil {
				return
			}
		}
	}()
	return said
}

// lastSaid holds the last megabytes of what is said, from the start of a frame.
type lastSaid struct{ tee }

func (l *lastSaid) Write(p []byte) (int, error) {
	n, err := l.tee.Write(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.b.Bytes(); len(b) > 8<<20 {
		rest := b[len(b)-4<<20:]
		if at := bytes.IndexByte(rest, '\x1b'); at >= 0 {
			rest = rest[at:]
		}
		kept := bytes.Clone(rest)
		l.b.Reset()
		l.b.Write(kept)
	}
	return n, err
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
