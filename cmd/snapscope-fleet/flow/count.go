package flow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"snapscope/cmd/snapscope-fleet/parquet"
	"snapscope/cmd/snapscope-fleet/shard"
	"snapscope/cmd/snapscope-fleet/store"
	"snapscope/replay/sweep"
)

const (
	// carefulFrom is the attempt from which a shard's sessions are counted with a
	// note in the target before each: two workers may end by chance.
	carefulFrom = 3
	// endings is how many workers a session may end until it is named.
	endings = 3
	// patience is how often a source or a target that fails is tried.
	patience = 8
)

// Counter is the activity of a worker.
type Counter struct {
	Version string
	Runner  *shard.Runner
	// Trouble is told why this worker counts nothing now.
	Trouble func(why string)

	mu    sync.Mutex
	files map[string][]byte // of targets: plans and jobs, whose names tell their content
}

// Count counts a shard and puts its part in place.
func (c *Counter) Count(ctx context.Context, in CountInput) (Tally, error) {
	stop := beat(ctx)
	defer stop()
	t, err := c.count(ctx, in)
	var unable shard.ErrWorker
	if errors.As(err, &unable) {
		c.Trouble(unable.Why)
		rest(ctx)
	}
	switch {
	case err == nil, ctx.Err() != nil:
		return t, err
	case final(err), int(activity.GetInfo(ctx).Attempt) >= patience && !errors.As(err, &shard.ErrBusy{}):
		return t, temporal.NewNonRetryableApplicationError(err.Error(), "snapscope", nil)
	}
	return t, err
}

// rest keeps a worker that can count nothing from taking one shard after the other
// away from those that can.
func rest(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(Heartbeat):
	}
}

// final is an error that trying again does not help against: a person must do
// something first.
func final(err error) bool {
	var v versionError
	return errors.As(err, &v) || store.Full(err) || errors.Is(err, fs.ErrPermission)
}

// beat tells Temporal that the worker lives until it is stopped.
func beat(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(Heartbeat / 5)
		defer tick.Stop()
		for {
			activity.RecordHeartbeat(ctx)
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() { close(done) }
}

type versionError struct{ error }

func (c *Counter) count(ctx context.Context, in CountInput) (Tally, error) {
	target, err := store.OpenTarget(ctx, in.Target)
	if err != nil {
		return Tally{}, err
	}
	var job shard.Job
	var plan shard.Plan
	if err := errors.Join(c.file(target, in.Target, in.Job, &job), c.file(target, in.Target, in.Plan, &plan)); err != nil {
		return Tally{}, err
	}
	if job.Program != c.Version {
		return Tally{}, versionError{fmt.Errorf("the sweep is of version %s, this worker is %s", job.Program, c.Version)}
	}
	if in.Shard >= len(plan.Shards) {
		return Tally{}, fmt.Errorf("%s has no shard %d", in.Plan, in.Shard)
	}
	sh := plan.Shards[in.Shard]
	points, err := sweep.Grid(job.Policy, job.Axes)
	if err != nil {
		return Tally{}, err
	}
	outs, err := c.outcomes(ctx, target, job, sh)
	if err != nil {
		return Tally{}, err
	}
	names := sweep.Names(points)
	if job.Parquet {
		data, err := parquet.Encode(outs, names)
		if err == nil {
			err = target.Write(parquet.Name(sh.Chunk), data)
		}
		if err != nil {
			return Tally{}, err
		}
	}
	data, err := sweep.EncodePart(outs, names)
	if err != nil {
		return Tally{}, err
	}
	if err := target.Write(sweep.PartName(sh.Chunk), data); err != nil {
		return Tally{}, err
	}
	t := Tally{Shards: 1, Recordings: len(outs)}
	for _, o := range outs {
		if o.Error != "" {
			t.Failed++
		}
	}
	return t, nil
}

// outcomes counts a shard's sessions.
func (c *Counter) outcomes(ctx context.Context, target store.Target, job shard.Job, sh shard.Shard) ([]sweep.Outcome, error) {
	attempt := int(activity.GetInfo(ctx).Attempt)
	note := notes{target: target, name: fmt.Sprintf("careful-%06d.json", sh.Chunk)}
	careful := attempt >= carefulFrom
	if careful {
		if err := note.read(); err != nil {
			return nil, err
		}
	}
	outs := make([]sweep.Outcome, 0, len(sh.Inputs))
	for i, name := range sh.Inputs {
		out := sweep.Outcome{Recording: name, Error: fmt.Sprintf("%d workers ended while they counted it", endings)}
		if careful && note.Begun[i] >= endings {
			out.Index = sh.From + i
			outs = append(outs, out)
			continue
		}
		if careful {
			if err := note.begin(i); err != nil {
				return nil, err
			}
		}
		out, err := c.Runner.Count(ctx, job, name)
		var busy shard.ErrBusy
		if errors.As(err, &busy) && attempt >= patience {
			out, err = sweep.Outcome{Recording: name, Error: busy.Why}, nil
		}
		if careful && ctx.Err() == nil {
			err = errors.Join(err, note.end(i))
		}
		if err != nil {
			return nil, err
		}
		out.Index = sh.From + i
		outs = append(outs, out)
	}
	if careful {
		_ = target.Remove(note.name) // it has served; a leftover harms nobody
	}
	return outs, nil
}

// notes say which sessions of a shard were begun and not ended, how often.
type notes struct {
	target store.Target
	name   string
	Begun  map[int]int
}

func (n *notes) read() error {
	n.Begun = map[int]int{}
	data, err := n.target.Read(n.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &n.Begun)
}

func (n *notes) begin(i int) error {
	n.Begun[i]++
	return n.write()
}

func (n *notes) end(i int) error {
	delete(n.Begun, i)
	return nil // the next begin writes it
}

func (n *notes) write() error {
	data, err := json.Marshal(n.Begun)
	if err != nil {
		return err
	}
	return n.target.Write(n.name, data)
}

// file reads a file of a target into v; the last few are kept.
func (c *Counter) file(target store.Target, address, name string, v any) error {
	key := address + "\n" + name
	c.mu.Lock()
	data := c.files[key]
	c.mu.Unlock()
	if data == nil {
		var err error
		if data, err = target.Read(name); err != nil {
			return fmt.Errorf("reading the plan: %w", err)
		}
		c.mu.Lock()
		if c.files == nil || len(c.files) > 16 {
			c.files = map[string][]byte{}
		}
		c.files[key] = data
		c.mu.Unlock()
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(v); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	return nil
}
