//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"snapscope/replay"
	"snapscope/session"
	"snapscope/snapshot"
)

// BenchmarkReport runs report, the program itself, on a session of 1,000
// snapshots of 80 KB of which three lines change each time. It tells how long
// that takes and the most memory that the process held.
func BenchmarkReport(b *testing.B) {
	dir := b.TempDir()
	bin := filepath.Join(dir, "program")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("building: %v\n%s", err, out)
	}
	rec := filepath.Join(dir, "long.jsonl")
	size := writeLongSession(b, rec, 1000)
	var peak int64
	for b.Loop() {
		cmd := exec.Command(bin, "report", rec, "--policy", "full", "--policy", "passmark", "--json")
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"snapshots":1000`) {
			b.Fatalf("report: %v\n%.300s", err, out)
		}
		if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = max(peak, use.Maxrss<<10)
		}
	}
	b.ReportMetric(float64(peak)/1e6, "MB-peak")
	b.ReportMetric(float64(size)/1e6, "MB-file")
}

// writeLongSession writes a recording of n clicks and answers its size.
func writeLongSession(tb testing.TB, path string, n int) int64 {
	tb.Helper()
	w, err := replay.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	put := func(e session.Event) {
		if err := w.Append(e); err != nil {
			tb.Fatal(err)
		}
	}
	rows := make([]string, 1201)
	rows[0] = "- main [ref=e1]:"
	for i := 1; i < len(rows); i++ {
		rows[i] = fmt.Sprintf("  - row \"Person number %d works at company %d\" [ref=e%d]", i, i%97, i+1)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	seq := 0
	next := func(e session.Event) { seq++; e.Seq, e.Time = seq, at; put(e) }
	next(session.Event{Kind: session.KindStart, Start: &session.Start{Name: "long", Source: "live"}})
	for i := range n {
		id := fmt.Sprint("a", i)
		for k := range 3 {
			j := 1 + (i*7+k*401)%1200
			rows[j] = fmt.Sprintf("  - row \"Person number %d works at company %d, seen %d\" [ref=e%d]", j, j%97, i, j+1)
		}
		text := strings.Join(rows, "\n")
		next(session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Verb: session.VerbClick, Tool: "click", Target: &session.Target{Ref: fmt.Sprint("e", 2+i%1200)}}})
		next(session.Event{Kind: session.KindResult, Result: &session.Result{Action: id, OK: true, Seen: session.SeenInline, Snapshot: &snapshot.Snapshot{
			URL: "http://127.0.0.1/", Document: "d", Text: text, Hash: snapshot.HashText(text),
		}}})
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		tb.Fatal(err)
	}
	return info.Size()
}
