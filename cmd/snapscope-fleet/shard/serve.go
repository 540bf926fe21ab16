package shard

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"snapscope/cmd/snapscope-fleet/store"
	"snapscope/replay/sweep"
	"snapscope/replay/transcript"
	"snapscope/session"
)

// setup is the first line to a counting process.
type setup struct {
	Job    Job    `json:"job"`
	Temp   string `json:"temp"` // where objects of a bucket are put
	Memory int64  `json:"memory"`
}

// answer is a line from a counting process: one when it is ready, then one for each
// name that it was given.
type answer struct {
	Outcome sweep.Outcome `json:"outcome"`
	Retry   string        `json:"retry,omitempty"`  // why the session could not be reached now
	Worker  string        `json:"worker,omitempty"` // why nothing can be counted on this machine
}

// Reader reads a session; tests put others in its place.
type Reader func(ctx context.Context, path string, o transcript.Options) (*transcript.Import, error)

// exitMemory is the status of a process that took more memory than it may.
const exitMemory = 86

// Serve is a counting process: a job on the first line of in, then a session's name
// a line; an answer a line to out, the first of which says that it can count. It
// ends with in, which is how it learns that its worker is gone.
func Serve(ctx context.Context, in io.Reader, out io.Writer, read Reader) error {
	lines, temp := make(chan []byte), make(chan string, 1)
	go func() {
		sc := bufio.NewScanner(in)
		sc.Buffer(nil, 64<<20)
		for sc.Scan() {
			lines <- append([]byte(nil), sc.Bytes()...)
		}
		select {
		case dir := <-temp:
			_ = os.RemoveAll(dir)
		default:
		}
		os.Exit(0)
	}()
	enc := json.NewEncoder(out)
	c, err := ready(<-lines, temp, read)
	if err != nil {
		return enc.Encode(answer{Worker: err.Error()})
	}
	if err := enc.Encode(answer{}); err != nil {
		return err
	}
	boundMemory(c.Memory)
	for line := range lines {
		var name string
		if err := json.Unmarshal(line, &name); err != nil {
			return fmt.Errorf("reading a name: %w", err)
		}
		if err := enc.Encode(c.count(ctx, name)); err != nil {
			return err
		}
	}
	return nil
}

// ready is the counter that the first line asks for. temp is told the folder that is
// the process's own.
func ready(line []byte, temp chan<- string, read Reader) (*counter, error) {
	var s setup
	if err := json.Unmarshal(line, &s); err != nil {
		return nil, fmt.Errorf("reading the job: %w", err)
	}
	if err := os.MkdirAll(s.Temp, 0o700); err != nil { // what is long in use may be cleared away
		return nil, err
	}
	own, err := os.MkdirTemp(s.Temp, "snapscope-fleet-")
	if err != nil {
		return nil, err
	}
	temp <- own
	s.Temp = own
	return newCounter(s, read)
}

// boundMemory ends the process when it holds more than limit bytes. The collector
// works harder from three quarters on.
func boundMemory(limit int64) {
	if limit <= 0 {
		return
	}
	debug.SetMemoryLimit(limit / 4 * 3)
	hardLimit(limit + limit/4)
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	go func() {
		for range time.Tick(20 * time.Millisecond) {
			metrics.Read(sample)
			if int64(sample[0].Value.Uint64()-sample[1].Value.Uint64()) > limit {
				os.Exit(exitMemory)
			}
		}
	}()
}

// counter counts sessions under a job's settings.
type counter struct {
	setup
	read   Reader
	points []sweep.Point
	o      sweep.Options
}

func newCounter(s setup, read Reader) (*counter, error) {
	o, err := s.Job.Options()
	if err != nil {
		return nil, err
	}
	points, err := sweep.Grid(s.Job.Policy, s.Job.Axes)
	return &counter{s, read, points, o}, err
}

// count is what became of one session.
func (c *counter) count(ctx context.Context, name string) answer {
	var a answer
	src := sweep.Source{Name: name, Open: func(ctx context.Context) (*session.Timeline, error) {
		t, err := c.open(ctx, name)
		switch busy, blind := (busyError{}), (blindError{}); {
		case store.Full(err), errors.As(err, &blind):
			a.Worker = err.Error()
		case errors.As(err, &busy):
			a.Retry = err.Error()
		}
		return t, err
	}}
	err := sweep.Stream(ctx, []sweep.Source{src}, c.points, c.o, func(out sweep.Outcome) error {
		a.Outcome = out
		return nil
	})
	if err != nil && a.Retry == "" {
		a.Retry = err.Error()
	}
	return a
}

// busyError is a source that may answer when it is asked later.
type busyError struct{ error }

func (e busyError) Unwrap() error { return e.error }

// blindError is a folder that who began the sweep saw and this worker does not.
type blindError struct{ error }

func (c *counter) open(ctx context.Context, name string) (*session.Timeline, error) {
	o := transcript.Options{Format: c.Job.Format, Limits: c.Job.Limits, KeepSecrets: c.Job.Secrets, Count: c.o.Count}
	if store.IsBucket(name) {
		l, err := store.Fetch(ctx, name, c.Temp)
		if store.Transient(err) {
			return nil, busyError{err}
		}
		if err != nil {
			return nil, err
		}
		defer l.Close()
		o.Fetch = l.Beside
		im, err := c.read(ctx, l.Path, o)
		if lerr := l.Err(); lerr != nil {
			return nil, busyError{lerr}
		}
		if err != nil {
			return nil, errors.New(strings.ReplaceAll(err.Error(), l.Path, name))
		}
		return session.NewTimeline(im.Events), nil
	}
	o.Roots = []string{c.Job.Dir}
	im, err := c.read(ctx, name, o)
	if _, there := os.Stat(filepath.Dir(name)); err != nil && errors.Is(there, fs.ErrNotExist) {
		return nil, blindError{fmt.Errorf("this worker does not see the folder of %s: %w", name, there)}
	}
	if err != nil {
		return nil, err
	}
	return session.NewTimeline(im.Events), nil
}
