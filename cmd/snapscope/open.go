package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"snapscope/session"
	"snapscope/session/browser"
	"snapscope/snapshot"
	"snapscope/tui"
)

// opening is what the open command was given.
type opening struct {
	browser  browserFlags
	screen   screenFlags
	record   string
	script   string
	noRecord bool
}

func (a *app) openCmd() *cobra.Command {
	var o opening
	c := &cobra.Command{
		Use:   "open [URL]",
		Short: "The live debugger on a page",
		Long: `Opens a page in Chromium and shows it in the debugger. Act on it with the
command line (: then click e12, click Save, goto …), with d on the element under
the cursor, or hand it a step script with --script.

With --cdp and no URL it joins the page that a person is on in a running browser and
names the others; what is done there by hand is noticed and offered as a snapshot.

The session is always recorded, each step as it happens: to a file in the state
folder, which is named at the end, or to the one that --record names.`,
		Args: args(0, 1, "one URL or local file"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.open(cmd, o, args) },
	}
	f := c.Flags()
	o.browser.add(f)
	o.screen.add(f)
	f.StringVar(&o.record, "record", "", "write the session to this recording (default: one in the state folder)")
	f.BoolVar(&o.noRecord, "no-record", false, "do not record the session")
	f.StringVar(&o.script, "script", "", "step script to walk through")
	return c
}

func (a *app) open(cmd *cobra.Command, o opening, args []string) error {
	if err := o.screen.canShow(); err != nil {
		return err
	}
	ctx, url := cmd.Context(), ""
	steps := []session.Action{{Verb: session.VerbSnapshot, Tool: string(session.VerbSnapshot)}}
	switch {
	case len(args) == 1:
		var err error
		if url, err = pageURL(args[0]); err != nil {
			return err
		}
		steps[0] = session.Action{Verb: session.VerbGoto, Tool: string(session.VerbGoto), Args: map[string]any{"url": url}}
	case o.browser.cdp == "":
		return usagef("open needs one URL or local file; with --cdp it can join the page of a running browser")
	}
	if o.script != "" {
		more, stop, err := loadScript(ctx, o.script, url, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		defer stop()
		steps = append(steps, more...)
	}
	if err := o.recording(); err != nil {
		return err
	}
	br, size, err := a.startWith(ctx, o.browser, browser.Options{Boxes: true, Join: url == ""})
	if err != nil {
		return err
	}
	said := ""
	if url == "" {
		if url, said, err = where(ctx, br); err != nil {
			_ = br.Close()
			return err
		}
	}
	return a.liveOn(ctx, br, size, o, url, said, steps)
}

// recording names the file that the session is recorded to, unless there is to be
// none.
func (o *opening) recording() (err error) {
	switch {
	case o.noRecord && o.record != "":
		return usageError{errors.New("--record and --no-record do not go together")}
	case o.noRecord:
		return nil
	case o.record == "":
		if o.record, err = newRecording("open", time.Now()); err != nil {
			return fmt.Errorf("naming the recording: %w; --no-record goes without one", err)
		}
	}
	return recordable(o.record)
}

// liveOn shows the debugger on a page.
func (a *app) liveOn(ctx context.Context, br *browser.Browser, size snapshot.Size, o opening, url, said string, steps []session.Action) error {
	look := func(c *tui.Config) {
		c.BaseURL, c.Notice, c.NoRecord = url, said, o.noRecord
	}
	return a.live(ctx, br, o.screen, o.record, look, session.LiveOptions{
		Script: steps, Reopen: a.reopen(o.browser), Recording: o.record, Clock: time.Now, OnAsk: o.browser.observe == "asked", KeepSecrets: o.browser.secrets,
		Start: session.Start{Name: url, Agent: "snapscope " + version(), Viewport: size, Settle: br.Settle().String(), Endpoint: br.Where()},
	})
}

// where is the page that was joined, and a line that names the others.
func where(ctx context.Context, br *browser.Browser) (url, said string, err error) {
	tabs, err := br.Tabs(ctx)
	if err != nil {
		return "", "", err
	}
	var others []string
	for _, t := range tabs {
		title := t.Title
		if title == "" {
			title = t.URL
		}
		if t.Current {
			url, said = t.URL, "joined "+oneLine(title)
		} else {
			others = append(others, fmt.Sprintf("%d %s", t.Index, oneLine(title)))
		}
	}
	if len(others) > 0 {
		said += " · other tabs: " + strings.Join(others, ", ") + " · :tab switch N goes to one"
	}
	return url, said, nil
}
