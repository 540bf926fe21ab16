package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"snapscope/snapshot/token"
	"snapscope/snapshot/wording"
)

// app is what the commands share: where to write and what the config says.
type app struct {
	configFile string
	noColor    bool
	encoding   string
	conf       config
}

func newRoot() *cobra.Command {
	a := &app{}
	root := &cobra.Command{
		Use:   "snapscope",
		Short: "The debugger for what browser agents read",
		Long: `snapscope drives a real Chromium step by step and shows, side by side, what an
agent would read under each way of saving tokens: full, delta and compressed
snapshots with their token counts, expiry counters and the reason for each.

Start with: snapscope demo`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			hint := ""
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				hint = ", did you mean " + near[0] + "?"
			}
			return usagef("no command %q%s; see snapscope --help", args[0], hint)
		},
		SuggestionsMinimumDistance: 2,
		PersistentPreRunE:          func(c *cobra.Command, _ []string) error { return a.load(c.Flags(), faulty(c)) },
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	f := root.PersistentFlags()
	f.StringVar(&a.configFile, "config", "", "config file (default: snapscope/config.toml in the user's config folder)")
	f.BoolVar(&a.noColor, "no-color", false, "no colour, signs only (as NO_COLOR does)")
	f.StringVar(&a.encoding, "encoding", "", "tokens are counted in this encoding (default "+token.Default+")")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%w; see %s --help", err, c.CommandPath())
	})
	root.AddCommand(
		a.abCmd(),
		a.apiCmd(),
		a.attachCmd(), a.liveCmd(),
		a.checkCmd(),
		a.demoCmd(),
		a.doctorCmd(),
		a.exportConfigCmd(),
		a.importCmd(),
		a.manCmd(),
		a.mcpCmd(),
		a.openCmd(),
		a.reduceCmd(),
		a.replayCmd(),
		a.reportCmd(),
		a.runCmd(),
		a.snapshotCmd(),
		a.strategiesCmd(),
		a.sweepCmd(),
		a.tokensCmd(),
		a.tuneCmd(),
		a.versionCmd(),
	)
	root.SetHelpCommand(helpCmd())
	completeFlags(root)
	return root
}

// args checks the number of arguments and answers a usage error that names
// them.
func args(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, got []string) error {
		if len(got) < least || (most >= 0 && len(got) > most) {
			return usagef("%s needs %s (got %s); see %s --help", c.CommandPath(), what, wording.Plural(len(got), "argument"), c.CommandPath())
		}
		return nil
	}
}

// counter is the session's tokenizer as flags and config name it.
func (a *app) counter() (token.Counter, error) { return a.counterBy(token.New) }

func (a *app) counterBy(make func(name string) (token.Counter, error)) (token.Counter, error) {
	name := a.encoding
	if name == "" {
		name = a.conf.Encoding
	}
	if name == "" {
		name = token.Default
	}
	c, err := make(name)
	if err != nil {
		return nil, usageError{err}
	}
	return c, nil
}

// printJSON writes one value on one line, without HTML escapes.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(jsonTo(w))
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
