package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"snapscope/replay"
	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/tui"
	"snapscope/tui/format"
)

func (a *app) replayCmd() *cobra.Command {
	var sf screenFlags
	var imf importFlags
	var follow bool
	c := &cobra.Command{
		Use:   "replay [FILE|FOLDER] [OTHER]",
		Short: "The debugger on a recording, or on another agent's transcript",
		Long: `Opens a recording, or any transcript that import knows, in the debugger. A file
that another program is still writing is followed. A folder, or nothing at all,
gives a list to choose from: without a name snapscope looks where the agents it
knows keep their sessions, and reads nothing else.

Two files stand beside each other, tied where they did the same: ctrl+w goes from one
to the other, ctrl+l lets each go alone.`,
		Args: args(0, 2, "two files at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := sf.canShow(); err != nil {
				return err
			}
			ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
			o, err := a.importOptions(imf)
			if err != nil {
				return err
			}
			open := func(_ context.Context, path string) (session.Engine, error) {
				return openFile(path, o, follow, sf.plain, stderr)
			}
			if len(args) == 0 && !sf.plain {
				return a.pick(ctx, sf, o, open)
			}
			if len(args) == 2 {
				return a.beside(ctx, sf, args, open)
			}
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			found, single, err := candidates(ctx, name)
			switch {
			case err != nil:
				return err
			case single:
				eng, err := open(ctx, name)
				if err != nil {
					return err
				}
				return a.show(ctx, eng, sf, func(c *tui.Config) { whole(c); c.Command = "snapscope replay " + format.ShellWord(name) })
			case len(found) == 0 && name != "":
				return fmt.Errorf("%s holds no session that snapscope knows; snapscope import --formats lists the kinds", name)
			case len(found) == 0:
				return errNoSessions
			case sf.plain:
				return list(cmd.OutOrStdout(), found)
			}
			return a.show(ctx, nil, sf, func(c *tui.Config) { whole(c); c.Recent, c.Open, c.Measure = recent(found), open, measure(o) })
		},
	}
	sf.add(c.Flags())
	imf.add(c.Flags())
	c.Flags().BoolVar(&follow, "follow", false, "go on reading while another program writes the file (a transcript that changed in the last minute is followed anyway)")
	return c
}

// beside shows two sessions beside each other.
func (a *app) beside(ctx context.Context, sf screenFlags, names []string, open func(context.Context, string) (session.Engine, error)) error {
	if sf.plain {
		return usagef("--plain reads one session out; two are for the screen")
	}
	var cfgs [2]tui.Config
	for i, name := range names {
		cfg, err := a.screen(sf)
		if err != nil {
			return err
		}
		eng, err := open(ctx, name)
		if err != nil {
			return err
		}
		defer func() { _ = eng.Close() }()
		whole(&cfg)
		cfg.Engine, cfg.Command = eng, "snapscope replay "+format.ShellWord(name)
		cfgs[i] = cfg
	}
	return tui.RunBeside(ctx, cfgs[0], cfgs[1])
}

// pick shows the list of what there is on this machine.
func (a *app) pick(ctx context.Context, sf screenFlags, o transcript.Options, open func(context.Context, string) (session.Engine, error)) error {
	p, err := a.here(ctx)
	if err != nil {
		return err
	}
	if len(p.rows) == 0 {
		return errNoSessions
	}
	return a.show(ctx, nil, sf, func(c *tui.Config) {
		whole(c)
		c.Recent, c.Measure = p.rows, measure(o)
		c.Open = func(ctx context.Context, path string) (session.Engine, error) {
			if run, runs := p.runs[path]; runs {
				return a.attach(ctx, run)
			}
			return open(ctx, path)
		}
	})
}

// errNoSessions says where sessions were looked for.
var errNoSessions = errors.New("no sessions were found where Claude Code, Codex, Gemini CLI, Cline, pi, OpenClaw and Playwright MCP keep theirs, and none was recorded; name a file, or try snapscope demo")

// whole shows a session that has happened as a whole, from the list of its steps.
func whole(c *tui.Config) { c.AutoSteps, c.List = -1, true }

// candidates are the sessions of a folder or of this machine's agents; single
// tells that name is one session itself.
func candidates(ctx context.Context, name string) (found []transcript.Found, single bool, err error) {
	if name == "" {
		w, err := here()
		if err != nil {
			return nil, false, fmt.Errorf("looking for sessions: %w", err)
		}
		found, err = transcript.Find(ctx, w)
		return found, false, err
	}
	st, err := os.Stat(name)
	if err != nil {
		return nil, false, fmt.Errorf("opening the session: %w", err)
	}
	if !st.IsDir() {
		return nil, true, nil
	}
	if found, err = transcript.FindIn(ctx, name); err != nil || len(found) > 0 {
		return found, false, err
	}
	return nil, false, nil
}

// openFile opens one recording or transcript, followed where it is growing.
func openFile(path string, o transcript.Options, follow, plain bool, stderr io.Writer) (session.Engine, error) {
	recorded := false
	st, err := os.Stat(path)
	file := err == nil && st.Mode().IsRegular() // opening a pipe would wait for its writer
	if file {
		if f, err := os.Open(path); err == nil {
			head := make([]byte, 256)
			n, _ := io.ReadFull(f, head)
			recorded = replay.IsHeader(head[:n])
			_ = f.Close()
		}
		follow = follow || !plain && !recorded && time.Since(st.ModTime()) < time.Minute
	}
	if recorded && !follow {
		if eng := openHalves(path); eng != nil {
			return eng, nil
		}
	}
	if follow {
		return transcript.Follow(path, o)
	}
	return transcript.Open(path, o, func(im *transcript.Import) {
		if plain {
			tell(stderr, im)
		}
	})
}

func (a *app) importOptions(imf importFlags) (transcript.Options, error) {
	count, err := a.counter()
	if err != nil {
		return transcript.Options{}, err
	}
	if imf.from != "" {
		if _, err := transcript.FindFormat(imf.from); err != nil {
			return transcript.Options{}, usageError{err}
		}
	}
	// What agents saved beside the work lies below the folder they worked in.
	var roots []string
	if cwd, err := os.Getwd(); err == nil {
		roots = append(roots, cwd)
	}
	return transcript.Options{
		Roots: roots, Format: imf.from, KeepSecrets: imf.secrets, Unknowns: imf.unknowns, Count: count.Count, Limits: imf.limits,
	}, nil
}

func recent(found []transcript.Found) []tui.Recent {
	out := make([]tui.Recent, len(found))
	for i, f := range found {
		out[i] = tui.Recent{Path: f.Path, Title: f.Source + "  " + f.Title, When: f.When}
	}
	return out
}

func list(w io.Writer, found []transcript.Found) error {
	for _, f := range found {
		if _, err := fmt.Fprintf(w, "%s  %-14s %8d KB  %s  %s\n", f.When.Format("2006-01-02 15:04"), f.Source, f.Size>>10, oneLine(filepath.ToSlash(f.Path)), oneLine(f.Title)); err != nil {
			return err
		}
	}
	return nil
}
