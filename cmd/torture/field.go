//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// field is where one attack happens: a folder of its own, and what came of it.
type field struct {
	ctx      context.Context
	bin      string
	testdata string
	dir      string
	seed     uint64
	short    bool
	site     *site
	note     string // what the row says besides

	mu     sync.Mutex
	tried  int
	failed []string
	next   atomic.Int64
}

// row is what came of an attack.
type row struct {
	attack
	tried  int
	failed []string
	note   string
	took   time.Duration
}

// run makes one attack. The folder's path is short: a browser's socket lies below
// it.
func run(ctx context.Context, a attack, bin, testdata string, seed uint64, short bool) (row, error) {
	dir, err := os.MkdirTemp("/tmp", "tt")
	if err != nil {
		return row{}, err
	}
	defer os.RemoveAll(dir)
	s, err := newSite(filepath.Join(testdata, "torture", "pages"))
	if err != nil {
		return row{}, err
	}
	defer s.close()
	begun := time.Now()
	f := &field{ctx: ctx, bin: bin, testdata: testdata, dir: dir, seed: seed, short: short, site: s}
	a.run(f)
	return row{a, f.tried, f.failed, f.note, time.Since(begun)}, nil
}

// n is how many tries there are in the long form and the short one.
func (f *field) n(long, short int) int {
	if f.short {
		return short
	}
	return long
}

// each makes so many tries, a few at a time. what names a try; an error is why it
// did not hold.
func (f *field) each(n, atOnce int, try func(i int, r *rand.Rand) (what string, err error)) {
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i := range n {
		if f.ctx.Err() != nil {
			break
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			what, err := try(i, rand.New(rand.NewPCG(f.seed, uint64(i))))
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.tried++; err != nil && f.ctx.Err() == nil {
				f.failed = append(f.failed, fmt.Sprintf("%d %s: %s", i, strconv.QuoteToASCII(clip(what, 120)), strconv.QuoteToASCII(clip(err.Error(), 400))))
			}
		})
	}
	wg.Wait()
}

// home is a folder for one run of the program, and the environment in which
// everything it keeps lies below.
func (f *field) home() (dir string, env []string) {
	dir = filepath.Join(f.dir, strconv.FormatInt(f.next.Add(1), 36), "h") // below a folder of its own: .. is a name, too
	_ = os.MkdirAll(dir, 0o700)
	for _, kv := range os.Environ() {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "HOME", "TMPDIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "SNAPSCOPE_CONFIG", "NO_COLOR":
		default:
			env = append(env, kv)
		}
	}
	return dir, append(env, "HOME="+dir, "TMPDIR="+dir, "XDG_STATE_HOME="+dir+"/s", "XDG_CONFIG_HOME="+dir+"/c", "SNAPSCOPE_SETTLE=quick")
}

// call is one run of the program.
type call struct {
	args  []string
	dir   string // the current folder; empty: the home
	env   []string
	stdin io.Reader // nil: nothing comes, and the end is there at once
	limit time.Duration
	said  *tee // takes all that is said on both streams; nil: nobody asks
	// during is called once it runs, and may signal or kill it.
	during func(p *os.Process, out *tee)
}

// ended is how it ended.
type ended struct {
	status   int // -1: by a signal
	out, err string
	took     time.Duration
	cpu      time.Duration // that it computed: what else runs on the machine is not in it
	peak     int64         // bytes it held at most
	hung     bool          // the bound ended it
}

// tee holds what is printed, for whoever reads along.
type tee struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *tee) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.b.Len() < 64<<20 { // a program that never stops talking is its own failure
		t.b.Write(p)
	}
	return len(p), nil
}

func (t *tee) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// do runs the program to its end, or to the bound's.
func (f *field) do(c call) ended {
	var out, errs tee
	cmd := exec.Command(f.bin, c.args...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.env, c.dir, c.stdin, &out, &errs
	if c.said != nil {
		cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, c.said), io.MultiWriter(&errs, c.said)
	}
	cmd.WaitDelay = 3 * time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return ended{status: -2, err: err.Error()}
	}
	limit := c.limit
	if limit == 0 {
		limit = 30 * time.Second
	}
	var hung atomic.Bool
	bound := time.AfterFunc(limit, func() { hung.Store(true); _ = cmd.Process.Kill() })
	if c.during != nil {
		c.during(cmd.Process, &out)
	}
	_ = cmd.Wait() // its state tells
	bound.Stop()
	e := ended{status: cmd.ProcessState.ExitCode(), out: out.String(), err: errs.String(), took: time.Since(begun), hung: hung.Load()}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		e.peak = u.Maxrss << 10
		e.cpu = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return e
}

// sound is why a run that should have ended by itself did not end well; nil where
// it did: with at most so much computing and memory (0: any), with a status of the contract, in words that are safe, and with
// a sentence where it failed.
func (e ended) sound(most time.Duration, peak int64) error {
	said := strings.TrimSpace(e.err)
	last := said[strings.LastIndexByte(said, '\n')+1:]
	switch {
	case e.hung:
		return fmt.Errorf("it hung: ended after %s, said %q", e.took.Round(time.Millisecond), clip(said, 200))
	case strings.Contains(e.err, "goroutine ") || strings.Contains(e.err, "runtime error") || strings.Contains(e.err, "broke the program") || strings.Contains(e.err, "internal error"):
		return fmt.Errorf("it panicked: %s", clip(said, 300))
	case e.status != 0 && e.status != 1 && e.status != 2:
		return fmt.Errorf("status %d: %s", e.status, clip(said, 300))
	case e.status != 0 && !strings.HasPrefix(last, "snapscope: "):
		return fmt.Errorf("status %d without a sentence: %q", e.status, clip(said, 300))
	case most > 0 && e.cpu > most:
		return fmt.Errorf("it computed for %s", e.cpu.Round(time.Millisecond))
	case peak > 0 && e.peak > peak:
		return fmt.Errorf("it held %d MB", e.peak>>20)
	}
	if at := raw(e.err); at != "" {
		return fmt.Errorf("stderr holds %s raw", at)
	}
	return nil
}

// raw names the first character of a text that acts on a terminal; "" where there
// is none.
func raw(text string) string {
	for i, r := range text {
		if r == '\n' || r == '\t' {
			continue
		}
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x200e && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x61c || r == 0xfeff || r == 0xfffd && text[i] != 0xef {
			return fmt.Sprintf("%U at byte %d (%q)", r, i, clip(text[max(0, i-20):], 40))
		}
	}
	return ""
}

// goneWithin is how long what a run started may take to go after it; on a machine
// with other work the removal of a profile takes its time.
const goneWithin = 15 * time.Second

// left is what a run left behind below its home: processes and profile folders.
// Both are given a moment to go.
func left(dir string, wait time.Duration) error {
	end := time.Now().Add(wait)
	for {
		err := leftNow(dir)
		if err == nil || time.Now().After(end) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func leftNow(dir string) error {
	if procs := processes(dir); len(procs) > 0 {
		return fmt.Errorf("%d processes are left: %s", len(procs), clip(strings.Join(procs, "; "), 300))
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "snapscope-*")); len(found) > 0 {
		var in []string
		for _, dir := range found {
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				in = append(in, e.Name())
			}
		}
		return fmt.Errorf("folders are left: %s, with %q", strings.Join(found, " "), in)
	}
	return nil
}

// processes lists those that were started with a folder in their environment.
func processes(dir string) []string {
	var out []string
	for _, pid := range pids(dir) {
		cmd, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		out = append(out, fmt.Sprintf("%d %s", pid, clip(strings.ReplaceAll(string(cmd), "\x00", " "), 80)))
	}
	return out
}

func pids(dir string) []int {
	entries, _ := os.ReadDir("/proc")
	var out []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || !bytes.Contains(env, []byte("="+dir+"/")) && !bytes.Contains(env, []byte("="+dir+"\x00")) {
			continue
		}
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && bytes.Contains(stat, []byte(") Z ")) {
			continue // dead, and nobody has asked for its status
		}
		out = append(out, pid)
	}
	return out
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}
