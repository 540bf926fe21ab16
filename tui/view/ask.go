package view

import "slices"

// Want is something that has to be made anew after what was chosen has changed. The
// root makes it in a command once a message is done with, and hands it back once.
type Want uint8

// What can be asked for.
const (
	WantFrame   Want = iota
	WantFigures      // of the whole session under the shown policies
	WantSteps        // the session as rows
	WantFixes        // of one policy: the knobs that would have kept what it lost
	WantEdges        // of the chosen knob: where it begins to lose
	WantAdvice
	WantWeights
	WantHits
	WantPicture
	WantSave // of what is remembered of the screen
)

// Ask asks for something, once however often it is asked for.
func (m *Screen) Ask(w Want) {
	if !slices.Contains(m.asked, w) {
		m.asked = append(m.asked, w)
	}
}

// TakeAsked is what was asked for, in the order of its making; it is not asked for any
// more.
func (m *Screen) TakeAsked() []Want {
	out := m.asked
	m.asked = nil
	slices.Sort(out)
	return out
}

// When does something as soon as what is wanted has come; then answers whether what
// came was enough. Of each thing the last one stands.
func (m *Screen) When(w Want, then func() bool) {
	if m.awaits == nil {
		m.awaits = map[Want]func() bool{}
	}
	m.awaits[w] = then
}

// Awaits reports that something is to be done once a thing has come.
func (m *Screen) Awaits(w Want) bool { return m.awaits[w] != nil }

// Answered does what was to be done once a thing has come; false: nothing was, or it was not
// enough.
func (m *Screen) Answered(w Want) bool {
	then := m.awaits[w]
	if then == nil {
		return false
	}
	delete(m.awaits, w)
	if then() {
		return true
	}
	if m.awaits[w] == nil {
		m.awaits[w] = then
	}
	return false
}
