package sweep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Fill counts what is missing of shard i of n (from 1) and puts each part in place
// as soon as it is complete. src are the manifest's inputs, in its order.
func (p *Parts) Fill(ctx context.Context, i, n int, src []Source, o Options) error {
	points, err := Grid(p.manifest.Policy, p.manifest.Axes)
	if err != nil {
		return err
	}
	var todo []Source
	var at, chunk []int // the index in the input of each, and its chunk
	missing, err := p.Missing(i, n)
	if err != nil {
		return err
	}
	for _, c := range missing {
		from, to := p.Chunk(c)
		todo = append(todo, src[from:to]...)
		for k := from; k < to; k++ {
			at, chunk = append(at, k), append(chunk, c)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	got := map[int][]Outcome{} // of chunks that are not complete: few, since they are begun in order
	return Stream(ctx, todo, points, o, func(out Outcome) error {
		c := chunk[out.Index]
		out.Index = at[out.Index]
		got[c] = append(got[c], out)
		from, to := p.Chunk(c)
		if len(got[c]) < to-from {
			return nil
		}
		outs := got[c]
		delete(got, c)
		return p.Write(c, outs)
	})
}

// Lock holds the folder for whoever fills shard i of n until it is let go, or the
// process ends however it ends. Shards of one division may be filled at the same
// time; anything else is refused with a sentence.
func (p *Parts) Lock(i, n int) (unlock func(), err error) {
	names := []string{"lock"}
	if n > 1 {
		names = append(names, fmt.Sprintf("lock-%d-of-%d", i, n))
	}
	var held []*os.File
	unlock = func() {
		for _, f := range slices.Backward(held) {
			_ = f.Close() // which lets go of it
		}
	}
	for k, name := range names {
		f, err := os.OpenFile(filepath.Join(p.dir, name), os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, f)
		if !lockFile(f, n > 1 && k == 0) {
			unlock()
			return nil, fmt.Errorf("another sweep is writing into %s; wait for its end, or name another folder with --out", p.dir)
		}
	}
	return unlock, nil
}
