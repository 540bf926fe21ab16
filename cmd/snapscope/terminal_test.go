package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// screen is the program in a real terminal: a tmux of the test's own.
type screen struct {
	t    *testing.T
	sock string
	pane string // of tmux; "t": the terminal's only one
}

// patience is how long a test waits for something to appear: far beyond what
// anything takes, so that a busy machine fails no test.
const patience = 3 * time.Minute

// openScreen runs a shell command in a terminal of the given size. When it has
// ended the terminal says so and shows how it was left.
func openScreen(t *testing.T, cols, rows int, env []string, command string) *screen {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatal("this test needs tmux: apt-get install tmux")
	}
	s := &screen{t, fmt.Sprintf("snapscope-test-%d-%d", os.Getpid(), time.Now().UnixNano()), "t"}
	conf := filepath.Join(t.TempDir(), "tmux.conf")
	const settings = "set -g status off\nset -g default-terminal tmux-256color\nset -g remain-on-exit on\nset -g escape-time 0\nset -g set-clipboard on\n"
	if err := os.WriteFile(conf, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	sh := "unset TMUX; export " + strings.Join(env, " ") + " TERM=xterm-256color COLORTERM=truecolor; echo BEFORE; " + command +
		"; echo ENDED=$?; stty -a | tr ';' '\\n' | tr -s ' ' '\\n' | grep -E '^-?(icanon|echo|isig)$' | tr '\\n' ' '; echo LEFT; sleep 600"
	cmd := exec.Command("tmux", "-L", s.sock, "-f", conf, "new-session", "-d", "-s", "t",
		"-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows), "sh", "-c", sh)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("tmux", "-L", s.sock, "kill-server").Run() })
	return s
}

func (s *screen) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-L", s.sock}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %v: %v %s", args, err, out)
	}
	return string(out)
}

// run carries out a shell command beside the terminal.
func (s *screen) run(command string) {
	s.t.Helper()
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v %s", command, err, out)
	}
}

func (s *screen) text() string { return s.tmux("capture-pane", "-p", "-t", s.pane) }

func (s *screen) press(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		s.tmux("send-keys", "-t", s.pane, k)
	}
}

func (s *screen) typeIn(text string) {
	s.t.Helper()
	s.tmux("send-keys", "-t", s.pane, "-l", "--", text)
}

// wait waits until the screen matches and answers it.
func (s *screen) wait(pattern string) string {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		text := s.text()
		if re.MatchString(text) {
			return text
		}
		if time.Now().After(end) {
			s.t.Fatalf("%q never appeared; the screen shows\n%s", pattern, text)
		}
	}
}

// leave presses q and holds the terminal against what it was before.
func (s *screen) leave() {
	s.t.Helper()
	s.press("q")
	s.left(0)
}

// left waits for the program's end with a status and holds the terminal against
// what it was before: its modes, and what stood on it.
func (s *screen) left(status int) {
	s.t.Helper()
	text := s.wait(`(?s)ENDED=\d+.*LEFT`)
	if !strings.Contains(text, fmt.Sprintf("ENDED=%d\n", status)) {
		s.t.Errorf("the program did not end with %d:\n%s", status, text)
	}
	if !strings.HasPrefix(text, "BEFORE\n") {
		s.t.Errorf("what stood on the terminal is not there any more:\n%s", text)
	}
	for _, want := range []string{"isig", "icanon", "echo"} {
		if !regexp.MustCompile(`(^|\s)` + want + `\s`).MatchString(text) {
			s.t.Errorf("the terminal is left without %s:\n%s", want, text)
		}
	}
	const modes = "#{alternate_on} #{mouse_any_flag} #{cursor_flag} #{keypad_cursor_flag} #{bracket_paste_flag}"
	if got := strings.TrimSpace(s.tmux("display-message", "-p", "-t", "t", modes)); !strings.HasPrefix(got, "0 0 1 0") {
		s.t.Errorf("the terminal's modes are left as %q", got)
	}
}

// paneTokens are the figures over the panes, in order.
func paneTokens(text string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`([\d,]+) tok`).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// line is the first line of the screen that holds the word.
func line(text, word string) string {
	for _, l := range strings.Split(text, "\n") {
		if strings.Contains(l, word) {
			return strings.TrimSpace(l)
		}
	}
	return ""
}

// TestDemoInATerminal walks the demo as a person does: a real Chromium, a real
// terminal, the keyboard. Then the recording replays to the same figures.
func TestDemoInATerminal(t *testing.T) {
	t.Parallel()
	bin, dir := build(t), t.TempDir()
	env := []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir + "/state"}
	rec := filepath.Join(dir, "demo.jsonl")
	s := openScreen(t, 160, 45, env, bin+" demo --record "+rec)
	first := s.wait(`step 1/15[\s\S]*\d tok[\s\S]*no baseline → full`)
	seen := map[string]bool{strings.Join(paneTokens(first), " "): true}
	for n := 2; n <= 4; n++ {
		s.press("s")
		text := s.wait(fmt.Sprintf(`step %d/15[\s\S]*saved \d+\.\d %% ≥ 20 %% → delta[\s\S]*#%d ○○○`, n, n))
		figures := strings.Join(paneTokens(text), " ")
		if len(paneTokens(text)) != 3 || seen[figures] {
			t.Errorf("step %d: the figures %q are not three new ones:\n%s", n, figures, text)
		}
		seen[figures] = true
	}
	s.press("c")
	s.wait(`step 15/15[\s\S]*LOST 2 of 10`)
	live := s.settled()
	s.leave()

	r := openScreen(t, 160, 45, env, bin+" replay "+rec)
	r.wait(`step 1/15[\s\S]*lost under[\s\S]* did [\s\S]*check checkbox "Select Mel`)
	r.press("c")
	r.wait(`step 15/15[\s\S]*LOST 2 of 10`)
	r.press("l")
	r.wait(`(\d tok[\s\S]*){3}steps `)
	replayed := r.settled()
	if a, b := paneTokens(live), paneTokens(replayed); strings.Join(a, " ") != strings.Join(b, " ") || len(a) != 3 {
		t.Errorf("the panes show %q live and %q replayed", a, b)
	}
	for _, row := range []string{" calls ", " expiry "} {
		if a, b := line(live, row), line(replayed, row); a != b || a == "" {
			t.Errorf("live %q, replayed %q", a, b)
		}
	}
	r.leave()
}

// settled is the screen once two looks agree.
func (s *screen) settled() string {
	s.t.Helper()
	prev := ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(300 * time.Millisecond) {
		now := s.text()
		if now == prev {
			return now
		}
		prev = now
	}
	s.t.Fatal("the screen does not come to rest")
	return ""
}
