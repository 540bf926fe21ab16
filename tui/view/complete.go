package view

import (
	"strings"

	"snapscope/session/breakpoint"
)

// Offer is one completion: Text stands for the word that begins at rune From.
type Offer struct {
	Text string
	Doc  string
	From int
}

// KnobOffers are the knobs that set can turn, by the knob's name or its
// strategy's.
func (m *PaneSet) KnobOffers(word string, from int) []Offer {
	var out []Offer
	seen := map[string]bool{}
	for _, i := range m.settable() {
		for _, k := range KnobsOf(m.Knobbed(i).Policy) {
			text := k.strategy.Name + "." + k.Knob.Key + "="
			if !seen[text] && (strings.HasPrefix(text, word) || strings.HasPrefix(k.Knob.Key, word)) {
				seen[text] = true
				out = append(out, Offer{text, k.Knob.Doc, from})
			}
		}
	}
	return out
}

// BreakRow is one breakpoint of the session; it can be switched off without
// being forgotten.
type BreakRow struct {
	At  breakpoint.Condition
	Off bool
}

// AddBreak adds a condition; one that is there already is switched on again.
func (m *Story) AddBreak(text string) error {
	b, err := breakpoint.Parse(text)
	if err != nil {
		return err
	}
	for i := range m.Breaks {
		if m.Breaks[i].At.String() == b.String() {
			m.Breaks[i].Off = false
			return nil
		}
	}
	m.Breaks = append(m.Breaks, BreakRow{At: b})
	return nil
}

// BreakOffers complete a condition from the one table of forms.
func BreakOffers(before string) []Offer {
	var out []Offer
	for _, f := range breakpoint.Forms {
		if strings.HasPrefix(f.Usage, before) || strings.HasPrefix(f.Word, before) {
			out = append(out, Offer{f.Usage, f.Doc, 0})
		}
	}
	return out
}
