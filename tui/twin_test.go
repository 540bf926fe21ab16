package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// beside runs two sessions as Bubble Tea would, without a clock.
type beside struct {
	t *testing.T
	w *twin
}

func newBeside(t *testing.T, w, h int) beside {
	t.Helper()
	b := beside{t, &twin{}}
	other := lossEngine()
	other.steps = append(other.steps[:2:2], other.steps[3:]...) // without the search
	for i, e := range []*fakeEngine{lossEngine(), other} {
		m, err := newModel(context.Background(), Config{Engine: e, AutoSteps: -1, List: true, Theme: "dark"})
		if err != nil {
			t.Fatal(err)
		}
		m.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
		m.s.Tag = string(rune('A' + i))
		b.w.of[i] = m
	}
	b.w.take(0)
	b.run(b.w.Init())
	b.send(tea.WindowSizeMsg{Width: w, Height: h})
	return b
}

func (b beside) run(c tea.Cmd) {
	if c == nil {
		return
	}
	switch msg := c().(type) {
	case nil, tea.QuitMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			b.run(c)
		}
	default:
		b.send(msg)
	}
}

func (b beside) send(msg tea.Msg) {
	_, c := b.w.Update(msg)
	b.run(c)
}

func (b beside) wants(texts ...string) {
	b.t.Helper()
	s := ansi.Strip(b.w.View().Content)
	for _, want := range texts {
		if !strings.Contains(s, want) {
			b.t.Errorf("the screen does not show %q:\n%s", want, s)
		}
	}
}

// TestTwoSessionsBesideEachOther holds that two sessions go through their steps
// together, tied where they did the same, until they are let go of.
func TestTwoSessionsBesideEachOther(t *testing.T) {
	for _, s := range [][2]int{{160, 45}, {200, 60}, {100, 50}} {
		b := newBeside(t, s[0], s[1])
		b.wants("▸A", " B ", "6 steps", "5 steps", "the two part at step 3: A fill searchbox")
		lines := strings.Split(b.w.View().Content, "\n")
		for i, l := range lines {
			if w := ansi.StringWidthWc(l); w != s[0] || len(lines) != s[1] {
				t.Fatalf("%v: line %d of %d is %d wide", s, i, len(lines), w)
			}
		}
		for range 3 {
			b.send(keyMsg("]"))
		}
		if a, o := b.w.of[0].s.At, b.w.of[1].s.At; a != 3 || o != 2 {
			t.Errorf("step %d of A is tied to step %d of B", a+1, o+1)
		}
		b.send(keyMsg("enter")) // the panes of both
		if b.w.of[0].s.List.Open || b.w.of[1].s.List.Open {
			t.Error("one of the two is still in its list of steps")
		}
		b.send(keyMsg("ctrl+w"))
		b.wants("▸B")
		b.send(keyMsg(")"))
		if a, o := b.w.of[0].s.At, b.w.of[1].s.At; a != 5 || o != 4 {
			t.Errorf("the ends are steps %d and %d", a+1, o+1)
		}
		b.send(keyMsg("ctrl+l"))
		b.send(keyMsg("("))
		if a, o := b.w.of[0].s.At, b.w.of[1].s.At; a != 5 || o != 0 {
			t.Errorf("let go of, they are at steps %d and %d", a+1, o+1)
		}
		if s[0] >= 160 {
			b.w.of[0].s.Mouse, b.w.of[1].s.Mouse = true, true
			b.send(tea.MouseClickMsg{X: 3, Y: 8, Button: tea.MouseLeft})
			b.wants("▸A")
		}
	}
	b := newBeside(t, 120, 36) // room for one: the other is a key away
	b.wants("▸A", "6 steps")
	b.send(keyMsg("`"))
	b.wants("▸B", "5 steps")
}
