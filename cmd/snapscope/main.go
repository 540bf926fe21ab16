// Command snapscope is the terminal debugger for what browser agents read.
//
// One file a subcommand: flags in, one call, output. What a command does lives
// in the packages it calls. Data goes to stdout, progress and warnings to
// stderr. The exit status is 0 when done, 1 when the work failed, 2 for wrong
// usage and 130 when interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"snapscope/session/guard"
	"snapscope/tui/safetext"
)

// The exit statuses of the contract.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run carries out one command line and answers the exit status.
func run(args []string) int {
	ctx, stop := withSignals(context.Background())
	defer stop()
	root := newRoot()
	stdout, stderr := newSafeWriter(os.Stdout), newSafeWriter(os.Stderr)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(args)
	err := guard.Do(strings.Join(append([]string{"snapscope"}, args[:min(1, len(args))]...), " "), func() error { return root.ExecuteContext(ctx) })
	if werr := stdout.end(); err == nil && werr != nil {
		err = fmt.Errorf("writing the output: %w", werr)
	}
	_ = stderr.end() // there is nobody else to tell
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil, errors.Is(err, context.Canceled): // by a signal, or by ctrl+c on the screen
		fmt.Fprintln(os.Stderr, "snapscope: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(os.Stderr, "snapscope: "+oneLine(err.Error()))
	if status, ok := exitOf(err); ok {
		return status
	}
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

// usageError is a fault in how the program was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// oneLine keeps an error or a name that quotes page or file text from drawing on
// the terminal.
func oneLine(s string) string {
	return safetext.Line(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		return r
	}, strings.TrimSpace(s)))
}
