//go:build linux

package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"snapscope/tui/safetext"
)

// TestShortForm makes a few tries of every attack on the program as it is.
func TestShortForm(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "snapscope")
	if out, err := exec.Command("go", "build", "-o", bin, "snapscope/cmd/snapscope").CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			r, err := run(context.Background(), a, bin, filepath.Join("..", "..", "testdata"), 1, true)
			if err != nil {
				t.Fatal(err)
			}
			for _, why := range r.failed {
				t.Error(why)
			}
			if r.tried == 0 && !strings.HasPrefix(r.note, "not tried") {
				t.Error("nothing was tried")
			}
		})
	}
}

// A campaign that finds nothing must be able to: what it looks for is found where
// it is.
func TestTheHarnessSees(t *testing.T) {
	for _, text := range []string{"a\x1b[31m", "\u009b", "\u202e", "\x7f", "\u2028", "\xff"} {
		if raw(text) == "" {
			t.Errorf("%q passes as text", text)
		}
		if safetext.CheckStream([]byte(text)) == nil && text != "a\x1b[31m" {
			t.Errorf("%q passes as a stream", text)
		}
	}
	for _, text := range []string{"a\n\tb", "日本é", "a\x1b[Zb\x1b[2Ic\x1b[4`d", "\x1b[2J\x1b[1;31mrow\x1b[m"} {
		if err := safetext.CheckStream([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, e := range []ended{{hung: true}, {err: "goroutine 1 [running]"}, {status: 3}, {status: -1}, {status: 1, err: "sorry"}, {err: "\u202e"}} {
		if e.sound(0, 0) == nil {
			t.Errorf("%+v passes", e)
		}
	}
	if err := (ended{status: 1, err: "x\nsnapscope: it failed"}).sound(0, 0); err != nil {
		t.Error(err)
	}
	f := &field{ctx: context.Background(), bin: "/bin/sh", dir: "/tmp/tt-none"}
	e := f.do(call{args: []string{"-c", "sleep 100 & sleep 100"}, env: []string{"HOME=/tmp/tt-none/1"}, limit: time.Second})
	if !e.hung || e.sound(0, 0) == nil {
		t.Errorf("%+v", e)
	}
	left := pids("/tmp/tt-none/1")
	if len(left) == 0 {
		t.Error("a process that was left is not seen")
	}
	for _, pid := range left {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
