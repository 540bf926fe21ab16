package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// stop is one stop of the tour: keys to press, one after the other, and what the
// screen shows then. until repeats the keys until it does.
type stop struct {
	sentence string // of the README
	keys     []string
	until    bool
	see      string
}

// tourStops are the README's tour, sentence by sentence. It begins on the first step
// with the focus on the full page.
func tourStops() []stop {
	return []stop{
		{"opens a sales team's table of 500 leads: 78,473 tokens a snapshot", nil, false, `(?s)step 1/15.*78,473.*1 call +full`},
		{"press s: the agent ticks Melonie Parker", []string{"s"}, false, `(?s)step 2/15.*78,4\d\d.*2 ● check checkbox "Select Mel`},
		{"the arithmetic stands over the pane: saved 99.4 % ≥ 20 % → delta", []string{"Tab"}, false, `saved 99\.4 % ≥ 20 % → delta`},
		{"enter opens it in full", []string{"Enter"}, false, `(?s)why · passmark.*saved +\(`},
		{"", []string{"Escape"}, false, `(?s)steps .*expiry `},
		{"s again ticks Ingrid Solheim, and compress is LOST: keep_n 10", []string{"s"}, false, `(?s)step 3/15.*LOST.*Ingrid|(?s)step 3/15.*Ingrid.*LOST`},
		{"", []string{"Tab"}, false, `✗ LOST e1712 · compress left it`},
		{"o opens the knobs", []string{"o"}, false, `▸knobs`},
		{"move to keep_n", []string{"Down"}, true, `▸ keep_n`},
		{"+ turns it: old → new beside tokens and survival", []string{"+"}, false, `(?s)keep_n .* 11\b.*[\d,]+ → [\d,]+.*survival 1/2 → 1/2`},
		{"until the next key", []string{"Down", "Up"}, false, `▸ keep_n .* 11\b`},
		{"u takes it back", []string{"u"}, false, `keep_n .* 10\b`},
		{"", []string{"o"}, false, `(?s)steps .*step 3/15|(?s)step 3/15.*steps `},
		{"c goes on to the end: the snapshot of step 11 is gone", []string{"c"}, false, `(?s)step 15/15.*#11 ✗ expired at step 14`},
		{"under openclaw that click is lost too", []string{":", "type:policy openclaw", "Enter"}, false, `(?s)✗ LOST e1721 · openclaw`},
		{"", []string{":", "type:policy compress", "Enter"}, false, `✗ LOST e1721 · compress`},
		{"v opens the table of policies and the calls, with the line of advice", []string{"v"}, false, `(?s)context and cost.*would have saved.*input.*saved.*peak.*survival`},
		{"down to compress lists its losses", []string{"Up"}, true, `▸ compress`},
		{"", nil, false, `(?s)lost under compress: 2 elements.*keep_n[= ]2\d\d`},
		{"f turns the knob that keeps one", []string{"f"}, false, `(?s)compress .* 9/10`},
		{"u turns it back", []string{"u"}, false, `(?s)compress .*✗ 8/10`},
		{"", []string{"Escape"}, false, `(?s)steps .*expiry `},
		{"l lists the steps", []string{"l"}, false, `(?s) did .*added.*check checkbox`},
		{"", []string{"l"}, false, `(?s)steps .*expiry `},
		{"[ goes back", []string{"["}, false, `step 14/15`},
		{"] goes forth", []string{"]"}, false, `step 15/15`},
		{"{ and } go from change to change", []string{"g", "}"}, false, `change \d+ of \d+|nothing changed|first snapshot of the document`},
		{"/ searches", []string{"/", "type:Solheim", "Enter"}, false, `/Solheim +\d+ of \d+ · step \d+`},
		{"b sets breakpoints", []string{"b", "type:error", "Enter"}, false, `stops at error · 1 breakpoint set`},
		{"? lists every key", []string{"?"}, false, `keys and commands`},
		{"", []string{"Escape"}, false, `(?s)steps .*expiry `},
	}
}

// walkTour walks the tour and leaves.
func (s *screen) walkTour() {
	s.t.Helper()
	for _, p := range tourStops() {
		re := regexp.MustCompile(p.see)
		for n := 0; p.until && n < 80 && !re.MatchString(s.settled()); n++ {
			keys, before := p.keys, s.text()
			if n >= 40 { // a busy machine went past it
				keys = []string{map[string]string{"Down": "Up", "Up": "Down"}[p.keys[0]]}
			}
			s.pressTour(keys)
			for end := time.Now().Add(2 * time.Second); s.text() == before && time.Now().Before(end); {
				time.Sleep(50 * time.Millisecond)
			}
		}
		if !p.until {
			s.pressTour(p.keys)
		}
		s.wait(p.see)
	}
	s.leave()
}

func (s *screen) pressTour(keys []string) {
	s.t.Helper()
	for _, k := range keys {
		if text, ok := strings.CutPrefix(k, "type:"); ok {
			s.typeIn(text)
			continue
		}
		before := s.text()
		s.press(k)
		for end := time.Now().Add(patience); k == "Escape" && s.text() == before && time.Now().Before(end); {
			time.Sleep(50 * time.Millisecond) // with what follows at once it is another key
		}
	}
}

// TestTour walks the README's tour as a person does, on the screens that people
// have: live in a real Chromium, and on the second day in the same home, in which a
// pane was hidden, the page folded and the knobs left open.
func TestTour(t *testing.T) {
	t.Parallel()
	bin, dir := build(t), t.TempDir()
	env := []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir + "/state", "SNAPSCOPE_SETTLE=quick"}
	rec := filepath.Join(dir, "tour.jsonl")
	t.Run("live", func(t *testing.T) { // at once, the small one in a home of its own
		for _, size := range [][2]int{{160, 45}, {80, 24}} {
			home, file := dir, rec
			if size[0] == 80 {
				home = t.TempDir()
				file = filepath.Join(home, "tour.jsonl")
			}
			t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				env := []string{"HOME=" + home, "XDG_STATE_HOME=" + home + "/state", "SNAPSCOPE_SETTLE=quick"}
				openScreen(t, size[0], size[1], env, bin+" demo --theme dark --record "+file).walkTour()
			})
		}
	})
	t.Run("replayed", func(t *testing.T) { // same screen, same figures
		s := openScreen(t, 160, 45, env, bin+" replay "+rec)
		s.wait(`(?s)2 lost under compress.* did .*step 1/15|(?s)step 1/15.*2 lost under compress.* did `)
		s.press("G", "Enter")
		s.wait(`(?s)step 15/15.*LOST 2 of 10`)
		s.press("o", "x", "f", "l") // what is left for the second day
		s.leave()
	})
	t.Run("second day", func(t *testing.T) { // at once, each with a home as the first day left it
		for _, size := range [][2]int{{160, 45}, {80, 24}} {
			for _, look := range []struct {
				name, flag string
				env        []string
			}{{"dark", "--theme dark", nil}, {"light", "--theme light", nil}, {"none", "", []string{"NO_COLOR=1"}}} {
				t.Run(fmt.Sprintf("%s-%dx%d", look.name, size[0], size[1]), func(t *testing.T) {
					home := t.TempDir()
					if err := os.CopyFS(home, os.DirFS(dir)); err != nil {
						t.Fatal(err)
					}
					t.Parallel()
					env := append([]string{"HOME=" + home, "XDG_STATE_HOME=" + home + "/state", "SNAPSCOPE_SETTLE=quick"}, look.env...)
					openScreen(t, size[0], size[1], env, bin+" demo --recorded "+look.flag).walkTour()
				})
			}
		}
	})
}
