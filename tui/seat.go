package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/replay/proxy"
	"snapscope/replay/proxy/control"
	"snapscope/tui/dialog"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// Seat is a running agent that the screen can hold: replay/proxy/control's Console.
// Its methods may take as long as the socket does, so they are called in commands.
type Seat interface {
	State() control.State // at once
	Do(ctx context.Context, line string) (said string, err error)
	Beat(ctx context.Context) error
	Changed() <-chan struct{}
}

// holding is what the screen does with a running agent.
type holding struct {
	*base
	held   string // what was said last of what the seat holds
	unsent unsent // what a person made of a held message and could not send
}

// The screen's own loop renews the lease: a screen that hangs loses it, and
// everything that it holds goes on.
//
//	seatTick ─▶ Beat in a command, the countdown drawn anew, the next tick
//	seatMsg  ─▶ something was held or went
type seatTick struct{}

type seatMsg struct{}

type seatSaid struct {
	said string
	err  error
}

// beginSeat begins to watch the seat.
func (m *holding) beginSeat() tea.Cmd {
	if m.cfg.Seat == nil {
		return nil
	}
	return tea.Batch(m.after(control.Renew, seatTick{}), m.awaitSeat())
}

func (m *holding) awaitSeat() tea.Cmd {
	ch, ctx := m.cfg.Seat.Changed(), m.ctx
	return func() tea.Msg {
		select {
		case <-ch:
			return seatMsg{}
		case <-ctx.Done():
			return nil
		}
	}
}

func (seatTick) apply(m *Model) tea.Cmd {
	m.showHeld(m.input != nil)
	if m.cfg.Seat.State().Ended {
		return nil
	}
	s, ctx := m.cfg.Seat, m.ctx
	beat := func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, control.Lease)
		defer cancel()
		if err := s.Beat(ctx); err != nil && !errors.Is(err, control.ErrEnded) && ctx.Err() == nil {
			return seatSaid{err: err}
		}
		return nil
	}
	return tea.Batch(beat, m.after(control.Renew, seatTick{}))
}

func (seatMsg) apply(m *Model) tea.Cmd {
	m.showHeld(m.input != nil)
	if m.cfg.Seat.State().Ended {
		m.s.Say(view.LevelInfo, "the agent has ended; its recording stays")
		return nil
	}
	return m.awaitSeat()
}

func (s seatSaid) apply(m *Model) tea.Cmd {
	if s.err != nil {
		m.s.Say(view.LevelWarn, s.err.Error())
		return nil
	}
	if s.said != "" {
		m.s.Say(view.LevelGood, s.said)
	}
	return nil
}

// showHeld says what is held and how long it may be, and no longer than it is.
func (m *holding) showHeld(typing bool) {
	st := m.cfg.Seat.State()
	switch {
	case typing:
	case len(st.Holds) > 0:
		m.held = m.heldLine(st.Holds[0], len(st.Holds)-1)
		m.s.Say(view.LevelWarn, m.held)
	case m.held != "" && m.s.Msg.Text == m.held:
		m.s.ClearMessage()
	}
}

// steer is what the header says of the agent.
func (m *holding) steer() view.Steer {
	if m.cfg.Seat == nil {
		return view.Steer{}
	}
	st := m.cfg.Seat.State()
	return view.Steer{On: true, Ended: st.Ended, Held: len(st.Holds), Will: st.Will(), Policy: st.Run.Policy}
}

// heldLine is a held message in one line.
func (m *holding) heldLine(h proxy.Hold, more int) string {
	what := h.Tool
	on := heldOn(h.Args)
	if name := view.NameOf(m.s.Tl, on); name != "" {
		what += " " + safetext.Cut(name, 48)
	}
	if on != "" && !strings.Contains(h.Why, on) {
		what += " " + safetext.Cut(on, 48)
	}
	if h.What == proxy.HeldResult {
		what = "the result of " + what
	}
	var b strings.Builder
	fmt.Fprintf(&b, "HELD %s: %s", what, h.Why)
	if !h.Until.IsZero() {
		fmt.Fprintf(&b, " · goes on in %d s", max(0, int(h.Until.Sub(m.s.Clock()).Round(time.Second)/time.Second)))
	}
	fmt.Fprintf(&b, " · %s step, %s run, %s edit", m.s.Keys.Label("step"), m.s.Keys.Label("continue"), m.s.Keys.Label("edit"))
	if more > 0 {
		fmt.Fprintf(&b, " · %d more held", more)
	}
	return b.String()
}

// heldOn is what a call is about: an address or an element. Whatever else it bears
// may be a secret that is typed.
func heldOn(args json.RawMessage) string {
	if !json.Valid(args) {
		return ""
	}
	for _, key := range []string{"url", "ref", "target", "uid", "selector"} {
		if s := proxy.TextAt(args, key); s != "" {
			return s
		}
	}
	return ""
}

// seatAction is what a key does on a running agent instead of what it does on a
// recording.
func (m *Model) seatAction(name string) (cmd tea.Cmd, ok bool) {
	if m.cfg.Seat == nil {
		return nil, false
	}
	switch name {
	case "step":
		return m.seatDo("step"), true
	case "continue":
		return m.seatDo("run"), true
	case "edit":
		return m.editHeld(m.ask), true
	}
	return nil, false
}

func (m *holding) seatDo(line string) tea.Cmd {
	s, ctx := m.cfg.Seat, m.ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, control.Lease)
		defer cancel()
		said, err := s.Do(ctx, line)
		return seatSaid{said, err}
	}
}

// changesAgent is the question before a line that changes what a running agent
// reads: on a recording the same word only changes a pane. Empty: it does not.
func (m *holding) changesAgent(in *dialog.Input, line string) string {
	word, name, _ := strings.Cut(line, " ")
	if m.cfg.Seat == nil || in.Kind != dialog.InputCommand || word != "policy" || m.cfg.Seat.State().Ended {
		return ""
	}
	if name = strings.TrimSpace(name); name == "" || name == "none" {
		return "the running agent gets full pages again: enter to confirm, esc to cancel"
	}
	return "this changes what the running agent reads: enter to confirm, esc to cancel"
}

// seatWord carries out a line of words that act on a seat.
func (m *holding) seatWord(line string) (cmd tea.Cmd, ok bool) {
	if m.cfg.Seat == nil {
		return nil, false
	}
	word, _, _ := strings.Cut(line, " ")
	for _, w := range control.Words {
		if w.Word == word {
			return m.seatDo(line), true
		}
	}
	return nil, false
}
