package tui

import (
	tea "charm.land/bubbletea/v2"

	"snapscope/tui/dialog"
	"snapscope/tui/layout"
	"snapscope/tui/view"
)

// Update takes one message in. It computes nothing that could take long: it
// changes what is chosen and starts commands.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	return m, tea.Batch(m.fulfil(), cmd)
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
			return m.tick(msg.seq)
		}
	case changedMsg:
		return m.more()
	case *view.Frame:
		return m.framed(msg)
	case *view.FigureSet:
		return m.figured(msg)
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
	switch {
	case name == "ctrl+c":
		return m.doQuit()
	case m.input != nil:
		return m.typed(k)
	case m.over != nil:
		return m.answer(m.over.Press(m.s, name))
	}
	a := m.s.Keys.ByKey[name]
	if a == nil {
		if m.s.W >= layout.MinWidth {
			m.s.Say(view.LevelInfo, "no action on "+name+"; "+m.s.Keys.Label("help")+" lists the keys")
		}
		return nil
	}
	if m.s.OnSide && m.s.Side == view.SideKnobs {
		if m.s.Knobs.Press(m.s, a.Name) {
			return nil
		}
	}
	return m.do(a.Name)
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
	if why := m.whyNot(name); why != "" {
		m.s.Say(view.LevelWarn, why)
		return nil
	}
	return doings[name].run(m)
}

// whyNot is why an action cannot be done now; empty: it can.
func (m *Model) whyNot(name string) string {
	if d := doings[name]; d.why != nil {
		return d.why(m.s)
	}
	return ""
}

// View draws the screen.
func (m *Model) View() tea.View {
	m.draw()
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
