package tui

import (
	"testing"

	"snapscope/session"
	"snapscope/session/mask"
	"snapscope/tui/view"
)

// What was typed into a field for secrets does not stay in the history of lines.
func TestHistoryForgetsSecrets(t *testing.T) {
	m := &Model{s: &view.State{}}
	fill := func(text string) session.Event {
		return session.Event{Action: &session.Action{Verb: session.VerbFill, Args: map[string]any{"text": text}}}
	}
	m.remember("fill e3 Bonn")
	m.forget(fill("Bonn"))
	m.remember(`fill textbox "Password" hunter22`)
	m.forget(fill(mask.Masked))
	if h := m.s.Hist; len(h) != 2 || h[0] != "fill e3 Bonn" || h[1] != `fill textbox "Password" `+mask.Masked {
		t.Errorf("%q", h)
	}
}
