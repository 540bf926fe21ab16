package tui

import (
	"context"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/session/policy"
	"snapscope/snapshot/strategy/registry"
	"snapscope/tui/view"
)

// bigModel is a screen of 200×60 with a snapshot of about 20,000 lines in four
// panes.
func bigModel(b *testing.B) *Model {
	b.Helper()
	var panes []policy.Policy
	for _, n := range []string{"full", "passmark", "compress", "budget"} {
		s, err := registry.Get(n)
		if err != nil {
			b.Fatal(err)
		}
		panes = append(panes, policy.Single(s))
	}
	m, err := newModel(context.Background(), Config{Engine: leadsEngine(4000), Panes: panes, AutoSteps: 4, Theme: "dark"})
	if err != nil {
		b.Fatal(err)
	}
	m.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	var run func(tea.Cmd)
	run = func(c tea.Cmd) {
		if c == nil {
			return
		}
		switch msg := c().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				run(c)
			}
		default:
			_, c := m.Update(msg)
			run(c)
		}
	}
	run(m.Init())
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	if m.s.Rows() < 20000 {
		b.Fatalf("only %d rows", m.s.Rows())
	}
	return m
}

// BenchmarkKey is a key to a drawn frame: Update and View.
func BenchmarkKey(b *testing.B) {
	for _, c := range []struct{ name, key string }{{"down", "down"}, {"page", "pgdown"}, {"pane", "tab"}} {
		b.Run(c.name, func(b *testing.B) {
			m := bigModel(b)
			m.s.GoTo(9000)
			b.ReportAllocs()
			for b.Loop() {
				m.Update(keyMsg(c.key))
				_ = m.View()
				if m.s.Row > 19000 {
					m.s.GoTo(0)
				}
			}
		})
	}
}

// BenchmarkSearch is a letter typed into the search line.
func BenchmarkSearch(b *testing.B) {
	m := bigModel(b)
	m.Update(keyMsg("/"))
	b.ReportAllocs()
	for b.Loop() {
		m.Update(keyMsg("R"))
		_ = m.View()
		m.Update(keyMsg("backspace"))
	}
}

// BenchmarkFrame is the command behind a step: rendering, diff and alignment,
// with the renderer's memory warm.
func BenchmarkFrame(b *testing.B) {
	m := bigModel(b)
	ask := view.FrameAsk{View: m.s.Tl.View(), At: 3, Policies: m.s.FigurePolicies()}
	b.ReportAllocs()
	for b.Loop() {
		view.MakeFrame(m.rd, ask)
	}
}
