package main

import (
	"github.com/spf13/cobra"

	"snapscope/replay/transcript"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy/registry"
	"snapscope/snapshot/token"
)

// completeFlags gives every flag whose values are a table that table to
// complete from.
func completeFlags(root *cobra.Command) {
	lists := map[string]func() []string{
		"policy":   policyNames,
		"set":      knobNames,
		"knob":     knobNames,
		"strategy": rewriteNames,
		"encoding": token.Names,
		"model":    func() []string { return ledger.DefaultPrices().Models() },
		"from":     formatNames,
		"theme":    func() []string { return []string{"dark", "light", "contrast", "none"} },
		"observe":  func() []string { return []string{"always", "asked"} },
	}
	for _, c := range append(root.Commands(), root) {
		for name, list := range lists {
			if c.Flags().Lookup(name) == nil && c.PersistentFlags().Lookup(name) == nil {
				continue
			}
			fixed := cobra.ShellCompDirectiveNoFileComp
			if name == "set" || name == "knob" {
				fixed |= cobra.ShellCompDirectiveNoSpace // a value follows
			}
			_ = c.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return list(), fixed
			})
		}
	}
}

func policyNames() []string {
	out := []string{"all\tevery one"}
	for _, p := range policy.Builtin() {
		out = append(out, p.Name+"\t"+p.Title)
	}
	return out
}

func knobNames() []string {
	var out []string
	for _, s := range registry.All() {
		for _, k := range s.Knobs {
			out = append(out, s.Name+"."+k.Key+"=\t"+k.Doc)
		}
	}
	return out
}

func formatNames() []string {
	var out []string
	for _, f := range transcript.Formats {
		out = append(out, f.Name+"\t"+f.Title)
	}
	return out
}
