// Command pictures makes what the README shows of the program, from the program.
//
//	snapscope in a tmux ──keys──▶ capture-pane ──▶ cells ──▶ HTML ──▶ Chromium ──▶ demo-dark.png, …
//	                    └─pipe-pane──▶ what it wrote, and when ─────────────────▶ tour.cast
//
// Nothing is drawn by hand: a picture is a table row of keys to press and texts
// to wait for (shots.go), and so is the tour (tour.go). Every run has a tmux and
// a home folder of its own, so that neither a running tmux nor a person's
// settings show, and no wait is a guess: a key is pressed when what the one
// before it did is on the screen.
//
//	go run ./cmd/pictures                      all of them, of dist/snapscope
//	go run ./cmd/pictures -bin B -only knobs   one of them, of another binary
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"snapscope/session/browser"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "pictures:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// errUsage marks an error of the command line, for the exit status.
var errUsage = errors.New("see go run ./cmd/pictures -h")

// job is one file to make: a picture or the tour.
type job struct {
	file string
	make func(ctx context.Context, s studio) ([]byte, error)
}

// studio is what every job works with.
type studio struct {
	bin     string // the program, absolute
	tmux    string // absolute
	browser string // absolute
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("pictures", flag.ContinueOnError)
	bin := flags.String("bin", filepath.Join("dist", "snapscope"), "the program to show")
	only := flags.String("only", "", "make this file only: "+strings.Join(names(), ", "))
	out := flags.String("out", filepath.Join("testdata", "pictures"), "folder to write to")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return errUsage // the flag package has said what is wrong
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; %w", flags.Arg(0), errUsage)
	}
	if *only != "" && !slices.Contains(names(), *only) {
		return fmt.Errorf("there is no %q, only %s; %w", *only, strings.Join(names(), ", "), errUsage)
	}
	if st, err := os.Stat(*out); err != nil || !st.IsDir() {
		return fmt.Errorf("%s is no folder: run this where the repository begins, or name one with -out", *out)
	}
	s, err := openStudio(*bin)
	if err != nil {
		return err
	}
	for _, j := range jobs() {
		if *only != "" && name(j) != *only {
			continue
		}
		data, err := j.make(ctx, s)
		if err != nil {
			return fmt.Errorf("making %s: %w", j.file, err)
		}
		path := filepath.Join(*out, j.file)
		if err := replace(path, data); err != nil {
			return err
		}
		fmt.Printf("%-32s %4d kB\n", path, (len(data)+999)/1000)
	}
	return nil
}

// jobs lists everything there is to make: the pictures, then the tour.
func jobs() []job {
	var out []job
	for _, sh := range shots() {
		out = append(out, job{sh.name + ".png", sh.picture})
	}
	return append(out, job{"tour.cast", recordTour})
}

func name(j job) string { return strings.TrimSuffix(j.file, filepath.Ext(j.file)) }

func names() []string {
	var out []string
	for _, j := range jobs() {
		out = append(out, name(j))
	}
	return out
}

// openStudio finds the three programs that every job needs.
func openStudio(bin string) (studio, error) {
	abs, err := filepath.Abs(bin)
	if err != nil {
		return studio{}, err
	}
	if _, err := exec.LookPath(abs); err != nil {
		return studio{}, fmt.Errorf("there is no program %s: run make build, or name one with -bin", bin)
	}
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		return studio{}, errors.New("tmux is missing: apt-get install tmux")
	}
	chromium, err := browser.Find(os.Getenv(browser.Env))
	return studio{bin: abs, tmux: tmux, browser: chromium}, err
}

// replace writes a file whole or not at all.
func replace(path string, data []byte) error {
	tmp := path + ".new"
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return nil
}
