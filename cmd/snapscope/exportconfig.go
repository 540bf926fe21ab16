package main

import (
	"fmt"
	"io"
	"strings"

	"snapscope/session/policy"

	"github.com/spf13/cobra"
)

func (a *app) exportConfigCmd() *cobra.Command {
	var pf policyFlags
	var asJSON bool
	var systems strings.Builder
	for _, t := range policy.ExportTargets() {
		fmt.Fprintf(&systems, "  %-18s %s\n", t.Name, t.Where)
	}
	c := &cobra.Command{
		Use:   "export-config TARGET",
		Short: "A tuned policy as that system's own configuration",
		Long: "Writes a policy as the configuration of the system that it imitates. What that\n" +
			"cannot express is said, with the nearest that it can. The systems:\n\n" + systems.String(),
		Args: args(1, 1, "one system"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var out []string
			for _, t := range policy.ExportTargets() {
				out = append(out, t.Name+"\t"+t.Where)
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			standard := "combined"
			for _, t := range policy.ExportTargets() {
				if t.Name == args[0] {
					standard = t.Strategy
				}
			}
			ps, err := a.choose(pf, standard)
			if err != nil {
				return err
			}
			if len(ps) != 1 {
				return usagef("one policy becomes a configuration; name one with --policy")
			}
			x, err := policy.ExportConfig(args[0], ps[0])
			if err != nil {
				return usageError{err}
			}
			for _, n := range x.Notes {
				fmt.Fprintln(cmd.ErrOrStderr(), "snapscope: "+oneLine(n))
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), exportJSON{x.Target, x.Where, x.Text, append([]string{}, x.Notes...)})
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "for %s:\n", x.Where)
			_, err = io.WriteString(exactTo(cmd.OutOrStdout()), x.Text)
			return err
		},
	}
	pf.add(c.Flags(), "the system's own strategy")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

type exportJSON struct {
	Target string   `json:"target"`
	Where  string   `json:"where"` // the file the text belongs in
	Text   string   `json:"text"`
	Notes  []string `json:"notes"` // what the target cannot say
}
