package dialog

import (
	"strings"

	"snapscope/tui/view"
)

// Words is what the user or the model said, in full.
func Words(r view.StepRow) *Scrolled {
	title := "the user said"
	if r.Kind == view.RowModel {
		title = "the model said"
	}
	s := &Scrolled{title: title, width: 84}
	for _, l := range strings.Split(r.Text, "\n") {
		s.lines = append(s.lines, textLine{text: l})
	}
	return s
}
