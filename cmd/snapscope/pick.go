package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"snapscope/replay"
	"snapscope/replay/proxy"
	"snapscope/replay/proxy/control"
	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/tui"
)

// picker is what the list of sessions offers: agents that run now, the sessions that
// agents have left on this machine, and recordings of our own.
type picker struct {
	rows []tui.Recent
	runs map[string]proxy.Run // by the recording that their screen follows
}

// here is the picker of this machine, newest first.
func (a *app) here(ctx context.Context) (picker, error) {
	p := picker{runs: map[string]proxy.Run{}}
	for _, r := range control.List(ctx, proxy.FindFolder(os.Getenv)) {
		if r.Recording == "" {
			continue
		}
		p.runs[r.Recording] = r
		title := strings.TrimSpace(fmt.Sprintf("%s  %s before %s", r.ID, cell(r.Client), cell(r.Server)))
		p.rows = append(p.rows, tui.Recent{Path: r.Recording, Title: title, When: r.Started, Runs: true})
	}
	found, _, err := candidates(ctx, "")
	if err != nil {
		return p, err
	}
	if dir, err := stateDir(); err == nil {
		own, err := transcript.FindIn(ctx, filepath.Join(dir, "recordings"))
		if err == nil {
			for i := range own {
				own[i].Source = "own recording"
			}
			found = append(found, own...)
		}
	}
	found = slices.DeleteFunc(found, func(f transcript.Found) bool { _, runs := p.runs[f.Path]; return runs })
	slices.SortStableFunc(found, func(x, y transcript.Found) int { return y.When.Compare(x.When) })
	p.rows = append(p.rows, recent(found)...)
	return p, nil
}

// seatedRun is the session of an agent that runs, with its seat.
type seatedRun struct {
	session.Engine
	console *control.Console
}

func (s seatedRun) Seat() tui.Seat { return s.console }

func (s seatedRun) Close() error {
	_ = s.console.Close()
	return s.Engine.Close()
}

// attach opens a running agent.
func (a *app) attach(ctx context.Context, run proxy.Run) (session.Engine, error) {
	_, path, err := control.Find(ctx, proxy.FindFolder(os.Getenv), run.ID)
	if err != nil {
		return nil, err
	}
	own, err := a.policies()
	if err != nil {
		return nil, err
	}
	k, err := control.OpenConsole(ctx, path, false, own)
	if err != nil {
		return nil, fmt.Errorf("attaching to %s: %w; snapscope attach --take takes it over", run.ID, err)
	}
	eng, err := replay.Follow(run.Recording)
	if err != nil {
		_ = k.Close()
		return nil, err
	}
	return seatedRun{eng, k}, nil
}

// mostMeasured is the size in bytes from which a session is not read just to say what
// it comes to.
const mostMeasured = 128 << 20

// mostJudged is the size in bytes from which a session is not kept in memory to say
// what went wrong in it.
const mostJudged = 32 << 20

// measure reads a session to say what it comes to and what went wrong in it. Its tokens
// are an estimate, four bytes to one: the list is to be there at once.
func measure(o transcript.Options) func(context.Context, string) (tui.Measured, error) {
	return func(ctx context.Context, path string) (tui.Measured, error) {
		var m tui.Measured
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > mostMeasured {
			return m, fmt.Errorf("%s is not read for its size", path)
		}
		var first, last time.Time
		bytes, t := 0, &session.Timeline{}
		_, err = transcript.Stream(ctx, path, o, func(e session.Event) {
			if !e.Time.IsZero() {
				if first.IsZero() {
					first = e.Time
				}
				last = e.Time
			}
			if info.Size() <= mostJudged {
				t.Append(e)
			}
			if r := e.Result; r != nil {
				m.Steps++
				bytes += len(r.Text) + len(r.Showed())
			}
		})
		m.Tokens, m.Took = bytes/4, last.Sub(first)
		if err == nil && len(t.Steps) > 0 {
			m.Wrong, err = wrongIn(ctx, t)
		}
		return m, err
	}
}

// wrongIn is what did go wrong in a session; it counts nothing exactly.
func wrongIn(ctx context.Context, t *session.Timeline) (string, error) {
	o := ledger.Options{Renderer: policy.NewBatch(func(s string) int { return len(s) / 4 })}
	sent, err := ledger.AsSent(ctx, t, o)
	if err != nil {
		return "", err
	}
	return sent.Cause(), nil
}
