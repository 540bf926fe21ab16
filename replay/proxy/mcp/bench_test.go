package mcp

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy"
)

// BenchmarkAdded measures what the seat adds to one tool call as a client waits for
// it, both ways: the same server is called directly and through a seat in a process of
// its own by turns, each time with another page, and the medians are subtracted
// (added-ms/min: the quickest calls). Everything is recorded to a file. disk-ms/p50 is
// what it takes, between the same calls, to append what one step records to a file and
// to bring it to the disk, and nothing else. Run it with -benchtime 100x, and say how
// busy the machine was.
func BenchmarkAdded(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"small", 1}, {"80KB", 720}, {"1MB", 9000}} {
		for _, pol := range []string{"", "fold"} {
			for _, wait := range proxy.Syncs {
				b.Run(size.name+"/policy="+pol+"/sync="+string(wait), func(b *testing.B) { added(b, size.n, pol, wait) })
			}
		}
	}
}

// end is a server, or a seat before one, as a client has it.
type end struct {
	w   io.WriteCloser
	r   *bufio.Reader
	pid int
}

func begun(b testing.TB, env ...string) end {
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
	return end{in, bufio.NewReaderSize(out, 1<<20), cmd.Process.Pid}
}

func added(b *testing.B, rows int, pol string, wait proxy.Sync) {
	dir := b.TempDir()
	bare, err := os.Create(filepath.Join(dir, "bare"))
	if err != nil {
		b.Fatal(err)
	}
	defer bare.Close()
	ends := [2]end{
		begun(b, "ODD=echo", "PAGES="+dir),
		begun(b, "ODD=seat", "SERVER=echo", "PAGES="+dir, "POLICY="+pol, "SYNC="+string(wait), "COUNT=o200k_base", "ONE=1", "RECORD="+filepath.Join(dir, "rec.jsonl"), "STATUS="+os.DevNull),
	}
	var took [3][]time.Duration
	ask := func(i int, line string) int {
		begun := time.Now()
		if _, err := io.WriteString(ends[i].w, line+"\n"); err != nil {
			b.Fatal(err)
		}
		l, err := ends[i].r.ReadString('\n')
		if err != nil || !strings.Contains(l, `"id":1`) {
			b.Fatal(err, clip(l, 80))
		}
		took[i] = append(took[i], time.Since(begun))
		return len(l)
	}
	n, size := 0, 0
	once := func() {
		n++
		page := inPage(table(rows, n%rows) + "\n- text: page " + strconv.Itoa(n))
		size = len(page)
		if err := os.WriteFile(filepath.Join(dir, "browser_click"), []byte(page), 0o600); err != nil {
			b.Fatal(err)
		}
		line := append(proxy.Quote(page), '\n')
		call := callLine("1", "browser_click", `{"ref":"e10"}`)
		came, got := ask(0, call), ask(1, call)
		if rewritten := got < came; rewritten != (pol != "" && rows > 1) {
			b.Fatalf("%d bytes came as %d under policy %q", came, got, pol)
		}
		begun := time.Now()
		if _, err := bare.Write(line); err != nil || bare.Sync() != nil {
			b.Fatal(err)
		}
		took[2] = append(took[2], time.Since(begun))
	}
	for i := range 2 {
		ask(i, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"b"}}}`)
	}
	for range 3 { // the first page waits for the tokenizer
		once()
	}
	took = [3][]time.Duration{}
	for b.Loop() {
		once()
	}
	for i := range took {
		slices.Sort(took[i])
	}
	ms := func(d time.Duration) float64 { return float64(d) / 1e6 }
	half := len(took[0]) / 2
	b.ReportMetric(ms(took[1][half]-took[0][half]), "added-ms/p50")
	b.ReportMetric(ms(took[1][0]-took[0][0]), "added-ms/min")
	b.ReportMetric(ms(took[0][half]), "direct-ms/p50")
	b.ReportMetric(ms(took[2][half]), "disk-ms/p50")
	b.ReportMetric(float64(size)/1024, "KB")
}
