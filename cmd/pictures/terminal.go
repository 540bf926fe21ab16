package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// colours are a terminal's own two: what text and ground are where a program
// says nothing. tmux answers a program that asks for them, and so the program
// chooses its theme.
type colours struct{ text, ground string }

var (
	dark  = colours{"#d4d4d4", "#1e1e1e"}
	light = colours{"#1f2328", "#ffffff"}
)

// terminal is the program running in a tmux that nothing else uses.
type terminal struct {
	ctx        context.Context
	tmux, sock string
	dir        string // its home and working folder, removed with it
	cols, rows int
}

const (
	// patience is how long a text may take to appear: far more than anything
	// takes, so that a busy machine spoils no picture.
	patience = 90 * time.Second
	// glance is the time between two looks at the screen.
	glance = 100 * time.Millisecond
)

// openTerminal makes a terminal with the program ready to start: it waits for
// begin, so that a reader can be put on its output before the first byte.
func openTerminal(ctx context.Context, s studio, cols, rows int, c colours, args ...string) (*terminal, error) {
	dir, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return nil, err
	}
	t := &terminal{ctx: ctx, tmux: s.tmux, sock: filepath.Join(dir, "tmux"), dir: dir, cols: cols, rows: rows}
	conf := filepath.Join(dir, "tmux.conf")
	settings := fmt.Sprintf("set -g status off\nset -g default-terminal tmux-256color\n"+
		"set -g escape-time 0\nset -g window-style 'fg=%s,bg=%s'\n", c.text, c.ground)
	if err := os.WriteFile(conf, []byte(settings), 0o600); err != nil {
		t.close()
		return nil, err
	}
	// Hidden from the program: that it is in a tmux, for which it would make do
	// with 256 colours. When it has ended the terminal stays, to be read.
	gate := `while [ ! -e begin ]; do sleep 0.02; done; env -u TMUX -u TMUX_PANE TERM=xterm-256color COLORTERM=truecolor "$@"; exec sleep 3600`
	command := append([]string{
		"-f", conf, "new-session", "-d", "-s", "t", "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows),
		"-c", dir, "sh", "-c", gate, "sh", s.bin,
	}, args...)
	if _, err := t.do(command...); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// begin starts the program.
func (t *terminal) begin() error {
	return os.WriteFile(filepath.Join(t.dir, "begin"), nil, 0o600)
}

// close ends the program and leaves nothing behind.
func (t *terminal) close() {
	// Not under the context: an interrupted run cleans up as well.
	_ = exec.Command(t.tmux, "-S", t.sock, "kill-server").Run()
	// The program and its browser end by themselves once their terminal is gone,
	// and write their last to the folder: it is removed until it stays away.
	for away, tries := 0, 0; away < 5 && tries < 100; tries++ {
		if _, err := os.Stat(t.dir); err == nil {
			away = 0
		} else {
			away++
		}
		_ = os.RemoveAll(t.dir)
		time.Sleep(glance)
	}
}

// environment is the caller's without what would show in a picture: its home,
// its settings, its wishes about colour, the tmux it runs in.
func (t *terminal) environment() []string {
	var out []string
	for _, kv := range os.Environ() {
		k, _, _ := strings.Cut(kv, "=")
		switch {
		case k == "SNAPSCOPE_BROWSER":
		case strings.HasPrefix(k, "SNAPSCOPE_"), strings.HasPrefix(k, "XDG_"), strings.HasPrefix(k, "TMUX"),
			strings.HasPrefix(k, "CLICOLOR"), strings.HasPrefix(k, "LC_"), k == "NO_COLOR", k == "HOME", k == "LANG":
			continue
		}
		out = append(out, kv)
	}
	return append(out, "HOME="+t.dir, "LANG=C.UTF-8", "LC_ALL=C.UTF-8")
}

// do runs a tmux command.
func (t *terminal) do(args ...string) (string, error) {
	cmd := exec.CommandContext(t.ctx, t.tmux, append([]string{"-u", "-S", t.sock}, args...)...)
	cmd.Env = t.environment()
	out, err := cmd.CombinedOutput()
	if t.ctx.Err() != nil {
		return "", fmt.Errorf("interrupted")
	}
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

// press presses one key, as tmux names it: s, Tab, Enter, Down.
func (t *terminal) press(key string) error {
	_, err := t.do("send-keys", "-t", "t", "--", key)
	return err
}

// text is the screen in letters.
func (t *terminal) text() (string, error) { return t.do("capture-pane", "-p", "-t", "t") }

// see waits until the screen matches a regular expression.
func (t *terminal) see(pattern string) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	for end := time.Now().Add(patience); ; {
		text, err := t.text()
		if err != nil {
			return err
		}
		if re.MatchString(text) {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%q never appeared; the screen shows\n%s", pattern, strings.TrimRight(text, "\n"))
		}
		if err := t.pause(glance); err != nil {
			return err
		}
	}
}

// atRest answers the screen with its colours once four looks in a row agree.
func (t *terminal) atRest() (string, error) {
	prev, same := "", 0
	for end := time.Now().Add(patience); time.Now().Before(end); {
		now, err := t.do("capture-pane", "-e", "-p", "-N", "-t", "t")
		if err != nil {
			return "", err
		}
		if now != prev {
			prev, same = now, 0
		} else if same++; same == 3 {
			return now, nil
		}
		if err := t.pause(glance); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("the screen does not come to rest; it shows\n%s", prev)
}

// pause lets time pass, or answers that the run was interrupted.
func (t *terminal) pause(d time.Duration) error {
	select {
	case <-t.ctx.Done():
		return fmt.Errorf("interrupted")
	case <-time.After(d):
		return nil
	}
}
