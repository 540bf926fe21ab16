//go:build linux

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
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
	for _, e := range []ended{{hung: true}, {err: "goroutine 1 [running]"}, {status: 1, err: "snapscope: a: internal error at b.go:1: c (please report)"}, {status: 3}, {status: -1}, {status: 1, err: "sorry"}, {err: "\u202e"}} {
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

// The README's table has a row for every attack, each with what was tried and what
// failed, or names it below as one that was not run whole.
func TestTheTableOfTheREADME(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), tableFrom)
	text, _, ok := strings.Cut(rest, tableTo)
	if !ok {
		t.Fatal("the README has no place for the table")
	}
	text, missing, _ := strings.Cut(strings.TrimSpace(text), "\n\n"+notCounted)
	left := strings.Split(strings.TrimSuffix(missing, "."), ", ")
	lines := strings.Split(text, "\n")
	lines = lines[min(2, len(lines)):]
	for _, a := range attacks {
		if i := slices.Index(left, a.name); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		if len(lines) == 0 {
			t.Fatalf("no row for %q: make torture writes it", a.name)
		}
		cells := strings.Split(lines[0], " | ")
		if len(cells) != 3 || !strings.HasPrefix(cells[0], "| "+a.doc) {
			t.Errorf("row %q is not of %q", lines[0], a.doc)
		} else {
			tried, err := strconv.Atoi(cells[1])
			failed, err2 := strconv.Atoi(strings.TrimSuffix(cells[2], " |"))
			if err != nil || err2 != nil || tried <= 0 || failed > tried {
				t.Errorf("row %q has no figures", lines[0])
			}
		}
		lines = lines[1:]
	}
	if rest := strings.Join(append(left, lines...), ""); rest != "" {
		t.Errorf("the table has more than the attacks: %s", rest)
	}
}

// What a campaign writes is what the test above reads, and nothing else of the
// document changes.
func TestTheTableIsWrittenInPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "R.md")
	first, kept := attacks[0], "| "+attacks[1].doc+" | 7 | 0 |\n"
	if err := os.WriteFile(file, []byte("before\n"+tableFrom+"old\n"+kept+tableTo+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := intoReadme(file, []row{{attack: first, tried: 3, failed: []string{"x"}, note: "n"}}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	want := "before\n" + tableFrom + "| attack, and what must hold | tried | failed |\n| --- | ---: | ---: |\n| " + first.doc + " (n) | 3 | 1 |\n" + kept + "\n" + notCounted + others() + ".\n" + tableTo + "\nafter\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if err := os.WriteFile(file, []byte("no place"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := intoReadme(file, nil); err == nil {
		t.Error("a document without a place for it is written to")
	}
}

// TestMutantsFit holds that each planted defect still has its place in the program,
// and its attack.
func TestMutantsFit(t *testing.T) {
	for _, m := range mutants {
		data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(m.file)))
		if err != nil || !strings.Contains(string(data), m.old) {
			t.Errorf("%s: %s has no %q, %v", m.name, m.file, m.old, err)
		}
		if !slices.ContainsFunc(attacks, func(a attack) bool { return a.name == m.attack }) {
			t.Errorf("%s: no attack %q", m.name, m.attack)
		}
	}
}

// others names all attacks but the first two.
func others() string {
	var names []string
	for _, a := range attacks[2:] {
		names = append(names, a.name)
	}
	return strings.Join(names, ", ")
}
