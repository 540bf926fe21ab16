package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
)

// Who sends what to whom while the session grows:
//
//	key ──▶ Update ──start──▶ command: Engine.Step or Do, breakpoints judged
//	            ▲                    │
//	            └──── grewMsg{seq} ◀─┘   a seq that is not the running job's: dropped
//	key esc ──▶ job.cancel (the engine answers soon); esc again: the job is let go of
//
// Only Update appends to the timeline; commands work on views of it.

// jobMode says when a job is done.
type jobMode uint8

const (
	jobStep     jobMode = iota // one step
	jobDo                      // one action out of turn
	jobContinue                // until a breakpoint or the end
	jobCount                   // a number of steps, or as many as there are now
)

// job is the engine at work.
type job struct {
	seq       int
	mode      jobMode
	what      string
	since     time.Time
	cancelled bool
	left      int // of jobCount: steps still to do; negative: all there are
	done      int // steps done so far
	until     int // of jobContinue: stop at this step; 0: no such stop
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
}

// tickMsg redraws the clock of a running job.
type tickMsg struct{ seq int }

// changedMsg tells that the engine may have more.
type changedMsg struct{}

// tickEvery is how often a running job's clock is redrawn. Nothing ticks when
// nothing runs.
const tickEvery = 100 * time.Millisecond

func (m *Model) tick(seq int) tea.Cmd { return m.after(tickEvery, tickMsg{seq}) }

// start begins a job; only one runs at a time.
func (m *Model) start(mode jobMode, what string, act *session.Action) tea.Cmd {
	return m.startTo(mode, what, act, 0, 0)
}

// startTo is start with an end: left is how many steps a jobCount does (negative:
// all there are), until the step that a jobContinue stops at (0: none).
func (m *Model) startTo(mode jobMode, what string, act *session.Action, left, until int) tea.Cmd {
	m.seq++
	j := &job{seq: m.seq, mode: mode, what: what, since: m.clock(), left: left, until: until}
	m.jobCtx, m.jobStop = context.WithCancel(m.ctx)
	m.job = j
	m.say(levelInfo, "")
	return tea.Batch(m.engineCmd(j, act), m.tick(j.seq))
}

// batchSteps is how many steps of a recording one command reveals: each message
// draws a frame, and nobody sees a thousand of them go by. A live step is always
// alone.
const batchSteps = 32

// batch is how many steps the next command of a job may take.
func (m *Model) batch(j *job) int {
	n := 1
	if m.info.Mode != session.ModeLive && j.mode >= jobContinue {
		n = batchSteps
	}
	if j.mode == jobCount && j.left > 0 {
		n = min(n, j.left)
	}
	if j.until > 0 {
		n = min(n, max(1, j.until-len(m.tl.Steps)))
	}
	return n
}

// engineCmd asks the engine and judges the breakpoints: both may take long, so
// neither is done in Update.
func (m *Model) engineCmd(j *job, act *session.Action) tea.Cmd {
	eng, seq, ctx, most, one := m.eng, j.seq, m.jobCtx, m.batch(j), m.one
	judge := m.judge(j)
	return func() (msg tea.Msg) {
		out := grewMsg{seq: seq}
		one.Lock()
		defer func() {
			if r := recover(); r != nil { // the session's fault, not the screen's
				out.err = fmt.Errorf("it broke off: %v", r)
			}
			out.info, out.pending = eng.Info(), eng.Pending()
			one.Unlock()
			msg = out
		}()
		for out.calls < most && out.err == nil && len(out.hits) == 0 {
			var events []session.Event
			if act != nil {
				events, out.err = eng.Do(ctx, *act)
			} else {
				events, out.err = eng.Step(ctx)
			}
			out.calls++
			out.events = append(out.events, events...)
			if len(events) > 0 && judge != nil {
				out.hits = judge(events)
			}
		}
		return out
	}
}

// brokeMsg tells that a computation panicked: the screen goes on without it.
type brokeMsg struct {
	what  string
	why   any
	frame bool
}

func (b brokeMsg) apply(m *Model) tea.Cmd {
	if b.frame {
		m.busy = false
	} else {
		m.figs.busy = false
	}
	m.say(levelError, fmt.Sprintf("%s broke off: %v", b.what, b.why))
	return nil
}

// guarded runs a computation that a panic must not take the screen down with.
func guarded(what string, frame bool, do func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = brokeMsg{what, r, frame}
			}
		}()
		return do()
	}
}

// grew takes in what the engine gave and decides whether the job goes on.
func (m *Model) grew(msg grewMsg) tea.Cmd {
	j := m.job
	if j == nil || msg.seq != j.seq {
		return nil // the answer of a job that was let go of
	}
	m.info, m.pending = msg.info, msg.pending
	before := len(m.tl.Steps)
	for _, e := range msg.events {
		m.tl.Append(e)
	}
	grown := len(m.tl.Steps) - before
	j.done += grown
	if grown > 0 || len(msg.events) > 0 {
		if grown > 0 && (m.follow || j.mode != jobCount) {
			m.at, m.follow = len(m.tl.Steps)-1, true
		}
		m.wantFrame()
	}
	if m.goesOn(j, msg) {
		return m.engineCmd(j, nil)
	}
	m.finish(j, msg)
	cmd := m.wait()
	if m.side == sidePicture && j.done > 0 {
		m.wants |= wantPicture
	}
	return cmd
}

// goesOn decides whether a job that got an answer asks for the next.
func (m *Model) goesOn(j *job, msg grewMsg) bool {
	if msg.err != nil || j.cancelled || len(msg.hits) > 0 {
		return false
	}
	switch j.mode {
	case jobContinue:
		return j.until == 0 || len(m.tl.Steps) < j.until
	case jobCount:
		if j.left > 0 {
			j.left = max(0, j.left-msg.calls)
		}
		return j.left != 0
	}
	return false
}

// finish says how a job ended.
func (m *Model) finish(j *job, msg grewMsg) {
	m.job, m.once = nil, nil
	m.jobStop()
	switch {
	case len(msg.hits) > 0:
		m.say(levelStop, "stopped: "+msg.hits[0])
	case j.cancelled:
		m.say(levelInfo, "cancelled after "+duration(m.clock().Sub(j.since)))
	case errors.Is(msg.err, io.EOF):
		m.end(j)
	case errors.Is(msg.err, session.ErrRecorded):
		m.say(levelError, msg.err.Error())
	case msg.err != nil:
		m.say(levelError, fmt.Sprintf("%s: %v", j.what, msg.err))
	case j.mode == jobContinue && j.until > 0:
		m.say(levelInfo, "reached step "+thousands(j.until))
	case (j.mode == jobStep || j.mode == jobDo) && m.info.Mode == session.ModeLive:
		m.sayFailed()
	}
}

// sayFailed gives the reason why the newest step failed, if it did.
func (m *Model) sayFailed() {
	if len(m.tl.Steps) == 0 {
		return
	}
	if r := m.tl.Steps[len(m.tl.Steps)-1].Result; r != nil && !r.OK && r.Error != "" {
		m.say(levelError, r.Error)
	}
}

func (m *Model) end(j *job) {
	m.ended = true
	switch {
	case j.mode == jobCount:
	case m.info.Mode == session.ModeLive && len(m.tl.Steps) == 0:
		m.say(levelInfo, "no step is planned: type : and an action, such as goto http://…")
	case m.info.Mode == session.ModeLive:
		m.say(levelInfo, "the script is done; : acts on the page")
	case m.info.Mode == session.ModeFollow:
		m.say(levelInfo, "that is all so far; new steps appear as they come")
	case j.done > 0:
		m.say(levelInfo, "the end of the session, after "+plural(len(m.tl.Steps), "step"))
	default:
		m.say(levelInfo, "the session ends here; [ looks back")
	}
}

// cancelJob asks the running job to stop; asked again, lets go of it.
func (m *Model) cancelJob() tea.Cmd {
	j := m.job
	if j == nil {
		return nil
	}
	if j.cancelled {
		m.job, m.once = nil, nil
		m.seq++
		m.say(levelWarn, j.what+" did not stop in time; its answer will be dropped")
		return nil
	}
	j.cancelled = true
	m.jobStop()
	return nil
}

// wait listens for the engine to have more after its end.
func (m *Model) wait() tea.Cmd {
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
func (m *Model) more() tea.Cmd {
	m.waiting = false
	m.ended = false
	if m.job != nil || m.eng == nil {
		return m.wait()
	}
	m.info, m.pending = m.eng.Info(), m.eng.Pending() // it may know of more steps by now
	if m.info.Mode != session.ModeFollow {
		return nil
	}
	return m.startTo(jobCount, "reading new steps", nil, -1, 0)
}
