//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// diskful are command lines that write: DISK is a full disk, BIG a recording, RUN a
// script. old is the file that must stay as it was.
var diskful = []struct{ line, old string }{
	{"run RUN --record DISK/rec.jsonl --json", ""},
	{"run RUN --record DISK/rec.jsonl --json", ""},
	{"import BIG -o DISK/new.jsonl", ""},
	{"import BIG -o DISK/old --force", "old"},
	{"report BIG --html DISK/old", "old"},
	{"report BIG --html DISK/new.html", ""},
	{"sweep BIG --knob compress.keep_n=5,10 --out DISK/swept", ""},
	{"tune BIG --time 5s -o DISK/old --force", "old"},
	{"man DISK/man", ""},
	{"mcp --record DISK/rec.jsonl -- /bin/sh -c ANSWERING sh ANSWER", ""},
	{"report BIG", "stdout"},
	{"report --json BIG", "stdout"},
	{"tokens BIG", "stdout"},
	{"reduce full BIG", "stdout"},
	{"sweep BIG --knob compress.keep_n=5,10", "stdout"},
}

// disk writes to a small tmpfs with little room, and to a stdout that takes
// nothing.
func disk(f *field) {
	n := f.n(75, len(diskful))
	shared, _ := f.home()
	big := filepath.Join(shared, "big.jsonl")
	if err := bigRecording(big, 30, 20_000); err != nil {
		f.failed = append(f.failed, err.Error())
		return
	}
	probe := filepath.Join(f.dir, "probe")
	_ = os.Mkdir(probe, 0o700)
	if err := syscall.Mount("tmpfs", probe, "tmpfs", 0, "size=64k"); err != nil {
		f.note = fmt.Sprintf("not tried: a tmpfs cannot be mounted here: %v", err)
		return
	}
	_ = syscall.Unmount(probe, syscall.MNT_DETACH)
	f.each(n, 2, func(i int, r *rand.Rand) (string, error) {
		return f.fullDisk(diskful[i%len(diskful)].line, diskful[i%len(diskful)].old, big, r)
	})
}

func (f *field) fullDisk(line, old, big string, r *rand.Rand) (string, error) {
	home, env := f.home()
	at := filepath.Join(home, "disk")
	room := 4 << r.IntN(6) // KB
	what := fmt.Sprintf("%s, %d KB of room", line, room)
	err := errors.Join(os.Mkdir(at, 0o700), syscall.Mount("tmpfs", at, "tmpfs", 0, fmt.Sprintf("size=%dk", room+8)))
	if err != nil {
		return what, err
	}
	defer func() { _ = syscall.Unmount(at, syscall.MNT_DETACH) }()
	was := []byte("# what stood there\n")
	if err := os.WriteFile(filepath.Join(at, "old"), was, 0o600); err != nil {
		return what, err
	}
	script := "- goto: " + f.site.URL + "/plain\n" + strings.Repeat("- click: {css: \"#b\"}\n", 25)
	file := filepath.Join(home, "run.yaml")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return what, err
	}
	answer := filepath.Join(home, "answer")
	if err := os.WriteFile(answer, []byte(strings.Replace(pageAnswer, "### Page", strings.Repeat("said ", 200)+"### Page", 1)), 0o600); err != nil {
		return what, err
	}
	args := words(line, "DISK", at, "BIG", big, "RUN", file, "ANSWERING", answering, "ANSWER", answer)
	if old == "stdout" {
		args = append([]string{"-c", `exec "$@" >/dev/full`, "sh", f.bin}, args...)
		g := *f.shell()
		e := g.do(call{args: args, env: env, dir: home, limit: 60 * time.Second})
		if e.status != 1 {
			return what, fmt.Errorf("status %d of a command whose output is lost: %s", e.status, clip(e.err, 200))
		}
		return what, e.sound(0, 0)
	}
	var in strings.Builder
	for n := range 100 {
		in.WriteString(toolCall(n+1, "browser_snapshot", `{"x":"`+strings.Repeat("x", 1000)+`"}`))
	}
	e := f.do(call{args: args, env: env, dir: home, limit: 60 * time.Second, stdin: strings.NewReader(in.String())})
	if err := e.sound(0, 0); err != nil {
		return what, err
	}
	if old != "" && e.status != 0 {
		if data, err := os.ReadFile(filepath.Join(at, old)); err != nil || string(data) != string(was) {
			return what, fmt.Errorf("the old file holds %q, %v", clip(string(data), 60), err)
		}
	}
	return what, f.afterFull(at, e, strings.Fields(line)[0])
}

// afterFull looks at what stands on the disk afterwards: no half-written file, and
// in a recording every step that was told to be done.
func (f *field) afterFull(at string, e ended, command string) error {
	found, err := filepath.Glob(filepath.Join(at, ".*.tmp"))
	if err != nil || len(found) > 0 {
		return fmt.Errorf("left behind: %q, %v", found, err)
	}
	switch command {
	case "run":
		told := 0
		for _, line := range strings.Split(e.out, "\n") {
			var s struct {
				Step int
				OK   bool
			}
			if json.Unmarshal([]byte(line), &s) == nil && s.OK {
				told = s.Step
			}
		}
		if e.status == 0 && told != 26 {
			return fmt.Errorf("status 0 after %d of 26 steps", told)
		}
		return holds(filepath.Join(at, "rec.jsonl"), told)
	case "import":
		if _, err := os.Stat(filepath.Join(at, "new.jsonl")); err == nil && e.status != 0 {
			return errors.New("a part of a recording was left")
		}
	case "mcp":
		if n := strings.Count(e.out, "\n"); n != 100 {
			return fmt.Errorf("%d of 100 messages came through", n)
		}
		if !strings.Contains(e.err, "the recording ends here") && !strings.Contains(e.err, "nothing is recorded") {
			return holds(filepath.Join(at, "rec.jsonl"), 100)
		}
	}
	return nil
}

// shell is the field with a shell for the program.
func (f *field) shell() *field {
	return &field{ctx: f.ctx, bin: "/bin/sh", dir: f.dir}
}
