package tui

import (
	"context"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy/registry"
	"snapscope/tui/dialog"
	"snapscope/tui/draw"
	"snapscope/tui/keymap"
	"snapscope/tui/pane"
	"snapscope/tui/view"
)

// base is what every part of the root stands on.
type base struct {
	ctx   context.Context
	cfg   Config
	s     *view.State   // what is looked at
	p     *pane.Painter // draws it
	rd    *policy.Renderer
	eng   session.Engine
	one   *sync.Mutex                          // held by whoever asks the engine: it does one thing at a time
	after func(time.Duration, tea.Msg) tea.Cmd // a message after a time; tests have no clock
}

// Model is the root: it takes every message, asks the engine, and hands what is
// chosen (s) to those who draw it (p). It is made of parts that know what is chosen and
// themselves; none of them knows of it.
type Model struct {
	*base
	jobs
	later
	front
	themes
	history
	holding

	acts  map[string]*action // by name
	words map[string]word

	search *search // for the best policy; nil: none goes on

	mem     memory
	quit    bool
	gone    bool           // the key before went to the step of a count: its g may follow
	asked   bool           // ctrl+c was pressed just now
	broken  bool           // it was pressed twice: the person broke off
	exports bool           // the export was asked for and waits for a knob to be turned
	owned   session.Engine // opened by the screen itself: closed at its end
}

// newModel makes the screen's state. The error names what is wrong with the
// configuration.
func newModel(ctx context.Context, cfg Config) (*Model, error) {
	acts, keys := map[string]*action{}, []*keymap.Action{}
	for _, a := range actions() {
		acts[a.Name], keys = a, append(keys, &a.Action)
	}
	b, err := keymap.Bind(keys, cfg.Keys)
	if err != nil {
		return nil, err
	}
	b.Words = Words()
	s := view.NewState(b)
	s.Mouse = cfg.Mouse
	on := &base{ctx: ctx, cfg: cfg, s: s, p: &pane.Painter{S: s, Cv: draw.NewCanvas(0, 0)}, one: &sync.Mutex{}, after: tick}
	m := &Model{
		base: on, jobs: jobs{base: on}, later: later{base: on, making: map[string]*making{}}, front: front{base: on}, themes: themes{base: on},
		history: history{base: on}, holding: holding{base: on}, acts: acts, words: map[string]word{},
	}
	for _, w := range words() {
		m.words[w.Word.Word] = w
	}
	m.s.Clock, m.s.EncName, m.s.Estimate, m.s.Mono = cfg.now, cfg.Encoding, cfg.Estimate, cfg.NoColor
	m.setTheme(cfg.Theme)
	if m.cfg.Count == nil {
		m.cfg.Count = func(s string) int { return (len(s) + 3) / 4 }
		m.s.EncName, m.s.Estimate = "chars4", true
	}
	m.rd = policy.NewRenderer(m.cfg.Count)
	m.s.Panes = view.PanesOf(cfg.Panes, cfg.Policies)
	if s, err := registry.Get("openclaw"); err == nil {
		m.s.Rule.Policy, m.s.Rule.Origin = policy.Single(s), policy.Single(s)
	}
	if err := view.SetKnobs(m.s.Panes, cfg.Set); err != nil {
		return nil, err
	}
	m.mem = loadMemory(cfg)
	m.s.Hist = m.mem.state.History
	m.s.Own = slices.Clone(cfg.Policies)
	for _, text := range cfg.Breaks {
		if err := m.s.AddBreak(text); err != nil {
			return nil, err
		}
	}
	m.attach(cfg.Engine)
	m.welcome()
	return m, nil
}

// welcome says what there is to say where a session comes on the screen.
func (m *Model) welcome() {
	switch {
	case m.cfg.Notice != "":
		m.s.Say(view.LevelInfo, m.cfg.Notice)
	case m.eng != nil && m.mem.path != "" && !m.mem.known:
		m.s.Say(view.LevelInfo, m.s.FirstHint())
	}
}

// attach begins to look at an engine's session; nil shows the list of sessions.
func (m *Model) attach(e session.Engine) {
	m.eng, m.s.Open = e, e != nil
	_, m.s.Shoots = e.(Screenshooter)
	if e == nil {
		m.over = dialog.NewSessionList(m.cfg.Recent)
		return
	}
	m.s.Info, m.s.Pending = e.Info(), e.Pending()
	m.s.Unkept = m.cfg.NoRecord
	m.restore()
	if m.cfg.List && m.s.Info.Mode != session.ModeLive && m.cfg.Seat == nil { // the keys of an agent that runs hold it
		m.s.List.Open, m.s.Follow = true, false
		m.s.Side, m.s.OnSide = view.SideNone, false
	}
}

func (m *themes) setTheme(name string) {
	if m.cfg.NoColor {
		name = "mono"
	}
	m.p.Th = draw.ThemeOf(name)
}

// Init asks for the terminal's background where the theme depends on it and
// begins the steps that are done without a key.
func (m *Model) Init() tea.Cmd {
	var cmds []tea.Cmd
	if m.cfg.Theme == "" && !m.cfg.NoColor {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if m.eng != nil {
		cmds = append(cmds, m.open())
	}
	cmds = append(cmds, m.measureNext())
	return tea.Batch(append(cmds, m.beginSeat())...)
}

// open does the first steps of a session.
func (m *jobs) open() tea.Cmd {
	if m.cfg.AutoSteps == 0 {
		return m.wait()
	}
	return m.startTo(view.JobCount, "opening the session", nil, m.cfg.AutoSteps, 0)
}

// themes is how the screen looks.
type themes struct {
	*base
	picked bool // on the screen
}
