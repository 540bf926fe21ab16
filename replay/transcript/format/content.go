package format

import (
	"strings"
	"time"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
	"snapscope/snapshot"
)

// content is the text of content; its pictures go to the next answer or message.
func (p *importer) content(v tape.Value) string {
	text, images := reply.Content(v)
	p.sees(images)
	return text
}

// sees notes pictures that the next answer or user message holds.
func (p *importer) sees(images []snapshot.Size) {
	p.im.Images += len(images)
	p.images = append(p.images, images...)
}

// seen are the pictures since the last answer or message.
func (p *importer) seen() []snapshot.Size {
	out := p.images
	p.images = nil
	return out
}

// jsonArgs are a call's arguments, given as an object or as JSON in a string.
func jsonArgs(v tape.Value) map[string]any {
	if v.Kind() == tape.String {
		var t tape.Tape
		s := v.Str()
		inner, err := t.ParseText(s)
		if err != nil {
			if strings.TrimSpace(s) == "" {
				return nil
			}
			return map[string]any{"input": s}
		}
		return inner.Object()
	}
	return v.Object()
}

// stamp reads a time: RFC 3339, or milliseconds or seconds since 1970.
func stamp(v tape.Value) time.Time {
	switch v.Kind() {
	case tape.String:
		if t, err := time.Parse(time.RFC3339Nano, v.Str()); err == nil {
			return inRange(t)
		}
	case tape.Other:
		f := v.Num()
		if f > 1e11 {
			f /= 1000
		}
		if f > 0 && f < 1e11 {
			return inRange(time.UnixMicro(int64(f * 1e6)))
		}
	}
	return time.Time{}
}

// inRange drops times that JSON cannot hold.
func inRange(t time.Time) time.Time {
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return time.Time{}
	}
	return t.UTC()
}

// isContext reports whether a user message was put there by the agent, not by
// the user: environment details, instructions, reminders. It starts no agent
// step.
func isContext(text string) bool {
	t := strings.TrimSpace(text)
	for _, p := range []string{
		"<environment_context>", "<environment_details>", "<user_instructions>", "<system-reminder>", "<INSTRUCTIONS>",
		"# AGENTS.md instructions", "<permissions", "<skill", "<local-command-", "<command-name>", "<turn_aborted>", "Caveat: The messages below",
	} {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	return false
}
