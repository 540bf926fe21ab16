package shard

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"snapscope/replay/sweep"
)

// Runner counts sessions in processes that it starts, keeps and ends.
type Runner struct {
	// Command starts a counting process: a program and its arguments.
	Command []string
	// Memory is how many bytes a process may hold.
	Memory int64
	// Time is how long a session may take.
	Time time.Duration
	// Temp is the folder for what is fetched.
	Temp string

	mu   sync.Mutex
	idle []*process
}

// ErrBusy is a session that could not be reached now.
type ErrBusy struct{ Why string }

func (e ErrBusy) Error() string { return e.Why }

// ErrWorker is why this machine counts nothing now.
type ErrWorker struct{ Why string }

func (e ErrWorker) Error() string { return e.Why }

// Count is what became of one session: in any case an outcome, unless ctx ended, the
// source was busy, or no process can be started.
func (r *Runner) Count(ctx context.Context, j Job, name string) (sweep.Outcome, error) {
	for {
		p, err := r.take(ctx, j)
		if ctx.Err() != nil {
			return sweep.Outcome{}, ctx.Err()
		}
		if err != nil {
			return sweep.Outcome{}, ErrWorker{err.Error()}
		}
		used := p.used
		a, err := p.ask(ctx, name, r.Time)
		switch {
		case err == nil && a.Worker != "":
			p.end()
			return sweep.Outcome{}, ErrWorker{a.Worker}
		case err == nil && a.Retry != "":
			r.give(p)
			return sweep.Outcome{}, ErrBusy{a.Retry}
		case err == nil:
			r.give(p)
			return a.Outcome, nil
		case ctx.Err() != nil:
			p.end()
			return sweep.Outcome{}, ctx.Err()
		}
		why := p.end()
		if used == 0 {
			return sweep.Outcome{Recording: name, Error: r.ended(why, err)}, nil
		}
	}
}

// errSlow is a session that took longer than it may.
var errSlow = errors.New("too slow")

// ended says why a session ended its process.
func (r *Runner) ended(status error, err error) string {
	var exit *exec.ExitError
	switch {
	case errors.Is(err, errSlow):
		return fmt.Sprintf("counting it took longer than %v, which is all that a worker gives a session (--time)", r.Time)
	case errors.As(status, &exit) && exit.ExitCode() == exitMemory, errors.Is(err, errMemory):
		return fmt.Sprintf("counting it took more than %d MB of memory, which is all that a worker gives a session (--memory)", r.Memory>>20)
	}
	said := ""
	if status != nil {
		said = status.Error()
	}
	return strings.TrimSuffix("counting it ended the program: "+said+": "+err.Error(), ": ")
}

// take is an idle process of the job, or a new one.
func (r *Runner) take(ctx context.Context, j Job) (*process, error) {
	key, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	var old []*process
	for len(r.idle) > 0 {
		p := r.idle[len(r.idle)-1]
		r.idle = r.idle[:len(r.idle)-1]
		if p.key == string(key) {
			r.mu.Unlock()
			return p, nil
		}
		old = append(old, p)
	}
	r.mu.Unlock()
	for _, p := range old { // of a sweep that is over
		p.end()
	}
	return r.start(ctx, j, string(key))
}

func (r *Runner) give(p *process) {
	p.used++
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle = append(r.idle, p)
}

// Close ends the processes.
func (r *Runner) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.idle {
		p.end()
	}
	r.idle = nil
}

// process is a counting process.
type process struct {
	cmd     *exec.Cmd
	key     string
	used    int // sessions that it has counted
	in      io.WriteCloser
	answers *bufio.Reader
	stderr  *tail
}

func (r *Runner) start(ctx context.Context, j Job, key string) (*process, error) {
	cmd := exec.Command(r.Command[0], r.Command[1:]...) // ended by end, or with its worker by the end of its input
	cmd.Dir = j.Dir
	if cmd.Dir != "" {
		if _, err := os.Stat(cmd.Dir); err != nil {
			return nil, fmt.Errorf("this worker does not see the folder that the sweep was started in: %w", err)
		}
	}
	p := &process{cmd: cmd, key: key, stderr: &tail{}}
	cmd.Stderr = p.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.answers = in, bufio.NewReaderSize(out, 1<<20)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a process to count in: %w", err)
	}
	a, err := p.ask(ctx, setup{j, r.Temp, r.Memory}, readyLimit)
	if err == nil && a.Worker != "" {
		err = errors.New(a.Worker)
	}
	if err != nil {
		p.end()
		return nil, fmt.Errorf("starting a process to count in: %w", err)
	}
	return p, nil
}

// readyLimit is how long a process may take until it can count: it loads a tokenizer.
const readyLimit = time.Minute

// ask gives the process a line, its job or a session's name, and waits for the answer.
func (p *process) ask(ctx context.Context, line any, limit time.Duration) (answer, error) {
	type reply struct {
		a   answer
		err error
	}
	got := make(chan reply, 1)
	go func() {
		var r reply
		if r.err = json.NewEncoder(p.in).Encode(line); r.err == nil {
			var said []byte
			if said, r.err = p.answers.ReadBytes('\n'); r.err == nil {
				r.err = json.Unmarshal(said, &r.a)
			}
		}
		got <- r
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var r reply
	select {
	case r = <-got:
	case <-ctx.Done():
		r.err = ctx.Err()
	case <-timer.C:
		r.err = errSlow
	}
	if r.err != nil && ctx.Err() == nil && !errors.Is(r.err, errSlow) {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		r.err = p.stderr.why()
	}
	return r.a, r.err
}

// end kills the process and answers how it ended, if by itself.
func (p *process) end() error {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	if p.cmd.ProcessState == nil || p.cmd.ProcessState.Success() {
		return nil
	}
	return &exec.ExitError{ProcessState: p.cmd.ProcessState}
}

var errMemory = errors.New("out of memory")

// noMemory is what a Go program says that found no memory: for its heap, for a
// mapping, for the stack of a thread (which counts against hardLimit as well).
var noMemory = []string{"out of memory", "cannot allocate memory", "pthread_create failed", "failed to create new OS thread"}

// tail keeps the beginning of what a process says: Go says first why it ends.
type tail struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b.Write(p[:min(len(p), max(0, 4096-t.b.Len()))])
	return len(p), nil
}

// why is the first line that was said.
func (t *tail) why() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	said := t.b.String()
	for _, w := range noMemory {
		if strings.Contains(said, w) {
			return errMemory
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if line == "" {
		line = "it said nothing"
	}
	return errors.New(line)
}
