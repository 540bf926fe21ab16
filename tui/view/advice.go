package view

import (
	"context"

	"snapscope/session"
	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// Advice is the line of advice on a session as far as it had come: the first line
// of a report of it.
type Advice struct {
	events int // of the timeline it was made from
	Said   *ledger.Advice
}

// AdviceAsk is what advice is made from.
type AdviceAsk struct {
	View *session.Timeline
	Own  []policy.Policy // tried beside the built-in ones
	Opt  ledger.Options
}

// MakeAdvice tries every policy that has a name on the command line. nil: it was
// cancelled.
func MakeAdvice(ctx context.Context, ask AdviceAsk) *Advice {
	sheet, err := ledger.Study(ctx, ask.View, nil, append(policy.Builtin(), ask.Own...), ask.Opt)
	if err != nil {
		guard.Raise(err)
		return nil
	}
	return &Advice{len(ask.View.Events), sheet.Advice}
}

// FindAdvice asks for advice on the session as it is, unless that is there.
func (m *Figures) FindAdvice() {
	if m.Advice == nil || m.Advice.events != len(m.Tl.Events) {
		m.Ask(WantAdvice)
	}
}
