package mcp

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"snapscope/replay"
	"snapscope/session/policy"
	"snapscope/session/seat"
	"snapscope/snapshot/token"
)

// BenchmarkAdded measures what the seat adds to one tool call, both ways: the same
// server is called directly and through the seat by turns, and the medians are
// subtracted. Everything is recorded to a file. Run it with -benchtime 200x.
func BenchmarkAdded(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"small", 1}, {"80KB", 450}, {"1MB", 6000}} {
		for _, pol := range []string{"", "fold"} {
			for _, wait := range seat.Syncs {
				b.Run(size.name+"/policy="+pol+"/sync="+string(wait), func(b *testing.B) { added(b, size.n, pol, wait) })
			}
		}
	}
}

func added(b *testing.B, rows int, pol string, wait seat.Sync) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "browser_snapshot"), []byte(inPage(table(rows, 0))), 0o600); err != nil {
		b.Fatal(err)
	}
	env := []string{"ODD=echo", "PAGES=" + dir}
	argv := append(append([]string{"env"}, env...), os.Args[0])
	count, err := token.New("o200k_base")
	if err != nil {
		b.Fatal(err)
	}
	rec, err := replay.Create(filepath.Join(dir, "rec.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	o := Options{Count: count.Count, Sink: rec, Sync: wait}
	if pol != "" {
		p, err := policy.Find(pol, nil)
		if err != nil {
			b.Fatal(err)
		}
		o.Policy = &p
	}
	direct, err := start(Stdio{Argv: argv})
	if err != nil {
		b.Fatal(err)
	}
	defer direct.end(time.Second)
	p := New(o)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = p.Stdio(b.Context(), Stdio{In: inR, Out: outW, Argv: argv})
	}()
	defer func() { _ = inW.Close(); <-done; _ = p.Close() }()
	ends := [2]struct {
		w io.Writer
		r *bufio.Reader
	}{{direct.in, bufio.NewReaderSize(direct.out, 1<<20)}, {inW, bufio.NewReaderSize(outR, 1<<20)}}
	var took [2][]time.Duration
	once := func(i int) {
		begun := time.Now()
		if _, err := io.WriteString(ends[i].w, callLine("1", "browser_snapshot", `{}`)+"\n"); err != nil {
			b.Fatal(err)
		}
		if l, err := ends[i].r.ReadString('\n'); err != nil || !strings.Contains(l, `"id":1`) {
			b.Fatal(err, clip(l, 80))
		}
		took[i] = append(took[i], time.Since(begun))
	}
	for b.Loop() {
		once(0)
		once(1)
	}
	median := func(d []time.Duration) time.Duration { slices.Sort(d); return d[len(d)/2] }
	b.ReportMetric(float64(median(took[1])-median(took[0]))/1e6, "added-ms/p50")
	b.ReportMetric(float64(median(took[0]))/1e6, "direct-ms/p50")
	if testing.Verbose() {
		fmt.Println(rows, pol, median(took[0]), median(took[1]))
	}
}
