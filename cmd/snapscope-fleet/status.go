package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"snapscope/cmd/snapscope-fleet/flow"
	"snapscope/snapshot/wording"
	"snapscope/tui/safetext"
)

// wait shows how far a sweep is until it ends.
func (f *fleet) wait(ctx context.Context, id string) error {
	ended := make(chan error, 1)
	go func() { ended <- f.c.GetWorkflow(ctx, id, "").Get(ctx, nil) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	last := ""
	for {
		select {
		case err := <-ended:
			if ctx.Err() != nil {
				break
			}
			if err != nil {
				return failure(f.address, err)
			}
			return nil
		case <-tick.C:
			if line := f.progress(ctx, id); line != last && line != "" {
				fmt.Fprintln(f.said, line)
				last = line
			}
			continue
		case <-ctx.Done():
		}
		fmt.Fprintf(f.said, "the sweep goes on; the same command joins it, `snapscope-fleet cancel %s` ends it\n", safetext.Line(f.address))
		return errInterrupted
	}
}

// progress is a line on how far a sweep is, or what it waits for.
func (f *fleet) progress(ctx context.Context, id string) string {
	t, err := done(ctx, f.c, id)
	if err != nil {
		return f.trouble(ctx)
	}
	return fmt.Sprintf("%s of %s parts, %s counted%s", wording.Count(f.had+t.Shards), wording.Count(f.parts.Chunks()), wording.Plural(t.Recordings, "session"), failed(t))
}

// says tells now and then how far something is that takes longer than a moment. of
// is 0 where nobody knows it.
func says(w io.Writer, what string) func(done, of int) {
	last := time.Now()
	return func(done, of int) {
		if time.Since(last) < time.Second {
			return
		}
		last = time.Now()
		if of == 0 {
			fmt.Fprintf(w, "%s %s\n", wording.Count(done), what)
			return
		}
		fmt.Fprintf(w, "%s of %s %s\n", wording.Count(done), wording.Count(of), what)
	}
}

func failed(t flow.Tally) string {
	if t.Failed == 0 {
		return ""
	}
	return fmt.Sprintf(", %s of them not readable", wording.Count(t.Failed))
}

// trouble says why a sweep does not answer.
func (f *fleet) trouble(ctx context.Context) string {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	n, err := workers(ctx, f.c, flow.Queue(f.job.Program))
	switch {
	case ctx.Err() != nil, err != nil:
		return "Temporal does not answer; trying again"
	case n == 0:
		return fmt.Sprintf("no worker of version %s is there: start one with `snapscope-fleet worker` on each machine", f.job.Program)
	}
	return ""
}

// workers counts who polls a queue; Temporal remembers a poller for five minutes, so
// only those of the last half minute count.
func workers(ctx context.Context, c client.Client, queue string) (int, error) {
	d, err := c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
	n := 0
	for _, p := range d.GetPollers() {
		if time.Since(p.LastAccessTime.AsTime()) < 90*time.Second {
			n++
		}
	}
	return n, err
}

// done sums what a sweep and its batches have done.
func done(ctx context.Context, c client.Client, id string) (flow.Tally, error) {
	p, err := ask(ctx, c, id)
	if err != nil {
		return flow.Tally{}, err
	}
	t := p.Done
	for _, batch := range p.Running {
		b, err := ask(ctx, c, batch)
		if late := new(serviceerror.DeadlineExceeded); errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) {
			return t, err
		}
		if err != nil {
			continue // it has not begun, or has just ended
		}
		t.Shards += b.Done.Shards
		t.Recordings += b.Done.Recordings
		t.Failed += b.Done.Failed
	}
	return t, nil
}

// ask asks a workflow how far it is.
func ask(ctx context.Context, c client.Client, id string) (p flow.Progress, err error) {
	ctx, stop := context.WithTimeout(ctx, 8*time.Second)
	defer stop()
	v, err := c.QueryWorkflow(ctx, id, "", flow.ProgressQuery)
	if err == nil {
		err = v.Get(&p)
	}
	return p, err
}

func statusCmd() *cobra.Command {
	var server serverFlags
	cmd := &cobra.Command{
		Use:   "status",
		Short: "List the sweeps and how far they are",
		Args:  exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := server.dial(cmd)
			if err != nil {
				return err
			}
			defer c.Close()
			return list(cmd, c)
		},
	}
	server.add(cmd.Flags())
	return cmd
}

func list(cmd *cobra.Command, c client.Client) error {
	ctx := cmd.Context()
	got, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: "WorkflowType = '" + flow.SweepWorkflow + "'", PageSize: 100})
	if err != nil {
		return fmt.Errorf("asking Temporal for its sweeps: %w", err)
	}
	if len(got.Executions) == 0 {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "no sweep is known here")
		return err
	}
	for _, e := range got.Executions {
		target := strings.Trim(string(e.Memo.GetFields()["target"].GetData()), `"`)
		said := strings.ToLower(e.Status.String())
		if e.Status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
			if n, err := workers(ctx, c, e.TaskQueue); err == nil && n == 0 {
				said = "running, but no worker is there"
			} else if t, err := done(ctx, c, e.Execution.WorkflowId); err == nil {
				said = fmt.Sprintf("running: %s of %s parts, %s counted%s", wording.Count(number(e.Memo, "had")+t.Shards), wording.Count(number(e.Memo, "parts")), wording.Plural(t.Recordings, "session"), failed(t))
			}
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n", e.StartTime.AsTime().Local().Format("2006-01-02 15:04"), safetext.Line(target), said); err != nil {
			return err
		}
	}
	return nil
}

func cancelCmd() *cobra.Command {
	var server serverFlags
	cmd := &cobra.Command{
		Use:   "cancel TARGET",
		Short: "End the sweep that is at work on a target; what was counted stays",
		Args:  exactly(1, "the target of a sweep"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := server.dial(cmd)
			if err != nil {
				return err
			}
			defer c.Close()
			at, err := address(args[0])
			if err != nil {
				return err
			}
			if err := c.CancelWorkflow(cmd.Context(), workflowID(at), ""); err != nil {
				return fmt.Errorf("no sweep is at work on %s (`snapscope-fleet status` lists them): %w", at, err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "the sweep on %s ends; what was counted is kept\n", safetext.Line(at))
			return err
		},
	}
	server.add(cmd.Flags())
	return cmd
}
