package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"snapscope/replay/ab"
	"snapscope/replay/ab/lab"
	"snapscope/session/atomicfile"
)

type abFlags struct {
	policies policyFlags
	ledger   ledgerFlags
	runs     int
	to       string
	out      string
	timeout  time.Duration
	check    string
	expect   string
	json, md bool
	html     string
}

func (a *app) abCmd() *cobra.Command {
	var f abFlags
	c := &cobra.Command{
		Use:   "ab --policy A --policy B -- AGENT [ARGUMENT]...",
		Short: "Real runs of an agent under several policies, predicted beside measured",
		Long: `Runs the agent --runs times under each policy, the policies by turns, through the
seats before its MCP server and its model API, and sets what the vendor counted
beside what snapscope predicts from the first policy's runs.

The agent finds its model API by ANTHROPIC_BASE_URL or OPENAI_BASE_URL, or by {url}
in its arguments; Codex is given flags that say the same. Where one of them is set
already, calls go on to what it says. A variable of another vendor is left alone, so
no key goes to an API that it is not for. Its MCP server must be
started by "snapscope mcp --" without --policy and --record: the environment tells
that seat both. Each run's recordings stay in the comparison's folder. Stopped, the
same command goes on where it was.

Without --check or --expect the table says how many runs ended with status 0, which
is not success.`,
		Example: `  snapscope ab --runs 3 --policy full --policy delta --policy keep-one -- claude -p "take over the two leads" --output-format json
  snapscope ab --policy full --policy delta --check 'grep -q "2 leads taken over"' -- claude -p "take over the two leads"
  snapscope ab --runs 5 --policy full --policy fold --out compared --html report.html -- ./my-agent --model-url {url}`,
		RunE: func(cmd *cobra.Command, agent []string) error {
			if len(agent) == 0 {
				return usagef("which agent? write snapscope ab --policy A --policy B -- COMMAND")
			}
			if f.runs < 1 {
				return usagef("--runs is %d; it takes a number from 1", f.runs)
			}
			t, err := a.compare(cmd.Context(), f, agent, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return f.write(cmd.OutOrStdout(), cmd.ErrOrStderr(), t)
		},
	}
	fl := c.Flags()
	f.policies.add(fl, "full and delta")
	f.ledger.add(fl)
	fl.IntVar(&f.runs, "runs", 3, "runs of each policy")
	fl.StringVar(&f.to, "to", "", "the model API (default: what ANTHROPIC_BASE_URL or OPENAI_BASE_URL says, else the vendor's of Claude Code and Codex)")
	fl.StringVar(&f.check, "check", "", "shell command that decides whether a run succeeded: it gets the agent's output, SNAPSCOPE_RUN names the run's folder, status 0 is success")
	fl.StringVar(&f.expect, "expect", "", "text that the agent has to say; else the run did not succeed")
	fl.StringVar(&f.out, "out", "", "folder of this comparison, kept and gone on with (default: one of its own in the state folder)")
	fl.DurationVar(&f.timeout, "timeout", 0, "end a run that takes longer than this")
	fl.BoolVar(&f.json, "json", false, "print one JSON object")
	fl.BoolVar(&f.md, "md", false, "print Markdown")
	fl.StringVar(&f.html, "html", "", "write an HTML page to this file")
	return c
}

// compare runs what is still to be run.
func (a *app) compare(ctx context.Context, f abFlags, agent []string, stderr io.Writer) (ab.Table, error) {
	mayTake(ctx, endSeatFor)
	ps, err := a.choose(f.policies, "full", "delta")
	if err != nil {
		return ab.Table{}, err
	}
	if len(ps) < 2 {
		return ab.Table{}, usagef("a comparison takes two policies or more: name them with --policy")
	}
	if f.check != "" && f.expect != "" {
		return ab.Table{}, usagef("--check and --expect both say what success is: name one")
	}
	if f.to == "" {
		f.to = agentAPI(agent[0], os.Getenv)
	}
	to, err := apiURL(f.to)
	if err != nil {
		return ab.Table{}, err
	}
	o, err := a.ledger(f.ledger)
	if err != nil {
		return ab.Table{}, err
	}
	if f.out == "" {
		state, err := stateDir()
		if err != nil {
			return ab.Table{}, err
		}
		f.out = filepath.Join(state, "ab", time.Now().Format("20060102-150405"))
	}
	if f.out, err = filepath.Abs(f.out); err != nil {
		return ab.Table{}, err
	}
	if err := os.MkdirAll(f.out, 0o700); err != nil {
		return ab.Table{}, err
	}
	say := func(text string) { fmt.Fprintln(stderr, "snapscope: "+oneLine(text)) }
	say("this comparison is kept in " + f.out + "; --out " + f.out + " goes on with it")
	return lab.Run(ctx, lab.Options{
		Dir: f.out, Agent: comparedAgent(agent, os.Getenv), Policies: ps, Rounds: f.runs, To: to, Timeout: f.timeout, Ledger: o,
		Check: f.check, Expect: f.expect, Point: pointed(agent, to, os.Getenv), Count: a.lazyCount(), Log: say,
		Progress: func(done, total int, next string) {
			if next != "" {
				say(fmt.Sprintf("%d of %d runs done; next %s", done, total, next))
			}
		},
	})
}

// write prints the table in the forms that were asked for.
func (f abFlags) write(stdout, stderr io.Writer, t ab.Table) error {
	if f.html != "" {
		var b bytes.Buffer
		// Links of the page lead from its own folder to the recordings.
		dir := filepath.Dir(f.html)
		linked := t
		linked.Runs = append([]ab.Run(nil), t.Runs...)
		for i := range linked.Runs {
			if abs, err := filepath.Abs(dir); err == nil {
				if rel, err := filepath.Rel(abs, linked.Runs[i].File); err == nil {
					linked.Runs[i].Link = filepath.ToSlash(rel)
				}
			}
		}
		if err := ab.WriteHTML(&b, linked); err != nil {
			return err
		}
		if err := atomicfile.Write(f.html, b.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(stderr, "snapscope: wrote "+oneLine(f.html))
		if !f.json && !f.md {
			return nil
		}
	}
	switch {
	case f.json:
		return ab.WriteJSON(jsonTo(stdout), t)
	case f.md:
		return ab.WriteMarkdown(stdout, t)
	}
	return ab.WriteText(stdout, t)
}
