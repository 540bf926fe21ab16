package tui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"
)

// Run shows the debugger until the person leaves it or ctx ends. The terminal is
// given back as it was, whatever happens: also after a panic or SIGTERM. An
// engine that is handed in is not closed; one opened from the list of sessions
// is.
func Run(outer context.Context, cfg Config) error {
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	m, err := newModel(ctx, cfg)
	if err != nil {
		return err
	}
	return ending(outer, runProgram(ctx, cancel, m, cfg), m)
}

// runProgram shows a model until it ends.
func runProgram(ctx context.Context, cancel context.CancelFunc, m tea.Model, cfg Config) error {
	// Signals end ctx, which is the caller's affair: two handlers would race for
	// the exit status.
	opts := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler()}
	if cfg.Input != nil {
		opts = append(opts, tea.WithInput(cfg.Input))
	}
	if cfg.Output != nil {
		opts = append(opts, tea.WithOutput(cfg.Output))
	}
	if cfg.Environ != nil {
		opts = append(opts, tea.WithEnvironment(cfg.Environ))
	}
	if cfg.Width > 0 && cfg.Height > 0 {
		opts = append(opts, tea.WithWindowSize(cfg.Width, cfg.Height))
	}
	_, err := tea.NewProgram(m, opts...).Run()
	cancel()
	return err
}

// ending is what a run's error comes to, once the screen's state is kept.
func ending(outer context.Context, err error, m *Model) error {
	if !m.quit {
		m.save() // SIGTERM, or the context's end
	}
	if m.owned != nil {
		err = errors.Join(err, m.owned.Close())
	}
	switch {
	case m.broken:
		return context.Canceled
	case m.quit && errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic):
		return nil
	case outer.Err() != nil && !m.quit && !errors.Is(err, tea.ErrProgramPanic):
		return outer.Err()
	case err != nil:
		return fmt.Errorf("the screen ended: %w", err)
	}
	return nil
}
