package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"snapscope/session/demo"
	"snapscope/tui/safetext"
)

// TestHostilePageInATerminal reads a page made of escape sequences, direction
// marks, emoji and wide letters, in a real terminal. On every page of it the
// terminal shows exactly what the program meant to draw, and the bytes that the
// program sent, looked at one by one, hold no control but its own.
func TestHostilePageInATerminal(t *testing.T) {
	t.Parallel()
	base, stop, err := demo.Serve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	bin, dir := build(t), t.TempDir()
	env := []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir + "/state"}
	stream, begin := filepath.Join(dir, "stream"), filepath.Join(dir, "begin")
	s := openScreen(t, 120, 36, env, fmt.Sprintf("cd %s; while [ ! -e %s ]; do sleep 0.05; done; %s open %s/hostile", dir, begin, bin, base))
	s.tmux("pipe-pane", "-t", "t", "-o", "cat > "+stream)
	s.run("touch " + begin)
	s.wait(`step 1/1[\s\S]*\d tok[\s\S]*calls? +full`)
	all, pages := "", 0
	for last := ""; pages < 40; pages++ {
		now := s.meant(dir, pages)
		if body := strings.Join(now[5:29], "\n"); body == last {
			break
		} else {
			last = body
		}
		all += strings.Join(now, "\n")
		s.press("Space")
	}
	if pages < 5 {
		t.Errorf("the page was read after %d screens", pages)
	}
	for _, want := range []string{"[31mred", "]0;owned", "invoice‹rlo›", "東京", "🚀", "‹U+0351›"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q was never to be seen", want)
		}
	}
	s.press(":")
	s.typeIn(`click css="tr:nth-child(4) button"`) // its name becomes the page's title
	s.press("Enter")
	s.wait(`step 2/`)
	s.leave()
	checkStream(t, stream)
}

// TestHostileTextInATerminal reads the same from a file, where the bytes stand as
// they are: a browser writes most of them as escapes.
func TestHostileTextInATerminal(t *testing.T) {
	t.Parallel()
	bin, dir := build(t), t.TempDir()
	env := []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir + "/state"}
	stream, begin, file := filepath.Join(dir, "stream"), filepath.Join(dir, "begin"), filepath.Join(dir, "page.yml")
	text := "- main [ref=e1]:\n"
	for i, name := range []string{
		"\x1b[31mred", "\x1b]0;owned\x07", "\x1b[2J\x1b[H\x1b[3Jwiped", "\x1b[?1049lout", "\x1bP+q544e\x1b\\ask", "\x1b[6n\x1b[c", "\u009b31mcsi", "\u009d0;owned\u009c",
		"\x1b]52;c;ZWNobyBvd25lZA==\x07copy", "ring\x07\x07", "invoice\u202efdp.exe", "a\bb\x7fc", "Z\u0351\u036b\u0313", "\U0001f468\u200d\U0001f469 \U0001f1f3\U0001f1f4 हिन्दी क्षेत्र", "東京\u0301 ｶﾀｶﾅ", "bad \xff\xfe utf-8",
	} {
		text += fmt.Sprintf("  - button \"%s\" [ref=e%d]\n  - text: %s|\n", name, i+2, name)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openScreen(t, 120, 36, env, fmt.Sprintf("cd %s; while [ ! -e %s ]; do sleep 0.05; done; %s replay %s", dir, begin, bin, file))
	s.tmux("pipe-pane", "-t", "t", "-o", "cat > "+stream)
	s.run("touch " + begin)
	s.wait(`1 step[\s\S]*calls? +full`)
	s.press("l")
	s.wait(`step 1/1[\s\S]*\d tok[\s\S]*calls? +full`)
	all := ""
	for n := range 3 {
		all += strings.Join(s.meant(dir, n), "\n")
		s.press("Space")
	}
	for _, want := range []string{"␛[31mred", "␛]0;owned␇", "‹csi›31mcsi", "ring␇␇", "‹rlo›fdp.exe", "‹U+0351›", "👨👩", "東京"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q was never to be seen in\n%s", want, all)
		}
	}
	s.leave()
	checkStream(t, stream)
}

// checkStream takes the bytes of a stream apart: each is a letter that may be
// shown or part of a control that the program sends.
func checkStream(t *testing.T, stream string) {
	t.Helper()
	data, err := os.ReadFile(stream)
	if err != nil {
		t.Fatal(err)
	}
	if at := bytes.Index(data, []byte("ENDED=")); at > 0 {
		data = data[:at]
	}
	checkBytes(t, data)
}

// meant exports the screen and waits until the terminal shows just that, row by
// row; the last row holds what is said meanwhile. It answers the rows.
func (s *screen) meant(dir string, n int) []string {
	s.t.Helper()
	name := "snapscope-step1-full-screen.txt"
	if n > 0 {
		name = fmt.Sprintf("snapscope-step1-full-screen-%d.txt", n+1)
	}
	s.press("e")
	s.wait(`enter exports`)
	s.press("End")
	s.press("Enter")
	for end := time.Now().Add(patience); ; time.Sleep(30 * time.Millisecond) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		got := strings.Split(s.text(), "\n")
		wrong := "the screen was not exported"
		if err == nil && len(want) == 36 && len(got) >= 36 {
			wrong = ""
			for y := range want[:35] {
				if got := strings.TrimRight(got[y], " "); got != want[y] {
					wrong = fmt.Sprintf("row %d is\n%s\nand not\n%s", y, got, want[y])
				}
				if w := ansi.StringWidthWc(want[y]); w > 120 {
					s.t.Fatalf("row %d takes %d cells", y, w)
				}
			}
		}
		if wrong == "" {
			return want
		}
		if time.Now().After(end) {
			s.t.Fatalf("screen %d: %s", n, wrong)
		}
	}
}

func checkBytes(t *testing.T, data []byte) {
	t.Helper()
	if !bytes.Contains(data, []byte("\x1b[?1049h")) || !bytes.Contains(data, []byte("\x1b[?1049l")) {
		t.Fatal("the stream is not the program's whole output")
	}
	if err := safetext.CheckStream(data); err != nil {
		t.Error(err)
	}
}
