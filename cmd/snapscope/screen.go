package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/tui"
	"snapscope/tui/format"
)

// screenFlags are the flags of every command that opens the debugger.
type screenFlags struct {
	theme    string
	plain    bool
	breaks   []string
	policies policyFlags
	ledger   ledgerFlags
}

func (s *screenFlags) add(f *pflag.FlagSet) {
	f.StringVar(&s.theme, "theme", "", "dark, light, contrast or none (default: the terminal's own)")
	f.BoolVar(&s.plain, "plain", false, "a linear view, without the full screen: for screen readers and pipes")
	f.StringArrayVar(&s.breaks, "break", nil, "breakpoint to begin with, repeatable: \"tokens > 5000\", \"text Saved\", …")
	s.policies.add(f, "full, passmark and compress, a pane each")
	s.ledger.add(f)
}

// errNoTerminal tells what to use where there is no screen to draw on.
var errNoTerminal = errors.New("the debugger needs a terminal; use --plain for a linear view, or snapscope run and snapscope report in scripts")

// show opens the debugger on an engine and closes the engine after it. With a
// nil engine the screen begins with a list. more fills in the rest of the
// config.
func (a *app) show(ctx context.Context, eng session.Engine, s screenFlags, more func(*tui.Config)) (err error) {
	if eng != nil {
		defer func() {
			if cerr := eng.Close(); err == nil {
				err = cerr
			}
		}()
	}
	cfg, err := a.screen(s)
	if err != nil {
		return err
	}
	cfg.Engine = eng
	if more != nil {
		more(&cfg)
	}
	if s.plain {
		return tui.Plain(ctx, os.Stdout, cfg)
	}
	return tui.Run(ctx, cfg)
}

// screen is what flags and config say of the debugger.
func (a *app) screen(s screenFlags) (tui.Config, error) {
	count, err := a.counter()
	if err != nil {
		return tui.Config{}, err
	}
	dir, err := stateDir()
	if err != nil {
		return tui.Config{}, err
	}
	var panes []policy.Policy // none named: what was shown last time
	sets := s.policies.sets
	if len(s.policies.names) > 0 {
		if panes, err = a.choose(s.policies); err != nil {
			return tui.Config{}, err
		}
		sets = nil
	}
	own, err := a.policies()
	if err != nil {
		return tui.Config{}, err
	}
	o, err := a.ledger(s.ledger)
	if err != nil {
		return tui.Config{}, err
	}
	theme := s.theme
	if theme == "" {
		theme = a.conf.Theme
	}
	if err := tui.CheckTheme(theme); err != nil {
		return tui.Config{}, usageError{err}
	}
	if err := tui.CheckKeys(a.conf.keys()); err != nil {
		return tui.Config{}, usageError{err}
	}
	return tui.Config{
		Panes: panes, Policies: own, Set: sets, Ledger: o, AutoSteps: 1,
		Count: count.Count, Encoding: count.Name(), Estimate: !count.Exact(),
		Theme: theme, NoColor: a.noColor, Keys: a.conf.keys(), StateDir: dir, Breaks: s.breaks,
		Mouse: a.conf.Mouse == nil || *a.conf.Mouse, SavePolicy: a.savePolicy,
	}, nil
}

// canShow fails early where there is nothing to draw on, before a browser is
// started.
func (s *screenFlags) canShow() error {
	if !s.plain && (!terminal(os.Stdout) || !terminal(os.Stdin)) {
		return errNoTerminal
	}
	return nil
}

func farewell(rec string) {
	fmt.Fprintf(os.Stderr, "recorded: %s\nlook at it again with: snapscope replay %s\n", oneLine(rec), oneLine(format.ShellWord(rec)))
}
