//go:build grid

package tune_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"snapscope/replay/transcript"
	"snapscope/replay/tune"
	recorded "snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// On real recordings, against every setting of a grid: within one percent of its
// optimum with a twentieth of its evaluations. make tune-grid runs it on what
// make savings recorded.
func TestNearlyAsGoodAsAGridOnRecordings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(os.Getenv("RECORDINGS"), "*.jsonl"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d recordings in RECORDINGS=%q; it takes ten", len(files), os.Getenv("RECORDINGS"))
	}
	count, err := token.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	o := ledger.Options{Renderer: policy.NewRenderer(count.Count)}
	var all []tune.Session
	for _, f := range files {
		im, err := transcript.Read(t.Context(), f, transcript.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tune.Of(f, recorded.NewTimeline(im.Events), o))
	}
	for _, c := range []struct {
		name   string
		stages []string
		knobs  [2]string
		grid   [2][]float64
	}{
		{"compress, openclaw", []string{"compress", "openclaw"}, [2]string{"compress.keep_n", "openclaw.tool_calls"}, [2][]float64{every(0, 400, 2), every(1, 20, 1)}},
		{"budget", []string{"budget"}, [2]string{"budget.max_elements", "budget.max_tokens"}, [2][]float64{every(4, 400, 4), every(1000, 20000, 500)}},
	} {
		p := policy.Policy{Name: "grid"}
		for _, s := range c.stages {
			p.Stages = append(p.Stages, policy.MustStage(s, nil))
		}
		keep, grid, best, at := 0.0, 0, math.Inf(1), ""
		type point struct {
			value float64
			lost  int
			set   string
		}
		var points []point
		for _, x := range c.grid[0] {
			for _, y := range c.grid[1] {
				q := p.Clone()
				for i, v := range []float64{x, y} {
					if err := q.Set(fmt.Sprintf("%s=%g", c.knobs[i], v)); err != nil {
						t.Fatal(err)
					}
				}
				pt := point{set: fmt.Sprintf("%s=%g %s=%g", c.knobs[0], x, c.knobs[1], y)}
				for _, s := range all {
					f, err := s.Evaluate(t.Context(), q)
					if err != nil {
						t.Fatal(err)
					}
					grid++
					pt.value += float64(f.Input + f.Recovery)
					pt.lost += f.Acted - f.Kept
				}
				points = append(points, pt)
			}
		}
		acted, kept := 0, 0
		for _, s := range all {
			f, err := s.Evaluate(t.Context(), policy.Full())
			if err != nil {
				t.Fatal(err)
			}
			acted, kept = acted+f.Acted, kept+f.Kept
		}
		// The strictest share that the grid itself can keep, and one below it.
		least := math.MaxInt
		for _, pt := range points {
			least = min(least, pt.lost)
		}
		for _, lost := range []int{least, least + 2} {
			best = math.Inf(1)
			for _, pt := range points {
				if pt.lost <= lost && pt.value < best {
					best, at = pt.value, pt.set
				}
			}
			keep = 1 - float64(lost-(acted-kept))/float64(kept)
			res, err := tune.Run(t.Context(), all, tune.Options{Keep: keep - 1e-9, Only: &p, Folds: 2})
			if err != nil {
				t.Fatal(err)
			}
			if res.Best == nil {
				t.Fatalf("%s: nothing found that keeps %.4f; the grid has %s", c.name, keep, at)
			}
			got := float64(res.Best.Total.Input + res.Best.Total.Recovery)
			t.Logf("%s, %d recordings, keep %.2f %%: search %.0f (%s), grid %.0f (%s): %+.2f %%; %d evaluations of the grid's %d: %.1f %%",
				c.name, len(all), 100*keep, got, tune.Describe(res.Best.Policy), best, at, 100*(got/best-1), res.Evaluations, grid, 100*float64(res.Evaluations)/float64(grid))
			if got > best*1.01 {
				t.Errorf("%s: more than one percent from the optimum", c.name)
			}
			if res.Evaluations*20 > grid {
				t.Errorf("%s: more than a twentieth of the evaluations", c.name)
			}
		}
	}
}

func every(from, to, step float64) (out []float64) {
	for v := from; v <= to; v += step {
		out = append(out, v)
	}
	return out
}
