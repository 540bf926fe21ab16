package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/session/breakpoint"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// breakRow is one breakpoint of the session; it can be switched off without
// being forgotten.
type breakRow struct {
	at  breakpoint.Condition
	off bool
}

// addBreak adds a condition; one that is there already is switched on again.
func (m *Model) addBreak(text string) error {
	b, err := breakpoint.Parse(text)
	if err != nil {
		return err
	}
	for i := range m.breaks {
		if m.breaks[i].at.String() == b.String() {
			m.breaks[i].off = false
			return nil
		}
	}
	m.breaks = append(m.breaks, breakRow{at: b})
	return nil
}

func (m *Model) wordBreak(arg string) (tea.Cmd, error) {
	if arg == "" {
		return m.doBreaks(), nil
	}
	if err := m.addBreak(arg); err != nil {
		return nil, err
	}
	m.say(levelGood, fmt.Sprintf("stops at %s · %s set", m.breaks[len(m.breaks)-1].at, plural(len(m.breaks), "breakpoint")))
	m.wantSave()
	return nil, nil
}

// breakOffers complete a condition from the one table of forms.
func breakOffers(before string) []offer {
	var out []offer
	for _, f := range breakpoint.Forms {
		if strings.HasPrefix(f.Usage, before) || strings.HasPrefix(f.Word, before) {
			out = append(out, offer{f.Usage, f.Doc, 0})
		}
	}
	return out
}

// judge makes the function that tells, in the engine's command, which
// breakpoints a new step hits. Only continue stops at them; nil: there is
// nothing to judge.
func (m *Model) judge(j *job) func([]session.Event) []string {
	if j.mode != jobContinue {
		return nil
	}
	var active []breakpoint.Condition
	for _, b := range m.breaks {
		if !b.off {
			active = append(active, b.at)
		}
	}
	active = append(active, m.once...)
	if len(active) == 0 {
		return nil
	}
	view, rd, opt := m.tl.View(), m.rd, m.cfg.Ledger
	opt.Renderer, opt.Progress = rd, nil
	var policies []policy.Policy
	for _, p := range m.figurePolicies() {
		policies = append(policies, p.Clone())
	}
	ctx := m.jobCtx
	return func(events []session.Event) []string {
		before := len(view.Steps)
		for _, e := range events {
			view.Append(e)
		}
		var out []string
		for i := before; i < len(view.Steps); i++ {
			s := breakpoint.Scene{Timeline: view, Step: i, Policies: policies, Renderer: rd}
			s.Lost = func(step int) []string {
				var lost []string
				for _, p := range policies {
					o := opt
					o.UpToStep = step
					r, err := ledger.Run(ctx, view, p, o)
					if err != nil {
						return lost
					}
					for _, l := range r.Survival.Lost {
						if l.Step == step && !l.Never {
							lost = append(lost, fmt.Sprintf("%s under %s, %s", l.Ref, p.Name, l.Why))
						}
					}
				}
				return lost
			}
			for _, b := range active {
				if why, ok := b.Hit(s); ok {
					out = append(out, why)
				}
			}
		}
		return out
	}
}
