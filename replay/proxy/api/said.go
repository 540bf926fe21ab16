package api

import "strings"

// Said is what a user said in the message that block i begins to tell; ok is
// false for every other block. The texts of one message are one saying. What an
// agent itself put there is none: reminders, its environment, and markup beside
// tool results.
func (r *Request) Said(i int) (text string, ok bool) {
	turn := r.Blocks[i].Turn
	from := i
	for from > 0 && r.Blocks[from-1].Turn == turn {
		from--
	}
	results := false
	var parts []string
	for j := from; j < len(r.Blocks) && r.Blocks[j].Turn == turn; j++ {
		k := &r.Blocks[j]
		results = results || k.Role == Result
		if k.Role != User || k.Text == "" || reminder(k.Text) || results && strings.HasPrefix(strings.TrimSpace(k.Text), "<") {
			continue
		}
		if len(parts) == 0 && j != i {
			return "", false
		}
		parts = append(parts, k.Text)
	}
	return strings.Join(parts, "\n"), len(parts) > 0
}

// reminder reports whether a user's text was put there by an agent.
func reminder(text string) bool {
	t := strings.TrimSpace(text)
	for _, p := range []string{
		"<system-reminder>", "<environment_context>", "<environment_details>", "<user_instructions>", "<INSTRUCTIONS>",
		"# AGENTS.md instructions", "<permissions", "<local-command-", "<command-name>", "Caveat: The messages below",
	} {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	return false
}

// SystemText is the text of the system prompt: that of the request's own field,
// and of the system and developer messages in its history.
func (r *Request) SystemText() string {
	var parts []string
	b := body(r.System)
	whole := span{0, len(b)}
	if b.kind(whole) == '"' {
		parts = append(parts, b.text(whole))
	}
	b.items(whole, func(v span) { parts = append(parts, b.text(b.pick(v, "text")[0])) })
	for i := range r.Blocks {
		if r.Blocks[i].Role == System {
			parts = append(parts, r.Blocks[i].Text)
		}
	}
	return strings.Join(parts, "\n")
}
