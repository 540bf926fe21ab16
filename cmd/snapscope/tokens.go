package main

import (
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"snapscope/snapshot/wording"
)

func (a *app) tokensCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "tokens FILE...",
		Short: "Count the tokens of text files",
		Args:  args(1, -1, "one file or more (- for standard input)"),
		RunE: func(cmd *cobra.Command, files []string) error {
			count, err := a.counter()
			if err != nil {
				return err
			}
			for _, file := range files {
				text, err := readText(cmd.Context(), file)
				if err != nil {
					return fmt.Errorf("counting tokens: %w", err)
				}
				t := tokensJSON{file, count.Name(), 0, utf8.RuneCountInString(text), len(text)}
				if err := during(cmd.Context(), "counting "+oneLine(file), func() { t.Tokens = count.Count(text) }); err != nil {
					return err
				}
				if asJSON {
					if err := printJSON(cmd.OutOrStdout(), t); err != nil {
						return err
					}
					continue
				}
				kind := "tokens"
				if !count.Exact() {
					kind = "tokens (estimated)"
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%12s %s  %12s chars  %12s bytes  %s\n", wording.Count(t.Tokens), kind, wording.Count(t.Chars), wording.Count(t.Bytes), oneLine(file))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a file")
	return c
}

type tokensJSON struct {
	File     string `json:"file"`
	Encoding string `json:"encoding"`
	Tokens   int    `json:"tokens"`
	Chars    int    `json:"chars"` // Unicode code points
	Bytes    int    `json:"bytes"`
}
