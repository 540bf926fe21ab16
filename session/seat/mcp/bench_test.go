package mcp

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"snapscope/session/seat"
)

// BenchmarkAdded measures what the seat adds to one tool call as a client waits for
// it, both ways: the same server is called directly and through a seat in a process of
// its own by turns, and the medians are subtracted. Everything is recorded to a file.
// Run it with -benchtime 200x.
func BenchmarkAdded(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"small", 1}, {"80KB", 720}, {"1MB", 9000}} {
		for _, pol := range []string{"", "fold"} {
			for _, wait := range seat.Syncs {
				b.Run(size.name+"/policy="+pol+"/sync="+string(wait), func(b *testing.B) { added(b, size.n, pol, wait) })
			}
		}
	}
}

// end is a server, or a seat before one, as a client has it.
type end struct {
	w io.WriteCloser
	r *bufio.Reader
}

func begun(b *testing.B, env ...string) end {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	return end{in, bufio.NewReaderSize(out, 1<<20)}
}

func added(b *testing.B, rows int, pol string, wait seat.Sync) {
	dir := b.TempDir()
	page := inPage(table(rows, 0))
	if err := os.WriteFile(filepath.Join(dir, "browser_snapshot"), []byte(page), 0o600); err != nil {
		b.Fatal(err)
	}
	ends := [2]end{
		begun(b, "ODD=echo", "PAGES="+dir),
		begun(b, "ODD=seat", "SERVER=echo", "PAGES="+dir, "POLICY="+pol, "SYNC="+string(wait), "COUNT=o200k_base", "RECORD="+filepath.Join(dir, "rec.jsonl"), "STATUS="+os.DevNull),
	}
	var took [2][]time.Duration
	once := func(i int) {
		begun := time.Now()
		if _, err := io.WriteString(ends[i].w, callLine("1", "browser_snapshot", `{"ref":"e1"}`)+"\n"); err != nil {
			b.Fatal(err)
		}
		if l, err := ends[i].r.ReadString('\n'); err != nil || !strings.Contains(l, `"id":1`) {
			b.Fatal(err, clip(l, 80))
		}
		took[i] = append(took[i], time.Since(begun))
	}
	for range 3 { // the first page waits for the tokenizer
		once(0)
		once(1)
	}
	took = [2][]time.Duration{}
	for b.Loop() {
		once(0)
		once(1)
	}
	median := func(d []time.Duration) time.Duration { slices.Sort(d); return d[len(d)/2] }
	b.ReportMetric(float64(median(took[1])-median(took[0]))/1e6, "added-ms/p50")
	b.ReportMetric(float64(median(took[0]))/1e6, "direct-ms/p50")
	b.ReportMetric(float64(len(page))/1024, "KB")
}
