package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/replay/tune"
	"snapscope/session/policy"
	"snapscope/snapshot/wording"
	"snapscope/tui/view"
)

// tuneFor is how long a search goes on where nobody says.
const tuneFor = 20 * time.Second

// tuned is the name of the policy that a search found.
const tuned = "tuned"

// search is a search for the best policy over the open session.
type search struct {
	stop context.CancelFunc
	said chan string // what it is at; closed at its end
}

// wordTune searches, behind the panes, for the policy that costs least over the
// session as it is now and keeps everything the agent acted on: tune, tune 60,
// tune stop.
func wordTune(m *Model, arg string) (tea.Cmd, error) {
	switch {
	case arg == "stop" && m.search == nil:
		return nil, errors.New("nothing is being tuned")
	case arg == "stop":
		m.search.stop()
		return nil, nil
	case m.search != nil:
		return nil, errors.New("a search is going on; tune stop ends it with what it has")
	}
	limit := tuneFor
	if arg != "" {
		d, err := time.ParseDuration(strings.TrimSuffix(arg, "s") + "s")
		if err != nil || d <= 0 || d > time.Hour {
			return nil, fmt.Errorf("tune takes a number of seconds up to 3600, or stop; not %q", arg)
		}
		limit = d
	}
	ctx, stop := context.WithTimeout(m.ctx, limit)
	s := &search{stop, make(chan string, 1)}
	m.search = s
	one := tune.Of("", m.s.Tl.View(), m.options())
	say := func(p tune.Progress) {
		text := fmt.Sprintf("tuning %s · %s evaluations", p.Doing, wording.Count(p.Evaluations))
		if p.Best != nil {
			text += " · best so far saves " + wording.Percent(p.Best.Saved)
		}
		select {
		case s.said <- text:
		default: // the last one is not read yet
		}
	}
	m.s.Say(view.LevelInfo, "tuning …")
	find := guarded("tuning", nil, func() tea.Msg {
		defer stop()
		defer close(s.said)
		res, err := tune.Run(ctx, []tune.Session{one}, tune.Options{Keep: 1, Seed: 1, Progress: say})
		return tunedMsg{res, err}
	})
	return tea.Batch(find, listen(s)), nil
}

// listen waits for what a search says next.
func listen(s *search) tea.Cmd {
	return func() tea.Msg {
		if text, ok := <-s.said; ok {
			return tuningMsg{s, text}
		}
		return nil
	}
}

// tuningMsg is what a search is at.
type tuningMsg struct {
	of   *search
	text string
}

func (t tuningMsg) apply(m *Model) tea.Cmd {
	if t.of != m.search {
		return nil
	}
	m.s.Say(view.LevelInfo, t.text+" · ctrl+c ends it")
	return listen(t.of)
}

// tunedMsg is what a search found.
type tunedMsg struct {
	res *tune.Result
	err error
}

// apply puts the policy into the focused pane, beside the others.
func (t tunedMsg) apply(m *Model) tea.Cmd {
	m.search = nil
	switch {
	case t.err != nil && errors.Is(t.err, context.DeadlineExceeded):
		m.s.Say(view.LevelWarn, "the time was up before the session had been counted once: tune 60 gives it a minute")
		return nil
	case t.err != nil:
		m.s.Say(view.LevelError, "tuning: "+t.err.Error())
		return nil
	}
	level, broken := view.LevelInfo, ""
	if n := len(t.res.Broken); n > 0 {
		level, broken = view.LevelError, fmt.Sprintf(" · a policy is not chosen: %v", t.res.Broken[0])
		if n > 1 {
			broken += fmt.Sprintf(" (and %d more)", n-1)
		}
	}
	if t.res.Best == nil {
		m.s.Say(max(level, view.LevelWarn), "nothing found that keeps everything and costs less than full snapshots"+broken)
		return nil
	}
	best := t.res.Best
	p := best.Policy.Clone()
	p.Name, p.Title = tuned, tune.Describe(best.Policy)
	m.s.Own = append(withoutPolicy(m.s.Own, tuned), p)
	m.s.Panes[m.s.Focus] = view.PaneOf(p)
	m.s.Knobs.Forget()
	m.s.Ask(view.WantFrame)
	text := fmt.Sprintf("%s: saves %s, keeps %d of %d · :save NAME keeps it", p.Title, wording.Percent(best.Saved),
		best.Total.Kept, t.res.Full.Kept)
	if t.res.Stopped {
		text += " · stopped before the search was through"
	}
	m.s.Say(level, text+broken)
	return nil
}

// withoutPolicy is ps but for those of a name.
func withoutPolicy(ps []policy.Policy, name string) []policy.Policy {
	out := ps[:0:0]
	for _, p := range ps {
		if p.Name != name {
			out = append(out, p)
		}
	}
	return out
}
