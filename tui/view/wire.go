package view

import (
	"fmt"
	"strings"

	"snapscope/session"
)

// WireLines say what became of a step between the agent and its server: what was
// held, edited and rewritten there, and other remarks of the recording.
func (m *Story) WireLines(i int) []string {
	s := &m.Tl.Steps[i]
	var out []string
	switch s.Result.Touched {
	case session.TouchedEdited:
		out = append(out, "a person changed the server's answer: no fair comparison")
	case session.TouchedAnswered:
		out = append(out, "a person answered, the server never had the call: no fair comparison")
	case session.TouchedDropped:
		out = append(out, "dropped: the agent gave up while it was held")
	}
	if s.Action.Given != nil {
		out = append(out, fmt.Sprintf("a person changed the arguments; the agent gave %v", s.Action.Given))
	}
	if p := s.Result.Policy; p != "" {
		out = append(out, "went out under "+p)
	}
	from := 0
	if i > 0 {
		from = m.Tl.Steps[i-1].ResultSeq
	}
	to := s.ResultSeq
	if i == len(m.Tl.Steps)-1 {
		to = len(m.Tl.Events)
	}
	for _, e := range m.Tl.Events[min(from, len(m.Tl.Events)):min(to, len(m.Tl.Events))] {
		if e.Note != nil && strings.TrimSpace(e.Note.Text) != "" {
			out = append(out, e.Note.Text)
		}
	}
	return out
}
