package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"snapscope": main})
}

// TestCommands holds the command line's contract: one script a command under
// testdata/script.
func TestCommands(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/config")
			e.Setenv("NO_COLOR", "1")
			e.Setenv("SNAPSCOPE_SETTLE", "quick") // what the commands do, not how long a page is waited for
			for _, name := range []string{"SNAPSCOPE_BROWSER"} {
				if v := os.Getenv(name); v != "" {
					e.Setenv(name, v)
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "prints": prints},
	})
}

// exits runs a command and checks its exact exit status: exits 2 snapscope …
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("exits: %v", err)
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		got = ee.ExitCode()
	} else if err != nil {
		ts.Fatalf("exits: %v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// prints holds stdout against a file of the script byte for byte, without the
// final newline that a file of a script always has: prints FILE.
func prints(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: prints FILE")
	}
	want := strings.TrimSuffix(ts.ReadFile(args[0]), "\n")
	if got := ts.ReadFile("stdout"); got != want {
		ts.Fatalf("stdout is %q, want %q", got, want)
	}
}
