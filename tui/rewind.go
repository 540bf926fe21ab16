package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"snapscope/snapshot/wording"
	"snapscope/tui/view"
)

// stoppedMsg tells where a walk through the steps there are ended.
type stoppedMsg struct {
	seq, at int
	by      int    // 1 forwards, -1 backwards
	why     string // the breakpoint; empty: none held
}

func (s stoppedMsg) apply(m *Model) tea.Cmd {
	if m.s.Job == nil || m.s.Job.Seq != s.seq {
		return nil
	}
	m.s.Job, m.s.Once = nil, nil
	m.jobStop()
	switch {
	case s.why != "":
		m.s.Look(s.at)
		m.s.Say(view.LevelStop, "stopped: "+s.why)
	case s.by < 0:
		m.s.Say(view.LevelInfo, "no breakpoint holds before this step")
	default:
		m.s.Look(s.at)
		m.s.Say(view.LevelInfo, "the end of the session, after "+wording.Plural(len(m.s.Tl.Steps), "step"))
	}
	return m.watchPage()
}

// walk goes through the steps there are, from one on, to a breakpoint or the end.
func (m *jobs) walk(from, by int) tea.Cmd {
	m.seq++
	m.s.Job = &view.Job{Seq: m.seq, Mode: view.JobStep, What: "continue", Since: m.s.Clock()}
	if by < 0 {
		m.s.Job.What = "looking back for a breakpoint"
	}
	m.jobCtx, m.jobStop = context.WithCancel(m.ctx)
	seq, ctx, last := m.seq, m.jobCtx, len(m.s.Tl.Steps)-1
	j := m.newJudge(ctx)
	if j != nil {
		j.set = m.s.Set
	}
	return tea.Batch(func() tea.Msg {
		for at := from; j != nil && at >= 0 && at <= last && ctx.Err() == nil; at += by {
			if hits := j.hits(at); len(hits) > 0 {
				return stoppedMsg{seq, at, by, hits[0]}
			}
		}
		return stoppedMsg{seq, last, by, ""}
	}, m.tick(seq))
}
