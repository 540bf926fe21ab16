package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"snapscope/replay"
	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/snapshot/token"
)

// BenchmarkOpen is a recording of 1,000 steps, each with a page of its own of
// about 20 KB, from the file to the first frame with the page on it.
func BenchmarkOpen(b *testing.B) {
	file := filepath.Join(b.TempDir(), "long.jsonl")
	w, err := replay.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	seq := 0
	for n := 1; n <= 1000; n++ {
		a := session.Action{Verb: session.VerbClick, Target: &session.Target{Ref: "e12"}}
		for _, e := range fakeStep(n, a, leadsURL, "Leads · CRM", leadsPage(60, n%60, fmt.Sprintf(": query %d", n))) {
			seq++
			e.Seq = seq
			if err := w.Append(e); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	count, err := token.New("o200k_base")
	if err != nil {
		b.Fatal(err)
	}
	count.Count("warm") // its table is read once a process
	b.ReportAllocs()
	for b.Loop() {
		eng, err := transcript.Open(file, transcript.Options{}, func(*transcript.Import) {})
		if err != nil {
			b.Fatal(err)
		}
		m, err := newModel(context.Background(), Config{Engine: eng, Count: count.Count, Encoding: "o200k_base", AutoSteps: 1, Theme: "dark"})
		if err != nil {
			b.Fatal(err)
		}
		m.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
		m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
		untilFrame(m, m.Init())
		if view := m.View().Content; !strings.Contains(ansi.Strip(view), "step 1/") || m.s.Fr == nil {
			b.Fatalf("the first frame does not show the first step: %d steps, %+v", len(m.s.Tl.Steps), m.s.Info)
		}
		if err := eng.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// untilFrame carries commands out until the first frame is there.
func untilFrame(m *Model, c tea.Cmd) {
	if c == nil || m.s.Fr != nil {
		return
	}
	switch msg := c().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			untilFrame(m, c)
		}
	case tickMsg, nil:
	default:
		_, next := m.Update(msg)
		untilFrame(m, next)
	}
}
