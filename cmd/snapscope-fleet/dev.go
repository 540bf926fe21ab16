package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

func devCmd() *cobra.Command {
	var sf sweepFlags
	var wf workerFlags
	var d devServer
	cmd := &cobra.Command{
		Use:   "dev [SOURCE --out TARGET]",
		Short: "A Temporal and a worker on this machine, to try a fleet with one command",
		Long: `Starts a Temporal beside itself, which listens on loopback only and keeps its state in
a SQLite file, and a worker with a slot a core. With a source it sweeps that and ends;
without, it stays until it is stopped, for sweeps from other terminals. A server that
ends by accident is started again and goes on from its file.

The server is the program snapscope-fleet-server beside this one or on the PATH, else
Temporal's own command line program, temporal.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{errors.New("dev takes one source or none")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := wf.check()
			if err == nil && len(args) == 1 {
				err = sf.check()
			}
			if err != nil {
				return err
			}
			return runDev(cmd, args, &sf, wf, &d)
		},
	}
	sf.add(cmd)
	wf.add(cmd.Flags())
	f := cmd.Flags()
	f.StringVar(&d.listen, "listen", "127.0.0.1:7233", "the loopback address of the Temporal")
	f.StringVar(&d.db, "db", filepath.Join(stateFolder(), "temporal.db"), "the file that holds its state")
	f.StringVar(&d.program, "server", "", "the program of the server")
	return cmd
}

func runDev(cmd *cobra.Command, args []string, sf *sweepFlags, wf workerFlags, d *devServer) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	if err := d.start(ctx); err != nil {
		return err
	}
	defer d.stop()
	c, err := client.DialContext(ctx, client.Options{HostPort: d.listen, Logger: quiet{}})
	if err != nil {
		return err
	}
	defer c.Close()
	stop, err := work(c, wf, troubleTo(cmd.ErrOrStderr()))
	if err != nil {
		return err
	}
	defer stop()
	if len(args) == 1 {
		cmd.SetContext(ctx)
		return sf.run(cmd, c, args[0])
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "a Temporal answers at %s, a worker counts %d shards at a time; in another terminal: snapscope-fleet sweep SOURCE --out TARGET\n", d.listen, wf.slots)
	<-ctx.Done()
	return nil
}

// stateFolder is where what outlives a session of work is kept.
func stateFolder() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, _ := os.UserHomeDir() // without one it is the current folder
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "snapscope", "fleet")
}

// devServer is a Temporal that runs beside this program and ends with it.
type devServer struct {
	listen, db, program string

	cancel context.CancelFunc
	ended  chan struct{}
}

// start starts the server and waits until it answers. From then on it is started
// again whenever it ends.
func (d *devServer) start(ctx context.Context) error {
	command, err := d.command()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", d.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w; is a Temporal there already? Then `worker` and `sweep` can use it, else name another port", d.listen, err)
	}
	l.Close()
	if err := os.MkdirAll(filepath.Dir(d.db), 0o700); err != nil {
		return err
	}
	ctx, d.cancel = context.WithCancel(ctx)
	d.ended = make(chan struct{})
	first := make(chan error, 1)
	go d.keep(ctx, command, first)
	deadline := time.Now().Add(90 * time.Second)
	for {
		if answers(ctx, d.listen) {
			return nil
		}
		select {
		case err := <-first:
			d.stop()
			return fmt.Errorf("%s ended before it answered: %w", command[0], err)
		case <-ctx.Done():
			d.stop()
			return errInterrupted
		case <-time.After(100 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			d.stop()
			return fmt.Errorf("%s does not answer at %s", command[0], d.listen)
		}
	}
}

// answers reports whether a Temporal with its namespace is there.
func answers(ctx context.Context, at string) bool {
	ctx, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	c, err := client.DialContext(ctx, client.Options{HostPort: at, Logger: quiet{}})
	if err != nil {
		return false
	}
	defer c.Close()
	_, err = c.DescribeTaskQueue(ctx, "snapscope-fleet", enums.TASK_QUEUE_TYPE_WORKFLOW)
	return err == nil
}

// keep runs the server until ctx ends. first hears of the first time it ended by
// itself.
func (d *devServer) keep(ctx context.Context, command []string, first chan<- error) {
	defer close(d.ended)
	for ctx.Err() == nil {
		err := d.once(ctx, command)
		select {
		case first <- err:
		default:
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// once runs the server until it ends; it is asked to when ctx ends, or this program
// does however it ends: that ends its standard input.
func (d *devServer) once(ctx context.Context, command []string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer in.Close()
	cmd.Stdout = io.Discard
	return cmd.Run()
}

func (d *devServer) stop() {
	d.cancel()
	<-d.ended
}

// serverName is the program of this project that is a Temporal.
const serverName = "snapscope-fleet-server"

// command is the program of the server with its arguments.
func (d *devServer) command() ([]string, error) {
	program := d.program
	if program == "" {
		program = d.find()
	}
	if program == "" {
		return nil, errors.New("there is no Temporal to start: build snapscope-fleet-server (`make fleet`), or install Temporal's own program (https://docs.temporal.io/cli), or name one with --server")
	}
	if base := filepath.Base(program); base == "temporal" || base == "temporal.exe" {
		host, port, err := net.SplitHostPort(d.listen)
		if err != nil {
			return nil, usageError{fmt.Errorf("--listen: %w", err)}
		}
		return []string{program, "server", "start-dev", "--headless", "--ip", host, "--port", port, "--db-filename", d.db, "--log-level", "never"}, nil
	}
	return []string{program, "--child", "--listen", d.listen, "--db", d.db}, nil
}

// find looks beside this program, then on the PATH.
func (d *devServer) find() string {
	if self, err := os.Executable(); err == nil {
		if found, err := exec.LookPath(filepath.Join(filepath.Dir(self), serverName)); err == nil {
			return found
		}
	}
	for _, name := range []string{serverName, "temporal"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	return ""
}
