package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"snapscope/replay/ab"
	"snapscope/session/policy"
)

// check says whether a run succeeded: by the comparison's command, which gets what
// the agent printed, or by a text that the agent has to say. Without either nothing
// is said: a process that ended with status 0 may have done nothing.
func (l *lab) check(ctx context.Context, r *ab.Run, p policy.Policy, dir string) error {
	switch {
	case l.Check != "":
		return l.checkBy(ctx, r, p, dir)
	case l.Expect != "":
		said, err := os.ReadFile(filepath.Join(dir, "stdout.log"))
		if err != nil {
			return fmt.Errorf("reading what the agent printed: %w", err)
		}
		ok := bytes.Contains(said, []byte(l.Expect)) || strings.Contains(r.End, l.Expect)
		r.Succeeded = &ok
		if !ok {
			r.Check = fmt.Sprintf("%q was not said", l.Expect)
		}
	}
	return nil
}

// checkBy runs the command: status 0 is success.
func (l *lab) checkBy(ctx context.Context, r *ab.Run, p policy.Policy, dir string) error {
	if l.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.Timeout)
		defer cancel()
	}
	said, err := os.Open(filepath.Join(dir, "stdout.log"))
	if err != nil {
		return fmt.Errorf("reading what the agent printed: %w", err)
	}
	defer said.Close()
	shell := []string{"sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C"}
	}
	cmd := exec.CommandContext(ctx, shell[0], shell[1], l.Check)
	cmd.Env = append(os.Environ(), "SNAPSCOPE_RUN="+dir, EnvPolicy+"="+p.Name)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = said, &out, &out
	err = cmd.Run()
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("--check %q was stopped: %w", l.Check, cause)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("running --check %q: %w", l.Check, err)
	}
	ok := err == nil
	r.Succeeded, r.Check = &ok, lastLine(out.String())
	if !ok && r.Check == "" {
		r.Check = "the check ended with " + exit.Error()
	}
	return nil
}

// lastLine is the last line of a text that says anything, cut to what a table takes.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	s = strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
