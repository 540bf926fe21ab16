//go:build !race

// The race detector takes memory of its own.

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// alone runs a seat in a process of its own and tells how much memory it took at
// most, in MB.
func alone(t *testing.T, drive func(in io.WriteCloser, out *bufio.Reader), env ...string) int {
	t.Helper()
	status := filepath.Join(t.TempDir(), "status")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "ODD=seat", "STATUS="+status), env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	drive(in, bufio.NewReaderSize(out, 1<<20))
	_ = in.Close()
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(status)
	if err != nil {
		t.Fatal(err)
	}
	return peak(t, b)
}

func peak(t *testing.T, status []byte) int { return memory(t, status, "VmHWM:") >> 10 }

// memory is a figure of a process's status, in KB.
func memory(t *testing.T, status []byte, which string) int {
	t.Helper()
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == which {
			kb, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			return kb
		}
	}
	t.Fatal("the system does not tell how much memory was taken")
	return 0
}

// mostMemory is what a seat may take, in MB, however long it runs.
const mostMemory = 120

// What passed is not kept: neither pages nor arguments, recorded or not. make test runs
// this test, and the two below, once without the race detector (LONG in the Makefile).
func TestMemoryIsFlat(t *testing.T) {
	for name, c := range map[string]struct {
		calls, rows, args int
		record            bool
		policy            string
	}{
		"large pages":     {calls: 100, rows: 9000, record: true},
		"many pages":      {calls: 1000, rows: 700, record: true},
		"large arguments": {calls: 300, rows: 1, args: 300 << 10},
		"under a policy":  {calls: 120, rows: 9000, record: true, policy: "fold"},
	} {
		dir := t.TempDir()
		page := inPage(table(c.rows, 0))
		if err := os.WriteFile(filepath.Join(dir, "browser_snapshot"), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		record := ""
		if c.record {
			record = filepath.Join(dir, "rec.jsonl")
		}
		arg := strings.Repeat("a", c.args)
		got := alone(t, func(in io.WriteCloser, out *bufio.Reader) {
			for i := range c.calls {
				fmt.Fprintln(in, callLine(strconv.Itoa(i), "browser_snapshot", `{"x":"`+arg+strconv.Itoa(i)+`"}`))
				if l, err := out.ReadSlice('\n'); len(l) == 0 {
					t.Fatalf("%s: call %d: %v", name, i, err)
				} else if bytes.IndexByte(l, '\n') < 0 {
					_, _ = out.ReadBytes('\n')
				}
			}
		}, "SERVER=echo", "PAGES="+dir, "RECORD="+record, "POLICY="+c.policy)
		t.Logf("%s: %d calls, pages of %d KB, arguments of %d KB: %d MB", name, c.calls, len(page)>>10, c.args>>10, got)
		if got > mostMemory {
			t.Errorf("%s: %d MB were taken", name, got)
		}
	}
}

var flat = flag.Duration("flat", 8*time.Second, "how long TestMemoryDoesNotSaw calls")

// What a seat takes while it is called on and on does not go up and down: the middle of
// each tenth of the time lies within a third of the others', whatever the first one was.
// For minutes instead of seconds, which shows what it takes for each call as well (it
// keeps who called what): go test ./replay/proxy/mcp -run DoesNotSaw -flat 10m -timeout 20m -v
func TestMemoryDoesNotSaw(t *testing.T) {
	dir := t.TempDir()
	e := begun(t, "ODD=seat", "SERVER=echo", "PAGES="+dir, "RECORD="+filepath.Join(dir, "rec.jsonl"), "STATUS="+os.DevNull)
	small, large := table(720, 0), table(9000, 0)
	var took [10][]int
	start, calls := time.Now(), 0
	for ; time.Since(start) < *flat; calls++ {
		tree := small
		if calls%20 == 19 {
			tree = large
		}
		page := inPage(tree + "\n- text: page " + strconv.Itoa(calls))
		if err := os.WriteFile(filepath.Join(dir, "browser_click"), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintln(e.w, callLine(strconv.Itoa(calls), "browser_click", `{"ref":"e10"}`)); err != nil {
			t.Fatal(err)
		}
		if l, err := e.r.ReadString('\n'); err != nil || len(l) < len(page) {
			t.Fatalf("call %d: %d bytes, %v", calls, len(l), err)
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", e.pid))
		if err != nil {
			t.Fatal(err)
		}
		tenth := min(9, int(10*time.Since(start) / *flat))
		took[tenth] = append(took[tenth], memory(t, status, "VmRSS:"))
		time.Sleep(20 * time.Millisecond)
	}
	var middles []string
	sum, lowest, highest := 0, 1<<40, 0
	for _, tenth := range took[1:] {
		if len(tenth) == 0 {
			t.Fatalf("%d calls are too few: call for longer (-flat)", calls)
		}
		slices.Sort(tenth)
		middle := tenth[len(tenth)/2]
		middles = append(middles, fmt.Sprintf("%.1f", float64(middle)/1024))
		sum, lowest, highest = sum+middle, min(lowest, middle), max(highest, middle)
	}
	mean, most := float64(sum)/9, 1.0/3
	t.Logf("%d calls in %v: MB in each tenth after the first: %s", calls, *flat, strings.Join(middles, " "))
	if float64(highest) > mean*(1+most) || float64(lowest) < mean*(1-most) || highest>>10 > mostMemory {
		t.Errorf("from %d to %d KB, %.0f on the average", lowest, highest, mean)
	}
}

// A message without an end passes as a stream: what is kept of it is bounded.
func TestALineWithoutAnEnd(t *testing.T) {
	chunk := bytes.Repeat([]byte("a"), 1<<20)
	got := alone(t, func(in io.WriteCloser, _ *bufio.Reader) {
		for range 512 {
			if _, err := in.Write(chunk); err != nil {
				t.Fatal(err)
			}
		}
	}, "SERVER=swallow")
	t.Logf("%d MB", got)
	if got > mostMemory {
		t.Errorf("a line of 512 MB took %d MB", got)
	}
}

func init() { modes["web"] = webAlone }

// zeros is a body of so many bytes.
func zeros(n int64) io.Reader { return io.LimitReader(zero{}, n) }

type zero struct{}

func (zero) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// webAlone posts a large body through a seat, with its length and without.
func webAlone() {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, n)
	}))
	p := New(Options{})
	w, err := p.NewWeb(context.Background(), up.URL)
	if err != nil {
		panic(err)
	}
	srv := httptest.NewServer(w)
	for _, body := range []io.Reader{zeros(large), struct{ io.Reader }{zeros(large)}} {
		r, err := http.NewRequest(http.MethodPost, srv.URL, body)
		if err != nil {
			panic(err)
		}
		if _, ok := body.(*io.LimitedReader); ok {
			r.ContentLength = large
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			panic(err)
		}
		b, _ := io.ReadAll(res.Body)
		fmt.Println(string(b))
	}
	status, _ := os.ReadFile("/proc/self/status")
	_ = os.WriteFile(os.Getenv("STATUS"), status, 0o600)
}

const large = 512 << 20

// A large request passes as a stream.
func TestALargeRequest(t *testing.T) {
	status := filepath.Join(t.TempDir(), "status")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ODD=web", "STATUS="+status)
	out, err := cmd.CombinedOutput()
	if want := fmt.Sprintf("%d\n%d\n", large, large); err != nil || string(out) != want {
		t.Fatalf("the server got %s, want %s (%v)", out, want, err)
	}
	b, err := os.ReadFile(status)
	if err != nil {
		t.Fatal(err)
	}
	got := peak(t, b)
	t.Logf("%d MB", got)
	if got > mostMemory {
		t.Errorf("a request of 512 MB took %d MB", got)
	}
}
