package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	pixel "image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/tui/dialog"
	"snapscope/tui/keymap"
	"snapscope/tui/view"
)

func TestKeysThatStayPut(t *testing.T) {
	b, err := keymap.Bind(Actions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for key, name := range map[string]string{
		"?": "help", "q": "quit", ":": "command", "ctrl+p": "palette", "s": "step", "c": "continue", "[": "prev", "]": "next",
		"{": "prev-change", "}": "next-change", "tab": "next-pane", "z": "zoom", "/": "search", "n": "next-match", "N": "prev-match",
		"1": "pane-1", "9": "pane-9", "l": "list", "+": "more", "-": "less", "o": "knobs", "b": "break", "y": "copy", "e": "export", "m": "mouse", "t": "theme",
	} {
		if a := b.ByKey[key]; a == nil || a.Name != name {
			t.Errorf("%s does %v, want %s", key, a, name)
		}
	}
	seen := map[string]string{}
	for _, a := range Actions() {
		for _, k := range a.Keys {
			if other := seen[k]; other != "" {
				t.Errorf("%s does both %s and %s", k, other, a.Name)
			}
			seen[k] = a.Name
		}
	}
}

func TestRemapKeys(t *testing.T) {
	for _, c := range []struct {
		keys map[string][]string
		want string // of the error; empty: fine
	}{
		{map[string][]string{"step": {"x"}}, ""},
		{map[string][]string{"step": {"q"}}, ""}, // quit keeps ctrl+c
		{map[string][]string{"stepp": {"x"}}, `no action "stepp"`},
		{map[string][]string{"step": {"x"}, "zoom": {"x"}}, "x is given to both step and zoom"},
		{map[string][]string{"step": {""}}, "step has an empty key"},
		{map[string][]string{"command": {}}, "command is left without a key"},
		{map[string][]string{"step": {"?", "f1"}}, "help is left without a key"},
	} {
		err := CheckKeys(c.keys)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("CheckKeys(%v) = %v, want %q", c.keys, err, c.want)
		}
	}
	d := newDriver(t, Config{Engine: leadsEngine(5), Keys: map[string][]string{"step": {"x"}}}, 120, 36)
	d.wants("x step", "x takes the first")
	d.press("s")
	d.wants("no action on s")
	d.press("x")
	d.wants("step 1/6")
}

func TestCopyIsRawAndExportWhole(t *testing.T) {
	var got []string
	dir := t.TempDir()
	e := hostileEngine()
	d := newDriver(t, Config{Engine: e, AutoSteps: -1, ExportDir: dir, Clipboard: func(s string) error {
		got = append(got, s)
		return nil
	}}, 120, 36)
	d.press("}", "y")
	d.wants("copy", "ref", "line", "what the agent gets under full")
	for i, c := range d.m.over.(*dialog.Menu).Rows {
		if c.Does.Copy.What == "what the agent gets under full" {
			for range i {
				d.press("down")
			}
		}
	}
	d.press("enter")
	if len(got) != 1 || got[0] != e.steps[7][1].Result.Snapshot.Text {
		t.Errorf("copied %q", got)
	}
	exportText := func() { d.press("e", "end", "enter") }
	exportText()
	d.wants("wrote ")
	text, err := os.ReadFile(filepath.Join(dir, "snapscope-step8-full.txt"))
	if err != nil || string(text) != e.steps[7][1].Result.Snapshot.Text {
		t.Errorf("exported %q, %v", text, err)
	}
	screen, err := os.ReadFile(filepath.Join(dir, "snapscope-step8-full-screen.txt"))
	if err != nil || bytes.ContainsAny(screen, "\x1b\x07\x00") || !bytes.Contains(screen, []byte("step 8/8")) {
		t.Errorf("the exported screen is %q, %v", screen, err)
	}
	exportText()
	if _, err := os.Stat(filepath.Join(dir, "snapscope-step8-full-2.txt")); err != nil {
		t.Error("a second export wrote over the first")
	}
}

func TestStateIsKept(t *testing.T) {
	dir := t.TempDir()
	open := func() *driver {
		return newDriver(t, Config{Engine: leadsEngine(20), StateDir: dir, AutoSteps: 2, Mouse: true}, 160, 45)
	}
	d := open()
	d.press("2", "x", "f", "m", "t", "t", "b")
	d.typed("error")
	d.press("enter", "a")
	d.typed("look here")
	d.press("enter", ":")
	d.typed("ref e6")
	d.press("enter", "q")
	d = open()
	if d.m.s.Panes[1].Shown || !d.m.s.Fold || d.m.s.Mouse || d.m.p.Th.Name != "contrast" {
		t.Errorf("shown %v, fold %v, mouse %v, theme %s", d.m.s.Panes[1].Shown, d.m.s.Fold, d.m.s.Mouse, d.m.p.Th.Name)
	}
	if len(d.m.s.Breaks) != 1 || d.m.s.Breaks[0].At.String() != "error" {
		t.Errorf("breakpoints %v", d.m.s.Breaks)
	}
	if n := d.m.s.NotesOn(2); len(n) != 1 || n[0] != "look here" {
		t.Errorf("notes %v", d.m.s.Notes)
	}
	if len(d.m.s.Hist) != 1 || d.m.s.Hist[0] != "ref e6" {
		t.Errorf("history %v", d.m.s.Hist)
	}
	d.press("t", "t", "t", "q") // light suits this terminal; the next may be dark
	if d = open(); d.m.p.Th.Name != "dark" || d.m.cfg.Theme != "" {
		t.Errorf("a light theme came back on another terminal: %s", d.m.p.Th.Name)
	}
	flag := newDriver(t, Config{Engine: leadsEngine(20), StateDir: dir, AutoSteps: 2, Theme: "contrast"}, 160, 45)
	flag.press("q")
	if d = open(); d.m.p.Th.Name != "dark" {
		t.Errorf("the theme of one run came back: %s", d.m.p.Th.Name)
	}
	for _, junk := range []string{"", "{", "[]", `{"version":99}`, `{"version":1,"sessions":{"leads demo":{"breaks":[{"at":"nonsense"}]}}}`} {
		if err := os.WriteFile(filepath.Join(dir, "screen.json"), []byte(junk), 0o600); err != nil {
			t.Fatal(err)
		}
		d = open()
		d.wants("step 2/6")
	}
	d.press("q")
	var s state
	data, err := os.ReadFile(filepath.Join(dir, "screen.json"))
	if err != nil || json.Unmarshal(data, &s) != nil || s.Version != stateVersion {
		t.Errorf("the state was not written anew: %s, %v", data, err)
	}
}

func TestSessionList(t *testing.T) {
	e := leadsEngine(5)
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	d := newDriver(t, Config{
		Recent: []dialog.Recent{{Path: "/a.jsonl", Title: "first", When: now.Add(-3 * time.Hour)}, {Path: "/b.jsonl", When: now}},
		Open: func(_ context.Context, path string) (session.Engine, error) {
			if path == "/a.jsonl" {
				return nil, errors.New("reading /a.jsonl: it is empty")
			}
			return e, nil
		},
	}, 120, 36)
	d.wants("2 sessions found", "3 hours ago", "first", "just now", "b.jsonl", "/b.jsonl", "enter opens")
	d.lacks("passmark", "no steps yet")
	d.press("down", "enter")
	d.wants("✗ reading /a.jsonl: it is empty")
	d.press("up", "enter")
	d.wants("step 6/6")
	for _, k := range []string{"s", "v", "o", "p"} {
		newDriver(t, Config{}, 120, 36).press(k)
	}
}

// TestSessionListSortsAndFilters holds that the list is measured, sorted by what was
// measured and filtered, and that an agent that runs stands first.
func TestSessionListSortsAndFilters(t *testing.T) {
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	sizes := map[string]dialog.Measured{"/long": {Steps: 90, Tokens: 5_000, Took: time.Minute}, "/fat": {Steps: 7, Tokens: 800_000, Took: time.Hour, Wrong: "step 2: acted on e777"}}
	d := newDriver(t, Config{
		Recent: []dialog.Recent{{Path: "/long", Title: "buy a lamp", When: now}, {Path: "/fat", Title: "sell a chair", When: now.Add(-time.Hour)}, {Path: "/run", Title: "s1", When: now.Add(-time.Hour), Runs: true}},
		Measure: func(_ context.Context, path string) (dialog.Measured, error) {
			if m, ok := sizes[path]; ok {
				return m, nil
			}
			return dialog.Measured{}, errors.New("it runs")
		},
	}, 120, 36)
	first := func() string {
		for _, l := range strings.Split(d.screen(), "\n") {
			if strings.Contains(l, "▸") {
				return l
			}
		}
		return ""
	}
	d.wants("when▾", "◉ runs now", "90", "~800 k", "1 h")
	if !strings.Contains(first(), "lamp") && !strings.Contains(first(), "s1") {
		t.Errorf("first is %q", first())
	}
	d.press("s")
	d.wants("steps▾")
	d.press("s", "down")
	d.wants("tokens▾")
	if !strings.Contains(first(), "chair") {
		t.Errorf("by tokens the first is %q", first())
	}
	d.wants("! step 2: acted on e777") // of the chosen session, and a mark in its row
	if !strings.Contains(first(), " ! ") {
		t.Errorf("what went wrong in it is not marked: %q", first())
	}
	d.press("down")
	d.lacks("acted on e777")
	d.press("up")
	d.press("&")
	d.typed("lamp")
	d.wants("1 of 3 sessions found with lamp", "buy a lamp")
	d.lacks("sell a chair")
	d.press("esc")
	d.wants("sell a chair")
	checkScreen(t, d.m, 120, 36)
}

func TestPicture(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 64, 36))
	for i := range img.Pix {
		img.Pix[i] = 200
	}
	img.Set(3, 3, pixel.Black)
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	e := shooter{leadsEngine(5)}
	e.shot = buf.Bytes()
	d := newDriver(t, Config{Engine: e, AutoSteps: 1}, 160, 45)
	d.press("p")
	d.wants("picture of the page now", "▀▀▀")
	e.shot = []byte("no picture")
	d.press("p", "p")
	d.wants("✗ reading the picture")
	d = newDriver(t, Config{Engine: leadsEngine(5), AutoSteps: 1}, 160, 45)
	d.press("p")
	d.wants("no browser to take a picture of")
}

func TestMouse(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(60), AutoSteps: 4, Mouse: true}, 160, 45)
	top := d.m.s.Top
	d.send(tea.MouseWheelMsg{X: 10, Y: 10, Button: tea.MouseWheelDown})
	if d.m.s.Top != top+view.WheelRows {
		t.Errorf("the wheel scrolls from %d to %d", top, d.m.s.Top)
	}
	d.send(tea.MouseClickMsg{X: 70, Y: 12, Button: tea.MouseLeft})
	if d.m.s.Focus != 1 || d.m.s.Row != d.m.s.Top+12-d.m.s.Lay.Panes[1].Y-d.m.s.Lay.PaneHead() {
		t.Errorf("a click gives pane %d, row %d", d.m.s.Focus, d.m.s.Row)
	}
	d.screen()
	d.send(tea.MouseClickMsg{X: d.m.p.Hits[0].X + 1, Y: d.m.s.Lay.Steps.Y, Button: tea.MouseLeft})
	if d.m.s.At != d.m.p.Hits[0].N {
		t.Errorf("a click on a step looks at %d", d.m.s.At)
	}
	mouseInList(t)
	d.press("m")
	if d.m.View().MouseMode != tea.MouseModeNone {
		t.Error("m leaves the mouse on")
	}
}

func TestPlaySteps(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(5), AutoSteps: -1}, 120, 36)
	d.press("P")
	d.wants("playing at 1×", "step 1/6")
	for range 9 {
		d.send(playMsg{d.m.s.Play.Seq})
	}
	d.wants("played to the newest step", "step 6/6")
	d.press(">")
	d.wants("plays at 2×")
	d.press("P", "P")
	d.wants("paused")
	at := d.m.s.At
	d.send(playMsg{d.m.s.Play.Seq})
	if d.m.s.At != at {
		t.Error("a paused play goes on")
	}
}

// follower is a fake engine whose session has grown by the time one asks
// whether it has.
type follower struct {
	*fakeEngine
	all [][]session.Event
}

func (f *follower) Changed() <-chan struct{} {
	ch := make(chan struct{}, 1)
	if len(f.steps) < len(f.all) {
		f.steps = f.all
		ch <- struct{}{}
	} else {
		close(ch)
	}
	return ch
}

func TestFollowTakesNewSteps(t *testing.T) {
	e := &follower{fakeEngine: leadsEngine(5)}
	e.info.Mode = session.ModeFollow
	e.all, e.steps = e.steps, e.steps[:2]
	d := newDriver(t, Config{Engine: e, AutoSteps: -1}, 120, 36)
	d.wants("step 6/6", "following")
}

// TestLongRecordingOpensInFewMessages: many steps take few frames.
func TestLongRecordingOpensInFewMessages(t *testing.T) {
	e := leadsEngine(5)
	for i := 7; i <= 200; i++ {
		e.steps = append(e.steps, fakeStep(i, session.Action{Verb: session.VerbSnapshot}, leadsURL, "Leads", leadsPage(5, i%5, "")))
	}
	d := newDriver(t, Config{Engine: e, AutoSteps: -1, Breaks: []string{"step 100"}}, 120, 36)
	d.wants("step 200/200")
	if d.m.frames > 20 {
		t.Errorf("%d frames were asked for", d.m.frames)
	}
	e.at = 0
	d = newDriver(t, Config{Engine: e, Breaks: []string{"step 100"}}, 120, 36)
	d.press("c")
	d.wants("stopped: step 100", "step 100/")
	d.press(":")
	d.typed("until 177")
	d.press("enter")
	d.wants("step 177/")
	if len(d.m.s.Tl.Steps) != 177 {
		t.Errorf("until 177 went on to %d", len(d.m.s.Tl.Steps))
	}
}

func TestPlain(t *testing.T) {
	var out bytes.Buffer
	if err := Plain(context.Background(), &out, Config{Engine: hostileEngine(), Count: func(s string) int { return len(s) / 4 }, Encoding: "o200k_base"}); err != nil {
		t.Fatal(err)
	}
	s := out.String()
	for _, want := range []string{"Step 4: check", "passmark:", "of full.", "changed: - checkbox", "failed: no element with ref e9999", "snapshot of step 4: 0 of 3", "The session: 8 steps", "lost in step 5"} {
		if !strings.Contains(s, want) {
			t.Errorf("the plain view lacks %q:\n%s", want, s)
		}
	}
	for i, l := range strings.Split(s, "\n") {
		checkSequences(t, l)
		if strings.ContainsRune(l, 0x1b) {
			t.Errorf("line %d holds an escape: %q", i, l)
		}
	}
	if err := Plain(context.Background(), &out, Config{}); err == nil {
		t.Error("the plain view shows no session")
	}
}

// mouseInList holds that the mouse sorts by a heading, chooses a row, opens it, and
// scrolls the list.
func mouseInList(t *testing.T) {
	t.Helper()
	d := finished(t, lossEngine(), 120, 36)
	d.m.s.Mouse = true
	click := func(x, y int) {
		t.Helper()
		d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	}
	at := func(head string) (x, y int) {
		t.Helper()
		for y, l := range strings.Split(d.screen(), "\n") {
			if i := strings.Index(l, head); i >= 0 {
				return len([]rune(l[:i])), y
			}
		}
		t.Fatalf("there is no heading %q", head)
		return 0, 0
	}
	click(at("input"))
	d.wants("input▾", "sorted by input, the most first")
	click(at("input"))
	d.wants("input▴", "sorted by input, the least first")
	click(at("page  "))
	d.wants("page▾", "a first")
	click(at(" # "))
	d.lacks("page▾", "input▾")
	x, y := at("fill searchbox")
	click(x, y)
	d.wants("step 3/6", "added")
	click(x, y)
	d.wants("step 3/6", "expiry")
	d.lacks(" did ")
	d.press("l")
	d.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
	d.wants("step 6/6")
}
