package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// made is the folder of the program under test, once it was made.
var made string

// program makes the program under test, once for all tests, and answers its path.
var program = sync.OnceValues(func() (bin string, err error) {
	dir, err := os.MkdirTemp("", "snapscope-test")
	if err != nil {
		return "", err
	}
	made, bin = dir, filepath.Join(dir, "snapscope")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building: %w\n%s", err, out)
	}
	return bin, nil
})

// build answers the path of the program under test.
func build(t *testing.T) string {
	t.Helper()
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// running are the tests of the package; what was built for them goes with them.
type running struct{ *testing.M }

func (r running) Run() int {
	defer func() {
		if made != "" {
			_ = os.RemoveAll(made)
		}
	}()
	return r.M.Run()
}

// TestKilledRunKeepsItsSteps kills a run in the middle: what it had printed is
// in the recording, to the same figures.
func TestKilledRunKeepsItsSteps(t *testing.T) {
	t.Parallel()
	bin := build(t)
	dir := t.TempDir()
	rec := filepath.Join(dir, "r.jsonl")
	cmd := exec.Command(bin, "run", "../../session/demo/scripts/leads.yaml", "--record", rec, "--json")
	cmd.Env = append(os.Environ(), "HOME="+dir, "SNAPSCOPE_SETTLE=quick")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const steps = 3
	sum := 0
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for n := 0; n < steps; n++ {
		if !lines.Scan() {
			t.Fatalf("the run ended after %d steps: %v", n, lines.Err())
		}
		var s stepJSON
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil || !s.OK {
			t.Fatalf("step %d: %v, %s", n+1, err, s.Error)
		}
		sum += s.Views["full"].Tokens
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()

	report := exec.Command(bin, "report", rec, "--policy", "full", "--json")
	report.Env = cmd.Env
	got, err := report.Output()
	if err != nil {
		t.Fatalf("reporting on the recording: %v", err)
	}
	var r struct {
		Steps, Snapshots int
		Policies         []struct {
			Appended int `json:"appended_tokens"`
		}
	}
	if err := json.Unmarshal(got, &r); err != nil {
		t.Fatal(err)
	}
	if r.Steps < steps || r.Steps > steps+1 {
		t.Errorf("the recording has %d steps, %d were printed", r.Steps, steps)
	}
	if r.Steps == steps && r.Policies[0].Appended < sum {
		t.Errorf("the recording holds %d tokens, the run printed %d", r.Policies[0].Appended, sum)
	}
}

// TestAKilledSweepGoesOn kills a sweep once its first part is there: the second
// call does only what is missing and prints the table of one that was never
// stopped.
func TestAKilledSweepGoesOn(t *testing.T) {
	t.Parallel()
	bin, dir := build(t), t.TempDir()
	for i := range 40 {
		if err := recordClick(filepath.Join(dir, fmt.Sprintf("r%02d.jsonl", i)), fmt.Sprint("e", 2+i*7), 1500); err != nil {
			t.Fatal(err)
		}
	}
	sweep := func(more ...string) *exec.Cmd {
		cmd := exec.Command(bin, append([]string{"sweep", dir, "--knob", "compress.keep_n=1..90/6"}, more...)...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+filepath.Join(dir, "config"))
		return cmd
	}
	want, err := sweep().Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, with := range []os.Signal{os.Kill, os.Interrupt} {
		t.Run(with.String(), func(t *testing.T) { stopAndGoOn(t, sweep, with, want) })
	}
}

// stopAndGoOn ends a sweep once its first part is there, and has the next call do the
// rest.
func stopAndGoOn(t *testing.T, sweep func(...string) *exec.Cmd, with os.Signal, want []byte) {
	parts := filepath.Join(t.TempDir(), "parts")
	cmd := sweep("--out", parts)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(parts, "part-000000.jsonl.zst")
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(first); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no part ever appeared")
		}
	}
	_ = cmd.Process.Signal(with)
	_ = cmd.Wait()
	if with == os.Interrupt && (cmd.ProcessState.ExitCode() != 130 || !strings.Contains(said.String(), "what is counted is kept in "+parts+"; the same command goes on there")) {
		t.Errorf("%v: %s", cmd.ProcessState, said.String())
	}
	if _, err := os.Stat(filepath.Join(parts, "part-000002.jsonl.zst")); err == nil {
		t.Fatal("the sweep was through before it could be killed: nothing was tried")
	}
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	got, err := sweep("--out", parts).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the table became\n%s\nwant\n%s", got, want)
	}
	if after, err := os.Stat(first); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("what was there was made again: %v, %v", after, err)
	}
}
