package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"snapscope/replay/tune"
	"snapscope/session"
	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/wording"
)

// checkFlags say what is held against the sessions.
type checkFlags struct {
	policy  policyFlags
	ledger  ledgerFlags
	imports importFlags
	keep    string
	asJSON  bool
}

func (a *app) checkCmd() *cobra.Command {
	var cf checkFlags
	c := &cobra.Command{
		Use:   "check REC... --policy FILE",
		Short: "Whether a tuned policy keeps its promise on these sessions; the status is 1 when it does not",
		Long: `Tests a policy on sessions: it must keep the elements that the agent used and the
text that it quoted (one counts as the other), and
save what snapscope tune measured, as far as that many sessions can tell. A policy without a promise in its file must lose nothing.

` + inputDoc,
		Example: "  snapscope check nightly/*.jsonl --policy tuned.toml",
		Args:    args(1, -1, "one recording or more"),
		RunE:    func(cmd *cobra.Command, files []string) error { return a.check(cmd, files, cf) },
	}
	f := c.Flags()
	cf.policy.add(f, "none: name one")
	cf.ledger.add(f)
	cf.imports.add(f)
	f.StringVar(&cf.keep, "keep", "", "share of the elements acted on, and of the quotes, that must stay readable (default: the policy's promise, else 100%)")
	f.BoolVar(&cf.asJSON, "json", false, "print one JSON object")
	return c
}

// check holds one policy against sessions. The error names the first that breaks
// its promise.
func (a *app) check(cmd *cobra.Command, files []string, cf checkFlags) error {
	ps, err := a.choose(cf.policy)
	if err != nil {
		return err
	}
	if len(ps) != 1 {
		return usagef("check tests one policy; name it with --policy")
	}
	want := policy.Promise{Keep: 1, Minimize: string(tune.Input), Low: math.Inf(-1), High: 1}
	if ps[0].Promise != nil {
		want = *ps[0].Promise
	}
	if cf.keep != "" {
		if want.Keep, err = parseShare("--keep", cf.keep); err != nil {
			return err
		}
	}
	o, err := a.ledger(cf.ledger)
	if err != nil {
		return err
	}
	if files, err = inputs(cmd.Context(), files, cmd.InOrStdin()); err != nil {
		return err
	}
	res := checked{Policy: ps[0].Name, Keep: want.Keep, Minimize: want.Minimize, Notes: policy.Idle("in snapscope mcp", ps...)}
	bar := newProgress("checking")
	var unread []string
	for i, file := range files {
		err := guard.Do("working out "+file, func() error {
			im, err := a.read(cmd.Context(), file, cf.imports, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			row, err := tune.Check(cmd.Context(), file, session.NewTimeline(im.Events), ps[0], want, o)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			res.Rows = append(res.Rows, row)
			return nil
		})
		switch {
		case err != nil && (cmd.Context().Err() != nil || len(files) == 1):
			return err
		case err != nil:
			unread = append(unread, "not checked: "+err.Error())
		}
		bar.step(i+1, len(files))
	}
	bar.end()
	res.sum(want)
	res.Broken = append(res.Broken, unread...)
	if cf.asJSON {
		err = printJSON(cmd.OutOrStdout(), res)
	} else {
		err = res.writeText(cmd.OutOrStdout())
	}
	if err == nil && len(res.Broken) > 0 {
		return fmt.Errorf("policy %s does not keep its promise: %s", res.Policy, res.Broken[0])
	}
	return err
}

// checked is what a check found.
type checked struct {
	Policy   string          `json:"policy"`
	Keep     float64         `json:"keep"`
	Minimize string          `json:"minimize"`
	Low      *float64        `json:"promised_low"`
	Net      float64         `json:"net_saved_ratio"`
	Kept     float64         `json:"kept_ratio"`
	Runs     ledger.RunsJSON `json:"runs"`
	Rows     []tune.Checked  `json:"sessions"`
	Broken   []string        `json:"broken"`
	Notes    []string        `json:"notes"`
}

// sum holds all sessions together against the promise.
func (c *checked) sum(want policy.Promise) {
	all := tune.Sum(c.Rows)
	c.Net, c.Kept, c.Runs = all.Net, all.Kept, tune.Whole(c.Rows).JSON()
	c.Broken = []string{}
	for _, r := range c.Rows {
		for _, l := range r.Lost {
			if c.Kept < want.Keep {
				c.Broken = append(c.Broken, fmt.Sprintf("%s: step %d loses %s, %s", r.Recording, l.Step, l.Ref, l.Why))
			}
		}
	}
	if whole := tune.Whole(c.Rows); whole.NoLoss() < want.Runs {
		c.Broken = append(c.Broken, fmt.Sprintf("%d of %d sessions lose nothing, which is less than the %s promised", whole.Read, whole.Sessions, wording.Percent(want.Runs)))
	}
	if low, _ := want.For(len(c.Rows)); !math.IsInf(low, 0) {
		c.Low = &low
		if c.Net < low {
			c.Broken = append(c.Broken, fmt.Sprintf("it saves %s; at least %s was promised for %d sessions", wording.Percent(c.Net), wording.Percent(low), len(c.Rows)))
		}
	}
}

func (c *checked) writeText(w io.Writer) error {
	rows := [][]string{{"", "session", "saved, net", "kept", "quotes"}}
	for _, r := range c.Rows {
		mark := "✓"
		if len(r.Lost) > 0 {
			mark = "✗"
		}
		kept, read := "not known", "not known"
		if r.Known {
			kept, read = fmt.Sprintf("%d/%d", r.Survived, r.Acted), fmt.Sprintf("%d/%d", r.Read, r.Quotes)
		}
		rows = append(rows, []string{mark, oneLine(r.Recording), wording.Percent(r.Net), kept, read})
	}
	var b strings.Builder
	ledger.WriteTable(&b, rows)
	promised := ""
	if c.Low != nil {
		promised = fmt.Sprintf(", promised at least %s", wording.Percent(*c.Low))
	}
	fmt.Fprintf(&b, "\npolicy %s: saves %s%s; keeps %s, promised %s\n", c.Policy, wording.Percent(c.Net), promised, wording.Percent(c.Kept), wording.Percent(c.Keep))
	if whole := tune.Whole(c.Rows); whole.Sessions > 1 {
		fmt.Fprintf(&b, "sessions without a lost element: %s; of them without a lost quote: %d\n", whole.Label(), whole.Read)
	}
	for _, s := range c.Broken {
		b.WriteString("broken: " + oneLine(s) + "\n")
	}
	for _, s := range c.Notes {
		b.WriteString("note: " + oneLine(s) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
