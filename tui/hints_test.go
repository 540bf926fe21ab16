package tui

import (
	"context"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/tui/dialog"
)

// TestHintsNameTheKeysThatAreBound holds that what is said of a key is said of the one
// that is bound, and that this key does it, in every place that has hints of its own.
func TestHintsNameTheKeysThatAreBound(t *testing.T) {
	keys := map[string][]string{
		"cancel": {"f2"}, "reason": {"f3"}, "fold": {"f4"}, "step": {"f5"}, "reset": {"f6"}, "undo": {"f7"}, "prices": {"f8"}, "filter": {"f9"}, "quit": {"f10"}, "down": {"f11"},
	}
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: -1, Keys: keys, Mouse: true}, 160, 45)
	d.press("v")
	d.wants("f6 beside", "f5 scale", "f8 prices", "f3 goes there", "f4 fixes", "f7 undo", "f2 closes")
	d.lacks("r beside", "esc closes")
	was := d.screen()
	d.press("f5")
	if d.screen() == was {
		t.Error("f5 does not change the scale")
	}
	d.send(tea.MouseWheelMsg{X: 10, Y: 10, Button: tea.MouseWheelDown})
	d.wants("context and cost")
	d.press("f2", "l")
	d.wants("f3 look", "f5 sort", "f9 filter", "f4 words")
	d.press("?", "/")
	d.typed("a count")
	d.wants("before G, gg, f11, k, [ and ] a count")
	d.press("enter", "x", "l")
	e := leadsEngine(5)
	e.gate = make(chan struct{})
	d = newDriver(t, Config{Engine: e, Keys: keys}, 120, 36)
	_, _ = d.m.Update(keyMsg("f5"))
	d.wants("f2 stops it")
	d.press("f5")
	d.wants("f2 stops it")
	d = newDriver(t, Config{Recent: []dialog.Recent{{Path: "/a.jsonl"}}, Keys: keys}, 120, 36)
	d.wants("f3 opens", "f9 filter", "f5 sort", "f6 turns it round", "f10 leaves")
}

// TestMouseInTheListOfSessions holds that a click chooses a session, one on the chosen
// session opens it, and one beside the rows leaves the list where it is: nothing lies
// below it.
func TestMouseInTheListOfSessions(t *testing.T) {
	opened := ""
	d := newDriver(t, Config{
		Mouse: true, Recent: []dialog.Recent{{Path: "/a.jsonl", When: time.Unix(2000, 0)}, {Path: "/b.jsonl", When: time.Unix(1000, 0)}},
		Open: func(_ context.Context, path string) (session.Engine, error) {
			opened = path
			return leadsEngine(5), nil
		},
	}, 120, 36)
	d.screen()
	click := func(x, y int) { d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(100, 30)
	d.wants("a.jsonl", "b.jsonl")
	second := d.m.p.Hits[len(d.m.p.Hits)-1]
	click(second.X+1, second.Y)
	d.wants("a.jsonl")
	if opened != "" {
		t.Fatalf("one click opens %s", opened)
	}
	click(second.X+1, second.Y)
	if opened != "/b.jsonl" {
		t.Errorf("a second click opens %q", opened)
	}
	d.wants("step 6/6")
}

// TestDrawingChangesNothing holds that what is looked at, and what lies over it, is the
// same after it was drawn.
func TestDrawingChangesNothing(t *testing.T) {
	for _, keys := range [][]string{
		nil,
		{"l"},
		{"l", "end", "s"},
		{"o", "down", "down"},
		{"tab", "/", "r", "o", "w", "enter", "n"},
		{"?", "pgdown", "pgdown"},
		{"ctrl+p", "end"},
		{"y", "down"},
		{"e", "down"},
		{"$", "end"},
		{"v", "down", "tab"},
		{"enter"},
		{"i"},
	} {
		for _, size := range [][2]int{{80, 24}, {160, 45}} {
			d := newDriver(t, Config{Engine: lossEngine(), AutoSteps: -1}, size[0], size[1])
			d.press(keys...)
			was, over := fmt.Sprintf("%+v", *d.m.s), fmt.Sprintf("%+v", d.m.over)
			first := d.screen()
			if d.screen() != first {
				t.Errorf("%v at %v: drawn twice it is another screen", keys, size)
			}
			if fmt.Sprintf("%+v", *d.m.s) != was || fmt.Sprintf("%+v", d.m.over) != over {
				t.Errorf("%v at %v: drawing changes what is looked at", keys, size)
			}
		}
	}
}
