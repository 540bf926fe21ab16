package tune

import (
	"context"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// Of makes a session of a recording's timeline. Options are those of every
// simulation; their renderer is shared, so that neighbouring settings are cheap.
func Of(name string, t *session.Timeline, o ledger.Options) Session {
	kind := t.Start.Agent
	if kind == "" {
		kind = t.Start.Source
	}
	o.Fixes, o.Progress, o.Full = false, nil, nil
	return Session{
		Name: name, Site: t.Site(), Kind: kind, Timeline: t,
		Evaluate: func(ctx context.Context, p policy.Policy) (Figures, error) {
			r, err := ledger.Run(ctx, t, p, o)
			if err != nil {
				return Figures{}, err
			}
			return figures(r), nil
		},
	}
}

// uncured is what a loss costs that a new snapshot would not cure, in prices of
// one that it would: the snapshot asked for in vain, and the page in full by
// another way.
const uncured = 2

func figures(r *ledger.Report) Figures {
	f := Figures{Input: r.InputTokens, Peak: r.PeakTokens, Acted: r.Survival.Acted + r.Reading.Quotes, Kept: r.Survival.Survived + r.Reading.Kept, Quotes: r.Reading.Kept, Lost: r.Losses()}
	if r.Cost != nil {
		f.Dollars = *r.Cost
	}
	for _, l := range r.Survival.Lost {
		times := 1
		if !l.Cured {
			times = uncured
		}
		f.Recovery += times * l.Price
		if l.Cost != nil {
			f.RecoveryDollars += float64(times) * *l.Cost
		}
	}
	return f
}

// Priced reports that a dollar figure is known of every session; without one
// costs cannot be compared.
func Priced(of []Figures) bool {
	for _, f := range of {
		if f.Dollars == 0 && f.Input > 0 {
			return false
		}
	}
	return true
}
