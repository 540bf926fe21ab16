//go:build live

package main

import (
	"strings"
	"testing"
)

// TestSameEndLive: the seat changes nothing about how a task ends.
func TestSameEndLive(t *testing.T) {
	for _, client := range append([]string{"gemini"}, clientNames...) {
		t.Run(client, func(t *testing.T) {
			s := bigTable(t, 20)
			direct := trial{client: client, script: twoRows(s, 3, 17)}.run(t)
			clicks := s.clicks.Swap(0)
			seated := trial{client: client, script: twoRows(s, 3, 17), seat: []string{"--keep", "5"}}.run(t)
			if direct.said != "DONE" || clicks != 2 {
				t.Errorf("directly it ended with %q after %d clicks\n%s", direct.said, clicks, direct.output)
			}
			if seated.said != direct.said || s.clicks.Load() != clicks || len(seated.calls) != len(direct.calls) {
				t.Errorf("directly %q, %d clicks, %d calls; through the seat %q, %d, %d\n%s", direct.said, clicks, len(direct.calls), seated.said, s.clicks.Load(), len(seated.calls), seated.output)
			}
		})
	}
}

// TestBigPageLive is a page of 118 KB: what each client makes of it, and what the
// seat says and does about it. The rows stand in its middle, for Codex keeps the
// head and the tail.
func TestBigPageLive(t *testing.T) {
	const lost = "LOST"
	for _, c := range []struct {
		name, client string
		seat         []string
		lifted       bool
		end          string
		named        string // in the recording
	}{
		{"directly", "claude", nil, false, lost, ""},
		{"watched", "claude", []string{"--keep", "5"}, false, lost, "Claude Code gives its model no text this large"},
		{"fold", "claude", []string{"--policy", "fold"}, false, "DONE", ""},
		{"lift", "claude", []string{"--lift", "200000"}, false, "DONE", ""},
		{"directly", "codex", nil, false, lost, ""},
		{"watched", "codex", []string{"--keep", "5"}, false, lost, "Codex gives its model no text this large"},
		{"fold", "codex", []string{"--policy", "fold"}, false, lost, "Codex gives its model no text this large"},
		{"lifted", "codex", []string{"--keep", "5"}, true, "DONE", ""},
		{"directly", "opencode", nil, false, lost, ""},
		{"watched", "opencode", []string{"--keep", "5"}, false, lost, "OpenCode gives its model no text this large"},
		{"fold", "opencode", []string{"--policy", "fold"}, false, "DONE", ""},
		{"directly", "gemini", nil, false, lost, ""}, // over 40,000 characters it keeps the head and the tail
		{"watched", "gemini", []string{"--keep", "5"}, false, lost, "Gemini CLI gives its model no text this large"},
		{"fold", "gemini", []string{"--policy", "fold"}, false, "DONE", ""},
	} {
		t.Run(c.client+" "+c.name, func(t *testing.T) {
			s := bigTable(t, 420)
			got := trial{client: c.client, script: twoRows(s, 203, 217), seat: c.seat, lifted: c.lifted}.run(t)
			if !strings.HasPrefix(got.said, c.end) {
				t.Errorf("it ended with %q, want %s\n%s", got.said, c.end, got.output)
			}
			if c.named != "" && !strings.Contains(got.recorded(t), c.named) {
				t.Errorf("the recording does not say %q", c.named)
			}
			t.Logf("%s, %d clicks", got.said, s.clicks.Load())
		})
	}
}
