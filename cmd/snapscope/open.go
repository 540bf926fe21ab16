package main

import (
	"time"

	"github.com/spf13/cobra"

	"snapscope/session"
)

func (a *app) openCmd() *cobra.Command {
	var bf browserFlags
	var sf screenFlags
	var rec, script string
	c := &cobra.Command{
		Use:   "open URL",
		Short: "The live debugger on a page",
		Long: `Opens a page in Chromium and shows it in the debugger. Act on it with the
command line (: then click e12, goto …), or hand it a step script with --script.`,
		Args: args(1, 1, "one URL or local file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := sf.canShow(); err != nil {
				return err
			}
			url, err := pageURL(args[0])
			if err != nil {
				return err
			}
			steps := []session.Action{{Verb: session.VerbGoto, Tool: string(session.VerbGoto), Args: map[string]any{"url": url}}}
			if script != "" {
				more, stop, err := loadScript(cmd.Context(), script, url, cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				defer stop()
				steps = append(steps, more...)
			}
			br, size, err := a.start(cmd.Context(), bf, true)
			if err != nil {
				return err
			}
			return a.live(cmd.Context(), br, sf, rec, url, session.LiveOptions{
				Script: steps, Recording: rec, Clock: time.Now, OnAsk: bf.observe == "asked", KeepSecrets: bf.secrets,
				Start: session.Start{Name: url, Agent: "snapscope " + version(), Viewport: size, Settle: br.Settle().String()},
			})
		},
	}
	f := c.Flags()
	bf.add(f)
	sf.add(f)
	f.StringVar(&rec, "record", "", "write the session to this recording")
	f.StringVar(&script, "script", "", "step script to walk through")
	return c
}
