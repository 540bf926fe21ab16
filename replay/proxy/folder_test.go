package proxy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"snapscope/replay"
)

func env(vars map[string]string) func(string) string {
	return func(k string) string { return vars[k] }
}

func TestSeatsAndScreensMeetWhateverTheirEnvironment(t *testing.T) {
	seat := FindFolder(env(map[string]string{"HOME": "/home/u"}))
	screen := FindFolder(env(map[string]string{"HOME": "/home/u", "XDG_STATE_HOME": "/var/u"}))
	for _, r := range seat.Runs {
		if !strings.Contains(strings.Join(screen.Runs, " "), r) {
			t.Errorf("a screen does not look in %s", r)
		}
	}
	if none := FindFolder(env(nil)); none.State != "" || len(none.Runs) != 1 {
		t.Errorf("without a home: %+v", none)
	}
}

func TestSocketPaths(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, strings.Repeat("x", 100))
	f := Folder{Runs: []string{long, filepath.Join(dir, "r")}}
	got, err := f.Socket("mcp-123456")
	if err != nil || got != filepath.Join(dir, "r", "mcp-123456.sock") {
		t.Errorf("%s, %v", got, err)
	}
	if st, err := os.Stat(filepath.Dir(got)); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", st.Mode(), err)
	}
	if _, err := (Folder{Runs: []string{long}}).Socket("mcp-123456"); err == nil {
		t.Error("a path that is too long was taken")
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (Folder{Runs: []string{file}}).Socket("mcp-123456"); err == nil {
		t.Error("a file was taken for a folder")
	}
}

func TestOnlyTheNewestRecordingsAreKept(t *testing.T) {
	dir := t.TempDir()
	f := Folder{State: dir, Runs: []string{filepath.Join(dir, "run")}}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, id := range []string{"mcp-000000", "mcp-000001", "api-000002", "mcp-000003", "mcp-000004"} {
		w, path, err := f.Record(id, now.Add(time.Duration(i)*time.Second), 2)
		if err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, st.Mode(), err)
		}
		if i == 0 { // this run goes on
			defer w.Close()
		} else if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, "recordings", "*"))
	if got := strings.Join(left, " "); len(left) != 3 || !strings.Contains(got, "000000") || !strings.Contains(got, "000003") || !strings.Contains(got, "000004") {
		t.Errorf("left: %s; want the two newest and the one of the run that lives", got)
	}
}

// Seats that start together, each asked to keep one recording, leave each other's
// alone; once they have ended, the next start removes them.
func TestSeatsThatStartTogetherKeepTheirRecordings(t *testing.T) {
	const seats = 20
	for range 20 {
		f := Folder{State: t.TempDir()}
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		type recorded struct {
			w    *replay.Writer
			path string
		}
		got := make(chan recorded, seats)
		for i := range seats {
			go func() {
				w, path, err := f.Record(fmt.Sprintf("mcp-%06x", i), now, 1)
				if err != nil {
					t.Error(err)
				}
				got <- recorded{w, path}
			}()
		}
		var all []recorded
		for range seats {
			all = append(all, <-got)
		}
		for _, r := range all {
			if _, err := os.Stat(r.path); err != nil {
				t.Errorf("the recording of a seat that runs is gone: %v", err)
			}
			if err := r.w.Close(); err != nil {
				t.Error(err)
			}
		}
		w, path, err := f.Record("mcp-ffffff", now.Add(time.Second), 1)
		if err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
			t.Errorf("left: %s", left)
		}
		_ = w.Close()
	}
}
