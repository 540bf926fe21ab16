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

// longRecording is a recording of 1,000 steps, each with a page of its own of so
// many rows (60 are about 20 KB) and clicks on elements of it.
func longRecording(b *testing.B, rows int) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), "long.jsonl")
	w, err := replay.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	seq := 0
	for n := 1; n <= 1000; n++ {
		a := session.Action{Verb: session.VerbClick, Target: &session.Target{Ref: fmt.Sprint("e", 12+5*(n%rows))}}
		for _, e := range fakeStep(n, a, leadsURL, "Leads · CRM", leadsPage(rows, n%rows, fmt.Sprintf(": query %d", n))) {
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
	return file
}

// longModel is a screen of 160×45 on a recording, before it has begun.
func longModel(b *testing.B, file string) *Model {
	b.Helper()
	count, err := token.New("o200k_base")
	if err != nil {
		b.Fatal(err)
	}
	eng, err := transcript.Open(file, transcript.Options{}, func(*transcript.Import) {})
	if err != nil {
		b.Fatal(err)
	}
	m, err := newModel(context.Background(), Config{Engine: eng, Count: count.Count, Encoding: "o200k_base", AutoSteps: -1, List: true, Theme: "dark"})
	if err != nil {
		b.Fatal(err)
	}
	m.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	m.Update(tea.WindowSizeMsg{Width: 160, Height: 45})
	return m
}

// carryOut carries commands out, first come first served, until done.
func carryOut(m *Model, c tea.Cmd, done func() bool) {
	for queue := []tea.Cmd{c}; len(queue) > 0 && !done(); queue = queue[1:] {
		if queue[0] == nil {
			continue
		}
		switch msg := queue[0]().(type) {
		case tea.BatchMsg:
			queue = append(queue, msg...)
		case tickMsg, nil:
		default:
			_, next := m.Update(msg)
			queue = append(queue, next)
		}
	}
}

// BenchmarkOpenList is a recording of 1,000 steps, 20 KB each, from the file to the
// first frame with rows of its list of steps.
func BenchmarkOpenList(b *testing.B) {
	file := longRecording(b, 60)
	count, err := token.New("o200k_base")
	if err != nil {
		b.Fatal(err)
	}
	count.Count("warm") // its table is read once a process
	b.ReportAllocs()
	for b.Loop() {
		m := longModel(b, file)
		carryOut(m, m.Init(), func() bool { return m.s.Table != nil && len(m.s.List.Shown) > 0 })
		if got := ansi.Strip(m.View().Content); !strings.Contains(got, "click ") || !strings.Contains(got, "added") {
			b.Fatalf("the first frame shows no step:\n%s", got)
		}
	}
}

// wholeList is the list of steps of 1,000 steps, all of it there.
func wholeList(b *testing.B, rows int) *Model {
	b.Helper()
	m := longModel(b, longRecording(b, rows))
	carryOut(m, m.Init(), func() bool { return m.s.Table != nil && len(m.s.Table.Rows) == 1000 && m.s.Job == nil })
	if n := len(m.s.List.Shown); n != 1000 {
		b.Fatalf("the list has %d rows", n)
	}
	return m
}

// BenchmarkFirstHit is a search through a session of 1,000 pages, 45 MB in all,
// from enter to the first hit on the screen. What is searched stands on the last
// page only, so that all of it is looked through.
func BenchmarkFirstHit(b *testing.B) {
	for _, text := range []string{"query 1000", "/query 10{3}/"} {
		b.Run(strings.Trim(text, "/"), func(b *testing.B) {
			m := wholeList(b, 175)
			size := 0
			for _, sn := range m.s.Tl.Snaps {
				size += len(sn.Snap.Text)
			}
			if size < 44<<20 {
				b.Fatalf("the session has %d bytes only", size)
			}
			b.ReportAllocs()
			for b.Loop() {
				m.s.PressHere("top")
				m.Update(keyMsg("/"))
				m.input.Insert(text)
				m.input.Changed(m.s)
				_, c := m.Update(keyMsg("enter"))
				carryOut(m, c, func() bool { return m.s.Search.All != nil && m.s.At == 999 })
				if got := ansi.Strip(m.View().Content); !strings.Contains(got, "step 1000") {
					b.Fatalf("the search went nowhere:\n%s", got)
				}
			}
		})
	}
}
