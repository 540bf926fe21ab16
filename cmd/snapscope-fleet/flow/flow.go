// Package flow is a sweep as Temporal keeps it: two workflows and one activity.
//
//	Sweep ─┬▶ Batch (500 shards) ─┬▶ Count (a shard) ─▶ part-000012.jsonl.zst
//	       ├▶ Batch               ├▶ Count
//	       └▶ …                   └▶ …
//
// A workflow holds no session's name and no figure: names are in plans and outcomes
// in parts, both files of the target, so that payloads stay small whatever is swept.
// An activity may run twice (https://docs.temporal.io/activities#idempotency): it
// writes the same part either time, in one move.
//
// Events, of which a workflow may have 51,200 and of which Temporal warns from
// 10,240 on (https://docs.temporal.io/workflow-execution/event#event-history-limits):
// a shard costs a batch three, and three more for each task in which the batch hears
// of it; a batch costs its sweep at most twelve. A sweep of more than 400 batches goes
// on as a new run.
package flow

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

const (
	// BatchShards is how many shards a batch has at most.
	BatchShards = 500
	runBatches  = 400 // that a run of Sweep begins
	atOnce      = 24  // batches at work at the same time: 12,000 shards, for as many slots
)

// Heartbeat is after how long without a sign a worker is held to be gone. Tests that
// wait for it make it shorter.
var Heartbeat = 10 * time.Second

// Names that histories hold: they stay.
const (
	SweepWorkflow = "snapscope-sweep"
	BatchWorkflow = "snapscope-sweep-batch"
	CountActivity = "snapscope-count-shard"
	ProgressQuery = "progress"
)

// Queue is the task queue of a program's version. Workers of another version never
// see its work: they might count otherwise.
func Queue(version string) string { return "snapscope-fleet " + version }

// Batch is a plan in the target.
type Batch struct {
	Plan   string `json:"plan"`
	Shards int    `json:"shards"`
}

// Input is what Sweep is to do.
type Input struct {
	Target  string  `json:"target"`
	Job     string  `json:"job"` // its file in the target
	Batches []Batch `json:"batches"`
	Done    Tally   `json:"done"` // by runs before this one
}

// BatchInput is what a batch is to do.
type BatchInput struct {
	Target string `json:"target"`
	Job    string `json:"job"`
	Batch
}

// CountInput is what an activity is to do.
type CountInput struct {
	Target string `json:"target"`
	Job    string `json:"job"`
	Plan   string `json:"plan"`
	Shard  int    `json:"shard"` // its place in the plan
}

// Tally is what is done.
type Tally struct {
	Shards     int `json:"shards"`
	Recordings int `json:"recordings"`
	Failed     int `json:"failed"` // recordings that are rows with an error
}

func (t *Tally) add(o Tally) {
	t.Shards += o.Shards
	t.Recordings += o.Recordings
	t.Failed += o.Failed
}

// Progress is what Sweep answers when it is asked.
type Progress struct {
	Done    Tally    `json:"done"`    // in batches that have ended
	Running []string `json:"running"` // ids of batches at work
}

// Sweep has all batches done, some at a time.
func Sweep(ctx workflow.Context, in Input) (Tally, error) {
	p := Progress{Done: in.Done}
	if err := workflow.SetQueryHandler(ctx, ProgressQuery, func() (Progress, error) { return p, nil }); err != nil {
		return p.Done, err
	}
	ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{})
	id := workflow.GetInfo(ctx).WorkflowExecution.ID
	sel := workflow.NewSelector(ctx)
	var failed error
	now := in.Batches[:min(runBatches, len(in.Batches))]
	begun, running := 0, map[string]bool{}
	for begun < len(now) || len(running) > 0 {
		for failed == nil && begun < len(now) && len(running) < atOnce {
			b := now[begun]
			begun++
			child := id + " " + b.Plan
			running[child] = true
			p.Running = append(p.Running, child)
			cctx := workflow.WithWorkflowID(ctx, child)
			sel.AddFuture(workflow.ExecuteChildWorkflow(cctx, BatchWorkflow, BatchInput{in.Target, in.Job, b}), func(f workflow.Future) {
				var t Tally
				if err := f.Get(ctx, &t); err != nil && failed == nil {
					failed = err
				}
				delete(running, child)
				p.Done.add(t)
				p.Running = without(p.Running, child)
			})
		}
		if failed != nil {
			return p.Done, failed // which ends the batches that are at work, too
		}
		sel.Select(ctx)
	}
	if failed != nil {
		return p.Done, failed
	}
	if rest := in.Batches[len(now):]; len(rest) > 0 {
		return p.Done, workflow.NewContinueAsNewError(ctx, SweepWorkflow, Input{in.Target, in.Job, rest, p.Done})
	}
	return p.Done, nil
}

func without(list []string, name string) []string {
	var out []string
	for _, s := range list {
		if s != name {
			out = append(out, s)
		}
	}
	return out
}

// RunBatch has all shards of a batch counted. A shard is tried until it is counted:
// what ends a worker is found out by the activity, and what no trying helps against
// is said so.
func RunBatch(ctx workflow.Context, in BatchInput) (Tally, error) {
	var done Tally
	if err := workflow.SetQueryHandler(ctx, ProgressQuery, func() (Progress, error) { return Progress{Done: done}, nil }); err != nil {
		return done, err
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 7 * 24 * time.Hour, // a worker that is gone is known by its silence
		HeartbeatTimeout:    Heartbeat,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second},
	})
	sel := workflow.NewSelector(ctx)
	var failed error
	for i := range in.Shards {
		f := workflow.ExecuteActivity(ctx, CountActivity, CountInput{in.Target, in.Job, in.Plan, i})
		sel.AddFuture(f, func(f workflow.Future) {
			var t Tally
			if err := f.Get(ctx, &t); err != nil && failed == nil {
				failed = err
			}
			done.add(t)
		})
	}
	for range in.Shards {
		if sel.Select(ctx); failed != nil {
			return done, failed
		}
	}
	return done, nil
}
