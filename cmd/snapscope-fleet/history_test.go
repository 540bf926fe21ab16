//go:build server

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"snapscope/cmd/snapscope-fleet/flow"
	"snapscope/cmd/snapscope-fleet/store"
	"snapscope/replay/sweep"
)

// However many shards there are, no workflow's history comes near to Temporal's
// limits. The activity answers at once: what is measured is the workflows. A history
// is as long as its own batch is large, so four full ones of the fifty do; with
// SNAPSCOPE_FLEET_ALL=1 all are full, 25,000 shards.
func TestHistoriesOfManyShards(t *testing.T) {
	const batches, full = 50, 4
	s := startTemporal(t)
	c, err := client.Dial(client.Options{HostPort: s.at, Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w := worker.New(c, flow.Queue("many"), worker.Options{MaxConcurrentActivityExecutionSize: 200, MaxConcurrentActivityTaskPollers: 8, MaxConcurrentWorkflowTaskPollers: 8})
	w.RegisterWorkflowWithOptions(flow.Sweep, workflow.RegisterOptions{Name: flow.SweepWorkflow})
	w.RegisterWorkflowWithOptions(flow.RunBatch, workflow.RegisterOptions{Name: flow.BatchWorkflow})
	w.RegisterActivityWithOptions(func(context.Context, flow.CountInput) (flow.Tally, error) {
		return flow.Tally{Shards: 1, Recordings: 16}, nil
	}, activity.RegisterOptions{Name: flow.CountActivity})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	in := flow.Input{Target: "/nowhere", Job: "job-0123456789abcdef.json"}
	shards := 0
	for i := range batches {
		b := flow.Batch{Plan: fmt.Sprintf("plan-%016d.json", i), Shards: flow.BatchShards}
		if i >= full && os.Getenv("SNAPSCOPE_FLEET_ALL") == "" {
			b.Shards = 5
		}
		shards += b.Shards
		in.Batches = append(in.Batches, b)
	}
	began := time.Now()
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "many", TaskQueue: flow.Queue("many")}, flow.SweepWorkflow, in)
	if err != nil {
		t.Fatal(err)
	}
	var got flow.Tally
	if err := run.Get(t.Context(), &got); err != nil || got.Shards != shards {
		t.Fatal(got, err)
	}
	took := time.Since(began)
	size := func(id string) (events, bytes int64) {
		d, err := c.DescribeWorkflowExecution(t.Context(), id, "")
		if err != nil {
			t.Fatal(err)
		}
		return d.WorkflowExecutionInfo.HistoryLength, d.WorkflowExecutionInfo.HistorySizeBytes
	}
	own, ownBytes := size("many")
	var most, mostBytes int64
	for _, b := range in.Batches {
		e, n := size("many " + b.Plan)
		most, mostBytes = max(most, e), max(mostBytes, n)
	}
	info, err := os.Stat(s.db)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d shards in %v: the sweep %d events, %d bytes; the largest batch %d events, %d bytes; the file %d MB",
		shards, took.Round(time.Second), own, ownBytes, most, mostBytes, info.Size()>>20)
	if own > 10_240 || most > 10_240 {
		t.Errorf("a history of %d events", max(own, most))
	}
}

// A source of a million names is planned in payloads that Temporal takes, and who
// sweeps can hold it.
func TestAMillionNames(t *testing.T) {
	job, err := fewKnobs.job()
	if err != nil {
		t.Fatal(err)
	}
	inputs := make([]sweep.InputFile, 1_000_000)
	for i := range inputs {
		inputs[i] = sweep.InputFile{Name: fmt.Sprintf("s3://evals/runs/2026-01-02/site-%03d/run-%07d.jsonl.zst", i%300, i), Size: 50_000, Hash: fmt.Sprintf("%032x", i)}
	}
	m, err := job.Manifest(inputs)
	if err != nil {
		t.Fatal(err)
	}
	began, out := time.Now(), t.TempDir()
	target, err := store.OpenTarget(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := sweep.OpenPartsIn(target, out, m)
	if err != nil {
		t.Fatal(err)
	}
	missing, err := parts.Missing(1, 1)
	if err != nil || len(missing) != 62_500 {
		t.Fatal(len(missing), err)
	}
	f := fleet{target: target, job: job, parts: parts}
	_, batches, err := f.plan(missing)
	if err != nil || len(batches) != 125 {
		t.Fatal(len(batches), err)
	}
	in, err := json.Marshal(flow.Input{Batches: batches})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := os.Stat(filepath.Join(out, batches[0].Plan))
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.Stat(filepath.Join(out, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	t.Logf("planned in %v; the workflow's input %d bytes, a plan %d, the manifest %d MB; %d MB of memory", time.Since(began), len(in), plan.Size(), list.Size()>>20, mem.Sys>>20)
	if len(in) > 100_000 || plan.Size() > 2<<20 {
		t.Error("too large")
	}
}
