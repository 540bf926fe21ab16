package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"snapscope/cmd/snapscope-fleet/flow"
	"snapscope/cmd/snapscope-fleet/shard"
	"snapscope/tui/safetext"
)

// workerFlags say how much a worker takes on.
type workerFlags struct {
	slots, memory int
	time          time.Duration
}

func (w *workerFlags) add(f *pflag.FlagSet) {
	f.IntVar(&w.slots, "slots", runtime.NumCPU(), "shards at a time, each in a process of its own")
	f.IntVar(&w.memory, "memory", 2048, "megabytes that counting a session may take; one that takes more is named and left out")
	f.DurationVar(&w.time, "time", 15*time.Minute, "how long counting a session may take")
}

func (w *workerFlags) check() error {
	if w.slots < 1 || w.memory < 64 || w.time <= 0 {
		return usageError{fmt.Errorf("--slots is 1 or more, --memory 64 or more, --time more than nothing")}
	}
	return nil
}

func workerCmd() *cobra.Command {
	var wf workerFlags
	var server serverFlags
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Count for the sweeps of a Temporal until it is stopped",
		Long: `Takes shards of sweeps that were begun with the same version of this program, and
counts each in a process of its own. A session that takes too much memory or time, or
that ends its process, becomes a row with its error. Stopped or killed, its shards go
to other workers.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := wf.check(); err != nil {
				return err
			}
			c, err := server.dial(cmd)
			if err != nil {
				return err
			}
			defer c.Close()
			stop, err := work(c, wf, troubleTo(cmd.ErrOrStderr()))
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "counting for %s, %d shards at a time, version %s\n", server.host, wf.slots, version())
			<-cmd.Context().Done()
			stop()
			return nil
		},
	}
	wf.add(cmd.Flags())
	server.add(cmd.Flags())
	return cmd
}

// stickyFor is how long a workflow waits for the worker that holds its state until
// any other takes it up, and who asks how far it is for the answer
// (https://docs.temporal.io/sticky-execution).
const stickyFor = 2 * time.Second

// troubleTo tells a person what keeps a worker from counting, once each.
func troubleTo(w io.Writer) func(why string) {
	var told sync.Map
	return func(why string) {
		if _, again := told.LoadOrStore(why, true); !again {
			fmt.Fprintln(w, "this worker counts nothing until somebody helps:", safetext.Line(why))
		}
	}
}

// work begins to poll. trouble is told why nothing can be counted. stop ends that; shards at work are left for others.
func work(c client.Client, wf workerFlags, trouble func(why string)) (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "snapscope-fleet-")
	if err != nil {
		return nil, err
	}
	runner := &shard.Runner{Command: []string{self, "count"}, Memory: int64(wf.memory) << 20, Time: wf.time, Temp: temp}
	ctx, cancel := context.WithCancel(context.Background())
	w := worker.New(c, flow.Queue(version()), worker.Options{
		MaxConcurrentActivityExecutionSize: wf.slots,
		MaxHeartbeatThrottleInterval:       flow.Heartbeat / 5,
		BackgroundActivityContext:          ctx,
		StickyScheduleToStartTimeout:       stickyFor,
	})
	counter := &flow.Counter{Version: version(), Runner: runner, Trouble: trouble}
	w.RegisterWorkflowWithOptions(flow.Sweep, workflow.RegisterOptions{Name: flow.SweepWorkflow})
	w.RegisterWorkflowWithOptions(flow.RunBatch, workflow.RegisterOptions{Name: flow.BatchWorkflow})
	w.RegisterActivityWithOptions(counter.Count, activity.RegisterOptions{Name: flow.CountActivity})
	if err := w.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("starting the worker: %w", err)
	}
	return func() {
		cancel()
		w.Stop()
		runner.Close()
		_ = os.RemoveAll(temp)
	}, nil
}
