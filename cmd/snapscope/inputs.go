package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"snapscope/replay/transcript"
	"snapscope/session/guard"
)

// inputDoc says what stands for recordings on a command line.
const inputDoc = `Name a recording by its file. A folder means all sessions below it, a pattern such
as 'runs/*.jsonl' the files that match, @list the files named in list, one a line, and
- the files named on standard input.`

// maxInputs bounds a list of recordings: far beyond any real one, small enough
// that an endless list ends in a sentence.
const maxInputs = 20_000_000

// inputs lists the recordings that a command line names, in its order; the files
// of a folder by name. A name that stands for nothing is an error.
func inputs(ctx context.Context, args []string, stdin io.Reader) ([]string, error) {
	var out []string
	for _, arg := range args {
		got, err := input(ctx, arg, stdin)
		if err != nil {
			return nil, err
		}
		if out = append(out, got...); len(out) > maxInputs {
			return nil, fmt.Errorf("more than %d recordings are named", maxInputs)
		}
	}
	return out, nil
}

func input(ctx context.Context, arg string, stdin io.Reader) ([]string, error) {
	list, isList := strings.CutPrefix(arg, "@")
	switch {
	case arg == "-":
		return names(ctx, "standard input", stdin)
	case isList:
		st, err := os.Stat(list)
		if err == nil {
			err = regular(list, st)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the list: %w", err)
		}
		f, err := os.Open(list)
		if err != nil {
			return nil, fmt.Errorf("reading the list: %w", err)
		}
		defer f.Close()
		return names(ctx, list, f)
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return transcript.Below(ctx, arg)
	case err != nil && strings.ContainsAny(arg, "*?["):
		got, gerr := filepath.Glob(arg)
		if gerr != nil {
			return nil, usagef("%s: %w", arg, gerr)
		}
		if len(got) == 0 {
			return nil, fmt.Errorf("no file matches %s", arg)
		}
		return got, nil
	}
	return []string{arg}, nil // a file; what is wrong with it is said when it is read
}

// names reads a list of files, a line each; blank lines do not count.
func names(ctx context.Context, what string, r io.Reader) ([]string, error) {
	var out []string
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if name := strings.TrimSpace(lines.Text()); name != "" {
			out = append(out, name)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(out) > maxInputs {
			return nil, fmt.Errorf("%s names more than %d recordings", what, maxInputs)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s names no recording", what)
	}
	return out, nil
}

// waiting is how many results of inOrder wait for their turn at most, a worker: a
// recording that takes long does not hold up who could do the next ones.
const waiting = 32

// inOrder does work for every index, some at a time, and hands over what comes of
// it in the order of the indexes, as soon as it is its turn. No more than a few
// are kept waiting for their turn. The error is ctx's or emit's, or a *guard.Broke.
func inOrder[T any](ctx context.Context, n int, work func(ctx context.Context, i int) T, emit func(i int, got T) error) error {
	type result struct {
		i   int
		got T
		err error // work broke
	}
	ctx, stop := context.WithCancel(ctx)
	workers := min(n, runtime.GOMAXPROCS(0))
	ahead := make(chan struct{}, waiting*workers) // begun and not yet handed over
	results := make(chan result, cap(ahead))      // which has room for all of these
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	next := make(chan int)
	for range workers {
		wg.Go(func() {
			for i := range next {
				r := result{i: i}
				r.err = guard.Do("working at several inputs", func() error { r.got = work(ctx, i); return nil })
				results <- r
			}
		})
	}
	wg.Go(func() {
		defer close(next)
		for i := range n {
			select {
			case ahead <- struct{}{}:
			case <-ctx.Done():
				return
			}
			next <- i
		}
	})
	early := map[int]T{}
	for turn := 0; turn < n; {
		got, ok := early[turn]
		if !ok {
			select {
			case r := <-results:
				if r.err != nil {
					return r.err
				}
				early[r.i] = r.got
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}
		delete(early, turn)
		if err := emit(turn, got); err != nil {
			return err
		}
		turn++
		<-ahead
	}
	return nil
}
