package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"snapscope/replay/tune"
	"snapscope/session"
	"snapscope/session/atomicfile"
	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/wording"
)

// tuneFlags say what is searched for and where the answer goes.
type tuneFlags struct {
	keep, minimize string
	keepRuns       string
	limit          time.Duration
	out, name      string
	seed           uint64
	folds          int
	html           string
	asJSON, force  bool
}

func (a *app) tuneCmd() *cobra.Command {
	var tf tuneFlags
	var pf policyFlags
	var lf ledgerFlags
	var imf importFlags
	c := &cobra.Command{
		Use:   "tune REC...",
		Short: "The policy that costs least and keeps what the agent acts on, searched for over your own sessions",
		Long: `Searches all strategies, their knobs and their compositions for the policy that
costs least over the recordings and still shows the agent the elements it acts
on and the text it quotes (one counts as the other); measures it on sessions that the search did not see; and writes it to a file
that every command reads.

` + inputDoc,
		Example: "  snapscope tune sessions/*.jsonl -o tuned.toml\n" +
			"  snapscope check tomorrow/*.jsonl --policy tuned.toml\n" +
			"  snapscope mcp --policy tuned.toml -- npx @playwright/mcp",
		Args: args(1, -1, "one recording or more"),
		RunE: func(cmd *cobra.Command, files []string) error {
			o, err := a.tuneOptions(tf, pf)
			if err != nil {
				return err
			}
			if tf.out != "" && !tf.force {
				if _, err := os.Stat(tf.out); err == nil {
					return usagef("%s exists: take another name, or --force to put the policy into it", tf.out)
				}
			}
			lo, err := a.ledger(lf)
			if err != nil {
				return err
			}
			if files, err = inputs(cmd.Context(), files, cmd.InOrStdin()); err != nil {
				return err
			}
			sessions, failed, err := a.tuneSessions(cmd, files, imf, lo)
			if err != nil {
				return err
			}
			res, err := runTune(cmd.Context(), sessions, o, tf.limit)
			if err != nil {
				return err
			}
			for _, err := range res.Broken {
				fmt.Fprintf(cmd.ErrOrStderr(), "snapscope: a policy is not chosen: %s\n", oneLine(err.Error()))
			}
			write, out := tune.WriteText, cmd.OutOrStdout()
			if tf.asJSON {
				write, out = tune.WriteJSON, jsonTo(out)
			}
			if err := write(out, res); err != nil {
				return err
			}
			if tf.html != "" {
				if err := writeTunedPage(tf.html, res); err != nil {
					return err
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s\n", oneLine(tf.html))
			}
			if tf.out != "" {
				if err := writeTuned(tf, res); err != nil {
					return err
				}
				name := ledger.Word(tf.out)
				fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s\nrun it with: %s\ncheck later sessions with: snapscope check REC... --policy %s\n", oneLine(tf.out), tunedCommand(name, res), name)
			}
			return cmp.Or(cmd.Context().Err(), failed)
		},
	}
	f := c.Flags()
	f.StringVar(&tf.keep, "keep", "100%", "share of the elements acted on, and of the quotes, that must stay readable")
	f.StringVar(&tf.keepRuns, "keep-runs", "", "share of the sessions that must lose no element and no quote at all (default: none is asked for)")
	f.StringVar(&tf.minimize, "minimize", string(tune.Input), "cost, input or peak")
	f.DurationVar(&tf.limit, "time", time.Minute, "stop after this long with the best so far; 0: no limit")
	f.StringVarP(&tf.out, "out", "o", "", "write the policy to this TOML file")
	f.StringVar(&tf.html, "html", "", "write an HTML page with a chart to this file")
	f.StringVar(&tf.name, "name", "tuned", "the policy's name in the file")
	f.Uint64Var(&tf.seed, "seed", 1, "seed of the random split into parts")
	f.IntVar(&tf.folds, "folds", 0, "parts that the sessions are divided into to measure on unseen ones (default five)")
	f.BoolVar(&tf.asJSON, "json", false, "print one JSON object")
	f.BoolVar(&tf.force, "force", false, "put the policy into a file that exists")
	pf.add(f, "every strategy and composition; one named policy: its knobs only")
	lf.add(f)
	imf.add(f)
	return c
}

func (a *app) tuneOptions(tf tuneFlags, pf policyFlags) (tune.Options, error) {
	keep, err := parseShare("--keep", tf.keep)
	if err != nil {
		return tune.Options{}, err
	}
	by, err := tune.ParseMeasure(tf.minimize)
	if err != nil {
		return tune.Options{}, usageError{err}
	}
	if tf.folds < 0 || tf.folds == 1 {
		return tune.Options{}, usagef("--folds is %d; it takes a number from 2", tf.folds)
	}
	runs := 0.0
	if tf.keepRuns != "" {
		if runs, err = parseShare("--keep-runs", tf.keepRuns); err != nil {
			return tune.Options{}, err
		}
	}
	o := tune.Options{Keep: keep, KeepRuns: runs, Minimize: by, Seed: tf.seed, Folds: tf.folds}
	if len(pf.names) == 0 {
		if len(pf.sets) > 0 {
			return o, usagef("--set needs --policy: the search turns the knobs itself")
		}
		return o, nil
	}
	ps, err := a.choose(pf)
	if err != nil {
		return o, err
	}
	if len(ps) != 1 {
		return o, usagef("tune turns the knobs of one policy; name one with --policy, or none")
	}
	o.Only = &ps[0]
	return o, nil
}

// parseShare reads 100%, 99.5 % or 0.995.
func parseShare(flag, text string) (float64, error) {
	num, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	f, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
	if percent {
		f /= 100
	}
	if err != nil || !(f >= 0 && f <= 1) {
		return 0, usagef("%s is %q; it takes a share from 0%% to 100%%", flag, text)
	}
	return f, nil
}

// tuneSessions reads the recordings. The renderer is shared by all of them. One that
// cannot be read is named and left out; failed says so in the end.
func (a *app) tuneSessions(cmd *cobra.Command, files []string, imf importFlags, o ledger.Options) (out []tune.Session, failed, err error) {
	ctx, left := cmd.Context(), 0
	for _, file := range files {
		err := guard.Do("working out "+file, func() error {
			im, err := a.read(ctx, file, imf, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			t := session.NewTimeline(im.Events)
			o, err := ledger.Ready(ctx, t, o)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			full, err := ledger.Run(ctx, t, policy.Full(), o)
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", file, err)
			case full.Unbuilt > 0:
				fmt.Fprintf(cmd.ErrOrStderr(), "snapscope: %s is left out: some pages are only partly in the file, so what full snapshots would have sent is unknown\n", oneLine(file))
			default:
				out = append(out, tune.Of(file, t, o))
			}
			return nil
		})
		switch {
		case err != nil && (ctx.Err() != nil || len(files) == 1):
			return nil, nil, err
		case err != nil:
			fmt.Fprintf(cmd.ErrOrStderr(), "snapscope: %s\n", oneLine(err.Error()))
			left++
			failed = fmt.Errorf("%d of %d recordings could not be read and were left out; the last: %w", left, len(files), err)
		}
	}
	if len(out) == 0 {
		return nil, nil, cmp.Or(failed, errors.New("no session is left to tune on"))
	}
	return out, failed, nil
}

// runTune searches with progress, until it is through, the time is up or the
// person has enough.
func runTune(ctx context.Context, sessions []tune.Session, o tune.Options, limit time.Duration) (*tune.Result, error) {
	if limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, limit)
		defer stop()
	}
	bar := newProgress("tuning")
	defer bar.end()
	o.Progress = func(p tune.Progress) {
		best := ""
		if p.Best != nil {
			best = fmt.Sprintf(" · best so far saves %s: %s", wording.Percent(p.Best.Saved), tune.Describe(p.Best.Policy))
		}
		bar.say(fmt.Sprintf("tuning %s · %s evaluations%s", p.Doing, wording.Count(p.Evaluations), best))
	}
	res, err := tune.Run(ctx, sessions, o)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%s was not enough to count the recordings once: allow more with --time", limit)
	}
	return res, err
}

// writeTuned puts the best policy into the file, with what was measured of it.
func writeTuned(tf tuneFlags, res *tune.Result) error {
	if res.Best == nil {
		return fmt.Errorf("nothing is written to %s: no policy keeps %s and saves anything; try a lower --keep", tf.out, wording.Percent(res.Options.Keep))
	}
	p := res.Best.Policy.Clone()
	p.Name, p.Title, p.Promise = tf.name, tune.Describe(res.Best.Policy), res.Promise()
	old, err := readFile(tf.out, maxSettings)
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("reading %s: %w", tf.out, err)
	}
	if len(bytes.TrimSpace(old)) == 0 {
		old = []byte(tunedHead(res))
	}
	text, err := policy.Put(tf.out, old, p)
	if err != nil {
		return usageError{err}
	}
	return atomicfile.Write(tf.out, text, 0o644)
}

// tunedCommand runs the next session under the policy that was found.
func tunedCommand(file string, res *tune.Result) string {
	var ts []*session.Timeline
	for _, s := range res.Sessions {
		ts = append(ts, s.Timeline)
	}
	return ledger.Command(res.Best.Policy, "--policy "+file, "", ts...)
}

// writeTunedPage writes the answer as HTML.
func writeTunedPage(name string, res *tune.Result) error {
	var b bytes.Buffer
	if err := tune.WriteHTML(&b, res); err != nil {
		return err
	}
	return atomicfile.Write(name, b.Bytes(), 0o644)
}

// tunedHead says in comments what was measured, on what and when.
func tunedHead(res *tune.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Found by snapscope tune on %s: minimize %s, keep %s, seed %d.\n", time.Now().UTC().Format(time.DateOnly),
		res.Options.Minimize, wording.Percent(res.Options.Keep), res.Options.Seed)
	fmt.Fprintf(&b, "# On the sessions below it saves %s, losses paid for, and loses %d of %d elements and quotes.\n", wording.Percent(res.Best.Saved), res.Best.Losses, res.Full.Kept)
	if t := res.Trust; t != nil && t.Measured > 0 {
		fmt.Fprintf(&b, "# Measured on sessions that the search did not see: %s (%s to %s for as many again).\n", wording.Percent(t.Saved), wording.Percent(t.Low), wording.Percent(t.High))
	}
	if t := res.Trust; t != nil {
		for _, w := range t.Warnings {
			fmt.Fprintf(&b, "# Careful: %s.\n", w)
		}
	}
	for i, s := range res.Sessions {
		if i == 20 {
			fmt.Fprintf(&b, "#   … and %d more\n", len(res.Sessions)-i)
			break
		}
		fmt.Fprintf(&b, "#   %s\n", oneLine(filepath.Base(s.Name)))
	}
	return b.String()
}
