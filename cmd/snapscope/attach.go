package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"snapscope/session/ledger"
	"snapscope/session/seat"
	"snapscope/session/seat/control"
)

func (a *app) attachCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "attach [ID]",
		Short: "The debugger on an agent that runs; without an ID the list of them",
		Args:  args(0, 1, "at most one seat"),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := seat.FindFolder(os.Getenv)
			if len(args) == 0 {
				return listRuns(cmd.Context(), folder, asJSON, cmd.OutOrStdout())
			}
			return usagef("not yet")
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "the list as one JSON object a line")
	return c
}

func listRuns(ctx context.Context, f seat.Folder, asJSON bool, w io.Writer) error {
	runs := control.List(ctx, f)
	if asJSON {
		for _, r := range runs {
			if err := printJSON(w, r); err != nil {
				return err
			}
		}
		return nil
	}
	if len(runs) == 0 {
		_, err := fmt.Fprintln(w, "no agent runs under snapscope. Put \"snapscope mcp --\" before the server in its configuration, or start it with snapscope live.")
		return err
	}
	rows := [][]string{{"id", "client", "server", "site", "steps", "state", "since"}}
	for _, r := range runs {
		rows = append(rows, []string{r.ID, cell(r.Client), cell(r.Server), cell(r.Site), fmt.Sprint(r.Steps), runState(r), time.Since(r.Started).Round(time.Second).String()})
	}
	var b strings.Builder
	ledger.WriteTable(&b, rows, 0, 1, 2, 3, 5)
	_, err := io.WriteString(w, b.String())
	return err
}

func runState(r seat.Run) string {
	var out []string
	if r.Held > 0 {
		out = append(out, fmt.Sprintf("%d held", r.Held))
	} else {
		out = append(out, "running")
	}
	if r.Policy != "" {
		out = append(out, "under "+oneLine(r.Policy))
	}
	if r.Screen > 0 {
		out = append(out, fmt.Sprintf("attached by process %d", r.Screen))
	}
	return strings.Join(out, ", ")
}

func cell(s string) string {
	if s == "" {
		return "–"
	}
	if r := []rune(oneLine(s)); len(r) > 48 {
		return string(r[:47]) + "…"
	}
	return oneLine(s)
}
