package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/tui/draw"
)

// hostileText is what a page may try on a terminal.
const hostileText = "- generic [ref=e1]:\n" +
	"  - heading \"\x1b[2J\x1b]0;owned\x07 title\" [level=1] [ref=e2]\n" +
	"  - button \"rtl \u202egnp.exe\u202c\" [ref=e3]\n" +
	"  - link \"👨\u200d👩\u200d👧 family ❤\ufe0f 👍🏽 🇩🇪\" [ref=e4]:\n    - /url: \u009b31m\n" +
	"  - text: 日本語の長い名前がここにあります한국어도\n" +
	"  - text: z\u0335\u0301\u0302\u0303a\u200bl\u200cg\u200do\ufeff\xff\xfe\n" +
	"  - row \"नमस्ते ไทย ﷽ ͏\" [ref=e5]: tab\there\rback\x00nul\n"

func hostileEngine() *fakeEngine {
	e := leadsEngine(12)
	e.info.Name = "\x1b[31mname\u202e"
	e.steps = append(e.steps,
		fakeStep(7, session.Action{Verb: session.VerbGoto, Args: map[string]any{"url": "http://\x1b[5mx"}}, "http://x/\x1b[31m\u202e", "title \x1b]52;c;AAAA\x07", hostileText),
		fakeStep(8, session.Action{Verb: session.VerbClick, Target: &session.Target{Role: "link", Name: "\x1b[0m日本\u202e"}}, "http://x/\x1b[31m\u202e", "t", strings.Replace(hostileText, "title", "other", 1)),
	)
	r := e.steps[7][1].Result
	r.OK, r.Error, r.Console = false, "bad \x1b[2J error\u202e", []string{"\x1b]8;;http://x\x07link", "日本\x07"}
	return e
}

// checkScreen holds what every screen must be: h lines, each w wide, and no
// escape sequence but styles.
func checkScreen(t interface{ Fatalf(string, ...any) }, m *Model, w, h int) {
	content := m.View().Content
	lines := strings.Split(content, "\n")
	if h > 0 && w > 0 && len(lines) != h {
		t.Fatalf("%d×%d: %d lines", w, h, len(lines))
	}
	for i, l := range lines {
		if got := ansi.StringWidthWc(l); got != w && h > 0 {
			t.Fatalf("%d×%d: line %d is %d wide by code point: %q", w, h, i, got, l)
		}
		checkSequences(t, l)
	}
}

// checkSequences lets through only CSI … m with digits, byte by byte.
func checkSequences(t interface{ Fatalf(string, ...any) }, l string) {
	for i := 0; i < len(l); i++ {
		switch {
		case l[i] == 0x1b:
			j := i + 2
			if i+1 >= len(l) || l[i+1] != '[' {
				t.Fatalf("an escape that is no style: %q", l)
			}
			for j < len(l) && (l[j] >= '0' && l[j] <= '9' || l[j] == ';') {
				j++
			}
			if j >= len(l) || l[j] != 'm' {
				t.Fatalf("an escape that is no style: %q", l)
			}
			i = j
		case l[i] < 0x20 || l[i] == 0x7f:
			t.Fatalf("a control character %#x: %q", l[i], l)
		case l[i] == 0xc2 && i+1 < len(l) && l[i+1] < 0xa0:
			t.Fatalf("a C1 control: %q", l)
		}
	}
}

// TestAnySizeAnyKeys is the law of the screen: no size and no row of keys makes
// it panic, or makes a line longer or shorter than the screen.
func TestAnySizeAnyKeys(t *testing.T) {
	var keys []string
	for _, a := range Actions() {
		if a.Name != "export" && a.Name != "suspend" {
			keys = append(keys, a.Keys...)
		}
	}
	keys = append(keys, "x", "d", "enter", "esc", "backspace", "日", "é", ":", "/", "s", "s", "]", "[")
	typed := []string{"step 2", "ref e6", "filter role:row", "filter", "break tokens > 10", "set keep_n=3", "policy seeds", "click e12", "save mine", "until 6", "nonsense", `text "`}
	dir := t.TempDir() // the palette may lead to an export
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(0, 300).Draw(rt, "w"), rapid.IntRange(0, 100).Draw(rt, "h")
		d := newDriver(t, Config{Engine: hostileEngine(), Theme: rapid.SampledFrom(draw.ThemeNames).Draw(rt, "theme"), Mouse: true, ExportDir: dir, AutoSteps: rapid.IntRange(0, 8).Draw(rt, "auto")}, w, h)
		checkScreen(rt, d.m, w, h)
		for range rapid.IntRange(0, 24).Draw(rt, "n") {
			switch rapid.IntRange(0, 11).Draw(rt, "what") {
			case 0:
				w, h = rapid.IntRange(0, 300).Draw(rt, "w"), rapid.IntRange(0, 100).Draw(rt, "h")
				d.send(tea.WindowSizeMsg{Width: w, Height: h})
			case 1:
				at := tea.Mouse{X: rapid.IntRange(0, 300).Draw(rt, "x"), Y: rapid.IntRange(0, 100).Draw(rt, "y"), Button: tea.MouseLeft}
				d.send(tea.MouseClickMsg(at))
			case 2:
				at := tea.Mouse{X: rapid.IntRange(0, 300).Draw(rt, "x"), Y: rapid.IntRange(0, 100).Draw(rt, "y"), Button: rapid.SampledFrom([]tea.MouseButton{tea.MouseWheelDown, tea.MouseWheelUp, tea.MouseWheelLeft, tea.MouseWheelRight}).Draw(rt, "wheel")}
				d.send(tea.MouseWheelMsg(at))
			case 3:
				d.press("esc", "esc", ":")
				d.typed(rapid.SampledFrom(typed).Draw(rt, "typed"))
				d.press("tab", "enter")
			default:
				d.press(rapid.SampledFrom(keys).Draw(rt, "key"))
			}
			checkScreen(rt, d.m, w, h)
		}
	})
}

func TestHostilePage(t *testing.T) {
	d := newDriver(t, Config{Engine: hostileEngine(), AutoSteps: -1}, 120, 36)
	checkScreen(t, d.m, 120, 36)
	d.press("z")
	d.wants("␛[2J␛]0;owned␇ other", "‹rlo›gnp.exe‹pdf›", "日本語の長い名前", "👨👩👧", "🇩🇪", "नमस्ते ไทย", "␀nul", "http://x/␛[31m‹rlo›")
	d.press("z")
	d.press("i")
	checkScreen(t, d.m, 120, 36)
	d.wants("␛]8;;http://x␇link")
}
