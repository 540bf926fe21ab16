package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"snapscope/tui/view"
)

// weighedMsg is what a pane's branches weigh.
type weighedMsg struct{ weights *view.Weights }

func (w weighedMsg) apply(m *Model) tea.Cmd {
	m.s.TakeWeights(w.weights)
	return nil
}

// askWeights counts the branches of the focused pane.
func askWeights(m *Model) tea.Cmd {
	f, d, count := m.s.Fr, m.s.DocOf(m.s.FocusAt()), m.rd.Count
	if f == nil || d == nil || f.Page == nil {
		return nil
	}
	return guarded("counting the page", nil, func() tea.Msg { return weighedMsg{view.MakeWeights(f, d, count)} })
}

// edgesMsg is where a knob begins to lose; nil: it was given up.
type edgesMsg struct{ edges *view.Edges }

func (e edgesMsg) apply(m *Model) tea.Cmd {
	m.edging = nil
	if e.edges != nil {
		m.s.Knobs.TakeEdges(e.edges)
	}
	return askEdges(m)
}

// askEdges tries the values of the chosen knob, one knob at a time; what is tried for
// another knob is given up.
func askEdges(m *Model) tea.Cmd {
	if m.edging != nil {
		if m.s.Knobs.EdgesStale() {
			m.edging()
		}
		return nil
	}
	ask, ok := m.s.Knobs.EdgesWanted()
	if !ok {
		return nil
	}
	ask.Opt = m.cfg.Ledger
	ask.Opt.Renderer, ask.Opt.Progress, ask.Opt.CountOnly = m.rd, nil, true
	ctx, cancel := context.WithCancel(m.ctx)
	m.edging = cancel
	return guarded("trying the knob's values", noEdges{}, func() tea.Msg {
		defer cancel()
		return edgesMsg{view.MakeEdges(ctx, ask)}
	})
}

// noEdges tells that a knob's values could not be tried: they are not tried again
// before something else is asked for.
type noEdges struct{}

func (noEdges) apply(m *Model) tea.Cmd {
	m.edging = nil
	return nil
}
