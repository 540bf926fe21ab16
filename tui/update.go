package tui

import (
	tea "charm.land/bubbletea/v2"
)

// Update takes one message in. It computes nothing that could take long: it
// changes what is chosen and starts commands.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return m, m.update(msg)
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
			return m.input.changed(m)
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
		return m.input.press(m, k)
	case m.over != nil:
		return m.over.press(m, name)
	}
	a := m.bindings.byKey[name]
	if a == nil {
		if m.w >= minWidth {
			m.say(levelInfo, "no action on "+name+"; "+m.key("help")+" lists the keys")
		}
		return nil
	}
	if m.onSide && m.side == sideKnobs {
		if cmd, ok := m.knobs.press(m, a.name); ok {
			return cmd
		}
	}
	return m.do(a)
}

// said forgets what was said before: a message stays until the next key.
func (m *Model) said() {
	m.msg = message{}
	m.knobs.was = nil
}

// do carries an action out or says why it cannot be done now.
func (m *Model) do(a *action) tea.Cmd {
	if a.why != nil {
		if why := a.why(m); why != "" {
			m.say(levelWarn, why)
			return nil
		}
	}
	return a.run(m)
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
