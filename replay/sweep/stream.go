package sweep

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"snapscope/session"
	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// Source is a recording that is opened when its turn comes.
type Source struct {
	Name string // its file; what rows call it
	Open func(ctx context.Context) (*session.Timeline, error)
}

// ErrNoRecordings says that there is nothing to sweep over.
var ErrNoRecordings = errors.New("no recording to sweep over")

// Stream tries the points on every source, as many at a time as there are cores,
// and hands over each outcome as it is ready, never two at once, in no certain
// order. A source that cannot be read, or that breaks the program, is an outcome
// with its error. Stream's own error is ctx's or each's.
func Stream(ctx context.Context, src []Source, points []Point, o Options, each func(Outcome) error) error {
	if len(src) == 0 {
		return ErrNoRecordings
	}
	cores := o.Parallel
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	w := &streamer{points: points, o: o, inner: max(1, cores/len(src)), total: len(src) * len(points)}
	var mu sync.Mutex
	return guard.Each(ctx, cores, len(src), "sweeping", func(i int) error {
		out := w.recording(ctx, i, src[i])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		mu.Lock()
		defer mu.Unlock()
		return each(out)
	})
}

// streamer is one run of Stream.
type streamer struct {
	points []Point
	o      Options
	inner  int // settings tried at once on one recording

	mu          sync.Mutex
	done, total int
}

func (w *streamer) tick(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done += n
	if w.o.Progress != nil {
		w.o.Progress(w.done, w.total)
	}
}

// recording counts one recording and lets go of it. A panic of the code that
// reads it is that recording's error.
func (w *streamer) recording(ctx context.Context, index int, src Source) Outcome {
	out := Outcome{Index: index, Recording: src.Name}
	var counted atomic.Int64
	err := guard.Do("working it out", func() error {
		t, err := src.Open(ctx)
		if err != nil {
			return err
		}
		o := w.o.Ledger
		o.Renderer, o.Fixes, o.Progress = policy.NewBatch(w.o.Count), false, nil
		if o, err = ledger.Ready(ctx, t, o); err != nil {
			return err
		}
		full, err := ledger.Run(ctx, t, policy.Full(), o)
		if err != nil {
			return err
		}
		if out.Partial = full.Unbuilt; out.Partial > 0 {
			return nil
		}
		o.Full = full
		out.Site, out.Model, out.Format, out.Full = t.Site(), full.Model, t.Start.Source, full.InputTokens
		rows := make([]Figures, len(w.points))
		err = guard.Each(ctx, w.inner, len(rows), "working it out", func(i int) error {
			r, err := ledger.Run(ctx, t, w.points[i].Policy, o)
			if err == nil {
				rows[i] = rowOf(i, r)
				counted.Add(1)
				w.tick(1)
			}
			return err
		})
		if err == nil {
			out.Figures = rows
		}
		return err
	})
	if err != nil {
		out.Error = err.Error()
	}
	w.tick(len(w.points) - int(counted.Load()))
	return out
}

func rowOf(point int, r *ledger.Report) Figures {
	row := Figures{
		Point: point, Input: r.InputTokens, Appended: r.AppendedTokens, Peak: r.PeakTokens,
		Cached: r.CachedTokens, Acted: r.Survival.Acted, Survived: r.Survival.Survived,
		Lost: r.Losses(), Quotes: r.Reading.Quotes, Read: r.Reading.Kept,
	}
	if r.Cost != nil {
		n := int64(math.Round(*r.Cost * 1e9))
		row.Nano = &n
	}
	return row
}
