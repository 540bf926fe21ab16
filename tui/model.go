package tui

import (
	"context"
	"fmt"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/session/breakpoint"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
	"snapscope/tui/keymap"
)

// Model is the root: it owns the session's timeline and everything that can be
// chosen on the screen. Its children are plain structs that draw into
// rectangles; only the root takes messages.
type Model struct {
	ctx     context.Context
	cfg     Config
	eng     session.Engine
	one     *sync.Mutex // held by whoever asks the engine: it does one thing at a time
	info    session.Info
	pending []session.Action // steps to come, as the engine told last
	tl      *session.Timeline
	rd      *policy.Renderer

	// the screen
	w, h   int
	th     *theme
	picked bool // the theme was chosen on the screen
	cv     *canvas
	lay    placed
	keys   *keymap.Bindings
	open   bool // a session is looked at
	shoots bool // its engine takes pictures of the page

	// what is looked at
	panes  []pane
	rule   pane // the expiry rule of the expiry line where no shown policy has one
	focus  int  // index into panes
	at     int  // index of the step looked at, -1 none
	follow bool
	zoom   bool
	fold   bool
	mouse  bool
	side   sideKind
	onSide bool // the side column has the keys

	// the snapshot panes
	fr    *frame
	grid  *grid // fr.grid, or folded or filtered from it
	top   int   // first visible row
	row   int   // the row the cursor is on
	shift int   // columns scrolled to the right

	// work
	after    func(time.Duration, tea.Msg) tea.Cmd // a message after a time; tests have no clock
	job      *job
	seq      int // of jobs
	frameSeq int
	busy     bool // a frame is being made
	dirty    bool // and must be made again
	waiting  bool
	ended    bool
	figs     figures
	play     player

	msg      message
	search   search
	input    *input
	over     overlay
	knobs    knobsPane
	breaks   []breakRow
	once     []breakpoint.Condition // of the running job only
	notes    []note
	hist     []string
	keep     keeper
	own      []policy.Policy // saved on this screen
	pic      picture
	stepHits []stepHit // where the steps were drawn, for the mouse
	wantRef  string    // go to this ref when the next frame comes
	quit     bool
	wants    wants
	jobCtx   context.Context
	jobStop  context.CancelFunc
	encName  string
	estimate bool
	mono     bool
	clock    func() time.Time
	set      *figureSet
	planned  []string
	fixOf    policyFigures
	owned    session.Engine // opened by the screen itself: closed at its end
	parts    []part         // reused while drawing
	lostRef  string         // what the pane being drawn lost in this step
}

// pane is one way to read the session: a policy, shown or not.
type pane struct {
	policy policy.Policy
	origin policy.Policy // the policy as it came, for reset
	shown  bool
}

// sideKind is what the side column holds.
type sideKind uint8

const (
	sideNone sideKind = iota
	sideKnobs
	sideEvents
	sidePicture
)

// level is how loud a message is.
type level uint8

const (
	levelInfo level = iota
	levelGood
	levelStop // a breakpoint
	levelWarn
	levelError
)

// message is the one line said to the person; it stays until the next key.
type message struct {
	level level
	text  string
}

func (m *Model) say(l level, text string) { m.msg = message{l, text} }

// newModel makes the screen's state. The error names what is wrong with the
// configuration.
func newModel(ctx context.Context, cfg Config) (*Model, error) {
	b, err := keymap.Bind(cfg.Keys)
	if err != nil {
		return nil, err
	}
	m := &Model{
		ctx: ctx, cfg: cfg, keys: b, tl: &session.Timeline{}, at: -1, follow: true, after: later, one: &sync.Mutex{},
		mouse: cfg.Mouse, cv: newCanvas(0, 0),
	}
	m.clock, m.encName, m.estimate, m.mono = cfg.now, cfg.Encoding, cfg.Estimate, cfg.NoColor
	m.setTheme(cfg.Theme)
	if m.cfg.Count == nil {
		m.cfg.Count = func(s string) int { return (len(s) + 3) / 4 }
		m.encName, m.estimate = "chars4", true
	}
	m.rd = policy.NewRenderer(m.cfg.Count)
	m.panes = panesOf(cfg)
	if s, err := strategy.Get("openclaw"); err == nil {
		m.rule.policy, m.rule.origin = policy.Single(s), policy.Single(s)
	}
	if err := setKnobs(m.panes, cfg.Set); err != nil {
		return nil, err
	}
	m.keep = loadKeeper(cfg)
	m.hist = m.keep.state.History
	for _, text := range cfg.Breaks {
		if err := m.addBreak(text); err != nil {
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
		m.say(levelInfo, m.cfg.Notice)
	case m.eng != nil && m.keep.path != "" && !m.keep.known:
		m.say(levelInfo, m.firstHint())
	}
}

// firstHint is what a person is told who was never here.
func (m *Model) firstHint() string {
	return fmt.Sprintf("new here? %s takes a step, %s turns the knobs, %s says why, %s lists every key",
		m.keys.Label("step"), m.keys.Label("knobs"), m.keys.Label("reason"), m.keys.Label("help"))
}

// attach begins to look at an engine's session; nil shows the list of sessions.
func (m *Model) attach(e session.Engine) {
	m.eng, m.open = e, e != nil
	_, m.shoots = e.(Screenshooter)
	if e == nil {
		m.over = newSessionList(m.cfg)
		return
	}
	m.info, m.pending = e.Info(), e.Pending()
	m.restore()
}

func (m *Model) setTheme(name string) {
	if m.cfg.NoColor {
		name = "mono"
	}
	m.th = themeOf(name)
}

// panesOf lists the panes: those asked for, shown, then every other policy that
// rewrites, hidden.
func panesOf(cfg Config) []pane {
	shown := cfg.Panes
	if len(shown) == 0 {
		for _, name := range []string{"full", "passmark", "compress"} {
			if s, err := strategy.Get(name); err == nil {
				shown = append(shown, policy.Single(s))
			}
		}
	}
	var out []pane
	have := map[string]bool{}
	add := func(p policy.Policy, show bool) {
		if have[p.Name] || len(out) == 9 && !show {
			return
		}
		have[p.Name] = true
		out = append(out, pane{policy: p.Clone(), origin: p.Clone(), shown: show})
	}
	for _, p := range shown {
		add(p, true)
	}
	for _, p := range append(append([]policy.Policy(nil), cfg.Policies...), policy.Builtin()...) {
		if p.Name == "full" || p.Rewrites() {
			add(p, false)
		}
	}
	return out
}

// setKnobs lays assignments over every policy that has the knob.
func setKnobs(panes []pane, set []string) error {
	for _, a := range set {
		var first error
		done := false
		for i := range panes {
			p := panes[i].policy.Clone()
			if err := p.Set(a); err == nil {
				panes[i].policy, panes[i].origin, done = p, p.Clone(), true
			} else if first == nil || len(p.Stages) > 0 {
				first = err
			}
		}
		if !done {
			return first
		}
	}
	return nil
}

// shownPanes lists the indexes of the panes that are shown, in order.
func (m *Model) shownPanes() []int {
	var out []int
	for i, p := range m.panes {
		if p.shown {
			out = append(out, i)
		}
	}
	return out
}

// focusAt is the place of the focused pane among the shown ones.
func (m *Model) focusAt() int {
	for i, p := range m.shownPanes() {
		if p == m.focus {
			return i
		}
	}
	return 0
}

// step is the step looked at; nil before the first.
func (m *Model) step() *session.Step {
	if m.at < 0 || m.at >= len(m.tl.Steps) {
		return nil
	}
	return &m.tl.Steps[m.at]
}

// Init asks for the terminal's background where the theme depends on it and
// begins the steps that are done without a key.
func (m *Model) Init() tea.Cmd {
	var cmds []tea.Cmd
	if m.cfg.Theme == "" && !m.cfg.NoColor {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if m.eng != nil {
		cmds = append(cmds, m.begin())
	}
	return tea.Batch(cmds...)
}

// begin does the first steps of a session.
func (m *Model) begin() tea.Cmd {
	if m.cfg.AutoSteps == 0 {
		return m.wait()
	}
	notice := m.msg
	cmd := m.startTo(jobCount, "opening the session", nil, m.cfg.AutoSteps, 0)
	m.msg = notice
	return cmd
}

// askFrame asks for a frame of the step looked at. While one is being made the
// wish is only noted, so a burst of steps makes as many frames as can be shown.
func (m *Model) askFrame() tea.Cmd {
	m.frameSeq++
	if m.busy {
		m.dirty = true
		return nil
	}
	m.busy, m.dirty = true, false
	ask := frameAsk{seq: m.frameSeq, view: m.tl.View(), at: m.at}
	for _, i := range m.shownPanes() {
		ask.policies = append(ask.policies, m.panes[i].policy.Clone())
	}
	rd := m.rd
	return guarded("reading the snapshot", true, func() tea.Msg { return makeFrame(rd, ask) })
}

// framed takes in a frame. One that is late is shown only while a burst goes on
// and nothing else was asked for in between.
func (m *Model) framed(f *frame) tea.Cmd {
	m.busy = false
	late := f.seq != m.frameSeq
	if !late || m.job != nil && m.job.mode >= jobContinue && len(f.docs) == len(m.shownPanes()) {
		m.show(f)
	}
	if m.dirty {
		m.wantFrame()
		return nil
	}
	m.wantFigures()
	return nil
}

// show puts a frame on the screen and keeps the eye where it was: on the same
// line of the page, or on what a new step did.
func (m *Model) show(f *frame) {
	old, oldGrid := m.fr, m.grid
	m.fr = f
	m.arrange()
	m.regrid()
	if m.grid == nil {
		m.top, m.row = 0, 0
		return
	}
	samePlace := m.wantRef == "" && old != nil && old.page != nil && oldGrid != nil && m.row < oldGrid.len()
	switch {
	case samePlace && old.snap == f.snap:
		m.placeAt(oldGrid, m.row)
	case m.wantRef != "" && m.toRef(m.wantRef):
	case old == nil || old.at != f.at || old.snap != f.snap:
		m.row, m.top = 0, 0
		if len(m.grid.ofPage) > 0 { // what only some panes have above the page is seen, not stood on
			m.row = int(m.grid.ofPage[0])
		}
		if f.eye >= 0 {
			m.leapTo(int(m.grid.ofPage[f.eye]))
		} else if len(m.grid.changes) > 0 && !f.page.first {
			m.leapTo(int(m.grid.changes[0]))
		}
	}
	if m.job == nil {
		m.wantRef = ""
	}
	m.clampView()
	m.search.run(m)
}

// toRef puts the cursor on the element with a ref.
func (m *Model) toRef(ref string) bool {
	for i, l := range m.fr.page.lines {
		if ref != "" && refOf(l) == ref {
			m.leapTo(int(m.grid.ofPage[i]))
			return true
		}
	}
	return false
}

// placeAt keeps the cursor on the line of the page that it was on in another
// grid.
func (m *Model) placeAt(was *grid, row int) {
	line := int32(-1)
	for r := row; r >= 0 && line < 0; r-- {
		line = was.page[r]
	}
	off := m.row - m.top
	if line >= 0 && int(line) < len(m.grid.ofPage) {
		m.row = int(m.grid.ofPage[line])
		m.top = m.row - off
	}
}

// regrid makes the rows that are walked through from the frame's.
func (m *Model) regrid() {
	m.grid = nil
	if m.fr == nil || m.fr.grid == nil {
		return
	}
	m.grid = m.fr.grid
	switch {
	case m.search.filter != nil:
		m.grid = m.search.filtered(m.fr)
	case m.fold:
		m.grid = foldSame(m.fr.page, m.fr.docs, m.fr.grid)
	}
}

// look goes to a step by its index.
func (m *Model) look(at int) {
	if at < 0 || at >= len(m.tl.Steps) {
		return
	}
	m.at = at
	m.follow = at == len(m.tl.Steps)-1
	m.wantFrame()
}

// wants is what has to be made anew after what was chosen has changed. The root
// sees to it once a message is done with.
type wants uint8

const (
	wantFrame wants = 1 << iota
	wantFigures
	wantFixes
	wantSave
	wantPicture
)

func (m *Model) wantFrame()   { m.wants |= wantFrame }
func (m *Model) wantFigures() { m.wants |= wantFigures }
func (m *Model) wantSave()    { m.wants |= wantSave }

// fulfil sees to what is wanted.
func (m *Model) fulfil() tea.Cmd {
	w := m.wants
	m.wants = 0
	var cmds []tea.Cmd
	for _, k := range []struct {
		of wants
		do func() tea.Cmd
	}{
		{wantFrame, m.askFrame},
		{wantFigures, m.askFigures},
		{wantFixes, m.askFixes},
		{wantPicture, m.shoot},
		{wantSave, func() tea.Cmd { m.save(); return nil }},
	} {
		if w&k.of != 0 {
			cmds = append(cmds, k.do())
		}
	}
	return tea.Batch(cmds...)
}
