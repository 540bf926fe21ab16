package transcript

import (
	"strings"
	"time"
)

// contentText joins the text of a result's content: a string, a list of blocks,
// or one block. images counts the blocks that are pictures.
func contentText(v val) (text string, images int) {
	switch v.kind() {
	case kindString:
		return v.str(), 0
	case kindObject:
		if c := v.get("content"); c.ok() {
			return contentText(c)
		}
		return blockText(v)
	case kindArray:
		var parts []string
		v.items(func(x val) {
			if x.kind() == kindString {
				parts = append(parts, x.str())
				return
			}
			t, n := blockText(x)
			images += n
			if t != "" || x.get("text").ok() {
				parts = append(parts, t)
			}
		})
		if len(parts) == 1 {
			return parts[0], images
		}
		return strings.Join(parts, "\n"), images
	}
	return "", 0
}

func blockText(x val) (text string, images int) {
	switch x.get("type").str() {
	case "image", "image_url", "input_image", "media":
		return "", 1
	case "resource":
		return x.get("resource", "text").str(), 0
	}
	return x.get("text").str(), 0
}

// content is contentText with the pictures counted.
func (p *importer) content(v val) string {
	text, images := contentText(v)
	p.im.Images += images
	return text
}

// jsonArgs are a call's arguments, given as an object or as JSON in a string.
func jsonArgs(v val) map[string]any {
	if v.kind() == kindString {
		var t tape
		s := v.str()
		inner, err := t.parse([]byte(s))
		if err != nil {
			if strings.TrimSpace(s) == "" {
				return nil
			}
			return map[string]any{"input": s}
		}
		return inner.object()
	}
	return v.object()
}

// stamp reads a time: RFC 3339, or milliseconds or seconds since 1970.
func stamp(v val) time.Time {
	switch v.kind() {
	case kindString:
		if t, err := time.Parse(time.RFC3339Nano, v.str()); err == nil {
			return inRange(t)
		}
	case kindOther:
		f := v.num()
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
