package tui

import (
	"fmt"
	"strings"

	"snapscope/session/ledger"
	"snapscope/tui/dialog"
	"snapscope/tui/view"
)

// priced is the price table that costs are counted with.
func (m *base) priced() *ledger.Prices {
	if m.cfg.Ledger.Prices != nil {
		return m.cfg.Ledger.Prices
	}
	return ledger.DefaultPrices()
}

// wordModel counts all costs with the prices of a model; without one, of the model
// that the session names.
func (m *front) wordModel(arg string) error {
	if arg != "" {
		known := false
		for _, name := range m.priced().Models() {
			known = known || name == arg
		}
		if !known {
			return fmt.Errorf("no price for model %q; there are %s", arg, strings.Join(m.priced().Models(), ", "))
		}
	}
	m.cfg.Ledger.Prices, m.cfg.Ledger.Model = m.priced(), arg
	m.s.Advice = nil
	m.s.Ask(view.WantFigures)
	if _, ok := m.over.(*dialog.ContextView); ok {
		m.s.FindAdvice()
	}
	if arg == "" {
		m.s.Say(view.LevelInfo, "costs are of the model that the session names")
	} else {
		m.s.Say(view.LevelGood, "costs are of "+arg)
	}
	return nil
}
