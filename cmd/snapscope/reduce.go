package main

import (
	"cmp"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

func (a *app) reduceCmd() *cobra.Command {
	var prev, url, title string
	var sets []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "reduce STRATEGY [--prev FILE] FILE",
		Short: "Apply one strategy to snapshot text files, without a browser",
		Long: `Applies one strategy to a snapshot text file and prints exactly the text the
agent would get and no more. Strategies that compare take the earlier text with
--prev. FILE may be - for standard input. Where the first lines of both texts
name a page (url: …) and not the same one, budget tells the way here and does
not repeat what both pages show.`,
		Example: "  snapscope reduce passmark --prev before.txt after.txt\n" +
			"  snapscope reduce compress --set keep_n=5 --json page.txt",
		Args: args(2, 2, "a strategy and a file"),
		ValidArgsFunction: func(_ *cobra.Command, got []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(got) == 0 {
				return rewriteNames(), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := registry.Get(args[0])
			if err != nil {
				return usageError{err}
			}
			if s.Apply == nil {
				return usagef("%s decides over a session which snapshots expire; try: snapscope report --policy %s RECORDING", s.Name, s.Name)
			}
			v, err := knobs(s, sets)
			if err != nil {
				return usageError{err}
			}
			text, err := readText(cmd.Context(), args[1])
			if err != nil {
				return fmt.Errorf("reading the snapshot: %w", err)
			}
			count, err := a.counter()
			if err != nil {
				return err
			}
			in := strategy.Input{Page: strategy.Page{URL: url, Title: title, Text: text}, Count: count.Count}
			if prev != "" {
				before, err := readText(cmd.Context(), prev)
				if err != nil {
					return fmt.Errorf("reading the earlier snapshot: %w", err)
				}
				in.Base = &strategy.Page{URL: url, Title: title, Text: before}
				// The earlier text is of another page where both say which they are of.
				if was, is := strategy.TextURL(before), strategy.TextURL(text); was != "" && is != "" && was != is {
					in.Base.URL, in.Page.URL = was, cmp.Or(url, is)
					in.Prev, in.Visited = in.Base, []string{was}
				}
			}
			var verdict strategy.Verdict
			var answer reduceJSON
			if err := during(cmd.Context(), "reducing "+oneLine(args[1]), func() {
				if verdict = s.Apply(in, v); asJSON {
					answer = reduceAnswer(s, text, verdict, count.Count)
				}
			}); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), answer)
			}
			_, err = io.WriteString(exactTo(cmd.OutOrStdout()), verdict.Text)
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&prev, "prev", "", "the snapshot before it, for strategies that compare")
	f.StringVar(&url, "url", "", "the page's URL, for strategies that print it")
	f.StringVar(&title, "title", "", "the page's title, for strategies that print it")
	f.StringArrayVar(&sets, "set", nil, "knob=value, repeatable; see snapscope strategies")
	f.BoolVar(&asJSON, "json", false, "print one JSON object with the reason and the counts")
	return c
}

// fullReduced is a figure before and after.
type fullReduced struct {
	Full    int `json:"full"`
	Reduced int `json:"reduced"`
}

type reduceJSON struct {
	Strategy string          `json:"strategy"`
	Kind     strategy.Kind   `json:"kind"`
	Reason   string          `json:"reason"`
	Text     string          `json:"text"`
	Tokens   fullReduced     `json:"tokens"`
	Chars    fullReduced     `json:"chars"`
	Facts    []strategy.Fact `json:"facts,omitempty"`
}

func reduceAnswer(s *strategy.Strategy, text string, v strategy.Verdict, count func(string) int) reduceJSON {
	full := count(text)
	reduced := full
	if v.Text != text {
		reduced = count(v.Text)
	}
	return reduceJSON{
		Strategy: s.Name, Kind: v.Kind, Reason: v.Reason(), Text: v.Text, Facts: v.Facts,
		Tokens: fullReduced{full, reduced},
		Chars:  fullReduced{utf8.RuneCountInString(text), utf8.RuneCountInString(v.Text)},
	}
}

// knobs is a strategy's defaults with settings laid on top.
func knobs(s *strategy.Strategy, sets []string) (strategy.Values, error) {
	over := strategy.Values{}
	for _, set := range sets {
		if err := s.Set(over, set); err != nil {
			return nil, err
		}
	}
	return s.Values(over), nil
}

func rewriteNames() []string {
	var out []string
	for _, s := range registry.All() {
		if s.Apply != nil {
			out = append(out, s.Name+"\t"+s.Title)
		}
	}
	return out
}
