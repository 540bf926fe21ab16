package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"snapscope/session"
)

func (a *app) openCmd() *cobra.Command {
	var bf browserFlags
	var sf screenFlags
	var rec, script string
	var noRecord bool
	c := &cobra.Command{
		Use:   "open URL",
		Short: "The live debugger on a page",
		Long: `Opens a page in Chromium and shows it in the debugger. Act on it with the
command line (: then click e12, goto …), or hand it a step script with --script.

The session is always recorded, each step as it happens: to a file in the state
folder, which is named at the end, or to the one that --record names.`,
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
			switch {
			case noRecord && rec != "":
				return usageError{errors.New("--record and --no-record do not go together")}
			case noRecord:
			case rec == "":
				if rec, err = newRecording("open", time.Now()); err != nil {
					return fmt.Errorf("naming the recording: %w; --no-record goes without one", err)
				}
			}
			if err := recordable(rec); err != nil {
				return err
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
	f.StringVar(&rec, "record", "", "write the session to this recording (default: one in the state folder)")
	f.BoolVar(&noRecord, "no-record", false, "do not record the session")
	f.StringVar(&script, "script", "", "step script to walk through")
	return c
}
