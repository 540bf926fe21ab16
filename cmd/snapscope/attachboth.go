package main

import (
	"context"
	"fmt"

	"snapscope/replay"
	"snapscope/replay/proxy"
	"snapscope/replay/proxy/control"
	"snapscope/replay/proxy/join"
	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/tui"
)

// attached is what a screen shows of a running agent: one of its seats, or both.
type attached struct {
	tui.Seat
	close func() error
	run   proxy.Run
	tools string // recording of the seat before the tools; empty: there is none, or it records nothing
	model string // the same of the seat before the model API
}

// openBoth takes the agent's other seat too, where one lives and nobody else has
// it; else the screen is of the one alone.
func openBoth(ctx context.Context, f proxy.Folder, k *control.Console, run proxy.Run, force bool, own []policy.Policy) attached {
	one := attached{Seat: k, close: k.Close, run: run}
	one.name(run)
	other, path, ok := control.Other(ctx, f, run)
	if !ok {
		return one
	}
	k2, err := control.OpenConsole(ctx, path, force, own)
	if err != nil {
		return one
	}
	tools, model := k, k2
	if run.Kind == proxy.API {
		tools, model = k2, k
	}
	b := control.NewBoth(tools, model)
	both := attached{Seat: b, close: b.Close, run: run}
	both.name(run)
	both.name(other)
	return both
}

func (s *attached) name(r proxy.Run) {
	if r.Kind == proxy.API {
		s.model = r.Recording
		return
	}
	s.tools = r.Recording
}

// engine follows what the seats record.
func (s attached) engine() (session.Engine, error) {
	switch {
	case s.tools == "" && s.model == "":
		return nil, fmt.Errorf("%s records nothing, so there is nothing to show; steer it with --plain", s.run.ID)
	case s.model == "":
		return replay.Follow(s.tools)
	case s.tools == "":
		return replay.Follow(s.model)
	}
	return followBoth(s.model, s.tools)
}

// followBoth plays the recordings of both seats as one, while they grow.
func followBoth(model, tools string) (session.Engine, error) {
	m, err := replay.Follow(model)
	if err != nil {
		return nil, err
	}
	t, err := replay.Follow(tools)
	if err != nil {
		_ = m.Close()
		return nil, err
	}
	return replay.NewFeed(session.Info{Mode: session.ModeFollow, Name: tools}, func(ctx context.Context, in *replay.Inlet) error {
		defer m.Close()
		defer t.Close()
		return join.Follow(ctx, m, t, in.Put, in.Idle)
	}), nil
}

// showRun opens the screen on what the seats record.
func (a *app) showRun(ctx context.Context, s attached, sf screenFlags) error {
	eng, err := s.engine()
	if err != nil {
		return err
	}
	return a.show(ctx, eng, sf, func(c *tui.Config) {
		c.AutoSteps = -1
		c.Seat = s
	})
}
