package tui

import (
	"context"
	"image"

	tea "charm.land/bubbletea/v2"

	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/tui/dialog"
	"snapscope/tui/view"
)

// figures are what the strips and the context view show: the whole session
// under every shown policy. They are computed behind the snapshot panes and
// never hold them up.
type figures struct {
	seq    int
	busy   bool
	dirty  bool
	keys   string             // of the policies that figures are being made for
	cancel context.CancelFunc // stops the making
}

// noFigures tells that figures were given up on, since others are wanted.
type noFigures struct{}

func (noFigures) apply(m *Model) tea.Cmd {
	m.figs.busy = false
	if m.figs.dirty {
		m.s.WantFigures()
	}
	return nil
}

// askFigures asks for figures; while some are being made the wish is only noted.
// What is made for policies that are no longer these is given up.
func (m *Model) askFigures() tea.Cmd {
	m.figs.seq++
	ask := view.FigureAsk{Seq: m.figs.seq, At: m.s.At, Expiry: m.s.ExpiryPolicy().Clone(), Opt: m.cfg.Ledger, Have: m.s.Set}
	ask.Opt.Renderer, ask.Opt.Progress = m.rd, nil
	keys := ""
	for _, p := range m.s.FigurePolicies() {
		ask.Policies = append(ask.Policies, p.Clone())
		keys += p.Key() + "\n"
	}
	keys += ask.Expiry.Key() + ask.Opt.Model
	if m.figs.busy {
		m.figs.dirty = true
		if keys != m.figs.keys {
			m.figs.cancel()
		}
		return nil
	}
	ask.View = m.s.Tl.View()
	ctx, cancel := context.WithCancel(m.ctx)
	m.figs.busy, m.figs.dirty, m.figs.keys, m.figs.cancel = true, false, keys, cancel
	return guarded("counting the session", noFigures{}, func() tea.Msg {
		defer cancel()
		if s := view.MakeFigures(ctx, ask); s != nil {
			return s
		}
		return noFigures{}
	})
}

// figured takes in figures; late ones are shown until the newer are there, since
// all that they can be is behind.
func (m *Model) figured(s *view.FigureSet) tea.Cmd {
	m.figs.busy = false
	m.s.Set = s
	m.s.WantSteps()
	m.s.FiguresCame()
	if v, ok := m.over.(*dialog.ContextView); ok {
		v.Arrived(m.s)
	}
	if m.figs.dirty {
		m.s.WantFigures()
	}
	return nil
}

// fixesMsg tells which turn of a knob would have kept each lost element.
type fixesMsg struct {
	key  string // of the policy with its knobs
	name string // of the policy
	lost []ledger.Lost
}

func (f fixesMsg) apply(m *Model) tea.Cmd {
	m.s.Knobs.TakeFixes(f.key, f.name, f.lost)
	if m.exports && !m.s.FixWanted() && m.input == nil && m.over == nil {
		return doExport(m)
	}
	return nil
}

// askFixes tries, in a command, the knobs that would have kept what was lost.
func (m *Model) askFixes() tea.Cmd {
	f := m.s.FixOf
	view, p, opt, ctx, key := m.s.Tl.View(), f.Policy.Clone(), m.cfg.Ledger, m.ctx, m.s.FixKey(f)
	opt.Renderer, opt.Progress, opt.Fixes = m.rd, nil, true
	return guarded("trying what would have kept it", nil, func() tea.Msg {
		r, err := ledger.Run(ctx, view, p, opt)
		if err != nil {
			guard.Raise(err)
			return nil
		}
		return fixesMsg{key, p.Name, r.Survival.Lost}
	})
}

// pictureMsg is a screenshot, decoded.
type pictureMsg struct {
	seq, step int
	img       image.Image
	err       error
}

func (p pictureMsg) apply(m *Model) tea.Cmd {
	if p.seq != m.s.Pic.Seq {
		return nil
	}
	m.s.Pic.Asked, m.s.Pic.Small = false, nil
	m.s.Pic.Step, m.s.Pic.Img, m.s.Pic.Err = p.step, p.img, ""
	if p.err != nil {
		m.s.Pic.Err = p.err.Error()
	}
	return nil
}

// shoot takes a picture in a command; the browser may be slow.
func (m *Model) shoot() tea.Cmd {
	eng, ok := m.eng.(Screenshooter)
	if !ok {
		return nil
	}
	m.s.Pic.Seq++
	m.s.Pic.Asked = true
	seq, step, ctx, one := m.s.Pic.Seq, len(m.s.Tl.Steps), m.ctx, m.one
	return func() tea.Msg {
		one.Lock()
		defer one.Unlock()
		data, err := eng.Screenshot(ctx)
		if err != nil {
			return pictureMsg{seq, step, nil, err}
		}
		img, err := view.DecodePicture(data)
		return pictureMsg{seq, step, img, err}
	}
}

// making is an answer that is being made, and whether it must be made again.
type making struct{ busy, dirty bool }

// stepsMsg is a table of steps.
type stepsMsg struct{ table *view.StepTable }

func (s stepsMsg) apply(m *Model) tea.Cmd {
	m.table.busy = false
	if s.table != nil {
		m.s.TakeSteps(s.table)
	}
	if m.table.dirty {
		return m.askSteps()
	}
	return nil
}

// askSteps asks for the session as rows; while they are being made the wish is
// only noted.
func (m *Model) askSteps() tea.Cmd {
	if m.table.busy {
		m.table.dirty = true
		return nil
	}
	m.table = making{busy: true}
	ask := view.StepAsk{View: m.s.Tl.View(), Set: m.s.Set, Policy: m.s.ListPolicy(), Count: m.rd, Have: m.s.Table}
	return guarded("listing the steps", stepsMsg{}, func() tea.Msg { return stepsMsg{view.MakeSteps(ask)} })
}

// adviceMsg is the line of advice on the session; nil: it could not be made.
type adviceMsg struct{ advice *view.Advice }

func (a adviceMsg) apply(m *Model) tea.Cmd {
	m.advice.busy = false
	if a.advice != nil {
		m.s.Advice = a.advice
	}
	if m.advice.dirty {
		return m.askAdvice()
	}
	return nil
}

// askAdvice asks for the line of advice; while one is being made the wish is only
// noted.
func (m *Model) askAdvice() tea.Cmd {
	if m.advice.busy {
		m.advice.dirty = true
		return nil
	}
	m.advice = making{busy: true}
	ctx, ask := m.ctx, view.AdviceAsk{View: m.s.Tl.View(), Opt: m.cfg.Ledger}
	ask.Opt.Renderer, ask.Opt.Progress = m.rd, nil
	for _, p := range m.s.Own {
		ask.Own = append(ask.Own, p.Clone())
	}
	return guarded("working out the advice", adviceMsg{}, func() tea.Msg { return adviceMsg{view.MakeAdvice(ctx, ask)} })
}

// hitsMsg is what a search found in the session.
type hitsMsg struct{ hits *view.SessionHits }

func (h hitsMsg) apply(m *Model) tea.Cmd {
	if h.hits != nil {
		m.s.TakeHits(h.hits)
	}
	return nil
}

// askHits looks through the whole session for what is searched. An answer to an
// older search is dropped where it comes in.
func (m *Model) askHits() tea.Cmd {
	ctx, t, p := m.ctx, m.s.Tl.View(), m.s.Search.Pattern()
	return guarded("searching the session", nil, func() tea.Msg { return hitsMsg{view.FindAll(ctx, t, p)} })
}
