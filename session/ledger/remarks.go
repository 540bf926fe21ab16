package ledger

import (
	"fmt"

	"snapscope/snapshot/wording"
)

// remarks says in a sentence each what the figures do not show.
func (m *machine) remarks() {
	r, n := m.rep, m.h.notes
	r.Unbuilt = n.unbuilt
	r.pictures = n.counted
	say := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	if r.Implied && r.ModelCalls > 0 {
		say("the session tells of no model calls: one is taken before each action")
	}
	if n.counted > 0 {
		say("%s counted by the rule of %s", wording.Plural(n.counted, "picture"), m.h.picture.rule.Name+" (as published on "+ImageRulesDate+")")
	}
	if n.pictures > 0 {
		why := "no vendor's rule is known for the model"
		if m.h.picture.ok {
			why = "their size is not known"
		}
		say("%s not counted: %s", wording.Plural(n.pictures, "picture"), why)
	}
	if n.unbuilt > 0 {
		say("%s known in part only: under every policy they stand as sent, so full and what policies save are not known exactly", counted(n.unbuilt, "page is", "pages are"))
	}
	if n.linked > 0 {
		say("%s came as a link that is not the text: under every policy it stays one", wording.Plural(n.linked, "page"))
	}
	if n.noticed > 0 {
		say("%s too large for the agent and not kept: only the notice counts", wording.Plural(n.noticed, "page"))
	}
	if n.orphans > 0 {
		say("%s no action before: counted as it stands", counted(n.orphans, "result answers", "results answer"))
	}
	if n.cleared > 0 && !m.h.asSent {
		say("the session's own agent cleared %s; that is so as sent only", wording.Plural(n.cleared, "snapshot"))
	}
	if r.Model != "" && m.o.Prices != nil && m.price == nil {
		say("no price for model %q: no cost is shown", r.Model)
	}
	if m.unpriced > 0 {
		say("%s another model that has no price: not in the cost", counted(m.unpriced, "call went to", "calls went to"))
	}
	if m.unbilled > 0 && m.price != nil {
		say("%s no usage in the file: not in the cost", counted(m.unbilled, "call has", "calls have"))
	}
	if k := r.Survival.never(); k > 0 {
		say("%s an element that stood in nothing the model had read", counted(k, "action names", "actions name"))
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return wording.Count(n) + " " + many
}
