package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"snapscope/replay/sweep"
	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/wording"
)

// sweepFlags say what is swept and where its parts go.
type sweepFlags struct {
	policies policyFlags
	ledger   ledgerFlags
	imports  importFlags
	knobs    []string
	out      string
	shard    string
	parts    bool
	by       []string
	asJSON   bool
}

func (a *app) sweepCmd() *cobra.Command {
	var sf sweepFlags
	c := &cobra.Command{
		Use:   "sweep REC...",
		Short: "Many knob values at once: the Pareto front of tokens against survival",
		Long: `Tries every combination of knob values on every recording and prints what each
comes to, with a dot before those that no other setting beats.

` + inputDoc + `

A recording that cannot be read is named with its error and left out; the status
is 1 then. With --out the outcomes are kept in a folder as they are made: the same
command goes on where it was stopped, --shard 2/7 does one part of seven, and
--parts FOLDER... puts folders together and prints the table.`,
		Example: "  snapscope sweep leads.jsonl --policy compress --knob keep_n=5..50/15\n" +
			"  snapscope sweep runs/ --knob openclaw.tool_calls=1,2,3,5 --by site,model\n" +
			"  snapscope sweep runs/ --knob compress.keep_n --out swept && snapscope sweep --parts swept",
		Args: args(1, -1, "one recording or more"),
		RunE: func(cmd *cobra.Command, files []string) error {
			for _, by := range sf.by {
				if by != "site" && by != "model" && by != "format" {
					return usagef("--by is %q; it takes site, model, format", by)
				}
			}
			if sf.parts {
				return a.mergeParts(cmd, files, sf)
			}
			return a.sweep(cmd, files, sf)
		},
	}
	f := c.Flags()
	sf.policies.add(f, "the strategies of the knobs, else combined")
	sf.ledger.add(f)
	sf.imports.add(f)
	f.StringArrayVar(&sf.knobs, "knob", nil, "strategy.knob, or with values: =5,10,20 or =5..50/15; repeatable")
	f.StringVar(&sf.out, "out", "", "keep the outcomes in this folder and go on where a sweep into it was stopped")
	f.StringVar(&sf.shard, "shard", "", "with --out: do only this share of the work: 2/7")
	f.BoolVar(&sf.parts, "parts", false, "the arguments are folders of --out: put them together")
	f.StringSliceVar(&sf.by, "by", nil, "also by site, model, format")
	f.BoolVar(&sf.asJSON, "json", false, "print one JSON object")
	return c
}

// sweep tries the settings on the recordings.
func (a *app) sweep(cmd *cobra.Command, args []string, sf sweepFlags) error {
	ctx := cmd.Context()
	p, axes, err := a.sweepAxes(sf)
	if err != nil {
		return err
	}
	o, err := a.ledger(sf.ledger)
	if err != nil {
		return err
	}
	files, err := inputs(ctx, args, cmd.InOrStdin())
	if err != nil {
		return err
	}
	io, err := a.importOptions(sf.imports)
	if err != nil {
		return err
	}
	table, err := sweep.NewTable(p, axes, sf.by...)
	if err != nil {
		return usageError{err}
	}
	src := make([]sweep.Source, len(files))
	for i, file := range files {
		src[i] = sweep.Source{Name: file, Open: func(ctx context.Context) (*session.Timeline, error) {
			im, err := transcript.Read(ctx, file, io)
			if err != nil {
				return nil, err
			}
			return session.NewTimeline(im.Events), nil
		}}
	}
	frugal()
	bar := newProgress("sweeping")
	opts := sweep.Options{Count: o.Renderer.Count, Ledger: o, Progress: bar.step}
	if sf.out == "" {
		err = sweep.Stream(ctx, src, table.Points(), opts, func(out sweep.Outcome) error {
			table.Add(out)
			return nil
		})
	} else {
		err = a.sweepInto(ctx, sf, sweep.Manifest{Policy: p, Axes: axes, Reading: sf.imports.words()}, src, table, opts)
	}
	bar.end()
	if ctx.Err() != nil && sf.out != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "snapscope: what is counted is kept in %s; the same command goes on there\n", oneLine(sf.out))
	}
	if err != nil {
		return err
	}
	res := table.Result()
	notYet(cmd, res, len(files))
	res.Reading, res.Words = sf.imports.words(), a.naming(sf.policies)
	return writeSweep(cmd.OutOrStdout(), res, sf)
}

// sweepInto does the chunks that are missing in the folder, then reads all of it.
func (a *app) sweepInto(ctx context.Context, sf sweepFlags, m sweep.Manifest, src []sweep.Source, table *sweep.Table, o sweep.Options) error {
	shard, of := 1, 1
	var err error
	if sf.shard != "" {
		if shard, of, err = sweep.ParseShard(sf.shard); err != nil {
			return usageError{err}
		}
	}
	m.Program, m.Encoding, m.Model, m.Fixed = countedBy(), a.encodingName(), o.Ledger.Model, [2]int{o.Ledger.System, o.Ledger.Definitions}
	m.Prices = sweep.PricesDigest(o.Ledger.Prices)
	bar := newProgress("telling the recordings apart")
	err = inOrder(ctx, len(src), func(ctx context.Context, i int) sweep.InputFile {
		return sweep.Fingerprint(ctx, src[i].Name)
	}, func(i int, in sweep.InputFile) error {
		m.Inputs = append(m.Inputs, in)
		bar.step(i+1, len(src))
		return nil
	})
	bar.end()
	if err != nil {
		return err
	}
	parts, err := sweep.OpenParts(sf.out, m)
	if err != nil {
		return err
	}
	unlock, err := parts.Lock(shard, of)
	if err != nil {
		return err
	}
	defer unlock()
	if err := parts.Fill(ctx, shard, of, src, o); err != nil {
		return err
	}
	return readParts(ctx, parts, table)
}

// readParts adds up parts.
func readParts(ctx context.Context, p *sweep.Parts, table *sweep.Table) error {
	bar := newProgress("reading the parts of " + p.Name())
	defer bar.end()
	return p.Read(ctx, table.Add, bar.step)
}

// encodingName is the encoding that tokens are counted in.
func (a *app) encodingName() string {
	c, err := a.counter()
	if err != nil {
		return ""
	}
	return c.Name()
}

// mergeParts prints the table of folders that were swept before.
func (a *app) mergeParts(cmd *cobra.Command, dirs []string, sf sweepFlags) error {
	parts, err := sweep.ReadParts(dirs)
	if err != nil {
		return err
	}
	m := parts[0].Manifest()
	table, err := sweep.NewTable(m.Policy, m.Axes, sf.by...)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err := readParts(cmd.Context(), p, table); err != nil {
			return err
		}
	}
	res := table.Result()
	res.Reading, res.Words = m.Reading, parts[0].Words
	notYet(cmd, res, len(m.Inputs))
	return writeSweep(cmd.OutOrStdout(), res, sf)
}

// notYet says how many recordings the table has nothing of: other shards' shares.
func notYet(cmd *cobra.Command, res *sweep.Result, all int) {
	if missing := all - len(res.Recordings) - len(res.Failed) - len(res.LeftOut); missing > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "snapscope: %s of %s recordings are not counted yet\n", wording.Count(missing), wording.Count(all))
	}
}

// writeSweep prints a sweep; recordings that failed make the command fail once
// everything is said.
func writeSweep(w io.Writer, res *sweep.Result, sf sweepFlags) error {
	write := sweep.WriteText
	if sf.asJSON {
		write, w = sweep.WriteJSON, jsonTo(w)
	}
	if err := write(w, res); err != nil {
		return err
	}
	return res.Err()
}

// sweepAxes are the policy whose knobs are turned, and the values to try.
func (a *app) sweepAxes(sf sweepFlags) (policy.Policy, []sweep.Axis, error) {
	p, err := a.sweepPolicy(sf.policies, sf.knobs)
	if err != nil {
		return p, nil, err
	}
	if len(sf.knobs) == 0 {
		return p, sweep.Axes(p), nil
	}
	var axes []sweep.Axis
	for _, k := range sf.knobs {
		ax, err := sweep.ParseAxis(p, k)
		if err != nil {
			return p, nil, usageError{err}
		}
		axes = append(axes, ax)
	}
	return p, axes, nil
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
