package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
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
	set    *figureSet
}

// figureSet is one answer; it is never changed once it is made.
type figureSet struct {
	seq    int
	events int // of the timeline it was made from
	full   policyFigures
	pol    []policyFigures
	ages   map[int][]ledger.CounterState // by step number: the counters right after it
	rule   string                        // the policy the counters are of
	keeper policyFigures                 // and its figures
}

// policyFigures is the session under one policy.
type policyFigures struct {
	policy policy.Policy
	key    string
	report *ledger.Report
	tokens []int // of the snapshot at each step, 0 where the model had none
}

// figureAsk is what figures are made from.
type figureAsk struct {
	seq      int
	view     *session.Timeline
	at       int
	policies []policy.Policy
	keeper   policy.Policy // whose counters are shown; no stages: none
	opt      ledger.Options
	have     *figureSet // an earlier answer, reused where it still holds
}

// makeFigures simulates the session under each policy. nil: it was cancelled.
func makeFigures(ctx context.Context, ask figureAsk) *figureSet {
	out := &figureSet{seq: ask.seq, events: len(ask.view.Events), ages: map[int][]ledger.CounterState{}}
	full, err := ask.simulate(ctx, policy.Full())
	if err != nil {
		return nil
	}
	ask.opt.Full, out.full = full.report, full
	for _, p := range ask.policies {
		f, err := ask.simulate(ctx, p)
		if err != nil {
			return nil
		}
		out.pol = append(out.pol, f)
	}
	if len(ask.keeper.Stages) > 0 && ask.at >= 0 && ask.at < len(ask.view.Steps) {
		n := ask.view.Steps[ask.at].N
		out.rule = ask.keeper.Name
		if out.keeper, err = ask.simulate(ctx, ask.keeper); err != nil {
			return nil
		}
		out.ages[n] = ledger.Counters(ask.view, ask.keeper, n, ask.opt)
	}
	return out
}

// simulate makes the figures of one policy, or finds them in the answer before.
func (ask figureAsk) simulate(ctx context.Context, p policy.Policy) (policyFigures, error) {
	f := policyFigures{policy: p, key: p.Key()}
	if h := ask.have; h != nil && h.events == len(ask.view.Events) {
		for _, old := range append([]policyFigures{h.keeper, h.full}, h.pol...) {
			if old.key == f.key && old.report != nil {
				old.policy = p
				return old, nil
			}
		}
	}
	var err error
	if f.report, err = ledger.Run(ctx, ask.view, p, ask.opt); err != nil {
		return f, err
	}
	plan := ask.opt.Renderer.Plan(p)
	f.tokens = make([]int, len(ask.view.Steps))
	for s, st := range ask.view.Steps {
		if st.Snap >= 0 && ask.view.Snaps[st.Snap].Seen.Readable() {
			f.tokens[s] = plan.Render(ask.view, st.Snap).Tokens
		}
	}
	return f, nil
}

// sofar is what a policy's model calls carried up to a step, and what it lost.
type sofar struct {
	input, peak, calls int
	lost               []ledger.Lost
	acted, never       int
}

// upTo sums a report up to the result of a step.
func (f policyFigures) upTo(t *session.Timeline, at int) sofar {
	var out sofar
	if at < 0 || at >= len(t.Steps) || f.report == nil {
		return out
	}
	end := t.Steps[at].ResultSeq
	for _, c := range f.report.Calls {
		if c.Seq > end {
			break
		}
		out.input += c.InputTokens
		out.peak = max(out.peak, c.InputTokens)
		out.calls++
	}
	for _, l := range f.report.Survival.Lost {
		switch {
		case l.Step > t.Steps[at].N:
		case l.Never: // no policy's fault: the model never read it at all
			out.never++
		default:
			out.lost = append(out.lost, l)
		}
	}
	for i := 0; i <= at; i++ {
		if targeted(&t.Steps[i]) {
			out.acted++
		}
	}
	out.acted = max(min(out.acted, f.report.Survival.Acted), len(out.lost))
	return out
}

// targeted reports an action on an element that a model names by what it read.
func targeted(s *session.Step) bool {
	t := s.Action.Target
	return t != nil && (t.Ref != "" || t.Role != "")
}

// keeperPolicy is whose counters the expiry line shows: the focused pane's, else
// the first shown one that expires snapshots, else the rule that stands
// alone, which is OpenClaw's.
func (m *Model) keeperPolicy() policy.Policy {
	if m.focus < len(m.panes) {
		if _, ok := m.panes[m.focus].policy.Retention(); ok {
			return m.panes[m.focus].policy
		}
	}
	for _, i := range m.shownPanes() {
		if _, ok := m.panes[i].policy.Retention(); ok {
			return m.panes[i].policy
		}
	}
	return m.rule.policy
}

// noFigures tells that figures were given up on, since others are wanted.
type noFigures struct{}

func (noFigures) apply(m *Model) tea.Cmd {
	m.figs.busy = false
	if m.figs.dirty {
		m.wantFigures()
	}
	return nil
}

// askFigures asks for figures; while some are being made the wish is only noted.
// What is made for policies that are no longer these is given up.
func (m *Model) askFigures() tea.Cmd {
	m.figs.seq++
	ask := figureAsk{seq: m.figs.seq, at: m.at, keeper: m.keeperPolicy().Clone(), opt: m.cfg.Ledger, have: m.set}
	ask.opt.Renderer, ask.opt.Progress = m.rd, nil
	keys := ""
	for _, p := range m.figurePolicies() {
		ask.policies = append(ask.policies, p.Clone())
		keys += p.Key() + "\n"
	}
	keys += ask.keeper.Key()
	if m.figs.busy {
		m.figs.dirty = true
		if keys != m.figs.keys {
			m.figs.cancel()
		}
		return nil
	}
	ask.view = m.tl.View()
	ctx, cancel := context.WithCancel(m.ctx)
	m.figs.busy, m.figs.dirty, m.figs.keys, m.figs.cancel = true, false, keys, cancel
	return guarded("reckoning the session", false, func() tea.Msg {
		defer cancel()
		if s := makeFigures(ctx, ask); s != nil {
			return s
		}
		return noFigures{}
	})
}

// figurePolicies are the policies that figures are made for: every shown pane's.
func (m *Model) figurePolicies() []policy.Policy {
	var out []policy.Policy
	for _, i := range m.shownPanes() {
		out = append(out, m.panes[i].policy)
	}
	return out
}

// figured takes in figures; late ones are shown until the newer are there, since
// all that they can be is behind.
func (m *Model) figured(s *figureSet) tea.Cmd {
	m.figs.busy = false
	m.set = s
	if v, ok := m.over.(*contextView); ok {
		v.arrived(m)
	}
	if m.figs.dirty {
		m.wantFigures()
	}
	return nil
}

// figuresOf finds the figures of a policy by name.
func (m *Model) figuresOf(name string) (policyFigures, bool) {
	if m.set == nil {
		return policyFigures{}, false
	}
	for _, f := range m.set.pol {
		if f.policy.Name == name {
			return f, true
		}
	}
	return policyFigures{}, false
}
