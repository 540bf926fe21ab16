package tune

import (
	"context"
	"slices"

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
	Quotes    int           `json:"quotes"`
	Read      int           `json:"quotes_kept"`
	Kept      float64       `json:"kept_ratio"`
	Net       float64       `json:"net_saved_ratio"`
	Lost      []CheckedLoss `json:"lost"`

	value ratioOf
}

// CheckedLoss is one element, or one quote, that the policy hides.
type CheckedLoss struct {
	Step int    `json:"step"`
	Ref  string `json:"ref"` // the text of a quote
	Why  string `json:"why"`

	Quote bool `json:"quote,omitempty"`
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
	for _, l := range slices.Concat(full.Survival.Lost, full.Reading.Lost) {
		under[[2]any{l.Step, l.Ref}] = true
	}
	c := Checked{
		Recording: name, Known: !full.Survival.Unknown, Acted: full.Survival.Survived, Survived: full.Survival.Survived, Quotes: full.Reading.Kept, Read: full.Reading.Kept, Lost: []CheckedLoss{},
		value: ratioOf{figures(r).value(by), figures(full).value(by)},
	}
	for _, l := range slices.Concat(r.Survival.Lost, r.Reading.Lost) {
		switch {
		case under[[2]any{l.Step, l.Ref}]:
			continue
		case l.Quote != "":
			c.Read--
		default:
			c.Survived--
		}
		c.Lost = append(c.Lost, CheckedLoss{l.Step, l.Ref, l.Why, l.Quote != ""})
	}
	c.keeps()
	c.Net = saving([]ratioOf{c.value})
	return c, nil
}

// keeps works out the share of elements and quotes that are kept.
func (c *Checked) keeps() {
	c.Kept = 1
	if n := c.Acted + c.Quotes; n > 0 {
		c.Kept = float64(c.Survived+c.Read) / float64(n)
	}
}

// Whole counts the sessions that lose nothing.
func Whole(of []Checked) (out ledger.Runs) {
	for _, c := range of {
		if c.Known {
			out.Count(c.Acted-c.Survived, c.Quotes-c.Read)
		}
	}
	return out
}

// Sum puts sessions together: shares of the sums, not means of the shares.
func Sum(of []Checked) Checked {
	all := Checked{}
	values := make([]ratioOf, 0, len(of))
	for _, c := range of {
		all.Known = all.Known || c.Known
		all.Acted += c.Acted
		all.Survived += c.Survived
		all.Quotes += c.Quotes
		all.Read += c.Read
		values = append(values, c.value)
	}
	all.keeps()
	all.Net = saving(values)
	return all
}
