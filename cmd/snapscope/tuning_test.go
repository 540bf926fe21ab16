package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTuningInATerminal is a person at work, with a real Chromium and a real
// keyboard: step, turn two knobs, set a breakpoint, go on to it, look for a ref,
// copy it, leave.
func TestTuningInATerminal(t *testing.T) {
	t.Parallel()
	bin, dir := build(t), t.TempDir()
	env := []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir + "/state"}
	s := openScreen(t, 160, 45, env, bin+" demo --record "+filepath.Join(dir, "demo.jsonl"))
	s.wait(`step 1/15[\s\S]*no baseline → full`)
	var text string
	for n := 2; n <= 4; n++ {
		s.press("s")
		text = s.wait(fmt.Sprintf(`step %d/15[\s\S]*saved \d+\.\d %% ≥ 20 %% → delta[\s\S]*#%d ○○○`, n, n))
	}
	before := paneTokens(text)
	if len(before) != 3 {
		t.Fatalf("the panes show %q:\n%s", before, text)
	}

	s.press("o")
	s.wait(`▸ min_savings .* 20 %[\s\S]*fire_threshold[\s\S]*expiry · openclaw[\s\S]*tool_calls`)
	s.tmux("send-keys", "-t", "t", "-N", "16", "+") // 5 % a turn
	text = s.wait(`diff would save \d+\.\d % < 100 % → full[\s\S]*▸ min_savings .* 100 %[\s\S]*input .* → `)
	turned := paneTokens(text)
	if len(turned) != 3 || turned[0] != before[0] || turned[1] == before[1] || turned[2] != before[2] {
		t.Errorf("min_savings 100 %%: the panes went from %q to %q:\n%s", before, turned, text)
	}
	if old := before[1] + " → " + turned[1]; !strings.Contains(text, old) {
		t.Errorf("%q is nowhere on the screen:\n%s", old, text)
	}

	s.press("Down", "Down", "Down", "Down")
	s.wait(`▸ fire_threshold .* 100`)
	s.press("-")
	s.wait(`▸ fire_threshold .* 90`)
	s.press(":")
	s.typeIn("set fire_threshold=4000")
	s.press("Enter")
	text = s.wait(`▸ fire_threshold .* 4,000[\s\S]*tokens +` + before[2] + ` → [\d,]+[\s\S]*survival +\d+/\d+ → \d+/\d+`)
	if got := paneTokens(text); len(got) != 3 || got[2] != before[0] {
		t.Errorf("fire_threshold 4000: the compressed pane shows %q, the page has %s:\n%s", got, before[0], text)
	}
	s.press("u")
	s.wait(`▸ fire_threshold .* 90`)
	s.press("o")

	s.press("b")
	s.typeIn("tokens compress > 3600")
	s.press("Enter")
	s.wait(`stops at tokens compress > 3600 · 1 breakpoint set`)
	s.press("c")
	s.wait(`step 5/15[\s\S]*stopped: [\d,]+ tokens under compress > 3,600`)

	s.press("/")
	s.typeIn("ref=e31]")
	s.wait(`1 line match`)
	s.press("Enter")
	s.wait(`▌[^\n]*\[ref=e31\]`)
	s.press("y")
	s.wait(`▸ ref .* e31[\s\S]*enter copies`)
	s.press("Enter")
	s.wait(`copied ref · 3 characters`)
	if got := s.tmux("show-buffer"); got != "e31" {
		t.Errorf("the terminal was given %q to copy", got)
	}
	s.leave()
}

// TestSignalsGiveTheTerminalBack ends the debugger from outside.
func TestSignalsGiveTheTerminalBack(t *testing.T) {
	t.Parallel()
	bin, dir := build(t), t.TempDir()
	env := []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir + "/state"}
	for _, signal := range []string{"TERM", "HUP"} {
		pid := filepath.Join(dir, signal)
		s := openScreen(t, 100, 30, env, fmt.Sprintf("sh -c 'echo $$ >%s; exec %s demo --recorded'", pid, bin))
		s.wait(`step 1/15[\s\S]*\d tok[\s\S]*calls? +full`)
		s.run("kill -" + signal + " $(cat " + pid + ")")
		s.left(130)
	}
}

// TestASavedPolicyIsKnownEverywhere saves a tuned policy with w and asks every
// other command for it by name.
func TestASavedPolicyIsKnownEverywhere(t *testing.T) {
	t.Parallel()
	bin, dir := build(t), t.TempDir()
	env := []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir + "/state", "XDG_CONFIG_HOME=" + dir + "/config"}
	s := openScreen(t, 160, 45, env, bin+" demo --recorded --policy compress")
	s.wait(`step 1/15[\s\S]*\d tok[\s\S]*1 call +compress`)
	s.press(":")
	s.typeIn("set keep_n=274")
	s.press("Enter")
	s.wait(`274`)
	s.press("w")
	s.typeIn("mine")
	s.press("Enter")
	s.wait(`saved as policy mine in .*policies.toml`)
	s.leave()

	rec := filepath.Join("..", "..", "session", "demo", "recordings", "leads.jsonl.zst")
	for _, c := range []struct{ args, want string }{
		{"report " + rec + " --policy mine", "mine"},
		{"report " + rec + " --policy " + dir + "/config/snapscope/policies.toml", "mine"},
		{"sweep " + rec + " --policy mine --knob keep_n=5,274", "274"},
		{"export-config playwright --policy mine", "compress"},
		{"demo --recorded --plain --policy mine", "keep_n 274"},
	} {
		cmd := exec.Command(bin, strings.Fields(c.args)...)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("snapscope %s: %v, want %q in\n%s", c.args, err, c.want, out)
		}
	}
}
