package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"snapscope/cmd/snapscope-fleet/flow"
	"snapscope/cmd/snapscope-fleet/parquet"
	"snapscope/cmd/snapscope-fleet/shard"
	"snapscope/cmd/snapscope-fleet/store"
	"snapscope/replay/sweep"
)

// These tests run the workflows in the SDK's own environment, which is no server: what
// is counted, how, and where it goes is the same.

// alone sweeps a source without a server and answers the table and its error.
func alone(t *testing.T, source, out string, jf jobFlags) (string, error) {
	t.Helper()
	job, err := jf.job()
	if err != nil {
		t.Fatal(err)
	}
	if store.IsBucket(source) {
		job.Dir = ""
	}
	inputs, err := store.List(t.Context(), source, says(io.Discard, ""))
	if err != nil {
		return "", err
	}
	target, err := store.OpenTarget(t.Context(), out)
	if err != nil {
		return "", err
	}
	m, err := job.Manifest(inputs)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := sweep.OpenPartsIn(target, out, m)
	if err != nil {
		return "", err
	}
	f := fleet{target: target, address: out, job: job, parts: parts}
	missing, err := parts.Missing(1, 1)
	if err != nil {
		return "", err
	}
	in := flow.Input{Target: out}
	if in.Job, in.Batches, err = f.plan(missing); err != nil {
		return "", err
	}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(2 * time.Minute)
	env.RegisterWorkflowWithOptions(flow.Sweep, workflow.RegisterOptions{Name: flow.SweepWorkflow})
	env.RegisterWorkflowWithOptions(flow.RunBatch, workflow.RegisterOptions{Name: flow.BatchWorkflow})
	c := &flow.Counter{Version: job.Program, Runner: runner(t), Trouble: func(why string) { t.Error("the worker is in trouble:", why) }}
	env.RegisterActivityWithOptions(c.Count, activity.RegisterOptions{Name: flow.CountActivity})
	env.ExecuteWorkflow(flow.SweepWorkflow, in)
	if err := env.GetWorkflowError(); err != nil {
		return "", failure(out, err)
	}
	var b strings.Builder
	sf := sweepFlags{by: []string{"site", "model"}}
	err = sf.print(t.Context(), &b, io.Discard, parts)
	return b.String(), err
}

func runner(t *testing.T) *shard.Runner {
	t.Helper()
	cmd := program(t, nil, "count")
	t.Setenv(asProgram, "1")
	r := &shard.Runner{Command: cmd.Args, Memory: 256 << 20, Time: 20 * time.Second, Temp: t.TempDir()}
	r.Command[0] = cmd.Path
	t.Cleanup(r.Close)
	return r
}

var fewKnobs = jobFlags{model: "claude-sonnet-4-5", knobs: []string{"openclaw.tool_calls=1,3", "compress.keep_n=5,20"}, encoding: "o200k_base", limits: 1}

func TestTheFleetsTableIsThePlainOne(t *testing.T) {
	source := recordings(t, 40)
	want := plainTable(t, source, fewKnobs)
	out := filepath.Join(t.TempDir(), "swept")
	got, err := alone(t, source, out, fewKnobs)
	if err != nil || got != want {
		t.Fatalf("err %v\n--- fleet\n%s\n--- plain\n%s", err, got, want)
	}
	// The parts are those that `snapscope sweep --out` would have written, so that
	// either program goes on where the other stopped.
	parts, err := sweep.ReadParts([]string{out})
	if err != nil {
		t.Fatal(err)
	}
	if missing, err := parts[0].Missing(1, 1); err != nil || len(missing) > 0 {
		t.Fatal("parts are missing for the plain program", missing, err)
	}
	o, points := plainOptions(t, fewKnobs)
	from, to := parts[0].Chunk(1)
	var outs []sweep.Outcome
	src := sources(t, parts[0].Manifest().Inputs[from:to])
	if err := sweep.Stream(t.Context(), src, points, o, func(out sweep.Outcome) error {
		out.Index += from
		outs = append(outs, out)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	data, err := sweep.EncodePart(outs, sweep.Names(points))
	if err != nil {
		t.Fatal(err)
	}
	if there, err := os.ReadFile(filepath.Join(out, sweep.PartName(1))); err != nil || !slices.Equal(there, data) {
		t.Fatal("a part of the fleet is not the plain program's, byte for byte", err)
	}
}

// What one session does to who counts it costs that session's figures alone.
func TestATroublesomeSessionIsNamed(t *testing.T) {
	source := recordings(t, 20)
	put(t, filepath.Join(source, "site-0/cut.jsonl.zst"), []byte("\x28\xb5\x2f\xfd\x04\x00broken"))
	some, err := os.ReadFile(filepath.Join(source, "site-1/run-0001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"site-0/eating.jsonl", "site-1/fatal.jsonl", "site-2/panicking.jsonl"} {
		put(t, filepath.Join(source, name), some)
	}
	got, err := alone(t, source, filepath.Join(t.TempDir(), "swept"), fewKnobs)
	if err == nil || !strings.Contains(err.Error(), "4 of 24 recordings could not be counted") {
		t.Fatal("the error should count four:", err)
	}
	why := map[string]string{
		"cut.jsonl.zst":   "cut.jsonl.zst",
		"eating.jsonl":    "counting it took more than 256 MB of memory",
		"fatal.jsonl":     "counting it ended the program: exit status 2: panic: a defect where nobody recovers",
		"panicking.jsonl": "a defect of the reader (please report)",
	}
	var rest []string
	for line := range strings.Lines(got) {
		bad, is := strings.CutPrefix(line, "✗ ")
		if !is {
			rest = append(rest, line)
			continue
		}
		name, said, _ := strings.Cut(bad, ": ")
		if w := why[filepath.Base(name)]; w == "" || !strings.Contains(said, w) {
			t.Errorf("%s should be named for %q: %s", name, w, said)
		}
		delete(why, filepath.Base(name))
	}
	if len(why) > 0 {
		t.Errorf("not named: %v", why)
	}
	for _, name := range []string{"site-0/cut.jsonl.zst", "site-0/eating.jsonl", "site-1/fatal.jsonl", "site-2/panicking.jsonl"} {
		if err := os.Remove(filepath.Join(source, name)); err != nil {
			t.Fatal(err)
		}
	}
	if want := plainTable(t, source, fewKnobs); strings.Join(rest, "") != want {
		t.Errorf("the others' table\n%s\nis not\n%s", strings.Join(rest, ""), want)
	}
}

func TestASlowSessionIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	put(t, filepath.Join(dir, "hanging.jsonl"), []byte("{}\n"))
	r := runner(t)
	r.Time = 300 * time.Millisecond
	job, err := fewKnobs.job()
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.Count(t.Context(), job, filepath.Join(dir, "hanging.jsonl"))
	if err != nil || !strings.Contains(out.Error, "took longer than 300ms") {
		t.Fatal(out.Error, err)
	}
}

// What is wrong with a worker is no session's fault.
func TestAWorkerThatCannotCountNamesNoSession(t *testing.T) {
	source := recordings(t, 3)
	job, err := fewKnobs.job()
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(source, "site-0/run-0000.jsonl")
	r := runner(t)
	if err := os.Remove(r.Temp); err != nil {
		t.Fatal(err)
	}
	if out, err := r.Count(t.Context(), job, at); err != nil || out.Error != "" {
		t.Error("a folder that was cleared away is made again:", out.Error, err)
	}
	r = runner(t)
	r.Temp = at
	if out, err := r.Count(t.Context(), job, at); err == nil || !errors.As(err, &shard.ErrWorker{}) || !strings.HasPrefix(err.Error(), "starting a process to count in: ") || out.Error != "" {
		t.Error("a folder that cannot be:", out.Error, err)
	}
	r = runner(t)
	if out, err := r.Count(t.Context(), job, filepath.Join(source, "site-9/run-0000.jsonl")); !errors.As(err, &shard.ErrWorker{}) || out.Error != "" {
		t.Error("a folder that this worker does not see:", out.Error, err)
	}
	if out, err := r.Count(t.Context(), job, filepath.Join(source, "site-0/none.jsonl")); err != nil || out.Error == "" {
		t.Error("a session that is gone:", out.Error, err)
	}
	r = runner(t)
	r.Command = []string{"/nonexistent"}
	if out, err := r.Count(t.Context(), job, at); err == nil || out.Error != "" {
		t.Error("a program that is not there:", out.Error, err)
	}
	for err, is := range map[error]bool{
		&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}:                             true,
		fmt.Errorf("fetching: %w", &fs.PathError{Op: "write", Path: "x", Err: syscall.EDQUOT}): true,
		io.ErrUnexpectedEOF: false,
	} {
		if store.Full(err) != is {
			t.Errorf("%v: a full disk is %v", err, !is)
		}
	}
}

func TestATargetOfAnotherSweepIsRefused(t *testing.T) {
	source, out := recordings(t, 3), filepath.Join(t.TempDir(), "swept")
	if _, err := alone(t, source, out, fewKnobs); err != nil {
		t.Fatal(err)
	}
	other := fewKnobs
	other.knobs = []string{"openclaw.tool_calls=1,2"}
	if _, err := alone(t, source, out, other); err == nil || !strings.Contains(err.Error(), "holds another sweep") {
		t.Fatal(err)
	}
}

func TestAWorkerOfAnotherVersionCountsNothing(t *testing.T) {
	if flow.Queue("1.2.3") == flow.Queue("1.2.4") {
		t.Error("two versions share a queue")
	}
	source := recordings(t, 2)
	job, err := fewKnobs.job()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	target, err := store.OpenTarget(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	inputs, err := store.List(t.Context(), source, says(io.Discard, ""))
	if err != nil {
		t.Fatal(err)
	}
	m, err := job.Manifest(inputs)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := sweep.OpenPartsIn(target, out, m)
	if err != nil {
		t.Fatal(err)
	}
	f := fleet{target: target, job: job, parts: parts}
	name, batches, err := f.plan([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	env := suite.NewTestActivityEnvironment()
	c := &flow.Counter{Version: "another", Runner: runner(t)}
	env.RegisterActivity(c.Count)
	_, err = env.ExecuteActivity(c.Count, flow.CountInput{Target: out, Job: name, Plan: batches[0].Plan})
	if err == nil || !strings.Contains(err.Error(), "the sweep is of version devel, this worker is another") {
		t.Fatal(err)
	}
}

func TestParquetHoldsTheRowsOfTheParts(t *testing.T) {
	source, out := recordings(t, 20), filepath.Join(t.TempDir(), "swept")
	put(t, filepath.Join(source, "site-1/panicking.jsonl"), []byte("{}\n"))
	jf := fewKnobs
	jf.parquet = true
	if _, err := alone(t, source, out, jf); err == nil {
		t.Fatal("the panicking session should be told")
	}
	parts, err := sweep.ReadParts([]string{out})
	if err != nil {
		t.Fatal(err)
	}
	points, err := sweep.Grid(parts[0].Manifest().Policy, parts[0].Manifest().Axes)
	if err != nil {
		t.Fatal(err)
	}
	var want []any
	if err := parts[0].Read(t.Context(), func(o sweep.Outcome) {
		for _, row := range o.Rows(sweep.Names(points)) {
			want = append(want, columns(t, row))
		}
	}, nil); err != nil {
		t.Fatal(err)
	}
	var got []any
	for c := range parts[0].Chunks() {
		rows, err := pq.ReadFile[any](filepath.Join(out, parquet.Name(c)))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			got = append(got, columns(t, row))
		}
	}
	if len(got) != 20*4+1 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d rows of Parquet are not the %d of the parts: %v and %v", len(got), len(want), got[0], want[0])
	}
}

// columns are a row's columns by name, without those that are missing.
func columns(t *testing.T, row any) any {
	t.Helper()
	data, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	for k, v := range out {
		if v == nil {
			delete(out, k)
		}
	}
	return out
}

// A target that takes no more ends the sweep with a sentence, and what it took counts
// for the next.
func TestAFullTargetEndsTheSweep(t *testing.T) {
	source := recordings(t, 20)
	b := newBucketServer(t)
	b.full = "part-000001"
	_, err := alone(t, source, "s3://evals/swept", fewKnobs)
	if err == nil || !strings.Contains(err.Error(), "the sweep stopped: writing s3://evals/swept/part-000001.jsonl.zst: ") ||
		!strings.HasSuffix(err.Error(), "what was counted is kept in s3://evals/swept, and the same command goes on") {
		t.Fatal(err)
	}
	b.mu.Lock()
	b.full = ""
	b.mu.Unlock()
	want := plainTable(t, source, fewKnobs)
	if got, err := alone(t, source, "s3://evals/swept", fewKnobs); err != nil || got != want {
		t.Errorf("afterwards: %v\n%s", err, got)
	}
}

// Words that are no command are the person's mistake, and say so by the status.
func TestNoSuchCommand(t *testing.T) {
	for _, args := range [][]string{{"swep"}, {"sweep", "--no-such-flag"}} {
		if status := run(args, nil); status != 2 {
			t.Errorf("%q ends with %d, want 2", args, status)
		}
	}
}
