package tui

import (
	tea "charm.land/bubbletea/v2"
)

// Update takes one message in. It computes nothing that could take long: it
// changes what is chosen and starts commands.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return m, tea.Batch(m.update(msg), m.fulfil())
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.arrange()
		m.clampView()
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
			m.input.insert(msg.Content)
			m.input.changed(m)
		}
	case tea.MouseMsg:
		return m.mouseEvent(msg)
	case grewMsg:
		return m.grew(msg)
	case tickMsg:
		if m.job != nil && m.job.seq == msg.seq {
			return m.tick(msg.seq)
		}
	case changedMsg:
		return m.more()
	case *frame:
		return m.framed(msg)
	case *figureSet:
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
	m.said()
	switch {
	case name == "ctrl+c":
		return m.doQuit()
	case m.input != nil:
		return m.typed(k)
	case m.over != nil:
		return m.answer(m.over.press(m, name))
	}
	a := m.keys.ByKey[name]
	if a == nil {
		if m.w >= minWidth {
			m.say(levelInfo, "no action on "+name+"; "+m.keys.Label("help")+" lists the keys")
		}
		return nil
	}
	if m.onSide && m.side == sideKnobs {
		if m.knobs.press(m, a.Name) {
			return nil
		}
	}
	return m.do(a.Name)
}

// typed gives a key to the input line.
func (m *Model) typed(k tea.KeyPressMsg) tea.Cmd {
	in := m.input
	switch in.press(m, k) {
	case typingGivenUp:
		m.input = nil
	case typingEntered:
		return m.entered(in)
	}
	return nil
}

// answer does what an overlay asks for.
func (m *Model) answer(r reply) tea.Cmd {
	over := m.over
	if r.close {
		m.over = nil
	}
	switch {
	case r.do != "":
		return m.do(r.do)
	case r.line != "":
		cmd, err := m.runCommand(r.line)
		if err != nil {
			m.say(levelWarn, err.Error())
		}
		return cmd
	case r.copy.text != "":
		return m.copyText(r.copy.what, r.copy.text)
	case r.open != "":
		if l, ok := over.(*sessionList); ok {
			return m.openSession(l, r.open)
		}
	}
	return nil
}

// said forgets what was said before: a message stays until the next key.
func (m *Model) said() {
	m.msg = message{}
	m.knobs.was = nil
}

// do carries an action out or says why it cannot be done now.
func (m *Model) do(name string) tea.Cmd {
	if why := m.whyNot(name); why != "" {
		m.say(levelWarn, why)
		return nil
	}
	return doings[name].run(m)
}

// whyNot is why an action cannot be done now; empty: it can.
func (m *Model) whyNot(name string) string {
	if d := doings[name]; d.why != nil {
		return d.why(m)
	}
	return ""
}

// arrange lays the screen out for what is shown now.
func (m *Model) arrange() {
	m.lay = arrange(m.w, m.h, wanted{
		panes: len(m.shownPanes()), focus: m.focusAt(), zoom: m.zoom, side: m.side != sideNone, wide: m.side == sidePicture,
	})
	m.lay.reason = m.reasonRows()
}

// View draws the screen.
func (m *Model) View() tea.View {
	m.draw()
	v := tea.NewView(m.cv.String())
	v.AltScreen = true
	v.WindowTitle = "snapscope"
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.input != nil && m.lay.mode != layoutTooSmall {
		if c := m.input.cursor(m); c != nil {
			v.Cursor = c
		}
	}
	return v
}
