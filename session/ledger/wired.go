package ledger

import (
	"snapscope/session"
	"snapscope/session/policy"
)

// wired finds what a policy made of the page on its way to the model, so that what
// it shows in a notation of its own can be read: by the recipe in the recording, as
// long as that gives the very same text. Recordings from before there were recipes
// name a policy; the built-in one of that name is taken.
func (h *history) wired(it *item) bool {
	if r := it.result.Recipe; it.snap < 0 || it.result.Shown == "" && (r == nil || !r.Nothing) {
		return false
	}
	var got policy.Rendered
	if r := it.result.Recipe; r != nil {
		since := -1
		if k, ok := h.byCall[r.Since]; ok && k < len(h.items) { // else the page itself
			since = h.items[k].snap
		}
		var err error
		if got, err = h.r.Follow(h.t, it.snap, since, r); err != nil {
			return false
		}
	} else if p, err := policy.Find(it.result.Policy, nil); err == nil {
		got = h.r.Render(h.t, it.snap, p)
	}
	if got.Text != it.result.Shown {
		return false
	}
	it.asStood, it.rendered = false, got
	return true
}

// Sends goes through a session's pages as they go out under a policy: what a report
// of that policy counts.
func Sends(t *session.Timeline, p policy.Policy, r *policy.Renderer) *policy.Reader {
	return r.Plan(p).Reader(ClientCut(t).Cuts)
}
