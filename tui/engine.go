package tui

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/session/breakpoint"
	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/wording"
	"snapscope/tui/format"
	"snapscope/tui/view"
)

// jobs lets the engine work: one job at a time, in commands.
type jobs struct {
	*base
	seq     int             // of jobs
	jobCtx  context.Context // of the running job
	jobStop context.CancelFunc
	waiting bool               // for the engine to have more
	unwatch context.CancelFunc // ends watching the live page; nil: it was never watched
}

// grewMsg is what one command of the engine gave.
type grewMsg struct {
	seq    int
	calls  int // of the engine
	events []session.Event
	err    error
	hits   []string // breakpoints that hold now, in words

	info    session.Info // of the engine afterwards: nobody else may ask it while it works
	pending []session.Action
	gone    string // why its browser is gone; empty: it is there
}

// tickMsg redraws the clock of a running job.
type tickMsg struct{ seq int }

// changedMsg tells that the engine may have more.
type changedMsg struct{}

func (m *jobs) tick(seq int) tea.Cmd { return m.after(view.TickEvery, tickMsg{seq}) }

// start begins a job; only one runs at a time.
func (m *jobs) start(mode view.JobMode, what string, act *session.Action) tea.Cmd {
	return m.startTo(mode, what, act, 0, 0)
}

// startTo is start with an end: left is how many steps a jobCount does (negative:
// all there are), until the step that a jobContinue stops at (0: none). What was said
// stays: a session that grows by itself must not take an answer away.
func (m *jobs) startTo(mode view.JobMode, what string, act *session.Action, left, until int) tea.Cmd {
	m.seq++
	j := &view.Job{Seq: m.seq, Mode: mode, What: what, Since: m.s.Clock(), Left: left, Until: until}
	m.jobCtx, m.jobStop = context.WithCancel(m.ctx)
	m.s.Job, m.s.ByHand = j, false
	if m.unwatch != nil {
		m.unwatch()
	}
	return tea.Batch(m.engineCmd(j, act), m.tick(j.Seq))
}

// batchSteps is how many steps of a recording one command reveals: each message
// draws a frame, and nobody sees a thousand of them go by. A live step is always
// alone.
const batchSteps = 32

// batch is how many steps the next command of a job may take.
func (m *jobs) batch(j *view.Job) int {
	n := 1
	if m.s.Info.Mode != session.ModeLive && j.Mode >= view.JobContinue {
		n = batchSteps
	}
	if j.Mode == view.JobCount && j.Left > 0 {
		n = min(n, j.Left)
	}
	if j.Until > 0 {
		n = min(n, max(1, j.Until-len(m.s.Tl.Steps)))
	}
	return n
}

// engineCmd asks the engine and judges the breakpoints: both may take long, so
// neither is done in Update.
func (m *jobs) engineCmd(j *view.Job, act *session.Action) tea.Cmd {
	eng, seq, ctx, most, one, mode := m.eng, j.Seq, m.jobCtx, m.batch(j), m.one, j.Mode
	var judge *judge
	if j.Mode == view.JobContinue { // only continue stops at breakpoints
		judge = m.newJudge(m.jobCtx)
	}
	return func() tea.Msg {
		out := grewMsg{seq: seq}
		one.Lock()
		defer one.Unlock()
		err := guard.Do("stepping the session", func() error {
			for out.calls < most && out.err == nil && len(out.hits) == 0 {
				var events []session.Event
				events, out.err = grow(ctx, eng, mode, act)
				out.calls++
				out.events = append(out.events, events...)
				if len(events) > 0 && judge != nil {
					out.hits = judge.grown(events)
				}
			}
			return nil
		})
		if err != nil {
			out.err = err
		}
		out.info, out.pending, out.gone = eng.Info(), eng.Pending(), goneNow(eng)
		return out
	}
}

// brokeMsg tells that a computation panicked: the screen goes on without it.
type brokeMsg struct {
	err  error
	then updater // what the computation answers when nothing comes of it; nil: nothing
}

func (b brokeMsg) apply(m *Model) tea.Cmd {
	var next tea.Cmd
	if b.then != nil {
		next = b.then.apply(m)
	}
	m.s.Say(view.LevelError, b.err.Error())
	return next
}

// guarded runs a computation that a panic must not take the screen down with: it is
// said, and then stands for the answer.
func guarded(doing string, then updater, do func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		if err := guard.Do(doing, func() error { msg = do(); return nil }); err != nil {
			return brokeMsg{err, then}
		}
		return msg
	}
}

// grew takes in what the engine gave and decides whether the job goes on.
func (m *Model) grew(msg grewMsg) tea.Cmd {
	j := m.s.Job
	if j == nil || msg.seq != j.Seq {
		return nil // the answer of a job that was let go of
	}
	m.s.Info, m.s.Pending, m.s.Gone = msg.info, msg.pending, msg.gone
	before := len(m.s.Tl.Steps)
	for _, e := range msg.events {
		m.s.Tl.Append(e)
		m.reveal(e)
		if e.Start != nil {
			m.s.Began(*e.Start)
		}
	}
	grown := len(m.s.Tl.Steps) - before
	j.Done += grown
	if grown > 0 || len(msg.events) > 0 {
		if grown > 0 && (m.s.Follow || j.Mode != view.JobCount) {
			m.s.At, m.s.Follow = len(m.s.Tl.Steps)-1, true
		} else if m.s.At < 0 {
			m.s.At = 0
		}
		m.s.Ask(view.WantSteps)
		m.s.Ask(view.WantFrame)
	}
	if m.goesOn(j, msg) {
		return m.engineCmd(j, nil)
	}
	m.finish(j, msg)
	cmd := tea.Batch(m.wait(), m.watchPage())
	if m.s.Side == view.SidePicture && j.Done > 0 {
		m.s.Ask(view.WantPicture)
	}
	return cmd
}

// goesOn decides whether a job that got an answer asks for the next.
func (m *jobs) goesOn(j *view.Job, msg grewMsg) bool {
	if msg.err != nil || j.Cancelled || len(msg.hits) > 0 {
		return false
	}
	switch j.Mode {
	case view.JobContinue:
		return j.Until == 0 || len(m.s.Tl.Steps) < j.Until
	case view.JobCount:
		if j.Left > 0 {
			j.Left = max(0, j.Left-msg.calls)
		}
		return j.Left != 0
	}
	return false
}

// finish says how a job ended.
func (m *jobs) finish(j *view.Job, msg grewMsg) {
	m.s.Job, m.s.Once = nil, nil
	m.jobStop()
	switch {
	case len(msg.hits) > 0:
		m.s.Say(view.LevelStop, "stopped: "+msg.hits[0])
	case j.Cancelled:
		m.s.Say(view.LevelInfo, "cancelled after "+format.Duration(m.s.Clock().Sub(j.Since)))
	case errors.Is(msg.err, io.EOF):
		m.end(j)
	case msg.gone != "":
		m.s.Say(view.LevelError, m.s.GoneLine())
	case errors.Is(msg.err, session.ErrRecorded):
		m.s.Say(view.LevelError, msg.err.Error())
	case msg.err != nil:
		m.s.Say(view.LevelError, fmt.Sprintf("%s: %v", j.What, msg.err))
	case j.Mode == view.JobContinue && j.Until > 0:
		m.s.Say(view.LevelInfo, "reached step "+wording.Count(j.Until))
	case (j.Mode == view.JobStep || j.Mode == view.JobDo) && m.s.Info.Mode == session.ModeLive:
		m.sayFailed()
	}
}

// sayFailed gives the reason why the newest step failed, if it did.
func (m *jobs) sayFailed() {
	if len(m.s.Tl.Steps) == 0 {
		return
	}
	if r := m.s.Tl.Steps[len(m.s.Tl.Steps)-1].Result; r != nil && !r.OK && r.Error != "" {
		m.s.Say(view.LevelError, r.Error)
	}
}

func (m *jobs) end(j *view.Job) {
	m.s.Ended = true
	if m.s.Info.Mode != session.ModeLive && len(m.cfg.Panes) == 0 && j.Mode == view.JobCount {
		m.s.Came()
	}
	switch {
	case j.Mode == view.JobCount:
	case m.s.Info.Mode == session.ModeLive && len(m.s.Tl.Steps) == 0:
		m.s.Say(view.LevelInfo, "no step is planned: type "+m.s.Keys.Label("command")+" and an action, such as goto http://…")
	case m.s.Info.Mode == session.ModeLive:
		m.s.Say(view.LevelInfo, "the script is done; "+m.s.Keys.Label("command")+" acts on the page")
	case m.s.Info.Mode == session.ModeFollow:
		m.s.Say(view.LevelInfo, "that is all so far; new steps appear as they come")
	case j.Done > 0:
		m.s.Say(view.LevelInfo, "the end of the session, after "+wording.Plural(len(m.s.Tl.Steps), "step"))
	default:
		m.s.Say(view.LevelInfo, "the session ends here; "+m.s.Keys.Label("prev")+" looks back")
	}
}

// cancelJob asks the running job to stop; asked again, lets go of it.
func (m *jobs) cancelJob() tea.Cmd {
	j := m.s.Job
	if j == nil {
		return nil
	}
	if j.Cancelled {
		m.s.Job, m.s.Once = nil, nil
		m.seq++
		m.s.Say(view.LevelWarn, j.What+" did not stop in time; its answer will be dropped")
		return nil
	}
	j.Cancelled = true
	m.jobStop()
	return nil
}

// wait listens for the engine to have more after its end.
func (m *jobs) wait() tea.Cmd {
	if m.eng == nil || m.waiting {
		return nil
	}
	ch := m.eng.Changed()
	if ch == nil {
		return nil
	}
	m.waiting = true
	ctx := m.ctx
	return func() tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-ch:
			if !ok {
				return nil
			}
			return changedMsg{}
		}
	}
}

// more takes the steps that have come since the end.
func (m *jobs) more() tea.Cmd {
	m.waiting = false
	if m.s.Job != nil || m.eng == nil {
		return m.wait()
	}
	m.s.Info, m.s.Pending = m.eng.Info(), m.eng.Pending() // it may know of more steps by now
	if m.s.Info.Mode != session.ModeFollow {
		return nil
	}
	m.s.Ended = false
	return m.startTo(view.JobCount, "reading new steps", nil, -1, 0)
}

func (m *Model) wordBreak(arg string) (tea.Cmd, error) {
	if arg == "" {
		return m.breaks(), nil
	}
	if err := m.s.AddBreak(arg); err != nil {
		return nil, err
	}
	m.s.Say(view.LevelGood, fmt.Sprintf("stops at %s · %s set", m.s.Breaks[len(m.s.Breaks)-1].At, wording.Plural(len(m.s.Breaks), "breakpoint")))
	m.s.Ask(view.WantSave)
	return nil, nil
}

// judge tells which breakpoints a step hits. It works in commands.
type judge struct {
	ctx      context.Context
	view     *session.Timeline
	active   []breakpoint.Condition
	policies []policy.Policy
	opt      ledger.Options
	set      *view.FigureSet // what is known of the whole session; nil: nothing
}

// newJudge makes the judge of the breakpoints that are on; nil: there are none.
func (m *jobs) newJudge(ctx context.Context) *judge {
	var active []breakpoint.Condition
	for _, b := range m.s.Breaks {
		if !b.Off {
			active = append(active, b.At)
		}
	}
	active = append(active, m.s.Once...)
	if len(active) == 0 {
		return nil
	}
	return &judge{ctx: ctx, view: m.s.Tl.View(), active: active, opt: m.options(), policies: m.s.FigurePolicies()}
}

// grown judges the steps that new events make.
func (j *judge) grown(events []session.Event) []string {
	before := len(j.view.Steps)
	for _, e := range events {
		j.view.Append(e)
	}
	var out []string
	for i := before; i < len(j.view.Steps); i++ {
		out = append(out, j.hits(i)...)
	}
	return out
}

// hits are the breakpoints that a step hits, in words.
func (j *judge) hits(step int) []string {
	s := breakpoint.Scene{Timeline: j.view, Step: step, Policies: j.policies, Renderer: j.opt.Renderer, Lost: j.lost}
	var out []string
	for _, b := range j.active {
		if why, ok := b.Hit(s); ok {
			out = append(out, why)
		}
	}
	return out
}

// lost says what a step with this number lost, under which policy.
func (j *judge) lost(step int) []string {
	var out []string
	for i, p := range j.policies {
		var lost []ledger.Lost
		if j.set != nil && i < len(j.set.Pol) && j.set.Pol[i].Key == p.Key() {
			lost = j.set.Pol[i].Report.Survival.Lost
		} else {
			o := j.opt
			o.UpToStep = step
			run := ledger.Run
			if p.Name == ledger.AsSentName {
				run = func(ctx context.Context, t *session.Timeline, _ policy.Policy, o ledger.Options) (*ledger.Report, error) {
					return ledger.AsSent(ctx, t, o)
				}
			}
			r, err := run(j.ctx, j.view, p, o)
			if err != nil {
				guard.Raise(err)
				return out
			}
			lost = r.Survival.Lost
		}
		for _, l := range lost {
			if l.Step == step && !l.Never {
				out = append(out, fmt.Sprintf("%s under %s, %s", l.Ref, p.Name, l.Why))
			}
		}
	}
	return out
}
