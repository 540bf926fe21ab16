package view

import (
	"context"
	"slices"

	"snapscope/replay/ab"
	"snapscope/session"
	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// FigureSet is one answer; it is never changed once it is made.
type FigureSet struct {
	events int    // of the timeline it was made from
	model  string // whose prices were counted with
	Full   PolicyFigures
	Sent   PolicyFigures // what the session really sent
	Pol    []PolicyFigures
	Ages   map[int][]ledger.CounterState // by step number: the counters right after it
	Rule   string                        // the policy the counters are of
	expiry PolicyFigures                 // and its figures
	Vendor *ab.Drift                     // our count of the calls beside the vendor's; nil: the session holds none of the vendor's
}

// PolicyFigures is the session under one policy.
type PolicyFigures struct {
	Policy policy.Policy
	Key    string
	Report *ledger.Report
	Tokens []int // of the snapshot at each step, or of what stood for it
}

// FigureAsk is what figures are made from.
type FigureAsk struct {
	View     *session.Timeline
	At       int
	Policies []policy.Policy
	Expiry   policy.Policy // whose counters are shown; no stages: none
	Opt      ledger.Options
	Have     *FigureSet // an earlier answer, reused where it still holds
}

// MakeFigures simulates the session under each policy. nil: it was cancelled.
func MakeFigures(ctx context.Context, ask FigureAsk) *FigureSet {
	out := &FigureSet{events: len(ask.View.Events), model: ask.Opt.Model, Ages: map[int][]ledger.CounterState{}}
	sent, err := ask.sent(ctx, Sent())
	if err != nil {
		return nil
	}
	ask.Opt.AsSent, out.Sent = sent.Report, sent
	full, err := ask.simulate(ctx, policy.Full())
	if err != nil {
		return nil
	}
	ask.Opt.Full, out.Full = full.Report, full
	for _, p := range ask.Policies {
		f, err := ask.simulate(ctx, p)
		if err != nil {
			return nil
		}
		out.Pol = append(out.Pol, f)
	}
	if len(ask.Expiry.Stages) > 0 && ask.At >= 0 && ask.At < len(ask.View.Steps) {
		n := ask.View.Steps[ask.At].N
		out.Rule = ask.Expiry.Name
		if out.expiry, err = ask.simulate(ctx, ask.Expiry); err != nil {
			return nil
		}
		out.Ages[n] = ledger.Counters(ask.View, ask.Expiry, n, ask.Opt)
	}
	if out.Vendor, err = ask.vendor(ctx); err != nil {
		return nil
	}
	return out
}

// Whole reports that the figures are of all that a session holds.
func (s *FigureSet) Whole(t *session.Timeline) bool { return s.events == len(t.Events) }

// simulate makes the figures of one policy, or finds them in the answer before.
func (ask FigureAsk) simulate(ctx context.Context, p policy.Policy) (PolicyFigures, error) {
	if isSent(p) {
		return ask.sent(ctx, p)
	}
	f := PolicyFigures{Policy: p, Key: p.Key()}
	if h := ask.Have; h != nil && h.events == len(ask.View.Events) && h.model == ask.Opt.Model {
		for _, old := range append([]PolicyFigures{h.expiry, h.Full}, h.Pol...) {
			if old.Key == f.Key && old.Report != nil {
				old.Policy = p
				return old, nil
			}
		}
	}
	var err error
	if f.Report, err = ledger.Run(ctx, ask.View, p, ask.Opt); err != nil {
		guard.Raise(err)
		return f, err
	}
	sends := ledger.Sends(ask.View, p, ask.Opt.Renderer)
	f.Tokens = make([]int, len(ask.View.Steps))
	for s, st := range ask.View.Steps {
		if st.Snap < 0 {
			continue
		}
		if around, ok := ledger.Goes(ask.View, st.Snap); ok {
			sent := sends.Page(ask.View, st.Snap, around)
			f.Tokens[s] = sent.Tokens + ask.Opt.Renderer.Tokens(sent.Grammar)
		} else { // no policy rewrites what only stood for the page
			f.Tokens[s] = ask.Opt.Renderer.Tokens(st.Result.Shown)
		}
	}
	return f, nil
}

// sofar is what a policy's model calls carried up to a step, and what it lost.
type sofar struct {
	Input, peak, Calls int
	Lost               []ledger.Lost
	Acted, Never       int
}

// UpTo sums a report up to the result of a step.
func (f PolicyFigures) UpTo(t *session.Timeline, at int) sofar {
	var out sofar
	if at < 0 || at >= len(t.Steps) || f.Report == nil {
		return out
	}
	end := t.Steps[at].ResultSeq
	for _, c := range f.Report.Calls {
		if c.Seq > end {
			break
		}
		out.Input += c.InputTokens
		out.peak = max(out.peak, c.InputTokens)
		out.Calls++
	}
	for _, l := range f.Report.Survival.Lost {
		switch {
		case l.Step > t.Steps[at].N:
		case l.Never: // no policy's fault: the model never read it at all
			out.Never++
		default:
			out.Lost = append(out.Lost, l)
		}
	}
	for i := 0; i <= at; i++ {
		if Targeted(&t.Steps[i]) {
			out.Acted++
		}
	}
	out.Acted = max(min(out.Acted, f.Report.Survival.Acted), len(out.Lost))
	return out
}

// Targeted reports an action on an element that a model names by what it read.
func Targeted(s *session.Step) bool {
	t := s.Action.Target
	return t != nil && (t.Ref != "" || t.Role != "")
}

// ExpiryPolicy is whose counters the expiry line shows: the focused pane's, else
// the first shown one that expires snapshots, else the rule that stands
// alone, which is OpenClaw's.
func (m *PaneSet) ExpiryPolicy() policy.Policy {
	if m.Focus < len(m.Panes) {
		if _, ok := m.Panes[m.Focus].Policy.Retention(); ok {
			return m.Panes[m.Focus].Policy
		}
	}
	for _, i := range m.ShownPanes() {
		if _, ok := m.Panes[i].Policy.Retention(); ok {
			return m.Panes[i].Policy
		}
	}
	return m.Rule.Policy
}

// FigurePolicies are the policies that frames and figures are made for: every shown
// pane's as it is now, whatever becomes of it.
func (m *PaneSet) FigurePolicies() []policy.Policy {
	var out []policy.Policy
	for _, i := range m.ShownPanes() {
		out = append(out, m.Panes[i].Policy.Clone())
	}
	return out
}

// Lost are the elements that the policy hid from the agent when it acted on them: what no
// page had shown is none of its losses, and what really went out was no policy's.
func (f PolicyFigures) Lost() []ledger.Lost {
	if f.Report == nil || isSent(f.Policy) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.Report.Survival.Lost), func(l ledger.Lost) bool { return l.Never })
}

// FiguresOf finds the figures of a policy by name.
func (m *Figures) FiguresOf(name string) (PolicyFigures, bool) {
	if m.Set == nil {
		return PolicyFigures{}, false
	}
	for _, f := range m.Set.Pol {
		if f.Policy.Name == name {
			return f, true
		}
	}
	return PolicyFigures{}, false
}

// CallAt is the index of the last call before the step looked at.
func (m *Story) CallAt(rep *ledger.Report) int {
	s := m.Step()
	out := 0
	for i, c := range rep.Calls {
		if s != nil && c.Seq <= s.ResultSeq {
			out = i
		}
	}
	return out
}

// ToLoss goes to the step that lost an element, and to the element's line.
func (m *Walk) ToLoss(policy string, l ledger.Lost) {
	for i, p := range m.Panes {
		if p.Policy.Name == policy && p.Shown {
			m.Focus = i
		}
	}
	m.WantRef = l.Ref
	m.Say(LevelError, "LOST "+l.Ref+" under "+policy+": "+l.Why)
	m.Look(l.Step - 1)
}
