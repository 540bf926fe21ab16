package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/tui/view"
)

// watcher is an engine that notices between steps what is done in the browser's own
// window. session.Live is one.
type watcher interface {
	Watch(ctx context.Context) error
}

// reopener is an engine that can start another browser in place of one that is
// gone. session.Live is one.
type reopener interface {
	Reopen(ctx context.Context) ([]session.Event, error)
	Gone() error
}

// handMsg tells that something was done to the page by hand, or that the browser is
// gone.
type handMsg struct {
	seq int
	err error
}

func (h handMsg) apply(m *Model) tea.Cmd {
	switch {
	case h.seq != m.seq || errors.Is(h.err, context.Canceled) || errors.Is(h.err, session.ErrUnwatched):
	case h.err == nil:
		m.s.ByHand = true
		m.s.Say(view.LevelStop, "something was done in the browser by hand · "+m.s.Keys.Label("read")+" takes a snapshot of it")
	default:
		m.s.Gone = h.err.Error()
		m.s.Say(view.LevelError, m.s.GoneLine())
	}
	return nil
}

// watchPage watches a live page until the next step.
func (m *jobs) watchPage() tea.Cmd {
	w, ok := m.eng.(watcher)
	if !ok || m.s.Info.Mode != session.ModeLive || m.s.Job != nil || m.s.Gone != "" {
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.unwatch = cancel
	seq := m.seq
	return func() tea.Msg {
		defer cancel()
		return handMsg{seq, w.Watch(ctx)}
	}
}

// read reads the page as it is now; where the browser is gone, it starts another
// one at the same page.
func (m *jobs) read() tea.Cmd {
	if m.s.Gone != "" {
		return m.start(view.JobReopen, "starting the browser again", nil)
	}
	return m.start(view.JobDo, "snapshot", &session.Action{Verb: session.VerbSnapshot, Tool: string(session.VerbSnapshot)})
}

// grow asks the engine for the events of one step of a job.
func grow(ctx context.Context, eng session.Engine, mode view.JobMode, act *session.Action) ([]session.Event, error) {
	switch {
	case act != nil:
		return eng.Do(ctx, *act)
	case mode == view.JobReopen:
		if r, ok := eng.(reopener); ok {
			return r.Reopen(ctx)
		}
		return nil, session.ErrRecorded
	}
	return eng.Step(ctx)
}

// goneNow is why the engine's browser is gone; empty: it is there, or there is none.
func goneNow(eng session.Engine) string {
	if r, ok := eng.(reopener); ok {
		if err := r.Gone(); err != nil {
			return err.Error()
		}
	}
	return ""
}
