package ledger

import (
	"fmt"

	"snapscope/session"
	"snapscope/snapshot/wording"
)

// remarks says in a sentence each what the figures do not show.
func (m *machine) remarks() {
	r, n := m.rep, m.h.notes
	r.Unbuilt = n.unbuilt
	r.pictures = n.counted
	say := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	if r.Implied && r.ModelCalls > 0 {
		say("the file has no model calls; one for each action is assumed")
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
		say("%s only partly in the file: what a policy would save on them is unknown", counted(n.unbuilt, "page is", "pages are"))
	}
	if n.linked > 0 {
		say("%s; no policy changes that", counted(n.linked, "page was returned as a link", "pages were returned as links"))
	}
	if n.noticed > 0 {
		say("%s too large for the agent and not in the file: only the notice is counted", wording.Plural(n.noticed, "page"))
	}
	if n.orphans > 0 {
		say("%s in the file: the text is counted", counted(n.orphans, "result belongs to no call", "results belong to no call"))
	}
	if n.cleared > 0 && !m.h.asSent {
		say("the agent itself cleared %s; only the figures as sent include that", wording.Plural(n.cleared, "snapshot"))
	}
	if strangers := strangers(m.t); strangers > 0 && !m.h.asSent && r.Policy.Compares() {
		say("%s without a word of which agent reads it, so %s compares it with none before: if one agent reads them all, say so with snapscope mcp --one-agent", counted(strangers, "page passed", "pages passed"), r.Policy.Name)
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
	if q := m.quoted.q; q != nil && q.cut {
		say("a text of the model has more numbers and names than are looked at: some of its quotes are not counted")
	}
	if k := r.Survival.never(); k > 0 {
		say("%s an element that no earlier page showed", counted(k, "action names", "actions name"))
	}
}

// strangers are the pages of which nothing told who reads them.
func strangers(t *session.Timeline) (n int) {
	for i := range t.Snaps {
		n += b2i(t.Snaps[i].Reader == session.Stranger)
	}
	return n
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return wording.Count(n) + " " + many
}
