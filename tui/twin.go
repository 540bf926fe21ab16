package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/snapshot/textdiff"
	"snapscope/snapshot/wording"
	"snapscope/tui/layout"
	"snapscope/tui/view"
)

// twin shows two sessions beside each other: two roots that know nothing of each
// other, each on its half of the screen. Both go through the steps together, tied
// where they did the same, until they are let go of.
//
//	keys ─▶ the one that has them ─▶ its step ─▶ the same step of the other
//	answers of commands ─▶ the one that asked (sideMsg)
type twin struct {
	of     [2]*Model
	at     int // which has the keys
	w, h   int
	loose  bool // each goes alone
	tied   [2][]int
	said   bool
	across layout.Rect // of the one at the right or below; empty: only one is seen
}

// sideMsg is the answer of a command that one of the two asked for.
type sideMsg struct {
	side int
	msg  tea.Msg
}

// RunBeside is Run on two sessions beside each other.
func RunBeside(outer context.Context, a, b Config) error {
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	t := &twin{}
	for i, cfg := range []Config{a, b} {
		m, err := newModel(ctx, cfg)
		if err != nil {
			return err
		}
		m.s.Tag = string(rune('A' + i))
		t.of[i] = m
	}
	t.take(0)
	return ending(outer, runProgram(ctx, cancel, t, a), t.of[t.at])
}

// take gives the keys to one of the two.
func (t *twin) take(side int) {
	t.at = side
	for i, m := range t.of {
		m.s.TagOn = i == side
	}
}

// Init begins both.
func (t *twin) Init() tea.Cmd { return tea.Batch(from(0, t.of[0].Init()), from(1, t.of[1].Init())) }

// Update takes one message in.
func (t *twin) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case sideMsg:
		cmd := t.give(msg.side, msg.msg)
		return t, tea.Batch(cmd, t.tie())
	case tea.WindowSizeMsg:
		t.w, t.h = msg.Width, msg.Height
		return t, t.arrange()
	case tea.BackgroundColorMsg, tea.ModeReportMsg:
		return t, tea.Batch(t.give(0, msg), t.give(1, msg))
	case tea.KeyPressMsg:
		return t, t.press(msg)
	case tea.MouseMsg:
		return t, t.mouse(msg)
	}
	return t, t.give(t.at, msg)
}

// give hands a message to one of the two.
func (t *twin) give(side int, msg tea.Msg) tea.Cmd {
	_, cmd := t.of[side].Update(msg)
	return from(side, cmd)
}

// press switches between the two, or gives the key to the one that has them and
// takes the other along.
func (t *twin) press(k tea.KeyPressMsg) tea.Cmd {
	m := t.of[t.at]
	if m.input == nil && m.over == nil {
		switch m.s.Keys.NameOf(k.String()) {
		case "other":
			t.take(1 - t.at)
			return t.arrange()
		case "link":
			t.loose = !t.loose
			m.s.Say(view.LevelInfo, "the two go together, tied where they did the same")
			if t.loose {
				m.s.Say(view.LevelInfo, "each of the two goes alone")
			}
			return nil
		}
	}
	was, list := m.s.At, m.s.List.Open
	cmd := t.give(t.at, k)
	if t.loose {
		return cmd
	}
	return tea.Batch(cmd, t.follow(m.s.At != was, m.s.List.Open != list))
}

// follow takes the other one along: to the step that did the same, and to the list of
// steps or out of it.
func (t *twin) follow(moved, list bool) tea.Cmd {
	m, other := t.of[t.at], t.of[1-t.at]
	other.s.ClearMessage()
	if list && other.s.List.Open != m.s.List.Open && other.over == nil && other.input == nil {
		other.s.ShowList()
	}
	if moved && m.s.At >= 0 && m.s.At < len(t.tied[t.at]) {
		if to := t.tied[t.at][m.s.At]; to != other.s.At {
			other.s.Look(to)
		}
	}
	return from(1-t.at, other.fulfil())
}

// mouse gives the mouse to the one that lies under it.
func (t *twin) mouse(msg tea.MouseMsg) tea.Cmd {
	at := msg.Mouse()
	side := t.at
	if !t.across.Empty() {
		side = 0
		if t.across.Holds(at.X, at.Y) {
			side, at.X, at.Y = 1, at.X-t.across.X, at.Y-t.across.Y
		}
	}
	switch msg.(type) {
	case tea.MouseClickMsg:
		t.take(side)
		return t.give(side, tea.MouseClickMsg(at))
	case tea.MouseWheelMsg:
		return t.give(side, tea.MouseWheelMsg(at))
	}
	return nil
}

// arrange gives each its half: beside each other, else one below the other, else the
// whole screen to the one that has the keys.
func (t *twin) arrange() tea.Cmd {
	a, b := tea.WindowSizeMsg{Width: t.w, Height: t.h}, tea.WindowSizeMsg{Width: t.w, Height: t.h}
	t.across = layout.Rect{}
	switch {
	case t.w >= 2*layout.MinWidth:
		a.Width = t.w / 2
		b.Width = t.w - a.Width
		t.across = layout.R(a.Width, 0, b.Width, t.h)
	case t.h >= 2*layout.MinHeight:
		a.Height = t.h / 2
		b.Height = t.h - a.Height
		t.across = layout.R(0, a.Height, t.w, b.Height)
	}
	return tea.Batch(t.give(0, a), t.give(1, b))
}

// tie finds, once both sessions are there, which steps did the same, and says where
// they part.
func (t *twin) tie() tea.Cmd {
	var names [2][]string
	for i, m := range t.of {
		if m.s.Table == nil || m.s.Job != nil || m.s.Table.Steps() != len(m.s.Tl.Steps) {
			return nil
		}
		names[i] = m.s.Table.Names()
	}
	if len(t.tied[0]) == len(names[0]) && len(t.tied[1]) == len(names[1]) {
		return nil
	}
	t.tied = [2][]int{pairSteps(names[0], names[1]), pairSteps(names[1], names[0])}
	if t.said {
		return nil
	}
	t.said = true
	m := t.of[t.at]
	for i := range max(len(names[0]), len(names[1])) {
		if i >= len(names[0]) || i >= len(names[1]) || names[0][i] != names[1][i] {
			m.s.Say(view.LevelInfo, fmt.Sprintf("the two part at step %d: A %s, B %s · %s goes to the other", i+1, stepOf(names[0], i), stepOf(names[1], i), m.s.Keys.Label("other")))
			return nil
		}
	}
	m.s.Say(view.LevelInfo, "both did the same "+wording.Plural(len(names[0]), "step")+" · "+m.s.Keys.Label("other")+" goes to the other")
	return nil
}

func stepOf(names []string, i int) string {
	if i >= len(names) {
		return "has ended"
	}
	return wording.OneLine(names[i], 50)
}

// pairSteps tells for each step of a the step of b that did the same, else the one
// that stands where it would.
func pairSteps(a, b []string) []int {
	out := make([]int, len(a))
	for _, e := range textdiff.Diff(a, b) {
		for i := e.A0; i < e.A1; i++ {
			out[i] = e.B0
			if e.Op == textdiff.Equal {
				out[i] = e.B0 + i - e.A0
			}
		}
	}
	for i := range out {
		out[i] = max(0, min(out[i], len(b)-1))
	}
	return out
}

// View puts the two beside each other.
func (t *twin) View() tea.View {
	v := t.of[t.at].View()
	if t.across.Empty() {
		return v
	}
	a, b := t.of[0].View(), t.of[1].View()
	if v.Cursor != nil && t.at == 1 {
		v.Cursor.X, v.Cursor.Y = v.Cursor.X+t.across.X, v.Cursor.Y+t.across.Y
	}
	if t.across.Y > 0 {
		v.SetContent(a.Content + "\n" + b.Content)
		return v
	}
	left, right := strings.Split(a.Content, "\n"), strings.Split(b.Content, "\n")
	for i := range left {
		if i < len(right) {
			left[i] += right[i]
		}
	}
	v.SetContent(strings.Join(left, "\n"))
	return v
}

// from marks what a command answers with the one that asked. What is none of ours is
// the terminal's affair and goes on as it is.
func from(side int, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			out := make(tea.BatchMsg, len(msg))
			for i, c := range msg {
				out[i] = from(side, c)
			}
			return out
		case updater, grewMsg, tickMsg, changedMsg:
			return sideMsg{side, msg}
		default:
			return msg
		}
	}
}
