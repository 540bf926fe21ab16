// Package guard turns a panic into an error. What is read comes from anywhere, and a
// defect of ours that one session meets must not end the work on the others: so each
// session is read and worked out under Do, and so is whatever that does on
// goroutines of its own, which no recover but their own would save.
//
// Nothing is hidden: the error says what was being done, what broke and where, and
// whoever gets it tells it.
package guard

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"
)

// Broke is a panic that was caught: always a defect of snapscope, whatever the input.
type Broke struct {
	Doing string // what was being done, to what: "reading leads.jsonl"
	Why   any    // what panic was given
	Where string // the file and line that panicked, as far as it is known: "budget/text.go:129"
}

// Error is "reading leads.jsonl: internal error at budget/text.go:129: … (please report)".
func (b *Broke) Error() string {
	at := ""
	if b.Where != "" {
		at = " at " + b.Where
	}
	return fmt.Sprintf("%s: internal error%s: %v (please report)", b.Doing, at, b.Why)
}

// Do carries out f. A panic in it is a *Broke that says what was being done.
func Do(doing string, f func() error) (err error) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case *Broke: // raised
			err = why
		default:
			err = &Broke{Doing: doing, Why: why, Where: where()}
		}
	}()
	return f()
}

// Raise hands a *Broke on to the guard around, past what answers no errors; any other
// error it leaves alone.
func Raise(err error) {
	var broke *Broke
	if errors.As(err, &broke) {
		panic(broke)
	}
}

// where is the place that panicked, asked while the panic is recovered: the first one
// below the runtime's own.
func where() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for panicked := false; ; {
		f, more := frames.Next()
		own := strings.HasPrefix(f.Function, "runtime.")
		if panicked && !own && f.File != "" {
			return fmt.Sprintf("%s/%s:%d", path.Base(path.Dir(f.File)), path.Base(f.File), f.Line)
		}
		if panicked = panicked || own; !more {
			return ""
		}
	}
}

// Each calls f for every number below n, on so many goroutines, each call under Do. It
// ends early with the first error, or with ctx's.
func Each(all context.Context, goroutines, n int, doing string, f func(i int) error) error {
	ctx, stop := context.WithCancelCause(all)
	defer stop(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(max(1, goroutines), n) {
		wg.Go(func() {
			for i := range next {
				if err := Do(doing, func() error { return f(i) }); err != nil {
					stop(err)
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	if err := all.Err(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
