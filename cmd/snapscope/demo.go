package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"snapscope/replay"
	"snapscope/session"
	"snapscope/session/browser"
	"snapscope/session/demo"
	"snapscope/session/script"
	"snapscope/tui"
)

func (a *app) demoCmd() *cobra.Command {
	var bf browserFlags
	var sf screenFlags
	var rec string
	var recorded bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "The tour: a real Chromium on the demo site, in the debugger",
		Long: `Serves the embedded demo site on a free loopback port, drives it in Chromium
through the scripted leads session, and shows it in the debugger: press s for
the next step. Without a Chromium it says so and replays the embedded recording
instead. The session is recorded; the file's name is told at the end.`,
		Args: args(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := sf.canShow(); err != nil {
				return err
			}
			if recorded {
				return a.replayDemo(cmd.Context(), sf, "")
			}
			if rec == "" {
				var err error
				if rec, err = newRecording("demo", time.Now()); err != nil {
					return err
				}
			}
			err := a.demo(cmd.Context(), bf, sf, rec)
			if errors.Is(err, browser.ErrNotFound) {
				fmt.Fprintf(cmd.ErrOrStderr(), "snapscope: %s\nsnapscope: replaying the embedded recording of the same session instead\n", oneLine(err.Error()))
				return a.replayDemo(cmd.Context(), sf, "no browser: this is the embedded recording; "+err.Error())
			}
			return err
		},
	}
	f := c.Flags()
	bf.add(f)
	sf.add(f)
	f.StringVar(&rec, "record", "", "write the session to this recording (default: one in the state folder)")
	f.BoolVar(&recorded, "recorded", false, "replay the embedded recording, without a browser")
	return c
}

// demo drives the leads session live.
func (a *app) demo(ctx context.Context, bf browserFlags, sf screenFlags, rec string) error {
	if err := recordable(rec); err != nil {
		return err
	}
	base, stop, err := demo.Serve(ctx)
	if err != nil {
		return fmt.Errorf("serving the demo site: %w", err)
	}
	defer stop()
	script, err := script.Parse("leads.yaml", []byte(demo.LeadsScript(base)), base)
	if err != nil {
		return err
	}
	if terminal(os.Stderr) { // the screen takes its place as soon as the browser answers
		fmt.Fprintln(os.Stderr, "snapscope: starting Chromium on the demo site")
	}
	br, size, err := a.start(ctx, bf, true)
	if err != nil {
		return err
	}
	return a.live(ctx, br, sf, rec, fresh(base), session.LiveOptions{
		Script: script, Reopen: a.reopen(bf), Recording: rec, Clock: time.Now, OnAsk: bf.observe == "asked", KeepSecrets: bf.secrets,
		Start: session.Start{Name: "leads demo", Agent: "snapscope " + version(), Viewport: size, Settle: br.Settle().String()},
	})
}

// fresh shows the demo as it is described, whatever was left.
func fresh(base string) func(*tui.Config) {
	return func(c *tui.Config) { c.BaseURL, c.Fresh = base, true }
}

// reopen starts a browser in place of one that is gone, with the same flags.
func (a *app) reopen(bf browserFlags) func(context.Context) (session.Driver, error) {
	return func(ctx context.Context) (session.Driver, error) {
		br, _, err := a.start(context.WithoutCancel(ctx), bf, true) // it outlives the step that asked for it
		if err != nil {
			return nil, err
		}
		return br, nil
	}
}

// live opens the debugger on a live session.
func (a *app) live(ctx context.Context, br *browser.Browser, sf screenFlags, rec string, more func(*tui.Config), o session.LiveOptions) error {
	sink, err := record(rec)
	if err != nil {
		_ = br.Close()
		return err
	}
	o.Driver, o.Sink = br, sink
	eng, err := session.NewLive(o)
	if err != nil {
		_ = br.Close()
		return err
	}
	err = a.show(ctx, eng, sf, more)
	if _, serr := os.Stat(rec); rec != "" && serr == nil {
		farewell(rec)
	}
	return err
}

// replayDemo shows the embedded recording.
func (a *app) replayDemo(ctx context.Context, sf screenFlags, why string) error {
	data, err := demo.Recording("leads")
	if err != nil {
		return err
	}
	r, err := replay.Read(bytes.NewReader(data), "the embedded recording")
	if err != nil {
		return err
	}
	return a.show(ctx, replay.NewPlayer("leads demo", r.Events), sf, func(c *tui.Config) { c.Notice, c.Fresh = why, true })
}
