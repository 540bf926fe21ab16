package ledger

import (
	"context"

	"snapscope/session"
	"snapscope/session/policy"
)

// CounterState is the age of one snapshot under a retention rule.
type CounterState struct {
	Step      int    `json:"step"`
	Calls     int    `json:"calls"` // results and messages counted so far
	Limit     int    `json:"limit"` // expires at; 0: by another rule
	Expired   bool   `json:"expired"`
	ExpiredAt int    `json:"-"` // the step after which it expired
	Reason    string `json:"-"` // of the expiry
}

// age is a counter as it stands, or as it stood when its snapshot was cleared.
type age struct{ calls, limit int }

// Counters answers the snapshots under policy p as they stand right after a
// step (0: after the last), oldest first: those still live with their counters
// and those that expired, the ones that the very next model call will not carry
// among them. It is nil where the policy has no retention rule. Without a
// renderer tokens are estimated, which only a rule that weighs them asks for.
func Counters(t *session.Timeline, p policy.Policy, step int, opt Options) []CounterState {
	if opt.Renderer == nil {
		opt.Renderer = policy.NewRenderer(func(s string) int { return (len(s) + 3) / 4 })
	}
	opt.UpToStep, opt.agesOnly, opt.Progress = step, true, nil
	m, err := simulate(context.Background(), t, p, opt)
	if err != nil || m.keeper == nil {
		return nil
	}
	m.expire(len(m.rep.Calls) + 1)
	for _, c := range m.keeper.Live() {
		if i, ok := m.h.called(c.ID); ok {
			m.h.items[i].age = age{c.Calls, c.Limit}
		}
	}
	var out []CounterState
	for i := range m.h.items {
		it := &m.h.items[i]
		if !it.live || it.gone {
			continue
		}
		c := CounterState{Step: it.step, Calls: it.age.calls, Limit: it.age.limit, Expired: it.expired}
		if it.expired {
			c.ExpiredAt, c.Reason = it.by.step, it.by.rule.String()
		}
		out = append(out, c)
	}
	return out
}
