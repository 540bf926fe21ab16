package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"snapscope/session"
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
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cores := o.Parallel
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	w := &streamer{points: points, o: o, inner: max(1, cores/len(src)), total: len(src) * len(points)}
	next := make(chan int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(cores, len(src)) {
		wg.Go(func() {
			for i := range next {
				out := w.recording(ctx, i, src[i])
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				err := each(out)
				mu.Unlock()
				if err != nil {
					stop(err)
				}
			}
		})
	}
feed:
	for i := range src {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
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
func (w *streamer) recording(ctx context.Context, index int, src Source) (out Outcome) {
	out = Outcome{Index: index, Recording: src.Name}
	counted := 0
	defer func() {
		if r := recover(); r != nil {
			out.Figures, out.Error = nil, fmt.Sprintf("reading it broke the program: %v", r)
		}
		w.tick(len(w.points) - counted)
	}()
	t, err := src.Open(ctx)
	if err != nil {
		out.Error = err.Error()
		return out
	}
	o := w.o.Ledger
	o.Renderer, o.Fixes, o.Progress = policy.NewBatch(w.o.Count), false, nil
	full, err := ledger.Run(ctx, t, policy.Full(), o)
	if err != nil {
		return out // ctx ended, which is answered above
	}
	if out.Partial = full.Unbuilt; out.Partial > 0 {
		return out
	}
	o.Full = full
	out.Site, out.Model, out.Format, out.Full = t.Site(), full.Model, t.Start.Source, full.InputTokens
	rows := make([]Figures, len(w.points))
	broke := w.each(func(i int) {
		r, err := ledger.Run(ctx, t, w.points[i].Policy, o)
		if err == nil {
			rows[i] = rowOf(i, r)
			w.mu.Lock()
			counted++
			w.mu.Unlock()
			w.tick(1)
		}
	})
	if broke != "" {
		out.Error = broke
		return out
	}
	out.Figures = rows
	return out
}

// each calls f for every point, inner at a time. It answers what broke.
func (w *streamer) each(f func(i int)) (broke string) {
	next := make(chan int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(w.inner, len(w.points)) {
		wg.Go(func() {
			for i := range next {
				func() {
					defer func() {
						if r := recover(); r != nil {
							mu.Lock()
							broke = fmt.Sprintf("counting it broke the program: %v", r)
							mu.Unlock()
						}
					}()
					f(i)
				}()
			}
		})
	}
	for i := range w.points {
		next <- i
	}
	close(next)
	wg.Wait()
	return broke
}

func rowOf(point int, r *ledger.Report) Figures {
	row := Figures{
		Point: point, Input: r.InputTokens, Appended: r.AppendedTokens, Peak: r.PeakTokens,
		Cached: r.CachedTokens, Acted: r.Survival.Acted, Survived: r.Survival.Survived,
	}
	if r.Cost != nil {
		n := int64(math.Round(*r.Cost * 1e9))
		row.Nano = &n
	}
	return row
}
