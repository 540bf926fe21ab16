package tui

import (
	"context"
	"errors"
	"image"

	tea "charm.land/bubbletea/v2"

	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/tui/dialog"
	"snapscope/tui/view"
)

// later makes in commands what the state asks for: of each thing one at a time, and
// once more where it was asked for meanwhile.
//
//	state.Ask(what) ─▶ fulfil ─▶ make, in a command ─▶ made ─▶ the state takes it
type later struct {
	*base
	making map[string]*making // by what, and where several may be made at once its key
	frames int                // that were asked for
}

// making is something that is being made.
type making struct {
	key    string // what it depends on
	again  bool   // it was asked for meanwhile
	cancel context.CancelFunc
}

// made is the answer: what takes it in, nil where nothing came of it.
type made struct {
	what view.Want
	slot string
	take func(m *Model) tea.Cmd
}

func (a made) apply(m *Model) tea.Cmd {
	w := m.making[a.slot]
	delete(m.making, a.slot)
	m.s.Busy = m.s.Busy && a.what != view.WantFrame
	var cmd tea.Cmd
	if a.take != nil {
		cmd = a.take(m)
	}
	if w != nil && w.again {
		m.s.Ask(a.what)
	}
	return cmd
}

// order is something to be made.
type order struct {
	what   view.Want
	key    string // what it depends on: what is being made for another key is given up
	beside bool   // several keys may be made at once
	doing  string // for the case that it breaks
	make   func(ctx context.Context) func(m *Model) tea.Cmd
	broke  func(m *Model) tea.Cmd // takes it that it broke; nil: nothing does
}

// begin makes something in a command, or notes that it is wanted once more.
func (m *later) begin(o order) tea.Cmd {
	slot := string('a' + rune(o.what))
	if o.beside {
		slot += o.key
	}
	if w := m.making[slot]; w != nil {
		w.again = true
		if w.key != o.key {
			w.cancel()
		}
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.making[slot] = &making{key: o.key, cancel: cancel}
	return guarded(o.doing, made{o.what, slot, o.broke}, func() tea.Msg {
		defer cancel()
		return made{o.what, slot, o.make(ctx)}
	})
}

// options are those of the ledger for what is made behind the screen.
func (m *base) options() ledger.Options {
	opt := m.cfg.Ledger
	opt.Renderer, opt.Progress = m.rd, nil
	return opt
}

// frame makes a frame of the step looked at. One that is late is shown only while a
// burst goes on, so a burst of steps makes as many frames as can be shown.
func (m *later) frame() tea.Cmd {
	m.frames++
	m.s.Busy = true
	ask := view.FrameAsk{Seq: m.frames, View: m.s.Tl.View(), At: m.s.At, Policies: m.s.FigurePolicies()}
	rd := m.rd
	return m.begin(order{what: view.WantFrame, doing: "reading the snapshot", make: func(context.Context) func(*Model) tea.Cmd {
		f := view.MakeFrame(rd, ask)
		return func(m *Model) tea.Cmd {
			late := f.Seq != m.frames
			if !late || m.s.Job != nil && m.s.Job.Mode >= view.JobContinue && len(f.Docs) == len(m.s.ShownPanes()) {
				m.s.Show(f)
			}
			if !late {
				m.s.Ask(view.WantFigures)
			}
			return nil
		}
	}})
}

// figures makes the figures of the whole session under every shown policy. They are
// made behind the snapshot panes and never hold them up; what is made for policies that
// are no longer these is given up.
func (m *later) figures() tea.Cmd {
	ask := view.FigureAsk{View: m.s.Tl.View(), At: m.s.At, Policies: m.s.FigurePolicies(), Expiry: m.s.ExpiryPolicy().Clone(), Opt: m.options(), Have: m.s.Set}
	key := ask.Expiry.Key() + ask.Opt.Model
	for _, p := range ask.Policies {
		key += "\n" + p.Key()
	}
	return m.begin(order{what: view.WantFigures, key: key, doing: "counting the session", make: func(ctx context.Context) func(*Model) tea.Cmd {
		if set := view.MakeFigures(ctx, ask); set != nil {
			return figured(set)
		}
		return nil
	}})
}

// figured takes in figures.
func figured(set *view.FigureSet) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		m.s.Set = set
		m.s.Ask(view.WantSteps)
		m.s.Answered(view.WantFigures)
		if v, ok := m.over.(*dialog.ContextView); ok {
			v.Arrived(m.s)
		}
		return nil
	}
}

// fixes tries the knobs that would have kept what policies lost.
func (m *later) fixes() tea.Cmd {
	var cmds []tea.Cmd
	for _, f := range m.s.Fixes.TakeNext() {
		t, p, opt, key := m.s.Tl.View(), f.Policy.Clone(), m.options(), m.s.FixKey(f)
		opt.Fixes = true
		cmds = append(cmds, m.begin(order{what: view.WantFixes, key: key, beside: true, doing: "trying what would have kept it", make: func(ctx context.Context) func(*Model) tea.Cmd {
			r, err := ledger.Run(ctx, t, p, opt)
			if err != nil {
				guard.Raise(err)
				return nil
			}
			return func(m *Model) tea.Cmd {
				m.s.TakeFixes(key, p.Name, r.Survival.Lost)
				if m.exports && !m.s.Awaits(view.WantFixes) && m.input == nil && m.over == nil {
					return m.export()
				}
				return nil
			}
		}}))
	}
	return tea.Batch(cmds...)
}

// edges tries the values of the chosen knob. Where that breaks they are not tried
// again.
func (m *later) edges() tea.Cmd {
	ask, ok := m.s.Knobs.EdgesWanted()
	if !ok {
		return nil
	}
	ask.Opt = m.options()
	ask.Opt.CountOnly = true
	return m.begin(order{
		what: view.WantEdges, key: ask.Key, doing: "trying the knob's values",
		make: func(ctx context.Context) func(*Model) tea.Cmd {
			e := view.MakeEdges(ctx, ask)
			if e == nil {
				return nil
			}
			return func(m *Model) tea.Cmd { m.s.Knobs.TakeEdges(ask.Key, e); return nil }
		},
		broke: func(m *Model) tea.Cmd { m.s.Knobs.TakeEdges(ask.Key, nil); return nil },
	})
}

// steps makes the session as rows.
func (m *later) steps() tea.Cmd {
	ask := view.StepAsk{View: m.s.Tl.View(), Set: m.s.Set, Policy: m.s.ListPolicy(), Count: m.rd, Have: m.s.Table}
	return m.begin(order{what: view.WantSteps, doing: "listing the steps", make: func(context.Context) func(*Model) tea.Cmd {
		t := view.MakeSteps(ask)
		return func(m *Model) tea.Cmd { m.s.TakeSteps(t); return nil }
	}})
}

// adviceOn makes the line of advice on the session.
func (m *later) adviceOn() tea.Cmd {
	ask := view.AdviceAsk{View: m.s.Tl.View(), Opt: m.options()}
	for _, p := range m.s.Own {
		ask.Own = append(ask.Own, p.Clone())
	}
	return m.begin(order{what: view.WantAdvice, doing: "working out the advice", make: func(ctx context.Context) func(*Model) tea.Cmd {
		a := view.MakeAdvice(ctx, ask)
		if a == nil {
			return nil
		}
		return func(m *Model) tea.Cmd { m.s.Advice = a; return nil }
	}})
}

// hits looks through the whole session for what is searched.
func (m *later) hits() tea.Cmd {
	t, p := m.s.Tl.View(), m.s.Search.Pattern()
	return m.begin(order{what: view.WantHits, key: p.String(), doing: "searching the session", make: func(ctx context.Context) func(*Model) tea.Cmd {
		h := view.FindAll(ctx, t, p)
		if h == nil {
			return nil
		}
		return func(m *Model) tea.Cmd { m.s.TakeHits(h); return nil }
	}})
}

// weights counts the branches of the focused pane.
func (m *later) weights() tea.Cmd {
	f, d, count := m.s.Fr, m.s.DocOf(m.s.FocusAt()), m.rd.Count
	if f == nil || d == nil || f.Page == nil {
		return nil
	}
	return m.begin(order{what: view.WantWeights, doing: "counting the page", make: func(context.Context) func(*Model) tea.Cmd {
		w := view.MakeWeights(f, d, count)
		return func(m *Model) tea.Cmd {
			m.s.Weights = w
			m.s.Answered(view.WantWeights)
			return nil
		}
	}})
}

// picture takes a picture of the page; the browser may be slow.
func (m *later) picture() tea.Cmd {
	eng, ok := m.eng.(Screenshooter)
	if !ok {
		return nil
	}
	m.s.Pic.Asked = true
	step, one := len(m.s.Tl.Steps), m.one
	take := func(img image.Image, err error) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd {
			m.s.Pic = view.Picture{Step: step, Img: img}
			if err != nil {
				m.s.Pic.Err = err.Error()
			}
			return nil
		}
	}
	return m.begin(order{what: view.WantPicture, doing: "taking the picture", broke: take(nil, errors.New("internal error")), make: func(ctx context.Context) func(*Model) tea.Cmd {
		one.Lock()
		defer one.Unlock()
		data, err := eng.Screenshot(ctx)
		if err != nil {
			return take(nil, err)
		}
		return take(view.DecodePicture(data))
	}})
}

// fulfil sees to what was asked for.
func (m *Model) fulfil() tea.Cmd {
	if m.s.Side == view.SideKnobs {
		m.s.Ask(view.WantEdges)
	}
	var cmds []tea.Cmd
	for _, w := range m.s.TakeAsked() {
		switch w {
		case view.WantSave:
			m.save()
		default:
			cmds = append(cmds, map[view.Want]func() tea.Cmd{
				view.WantFrame: m.frame, view.WantFigures: m.figures, view.WantSteps: m.steps, view.WantFixes: m.fixes, view.WantEdges: m.edges,
				view.WantAdvice: m.adviceOn, view.WantWeights: m.weights, view.WantHits: m.hits, view.WantPicture: m.picture,
			}[w]())
		}
	}
	return tea.Batch(cmds...)
}
