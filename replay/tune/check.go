package tune

import (
	"context"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// Checked is one session held against a policy's promise. Elements that cannot
// be read under policy full either are nobody's loss and do not count.
type Checked struct {
	Recording string        `json:"recording"`
	Known     bool          `json:"survival_known"` // the session holds pages
	Acted     int           `json:"acted"`
	Survived  int           `json:"survived"`
	Kept      float64       `json:"kept_ratio"`
	Net       float64       `json:"net_saved_ratio"`
	Lost      []CheckedLoss `json:"lost"`

	value ratioOf
}

// CheckedLoss is one element that the policy hides.
type CheckedLoss struct {
	Step int    `json:"step"`
	Ref  string `json:"ref"`
	Why  string `json:"why"`
}

// Check evaluates a policy over one session. The error is ctx's own.
func Check(ctx context.Context, name string, t *session.Timeline, p policy.Policy, want policy.Promise, o ledger.Options) (Checked, error) {
	by := Measure(want.Minimize)
	o, err := ledger.Ready(ctx, t, o)
	if err != nil {
		return Checked{}, err
	}
	full, err := ledger.Run(ctx, t, policy.Full(), o)
	if err != nil {
		return Checked{}, err
	}
	r, err := ledger.Run(ctx, t, p, o)
	if err != nil {
		return Checked{}, err
	}
	under := map[[2]any]bool{}
	for _, l := range full.Survival.Lost {
		under[[2]any{l.Step, l.Ref}] = true
	}
	c := Checked{
		Recording: name, Known: !full.Survival.Unknown, Acted: full.Survival.Survived, Kept: 1, Lost: []CheckedLoss{},
		value: ratioOf{figures(r).value(by), figures(full).value(by)},
	}
	for _, l := range r.Survival.Lost {
		if !under[[2]any{l.Step, l.Ref}] {
			c.Lost = append(c.Lost, CheckedLoss{l.Step, l.Ref, l.Why})
		}
	}
	c.Survived = c.Acted - len(c.Lost)
	if c.Acted > 0 {
		c.Kept = float64(c.Survived) / float64(c.Acted)
	}
	c.Net = saving([]ratioOf{c.value})
	return c, nil
}

// Sum puts sessions together: shares of the sums, not means of the shares.
func Sum(of []Checked) Checked {
	all := Checked{Kept: 1}
	values := make([]ratioOf, 0, len(of))
	for _, c := range of {
		all.Known = all.Known || c.Known
		all.Acted += c.Acted
		all.Survived += c.Survived
		values = append(values, c.value)
	}
	if all.Acted > 0 {
		all.Kept = float64(all.Survived) / float64(all.Acted)
	}
	all.Net = saving(values)
	return all
}
