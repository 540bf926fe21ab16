package tui

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/replay/proxy"
	"snapscope/replay/proxy/control"
	"snapscope/session"
)

// fakeSeat notes what it is told.
type fakeSeat struct {
	st    control.State
	lines []string
	beats int
	err   error
}

func (f *fakeSeat) State() control.State { return f.st }
func (f *fakeSeat) Do(_ context.Context, line string) (string, error) {
	f.lines = append(f.lines, line)
	return "done: " + line, f.err
}
func (f *fakeSeat) Beat(context.Context) error { f.beats++; return nil }
func (f *fakeSeat) Changed() <-chan struct{}   { return nil }

func TestTheScreenOnARunningAgent(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(40), AutoSteps: -1}, 160, 45)
	now := d.m.s.Clock()
	f := &fakeSeat{st: control.State{Steering: true, Holds: []proxy.Hold{{
		ID: "h1", What: proxy.HeldCall, Tool: "browser_click\x1b[2J", Why: "before click e77, which the agent cannot read: e77", Until: now.Add(48 * time.Second),
		Args: json.RawMessage(`{"target":"e77"}`),
	}}}}
	d.m.cfg.Seat = f
	d.run(seatTick{}.apply(d.m))
	d.wants("HELD browser_click", "goes on in 48 s", "s step, c run, E edit")
	if f.beats != 1 {
		t.Errorf("%d beats, want 1", f.beats)
	}
	d.press("s")
	d.wants("done: step")
	d.press("c")
	d.wants("done: run")
	d.press("E")
	d.wants(`:args {"target":"e77"}`)
	d.press("enter")
	d.press(":")
	for _, r := range "break before lost" {
		d.press(string(r))
	}
	d.press("enter")
	d.wants("done: break before lost")
	want := `step|run|args {"target":"e77"}|break before lost`
	if got := strings.Join(f.lines, "|"); got != want {
		t.Errorf("the seat was told %s, want %s", got, want)
	}
	d.wants("‖ 1 held")
	f.st.Holds[0].Why = "everything is held"
	d.run(seatTick{}.apply(d.m))
	d.wants("HELD browser_click", " e77: everything is held")
	f.st.Rules.All, f.st.Rules.Breaks = true, []string{"before lost"}
	f.st.Models = true
	d.press("j") // whatever comes next
	d.wants("‖ 1 held · holds all calls, all model calls, before lost")
	f.st.Holds = nil
	d.press("k")
	d.wants("◉ attached · holds all calls, all model calls, before lost")
	d.press(":")
	d.typed("policy fold")
	d.press("enter")
	d.wants("this changes what the running agent reads: enter to confirm")
	if got := f.lines[len(f.lines)-1]; got != "break before lost" {
		t.Errorf("before it was confirmed the seat was told %s", got)
	}
	d.press("esc")
	d.press(":")
	d.typed("policy fold")
	d.press("enter")
	d.press("enter")
	d.wants("done: policy fold")
	f.st.Run.Policy = "fold"
	d.press("j")
	d.wants("◉ attached · agent reads pages under fold · holds all calls")
	f.st.Run.Policy = ""
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.wants("◉ attached · holds all calls and 2 more")
	d.send(tea.WindowSizeMsg{Width: 160, Height: 45})
	f.err = errors.New("h1 is not held any more")
	d.press("s")
	d.wants("h1 is not held any more")
	f.st = control.State{Ended: true}
	d.run(seatMsg{}.apply(d.m))
	d.wants("the agent has ended; its recording stays")
	d.press("E")
	d.wants("nothing is held")
}

// What a person was told about a running agent stays until the next key, also when
// the session grows meanwhile; that something is held is said as long as it is.
func TestWhatWasSaidStaysWhileTheAgentGoesOn(t *testing.T) {
	e := leadsEngine(5)
	e.info.Mode = session.ModeFollow
	all := e.steps
	e.steps = all[:2]
	d := newDriver(t, Config{Engine: e, AutoSteps: -1}, 120, 36)
	f := &fakeSeat{}
	d.m.cfg.Seat = f
	d.press(":")
	d.typed("hold all")
	d.press("enter")
	e.steps = all[:4]
	d.run(func() tea.Msg { return changedMsg{} })
	d.wants("step 4/", "done: hold all")

	f.st.Holds = []proxy.Hold{{ID: "h1", What: proxy.HeldCall, Tool: "browser_click", Why: "every call is held"}}
	d.run(seatTick{}.apply(d.m))
	d.wants("HELD browser_click")
	f.st.Holds = nil
	d.run(seatTick{}.apply(d.m))
	if got := d.m.s.Msg.Text; got != "" {
		t.Errorf("nothing is held, and it says %q", got)
	}
}

// seatedEngine is an engine with the seat of a running agent.
type seatedEngine struct {
	*fakeEngine
	seat Seat
}

// quietSeat is a seat of which there is no more to come.
type quietSeat struct{ *fakeSeat }

func (quietSeat) Changed() <-chan struct{} {
	ch := make(chan struct{})
	close(ch)
	return ch
}

func (s seatedEngine) Seat() Seat { return s.seat }

// TestARunningAgentIsOpenedFromTheList holds that an agent that runs, opened from the
// list of sessions, is one key away from being held.
func TestARunningAgentIsOpenedFromTheList(t *testing.T) {
	f := &fakeSeat{st: control.State{Ended: true}}
	d := newDriver(t, Config{
		List: true, Recent: []Recent{{Path: "/run/seat.jsonl", Title: "mcp-1 claude-code before npx", Runs: true}},
		Open: func(context.Context, string) (session.Engine, error) {
			return seatedEngine{seatEngine(20), quietSeat{f}}, nil
		},
	}, 120, 36)
	d.wants("◉ runs now", "mcp-1 claude-code")
	d.press("enter")
	d.wants("as sent", "steps ")
	d.lacks("saved under")
	d.press("s")
	d.wants("done: step")
	if got := strings.Join(f.lines, "|"); got != "step" {
		t.Errorf("the seat was told %q", got)
	}
}
