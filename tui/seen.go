package tui

import (
	"snapscope/session"
)

// verbOf is what an action is called in a sentence.
func verbOf(a *session.Action) string {
	if a.Verb != "" {
		return string(a.Verb)
	}
	return a.Tool
}

// unread says why the model did not have the snapshot that the panes show; ""
// where it had.
func (f *frame) unread() string {
	switch f.seen {
	case session.SeenUnasked:
		return "not shown to the agent: " + f.verb + " answers without the page"
	case session.SeenLink:
		return "not shown to the agent: " + f.verb + " gave it a link, and it read no more"
	case session.SeenSpilled:
		return "not shown to the agent: too large, saved to a file; it read the notice"
	case session.SeenDropped:
		return "not shown to the agent: too large, cut; it read the notice"
	case session.SeenExpired:
		return "not shown to the agent: a placeholder stood for it from the start"
	}
	return ""
}
