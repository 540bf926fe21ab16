//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignalsEndAnything holds that an interrupt ends what waits or works for
// long within a second, and a second one at once.
func TestSignalsEndAnything(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	fifo, folder := filepath.Join(dir, "p.jsonl"), filepath.Join(dir, "f")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	big := filepath.Join(folder, "big.jsonl")
	if err := recordClick(big, "e77", 60_000); err != nil {
		t.Fatal(err)
	}
	for i, args := range []string{
		"tokens -", "reduce full -", "reduce passmark --prev - " + big, "import - -o " + dir + "/x", "report -",
		"tune " + folder + " --time 100s", "sweep " + folder + " --knob compress.keep_n=1..90/1",
	} {
		for n, signals := range [][]os.Signal{{os.Interrupt}, {syscall.SIGTERM}, {os.Interrupt, os.Interrupt}} {
			if n != i%3 {
				continue
			}
			took, status, out := time.Hour, 0, ""
			for try := 0; try < 8 && took > time.Second; try++ { // a busy machine may be late, but not every time
				took, status, out = interrupted(t, dir, signals, bin, strings.Fields(args)...)
				if status != exitInterrupted && status != -1 {
					break
				}
			}
			if status != exitInterrupted && status != -1 || took > time.Second {
				t.Errorf("%s, %v: status %d after %s\n%s", args, signals, status, took, out)
			}
		}
	}
	for _, args := range []string{"tokens " + fifo, "reduce full " + fifo, "run " + fifo, "report @" + fifo, "replay --plain " + fifo, "tokens --config " + fifo + " x"} {
		took, status, out := interrupted(t, dir, nil, bin, strings.Fields(args)...)
		if status != exitFailed && status != exitUsage || took > time.Minute {
			t.Errorf("%s: status %d after %s\n%s", args, status, took, out)
		}
	}
}

// interrupted runs a command whose standard input never says anything, sends it
// signals once it is at work, and answers how long it took to end after the first.
func interrupted(t *testing.T, dir string, signals []os.Signal, bin string, args ...string) (time.Duration, int, string) {
	t.Helper()
	cmd := exec.Command(bin, args...)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir+"/state")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	var out strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r, &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer stuck.Stop()
	begun := time.Now()
	if len(signals) > 0 {
		time.Sleep(150 * time.Millisecond) // it has begun by then; on a busy machine the signal may come before anybody listens
		begun = time.Now()
	}
	for _, s := range signals {
		if err := cmd.Process.Signal(s); err != nil {
			return 0, -1, fmt.Sprint("it had ended before: ", err)
		}
	}
	_ = cmd.Wait() // its status tells
	return time.Since(begun), cmd.ProcessState.ExitCode(), out.String()
}
