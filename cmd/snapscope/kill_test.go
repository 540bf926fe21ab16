package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// build makes the program under test.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "snapscope")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	return bin
}

// TestKilledRunKeepsItsSteps kills a run in the middle: what it had printed is
// in the recording, to the same figures.
func TestKilledRunKeepsItsSteps(t *testing.T) {
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
