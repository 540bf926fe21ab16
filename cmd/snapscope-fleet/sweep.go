package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	common "go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"snapscope/cmd/snapscope-fleet/flow"
	"snapscope/cmd/snapscope-fleet/shard"
	"snapscope/cmd/snapscope-fleet/store"
	"snapscope/replay/sweep"
	"snapscope/tui/safetext"
)

// sweepFlags are the flags of sweep.
type sweepFlags struct {
	job    jobFlags
	server serverFlags
	out    string
	by     []string
	asJSON bool
}

func (sf *sweepFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	sf.job.add(f)
	f.StringVar(&sf.out, "out", "", "where the parts go: a folder that every worker sees, or s3://bucket/prefix")
	f.StringSliceVar(&sf.by, "by", nil, "also by site, model, format")
	f.BoolVar(&sf.asJSON, "json", false, "print one JSON object")
}

func sweepCmd() *cobra.Command {
	var sf sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep SOURCE --out TARGET",
		Short: "Sweep over all sessions of a source, or join the sweep that is at it",
		Long: `Tries every combination of knob values on every session of SOURCE (a folder, or
s3://bucket/prefix) and prints what each comes to, as 'snapscope sweep' does. The work
is done by the workers of a Temporal; what they counted is kept in TARGET as it is
made. Where a sweep with the same settings is at work on TARGET the command joins it;
what an earlier one left there is not counted again. Ctrl+c ends the command, not the
sweep.`,
		Example: "  snapscope-fleet sweep runs/ --knob compress.keep_n=5..50/15 --out swept\n" +
			"  snapscope-fleet sweep s3://evals/runs --out s3://evals/swept --by site,model",
		Args: exactly(1, "one source"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := sf.check(); err != nil {
				return err
			}
			c, err := sf.server.dial(cmd)
			if err != nil {
				return err
			}
			defer c.Close()
			return sf.run(cmd, c, args[0])
		},
	}
	sf.add(cmd)
	sf.server.add(cmd.Flags())
	return cmd
}

func (sf *sweepFlags) check() error {
	for _, by := range sf.by {
		if by != "site" && by != "model" && by != "format" {
			return usageError{fmt.Errorf("--by is %q; it takes site, model, format", by)}
		}
	}
	if sf.out == "" {
		return usageError{errors.New("name where the parts go with --out")}
	}
	return nil
}

// run has a source swept and prints the table.
func (sf *sweepFlags) run(cmd *cobra.Command, c client.Client, source string) error {
	ctx := cmd.Context()
	job, err := sf.job.job()
	if err != nil {
		return err
	}
	at, err := address(sf.out)
	if err != nil {
		return err
	}
	if store.IsBucket(source) {
		job.Dir = ""
	}
	inputs, err := store.List(ctx, source, says(cmd.ErrOrStderr(), "sessions are told apart"))
	if err != nil {
		return err
	}
	target, err := store.OpenTarget(ctx, at)
	if err != nil {
		return fmt.Errorf("opening the target: %w", err)
	}
	manifest, err := job.Manifest(inputs)
	if err != nil {
		return err
	}
	parts, err := sweep.OpenPartsIn(target, sf.out, manifest)
	if err != nil {
		return err
	}
	f := fleet{c: c, target: target, address: at, job: job, parts: parts, said: cmd.ErrOrStderr()}
	if err := f.fill(ctx); err != nil {
		return err
	}
	return sf.print(ctx, cmd.OutOrStdout(), f.said, parts)
}

// print sums the parts.
func (sf *sweepFlags) print(ctx context.Context, w, said io.Writer, parts *sweep.Parts) error {
	m := parts.Manifest()
	table, err := sweep.NewTable(m.Policy, m.Axes, sf.by...)
	if err != nil {
		return err
	}
	if err := parts.Read(ctx, table.Add, says(said, "parts are summed")); err != nil {
		return err
	}
	res := table.Result()
	res.Reading, res.Words = m.Reading, parts.Words
	var b bytes.Buffer
	write := sweep.WriteText
	if sf.asJSON {
		write = sweep.WriteJSON
	}
	if err := write(&b, res); err != nil {
		return err
	}
	if _, err := io.WriteString(w, safe(b.String())); err != nil {
		return err
	}
	return res.Err()
}

// safe is text in which nothing acts on a terminal; its lines stay.
func safe(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = safetext.Line(line)
	}
	return strings.Join(lines, "\n")
}

// fleet is a sweep that workers do.
type fleet struct {
	c       client.Client
	target  store.Target
	address string
	job     shard.Job
	parts   *sweep.Parts
	had     int // parts that were there when the sweep began
	said    io.Writer
}

// workflowID names the sweep of a target: there is one at a time.
func workflowID(target string) string {
	sum := sha256.Sum256([]byte(target))
	return "snapscope-sweep-" + hex.EncodeToString(sum[:8])
}

// fill has the parts that are missing counted.
func (f *fleet) fill(ctx context.Context) error {
	missing, err := f.parts.Missing(1, 1)
	if err != nil {
		return fmt.Errorf("listing the target: %w", err)
	}
	if len(missing) == 0 {
		return nil
	}
	id := workflowID(f.address)
	running, err := f.running(ctx, id)
	if err != nil {
		return err
	}
	digest, err := f.digest()
	if err != nil {
		return err
	}
	var written []string
	if !running {
		in := flow.Input{Target: f.address}
		if in.Job, in.Batches, err = f.plan(missing); err != nil {
			return err
		}
		for _, b := range in.Batches {
			written = append(written, b.Plan)
		}
		_, err := f.c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: id, TaskQueue: flow.Queue(f.job.Program), StaticSummary: f.address,
			WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
			Memo:                     map[string]any{"target": f.address, "sweep": digest, "parts": f.parts.Chunks(), "had": f.parts.Chunks() - len(missing)},
		}, flow.SweepWorkflow, in)
		if err != nil {
			return fmt.Errorf("starting the sweep: %w", err)
		}
	}
	if err := f.same(ctx, id, digest); err != nil {
		return err
	}
	if err := f.wait(ctx, id); err != nil {
		return err
	}
	for _, name := range written {
		_ = f.target.Remove(name) // it has served
	}
	return f.complete()
}

// complete makes sure that every part is there: the sweep that was joined may have
// begun with others missing.
func (f *fleet) complete() error {
	missing, err := f.parts.Missing(1, 1)
	if err != nil {
		return fmt.Errorf("listing the target: %w", err)
	}
	if len(missing) > 0 {
		return fmt.Errorf("%d of %d parts are missing in %s; give the same command again", len(missing), f.parts.Chunks(), f.address)
	}
	return nil
}

// running reports whether a sweep of the target is at work.
func (f *fleet) running(ctx context.Context, id string) (bool, error) {
	d, err := f.c.DescribeWorkflowExecution(ctx, id, "")
	var none *serviceerror.NotFound
	if errors.As(err, &none) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("asking Temporal for the sweep: %w", err)
	}
	return d.WorkflowExecutionInfo.Status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING, nil
}

// same refuses to join a sweep of another kind.
func (f *fleet) same(ctx context.Context, id, digest string) error {
	d, err := f.c.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return fmt.Errorf("asking Temporal for the sweep: %w", err)
	}
	if got := string(d.WorkflowExecutionInfo.Memo.GetFields()["sweep"].GetData()); strings.Trim(got, `"`) != digest {
		return fmt.Errorf("another sweep is at work on %s, with other settings or sessions; wait for it, end it with `snapscope-fleet cancel`, or name another target", f.address)
	}
	f.had = number(d.WorkflowExecutionInfo.Memo, "had")
	return nil
}

// number is a number that a sweep's memo holds; 0 where it holds none.
func number(m *common.Memo, key string) int {
	n, _ := strconv.Atoi(string(m.GetFields()[key].GetData()))
	return n
}

// digest tells a sweep from another.
func (f *fleet) digest() (string, error) {
	job, err := json.Marshal(f.job)
	if err != nil {
		return "", err
	}
	manifest, err := f.parts.Manifest().Encode()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(job)
	h.Write(manifest)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// plan writes what workers must know into the target.
func (f *fleet) plan(missing []int) (job string, batches []flow.Batch, err error) {
	if job, err = f.put("job", f.job); err != nil {
		return "", nil, err
	}
	inputs := f.parts.Manifest().Inputs
	for len(missing) > 0 {
		n := min(flow.BatchShards, len(missing))
		var plan shard.Plan
		for _, c := range missing[:n] {
			from, to := f.parts.Chunk(c)
			s := shard.Shard{Chunk: c, From: from}
			for _, in := range inputs[from:to] {
				s.Inputs = append(s.Inputs, in.Name)
			}
			plan.Shards = append(plan.Shards, s)
		}
		name, err := f.put("plan", plan)
		if err != nil {
			return "", nil, err
		}
		batches = append(batches, flow.Batch{Plan: name, Shards: n})
		missing = missing[n:]
	}
	return job, batches, nil
}

// put writes a file whose name tells its content.
func (f *fleet) put(kind string, v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	name := kind + "-" + hex.EncodeToString(sum[:8]) + ".json"
	if err := f.target.Write(name, data); err != nil {
		return "", fmt.Errorf("writing what is to be done into the target: %w", err)
	}
	return name, nil
}

// failure is why a sweep failed, in one sentence.
func failure(target string, err error) error {
	var app *temporal.ApplicationError
	switch {
	case errors.As(err, &app):
		return fmt.Errorf("the sweep stopped: %s; what was counted is kept in %s, and the same command goes on", app.Message(), target)
	case temporal.IsCanceledError(err), temporal.IsTerminatedError(err):
		return fmt.Errorf("the sweep was canceled; what was counted is kept in %s, and the same command goes on", target)
	}
	return fmt.Errorf("the sweep stopped: %w; what was counted is kept in %s, and the same command goes on", err, target)
}
