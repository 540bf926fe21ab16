package main

import (
	"github.com/spf13/cobra"

	"snapscope/replay/sweep"
	"snapscope/session"
	"snapscope/session/policy"
)

func (a *app) sweepCmd() *cobra.Command {
	var pf policyFlags
	var lf ledgerFlags
	var imf importFlags
	var knobs []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "sweep REC...",
		Short: "Many knob values at once: the Pareto front of tokens against survival",
		Example: "  snapscope sweep leads.jsonl --policy compress --knob keep_n=5..50/15\n" +
			"  snapscope sweep *.jsonl --knob openclaw.tool_calls=1,2,3,5 --knob passmark.min_savings",
		Args: args(1, -1, "one recording or more"),
		RunE: func(cmd *cobra.Command, files []string) error {
			p, err := a.sweepPolicy(pf, knobs)
			if err != nil {
				return err
			}
			axes := sweep.Axes(p)
			if len(knobs) > 0 {
				axes = nil
				for _, k := range knobs {
					ax, err := sweep.ParseAxis(p, k)
					if err != nil {
						return usageError{err}
					}
					axes = append(axes, ax)
				}
			}
			o, err := a.ledger(lf)
			if err != nil {
				return err
			}
			recs := make([]sweep.Recording, len(files))
			for i, file := range files {
				im, err := a.read(cmd.Context(), file, imf, cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				recs[i] = sweep.Recording{Name: file, Timeline: session.NewTimeline(im.Events)}
			}
			bar := newProgress("sweeping")
			res, err := sweep.Run(cmd.Context(), recs, p, axes, sweep.Options{
				Count: o.Renderer.Count, Ledger: o, Progress: bar.step,
			})
			bar.end()
			if err != nil {
				return err
			}
			if asJSON {
				return sweep.WriteJSON(cmd.OutOrStdout(), res)
			}
			return sweep.WriteText(cmd.OutOrStdout(), res)
		},
	}
	f := c.Flags()
	pf.add(f, "the strategies of the knobs, else combined")
	lf.add(f)
	imf.add(f)
	f.StringArrayVar(&knobs, "knob", nil, "strategy.knob, or with values: =5,10,20 or =5..50/15; repeatable")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// sweepPolicy is the policy whose knobs are turned.
func (a *app) sweepPolicy(pf policyFlags, knobs []string) (policy.Policy, error) {
	if len(pf.names) > 1 {
		return policy.Policy{}, usagef("a sweep turns the knobs of one policy; name one with --policy")
	}
	if len(pf.names) == 0 && len(knobs) > 0 {
		p, err := sweep.Base(knobs)
		if err != nil {
			return p, usageError{err}
		}
		for _, set := range pf.sets {
			if err := p.Set(set); err != nil {
				return p, usageError{err}
			}
		}
		return p, nil
	}
	ps, err := a.choose(pf, "combined")
	if err != nil {
		return policy.Policy{}, err
	}
	if len(ps) != 1 {
		return policy.Policy{}, usagef("a sweep turns the knobs of one policy; name one with --policy")
	}
	return ps[0], nil
}
