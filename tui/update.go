package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"snapscope/session"
	"snapscope/tui/dialog"
	"snapscope/tui/keymap"
	"snapscope/tui/layout"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// Update takes one message in. It computes nothing that could take long: it
// changes what is chosen and starts commands.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	was := m.s.Focus
	cmd := m.update(msg)
	if m.s.Weigh && m.s.Focus != was {
		m.s.Ask(view.WantWeights)
	}
	all := tea.Batch(m.fulfil(), cmd)
	m.s.Steer = m.steer()
	m.s.Arrange()
	if m.over != nil {
		m.over.Arrange(m.s, m.overRoom())
	}
	return m, all
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.s.W, m.s.H = msg.Width, msg.Height
		m.s.Arrange()
		m.s.ClampView()
	case tea.BackgroundColorMsg:
		if m.cfg.Theme == "" && !m.cfg.NoColor {
			name := "light"
			if msg.IsDark() {
				name = "dark"
			}
			m.setTheme(name)
		}
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore { // the renderer counts so, too, from now on
			safetext.ByCluster(msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet)
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		if m.input != nil {
			m.input.Insert(msg.Content)
			m.input.Changed(m.s)
		}
	case tea.MouseMsg:
		return m.mouseEvent(msg)
	case grewMsg:
		return m.grew(msg)
	case tickMsg:
		if m.s.Job != nil && m.s.Job.Seq == msg.seq {
			if p, ok := m.eng.(session.Teller); ok {
				m.s.Job.Doing = p.Progress()
			}
			return m.tick(msg.seq)
		}
	case changedMsg:
		return m.more()
	case updater:
		return msg.apply(m)
	}
	return nil
}

// updater is an answer of a command that knows where it belongs.
type updater interface{ apply(m *Model) tea.Cmd }

// press gives a key to what is on top: an open overlay, an input line, the side
// column, else the key table.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	m.s.ClearMessage()
	if name == "ctrl+c" {
		return m.interrupt()
	}
	m.asked = false
	switch {
	case m.input != nil:
		return m.typed(k)
	case m.over != nil:
		return m.answer(m.over.Press(m.s, name))
	}
	a := m.s.Keys.ByKey[name]
	if a == nil && (name != "0" || m.s.Count == 0) {
		m.s.Count = 0
		if m.s.W >= layout.MinWidth {
			m.s.Say(view.LevelInfo, "no action on "+name+"; "+m.s.Keys.Label("help")+" lists the keys")
		}
		return nil
	}
	if d, ok := digitOf(a, name); ok {
		return m.digit(d)
	}
	return m.act(a.Name)
}

// act does an action where the keys are now: in the list, at the knobs, else in
// the panes.
func (m *Model) act(name string) tea.Cmd {
	if cmd, done := m.counted(name); done {
		return cmd
	}
	defer func() { m.s.Count = 0 }()
	if !turns[name] {
		m.s.Knobs.EndRun()
	}
	m.exports = m.exports && name == "export"
	if name != "fold" {
		m.s.Fixes.Withdraw()
	}
	switch {
	case m.s.PressHere(name):
		return nil
	case m.s.List.Open && name == "reason":
		return m.openRow()
	case m.s.List.Open && name == "filter":
		return m.ask(dialog.InputSteps, "only steps with ", m.s.List.Text)
	case m.s.Here() != nil && name == "reason":
		if knob, value, ok := m.s.Knobs.ChosenKnob(); ok {
			return m.ask(dialog.InputKnob, knob+" = ", value)
		}
		return nil
	}
	return m.do(name)
}

// digitOf is the digit on a key that goes to a pane; 0 only adds to a count.
func digitOf(a *keymap.Action, key string) (int, bool) {
	if len(key) != 1 || key[0] < '0' || key[0] > '9' || a != nil && a.Name != "pane-"+key {
		return 0, false
	}
	return int(key[0] - '0'), true
}

// digit begins or goes on with a count. A digit alone goes to its pane after a
// moment.
func (m *Model) digit(d int) tea.Cmd {
	m.s.AddDigit(d)
	return m.after(countWait, countMsg{m.s.Count})
}

// countWait is how long a digit waits to become a count.
const countWait = 600 * time.Millisecond

// countMsg tells that a digit has waited long enough.
type countMsg struct{ count int }

func (c countMsg) apply(m *Model) tea.Cmd {
	if m.s.Count != c.count || c.count > 9 || m.input != nil || m.over != nil {
		return nil
	}
	m.s.Count = 0
	m.s.ClearMessage()
	return m.do(fmt.Sprint("pane-", c.count))
}

// counted sees to a count that was typed before an action: G and gg go to that
// step, a motion repeats, and before anything else a single digit was a pane's.
func (m *Model) counted(name string) (cmd tea.Cmd, done bool) {
	n := m.s.Count
	again := m.gone && name == "top"
	m.gone = false
	switch {
	case again: // the second g of 42gg
		return nil, true
	case n == 0:
		return nil, false
	case name == "top" || name == "bottom":
		m.s.Count, m.gone = 0, name == "top"
		m.s.GoToStep(n)
		return nil, true
	case name == "cancel":
		m.s.Count = 0
		return nil, true
	case repeats[name]:
		return nil, false
	}
	m.s.Count = 0
	if n <= 9 {
		m.do(fmt.Sprint("pane-", n))
	}
	return nil, false
}

// turns are the actions that turn a knob, one press after the other.
var turns = map[string]bool{"more": true, "less": true, "left": true, "right": true}

// repeats are the motions that take a count.
var repeats = map[string]bool{"down": true, "up": true, "prev": true, "next": true}

// interrupt stops what runs; where nothing does, a second one leaves.
func (m *Model) interrupt() tea.Cmd {
	if m.s.Job != nil && !m.s.Job.Cancelled {
		m.asked = true
		return m.cancelJob()
	}
	if m.search != nil && !m.asked {
		m.asked = true
		m.search.stop()
		return nil
	}
	if m.asked {
		m.broken = true
		return m.leave()
	}
	m.asked = true
	m.s.Say(view.LevelInfo, "ctrl+c again leaves, as "+m.s.Keys.Label("quit")+" does")
	return nil
}

// ask opens the line that is typed into.
func (m *front) ask(kind dialog.InputKind, prompt, text string) tea.Cmd {
	m.input = dialog.NewInput(kind, prompt, text)
	m.input.Back = m.s.Row
	if kind == dialog.InputBreak || kind == dialog.InputSteps {
		m.input.Changed(m.s)
	}
	return nil
}

// typed gives a key to the input line.
func (m *Model) typed(k tea.KeyPressMsg) tea.Cmd {
	in := m.input
	switch in.Press(m.s, k) {
	case dialog.TypingGivenUp:
		m.input = nil
	case dialog.TypingEntered:
		return m.entered(in)
	}
	return nil
}

// answer does what an overlay asks for.
func (m *Model) answer(r dialog.Reply) tea.Cmd {
	over := m.over
	if r.Close {
		m.over = nil
	}
	switch {
	case r.Do != "":
		return m.do(r.Do)
	case r.Line != "":
		cmd, err := m.runCommand(r.Line)
		if err != nil {
			m.s.Say(view.LevelWarn, err.Error())
		}
		return cmd
	case r.Type != "":
		m.ask(dialog.InputCommand, ":", r.Type)
		m.input.Changed(m.s)
		return nil
	case r.Export.Kind != dialog.ExportNone:
		return m.exportTo(r.Export)
	case r.Copy.Text != "":
		return m.copyText(r.Copy.What, r.Copy.Text)
	case r.Open != "":
		if l, ok := over.(*dialog.SessionList); ok {
			return m.openSession(l, r.Open)
		}
	}
	return nil
}

// do carries an action out or says why it cannot be done now.
func (m *Model) do(name string) tea.Cmd {
	if cmd, ok := m.seatAction(name); ok {
		return cmd
	}
	if why := m.whyNot(name); why != "" {
		m.s.Say(view.LevelWarn, why)
		return nil
	}
	return m.acts[name].do(m)
}

// whyNot is why an action cannot be done now; empty: it can.
func (m *Model) whyNot(name string) string {
	if a := m.acts[name]; a.why != nil {
		return a.why(m.s)
	}
	return ""
}

// View draws the screen.
func (m *Model) View() tea.View {
	m.draw(m.whyNot)
	v := tea.NewView(m.p.Cv.String())
	v.AltScreen = true
	v.WindowTitle = "snapscope"
	if m.s.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.input != nil && m.s.Lay.Mode != layout.LayoutTooSmall {
		if c := m.input.Cursor(m.s); c != nil {
			v.Cursor = c
		}
	}
	return v
}
