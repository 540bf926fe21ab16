// Command snapscope-fleet runs snapscope's sweeps on many machines, with Temporal
// (https://temporal.io) to share the work out, to try again and to go on after a
// crash. What it writes are the part files of `snapscope sweep --out`, row for row;
// the table is made from them by the same code.
//
//	sweep   lists the source, writes plans into the target, starts a workflow, waits,
//	        sums the parts, prints the table                       (flags.go, sweep.go)
//	worker  polls Temporal; counts shards in processes of their own   (worker.go, shard)
//	dev     a Temporal and a worker on this machine                            (dev.go)
//	status, cancel                                                          (status.go)
//	fetch   brings a session of a bucket here, for the debugger              (fetch.go)
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"snapscope/cmd/snapscope-fleet/shard"
	"snapscope/replay/sweep"
	"snapscope/replay/transcript"
	"snapscope/tui/safetext"
)

func main() {
	os.Exit(run(os.Args[1:], transcript.Read))
}

// errInterrupted is an end that a person asked for.
var errInterrupted = errors.New("interrupted")

// usageError is a command line that cannot be.
type usageError struct{ error }

// run is the program; read is how a counting process reads a session. Its answer is
// the exit status: 0 done, 1 the work failed, 2 wrong usage, 130 interrupted.
func run(args []string, read shard.Reader) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := rootCmd(read)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		return 130
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "snapscope-fleet:", safetext.Line(err.Error()))
		return 2
	}
	fmt.Fprintln(os.Stderr, "snapscope-fleet:", safetext.Line(err.Error()))
	return 1
}

func rootCmd(read shard.Reader) *cobra.Command {
	root := &cobra.Command{
		Use:           "snapscope-fleet",
		Short:         "snapscope's sweeps on many machines, with Temporal",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return usageError{fmt.Errorf("no command %q; see snapscope-fleet --help", args[0])}
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(sweepCmd(), workerCmd(), devCmd(), statusCmd(), cancelCmd(), fetchCmd(), &cobra.Command{
		Use: "count", Hidden: true, Args: cobra.NoArgs, Short: "Count sessions for a worker",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return shard.Serve(context.Background(), os.Stdin, os.Stdout, read)
		},
	})
	return root
}

// exactly refuses another number of arguments, with what they are.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("%s takes %s", cmd.Name(), what)}
		}
		return nil
	}
}

// Set by the linker: the version and the commit of the snapscope whose counting this
// program shares.
var builtVersion, builtCommit string

// version is what workers and sweeps know each other by, and what a manifest says.
func version() string {
	version := builtVersion
	if info, ok := debug.ReadBuildInfo(); version == "" && ok && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	return sweep.Program(cmp.Or(version, "devel"), builtCommit)
}
