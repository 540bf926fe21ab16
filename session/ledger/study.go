package ledger

import (
	"context"
	"slices"

	"snapscope/session"
	"snapscope/session/policy"
)

// Study works out all that a sheet reports of one session: the two baselines,
// the policies asked for, what the input was made of, and the line of advice,
// for which the candidates are simulated too. Nil candidates are all built-in
// policies.
func Study(ctx context.Context, t *session.Timeline, ps, candidates []policy.Policy, o Options) (Sheet, error) {
	if err := o.baselines(ctx, t); err != nil {
		return Sheet{}, err
	}
	s := Sheet{Outcome: t.Outcome, AsSent: o.AsSent, Full: o.Full, Bill: BillOf(o.AsSent), Worth: o.AsSent.worth()}
	var err error
	if s.Reports, err = All(ctx, t, ps, o); err != nil {
		return Sheet{}, err
	}
	if s.Candidates, err = tried(ctx, t, s.Reports, candidates, o); err != nil {
		return Sheet{}, err
	}
	s.Advice = Advise(s.AsSent, s.Full, s.Bill, s.Candidates, o)
	return s, nil
}

// tried adds to reports those of the candidates that are not among them.
func tried(ctx context.Context, t *session.Timeline, reports []*Report, candidates []policy.Policy, o Options) ([]*Report, error) {
	if candidates == nil {
		candidates = policy.Builtin()
	}
	o.Fixes = false
	out := slices.Clone(reports)
	seen := map[string]bool{policy.Full().Key(): true}
	for _, r := range reports {
		seen[r.Policy.Key()] = true
	}
	for _, p := range candidates {
		if o.Full.Survival.Unknown || seen[p.Key()] {
			continue
		}
		seen[p.Key()] = true
		r, err := Run(ctx, t, p, o)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}
