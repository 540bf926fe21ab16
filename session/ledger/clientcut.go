package ledger

import (
	"unicode/utf8"

	"snapscope/session"
	"snapscope/session/agents"
	"snapscope/session/policy"
)

// ClientCut is what a session's agent program does to a long answer; the zero Cut
// where it is not known, or where the session shows that its limit is lifted: an
// answer over it came through whole.
func ClientCut(t *session.Timeline) agents.Cut {
	c, ok := agentOf(t)
	if !ok || c.Text.Kept == agents.Whole {
		return agents.Cut{}
	}
	for i := range t.Steps {
		if r := t.Steps[i].Result; r.Seen == session.SeenInline && passesLimit(c.Text, r) {
			return agents.Cut{}
		}
	}
	return c.Text
}

// passesLimit is overLimit of a whole result, which is put together only where its bytes
// alone do not tell.
func passesLimit(c agents.Cut, r *session.Result) bool {
	bytes := len(r.Text) + len(r.Showed())
	return c.Cuts(bytes, bytes) && overLimit(c, r.Whole())
}

// agentOf is the program that ran a session; ok is false where nothing is known of it.
func agentOf(t *session.Timeline) (c agents.Agent, ok bool) {
	if c, ok = agents.Find(t.Start.Agent); !ok {
		c, ok = agents.Find(t.Start.Source)
	}
	return c, ok
}

func overLimit(c agents.Cut, text string) bool {
	return c.Cuts(utf8.RuneCountInString(text), len(text))
}

// cutByClient does to a rewritten page's answer what the agent's client would do, where
// the options ask for it. The item then holds what is left of it.
func (h *history) cutByClient(it *item) bool {
	if h.client == nil {
		return false
	}
	if (it.seen == session.SeenCut || it.seen == session.SeenSpilled) && it.rendered.Text == h.t.Snaps[it.snap].Snap.Text {
		// The policy changes nothing, so the client leaves what it left, also one that
		// nothing is known of.
		it.rendered, it.asStood, it.live = policy.Rendered{}, true, it.seen == session.SeenCut
		return true
	}
	r := *it.result
	r.Seen, r.Shown = session.SeenInline, it.rendered.Text
	text := r.Whole()
	if h.client.Kept == agents.Whole || !overLimit(*h.client, text) {
		return false
	}
	r.Seen, r.Shown, r.Text, r.At = session.SeenCut, h.client.Leaves(text), "", 0
	it.result, it.seen, it.rendered = &r, r.Seen, policy.Rendered{}
	it.asStood, it.live = true, true
	return true
}
