package view

import (
	"snapscope/session"
	"snapscope/snapshot/wording"
)

// ToggleSide opens one kind of side column or closes it.
func (m *State) ToggleSide(k SideKind) {
	if m.Side == k {
		m.Side, m.OnSide = SideNone, false
	} else {
		m.Side, m.OnSide, m.Zoom = k, false, false
	}
	m.Arrange()
	m.ClampView()
	if m.Side == SidePicture {
		m.Ask(WantPicture)
	}
}

// eventLine is a line of the events column.
type eventLine struct {
	Label, Text string
	Tone        Tone
}

// Tone is what a text means, for the theme to give it a look.
type Tone uint8

const (
	ToneText Tone = iota
	ToneStrong
	ToneDim
	ToneGood
	ToneWarn
	ToneBad
	ToneLoss
	ToneAccent
)

// EventLines says what happened in the step looked at, besides its snapshot.
func (m *Story) EventLines() []eventLine {
	s := m.Step()
	if s == nil {
		return nil
	}
	var out []eventLine
	add := func(label, text string, t Tone) {
		out = append(out, eventLine{label, text, t})
	}
	if calls := m.Tl.Calls(); s.Call >= 0 && s.Call < len(calls) && calls[s.Call].Model != nil {
		if c := calls[s.Call].Model; c.Text != "" {
			add("model", c.Text, ToneText)
		}
	}
	add("action", s.Action.Label(), ToneStrong)
	res := s.Result
	if !res.OK {
		add("error", res.Error, ToneBad)
	}
	if res.Millis > 0 {
		add("took", wording.Count(int(res.Millis))+" ms", ToneText)
	}
	switch {
	case res.Rest.Early():
		add("early", EarlyWords(res), ToneWarn)
	case res.Waited != "":
		add("waited", res.Waited, ToneText)
	}
	if how := m.Tl.Start.Settle; how != "" && res.Rest != "" {
		add("settle", how, ToneDim)
	}
	if res.Text != "" {
		add("answer", res.Text, ToneText)
	}
	if res.Seen == session.SeenExcerpt {
		add("excerpt", res.Shown, ToneText)
	}
	if res.Seen != "" {
		add("seen", string(res.Seen), ToneText)
	}
	for _, e := range res.Events {
		add("event", e, ToneWarn)
	}
	for _, e := range res.Console {
		add("console", e, ToneText)
	}
	if res.Snapshot != nil {
		if n := res.Snapshot.Count(); n > 0 {
			add("page", wording.Plural(n, "element"), ToneText)
		}
		for _, n := range res.Snapshot.Notes {
			add("note", n, ToneWarn)
		}
	}
	for _, n := range m.WireLines(s.N - 1) {
		add("note", n, ToneWarn)
	}
	if res.Policy != "" && res.Shown != "" {
		add("went out", res.Shown, ToneText)
	}
	for _, n := range m.NotesOn(s.N) {
		if n == "" {
			n = "bookmarked"
		}
		add("✎", n, ToneAccent)
	}
	return out
}
