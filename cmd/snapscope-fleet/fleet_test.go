package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"snapscope/cmd/snapscope-fleet/flow"
	"snapscope/replay/sweep"
	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/policy"
)

// asProgram makes the test's binary the program itself: tests start it as workers and
// as what counts for them.
const asProgram = "SNAPSCOPE_FLEET_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		flow.Heartbeat = 3 * time.Second
		os.Exit(run(os.Args[1:], troubled))
	}
	os.Exit(m.Run())
}

var eaten [][]byte

// troubled reads a session; some names make the trouble that they say, and any may
// be slow.
func troubled(ctx context.Context, path string, o transcript.Options) (*transcript.Import, error) {
	switch name := filepath.Base(path); {
	case strings.HasPrefix(name, "panicking"):
		panic("a defect of the reader")
	case strings.HasPrefix(name, "fatal"):
		go func() { panic("a defect where nobody recovers") }()
		time.Sleep(time.Minute)
	case strings.HasPrefix(name, "eating"):
		for {
			b := make([]byte, 8<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			eaten = append(eaten, b)
		}
	case strings.HasPrefix(name, "killing"):
		if p, err := os.FindProcess(os.Getppid()); err == nil {
			_ = p.Kill() // the worker
		}
		time.Sleep(time.Minute)
	case strings.HasPrefix(name, "hanging"):
		time.Sleep(time.Hour)
	}
	if d, err := time.ParseDuration(os.Getenv("SNAPSCOPE_FLEET_TEST_SLOW")); err == nil {
		time.Sleep(d)
	}
	return transcript.Read(ctx, path, o)
}

const root = "../.."

// recordings makes n recordings of the project's own, each a little different: some
// of its last steps are cut off.
func recordings(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "runs")
	kinds, err := filepath.Glob(filepath.Join(root, "testdata/sessions/recorded/[ftw]*.jsonl.zst"))
	if err != nil || len(kinds) == 0 {
		t.Fatal("no recordings to vary", err)
	}
	for i := range n {
		lines := unpacked(t, kinds[i%len(kinds)])
		if cut := i / len(kinds) % 9; len(lines) > cut*2+4 {
			lines = lines[:len(lines)-cut*2]
		}
		file := filepath.Join(dir, fmt.Sprintf("site-%d", i%3), fmt.Sprintf("run-%04d.jsonl", i))
		put(t, file, bytes.Join(lines, nil))
	}
	return dir
}

func put(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func unpacked(t *testing.T, file string) [][]byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer zr.Close()
	data, err := io.ReadAll(zr)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.SplitAfter(data, []byte("\n"))
}

// plainTable is what `snapscope sweep` prints: one process, no parts.
func plainTable(t *testing.T, source string, jf jobFlags) string {
	t.Helper()
	job, err := jf.job()
	if err != nil {
		t.Fatal(err)
	}
	o, points := plainOptions(t, jf)
	table, err := sweep.NewTable(job.Policy, job.Axes, "site", "model")
	if err != nil {
		t.Fatal(err)
	}
	files, err := transcript.Below(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	var src []sweep.Source
	for _, file := range files {
		src = append(src, sweep.Source{Name: file, Open: func(ctx context.Context) (*session.Timeline, error) {
			if strings.Contains(file, "eating") || strings.Contains(file, "fatal") || strings.Contains(file, "hanging") {
				return nil, errors.New("it would end this test")
			}
			im, err := troubled(ctx, file, transcript.Options{Roots: []string{job.Dir}, Count: o.Count, Limits: 1})
			if err != nil {
				return nil, err
			}
			return session.NewTimeline(im.Events), nil
		}})
	}
	if err := sweep.Stream(t.Context(), src, points, o, func(out sweep.Outcome) error { table.Add(out); return nil }); err != nil {
		t.Fatal(err)
	}
	res := table.Result()
	res.Words = func(p policy.Policy) string {
		from, err := policy.Find(p.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		return sweep.PolicyFlags(p, from)
	}
	var b bytes.Buffer
	if err := sweep.WriteText(&b, res); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func plainOptions(t *testing.T, jf jobFlags) (sweep.Options, []sweep.Point) {
	t.Helper()
	job, err := jf.job()
	if err != nil {
		t.Fatal(err)
	}
	o, err := job.Options()
	if err != nil {
		t.Fatal(err)
	}
	points, err := sweep.Grid(job.Policy, job.Axes)
	if err != nil {
		t.Fatal(err)
	}
	return o, points
}

// program starts this test's binary as the program.
func program(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(append(os.Environ(), asProgram+"=1"), env...)
	return cmd
}

// sources are files as the plain program reads them.
func sources(t *testing.T, inputs []sweep.InputFile) []sweep.Source {
	t.Helper()
	var out []sweep.Source
	for _, in := range inputs {
		out = append(out, sweep.Source{Name: in.Name, Open: func(ctx context.Context) (*session.Timeline, error) {
			im, err := transcript.Read(ctx, in.Name, transcript.Options{Limits: 1})
			if err != nil {
				return nil, err
			}
			return session.NewTimeline(im.Events), nil
		}})
	}
	return out
}
