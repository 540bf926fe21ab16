package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"

	"snapscope/session/atomicfile"
)

// How long a command may take to end after a signal: what it does then takes
// milliseconds, so one that takes longer is stuck in something that cannot be
// stopped, a file of a network folder for instance. A seat first lets its server
// end (at most 1.8 s, see replay/proxy/mcp).
const (
	endFor     = 800 * time.Millisecond
	endSeatFor = 2500 * time.Millisecond
)

// grace is where a command says that it may take longer to end.
type grace struct{ most atomic.Int64 }

type graceKey struct{}

// mayTake says that the command of ctx takes up to d to end.
func mayTake(ctx context.Context, d time.Duration) {
	if p, ok := ctx.Value(graceKey{}).(*grace); ok {
		p.most.Store(int64(d))
	}
}

// withSignals gives a context that the first signal ends. A second signal ends the
// program at once, and so does its not ending by itself. Nothing is lost then: a
// recording is on the disk step by step, and a browser ends with the program.
func withSignals(parent context.Context) (ctx context.Context, stop func()) {
	p := &grace{}
	p.most.Store(int64(endFor))
	ctx, cancel := context.WithCancel(context.WithValue(parent, graceKey{}, p))
	was, _ := term.GetState(os.Stdin.Fd()) // nil where it is no terminal
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
		case <-done:
			return
		}
		cancel()
		late := time.NewTimer(time.Duration(p.most.Load()))
		defer late.Stop()
		select {
		case <-signals:
		case <-late.C:
		case <-done:
			return
		}
		giveUp(was)
	}()
	return ctx, sync.OnceFunc(func() {
		close(done) // the signals stay ours: the program ends now, with its own status
		cancel()
	})
}

// giveUp ends the program where it stands, and gives the terminal back as it was.
func giveUp(was *term.State) {
	atomicfile.AbortAll()
	if was != nil {
		if now, err := term.GetState(os.Stdin.Fd()); err == nil && *now != *was { // a screen is open
			_ = term.Restore(os.Stdin.Fd(), was)
			fmt.Fprint(os.Stdout, "\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?25h\x1b[?1049l\x1b[m")
		}
	}
	fmt.Fprintln(os.Stderr, "snapscope: interrupted")
	os.Exit(exitInterrupted)
}
