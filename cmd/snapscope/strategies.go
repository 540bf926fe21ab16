package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

func (a *app) strategiesCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "strategies [NAME...]",
		Short: "List every strategy with its knobs, ranges, defaults and source",
		RunE: func(cmd *cobra.Command, names []string) error {
			list := registry.All()
			if len(names) > 0 {
				list = nil
				for _, n := range names {
					s, err := registry.Get(n)
					if err != nil {
						return usageError{err}
					}
					list = append(list, s)
				}
			}
			if asJSON {
				out := make([]strategyJSON, len(list))
				for i, s := range list {
					out[i] = describe(s)
				}
				return printJSON(cmd.OutOrStdout(), out)
			}
			for _, s := range list {
				writeStrategy(cmd.OutOrStdout(), s, len(names) > 0)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	return c
}

type strategyJSON struct {
	Name     string     `json:"name"`
	Title    string     `json:"title"`
	Family   string     `json:"family"` // rewrite or retention
	Compares bool       `json:"compares"`
	Source   string     `json:"source"`
	Link     string     `json:"link,omitempty"` // where it can be read
	Read     string     `json:"read,omitempty"` // when it was published and what of it was checked
	Doc      string     `json:"doc"`
	Notation string     `json:"notation,omitempty"`
	Knobs    []knobJSON `json:"knobs"`
}

type knobJSON struct {
	Key     string   `json:"key"`
	Label   string   `json:"label"`
	Unit    string   `json:"unit,omitempty"`
	Type    string   `json:"type"`
	Range   []string `json:"range,omitempty"`
	Choices []string `json:"choices,omitempty"`
	Step    float64  `json:"step,omitempty"`
	Default string   `json:"default"`
	Doc     string   `json:"doc"`
}

func describe(s *strategy.Strategy) strategyJSON {
	out := strategyJSON{
		Name: s.Name, Title: s.Title, Family: "rewrite", Compares: s.Base != nil,
		Source: s.Source, Link: s.Link, Read: s.Read, Doc: s.Doc, Notation: s.Notation, Knobs: []knobJSON{},
	}
	if s.Retain != nil {
		out.Family = "retention"
	}
	for _, k := range s.Knobs {
		j := knobJSON{
			Key: k.Key, Label: k.Label, Unit: k.Unit, Doc: k.Doc, Default: k.Format(k.Default),
			Type: map[strategy.KnobType]string{strategy.Int: "int", strategy.Ratio: "ratio", strategy.Bool: "bool", strategy.Choice: "choice"}[k.Type],
		}
		switch k.Type {
		case strategy.Choice:
			j.Choices = k.Choices
		case strategy.Int, strategy.Ratio:
			j.Range, j.Step = []string{k.Format(k.Min), k.Format(k.Max)}, k.Step
		}
		out.Knobs = append(out.Knobs, j)
	}
	return out
}

// writeStrategy prints a strategy for people, with its notation where it was
// asked for by name.
func writeStrategy(w io.Writer, s *strategy.Strategy, whole bool) {
	d := describe(s)
	fmt.Fprintf(w, "%s: %s (%s; %s)\n", d.Name, d.Title, d.Family, d.Source)
	for _, line := range strings.Split(d.Doc, "\n") {
		fmt.Fprintf(w, "    %s\n", line)
	}
	if d.Link != "" {
		fmt.Fprintf(w, "    Source: %s (%s)\n", d.Link, d.Read)
	}
	for _, k := range d.Knobs {
		allowed := "true|false"
		switch {
		case k.Choices != nil:
			allowed = strings.Join(k.Choices, "|")
		case k.Range != nil:
			allowed = k.Range[0] + " to " + k.Range[1]
		}
		fmt.Fprintf(w, "  %-22s %-10s %s%s: %s\n", k.Key, k.Default, allowed, unit(k.Unit), k.Doc)
	}
	switch {
	case s.Notation == "":
	case whole:
		fmt.Fprintf(w, "\n  How an agent reads it:\n")
		for line := range strings.Lines(s.Notation + "\n") {
			fmt.Fprint(w, "    "+line)
		}
	default:
		fmt.Fprintf(w, "  How an agent reads it: snapscope strategies %s\n", s.Name)
	}
	fmt.Fprintln(w)
}

func unit(u string) string {
	if u == "" {
		return ""
	}
	return " " + u
}
