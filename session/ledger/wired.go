package ledger

import (
	"snapscope/session"
	"snapscope/session/agents"
	"snapscope/session/policy"
	"snapscope/snapshot"
)

// Wired makes again what a policy made of a session's page on its way to the model,
// so that what it shows in a notation of its own can be read: by the recipe in the
// recording, as long as that gives the very same text. Recordings from before there
// were recipes name a policy; the built-in one of that name is taken. page is the
// index of an action's page in Timeline.Snaps; -1 where there is none.
func Wired(r *policy.Renderer, t *session.Timeline, i int, page func(action string) int) (got policy.Rendered, ok bool) {
	res := t.Steps[t.Snaps[i].Step].Result
	recipe := res.Recipe
	if res.Shown == "" && (recipe == nil || !recipe.Nothing) {
		return got, false
	}
	if recipe != nil {
		var err error
		if got, err = r.Follow(t, i, page(recipe.Since), recipe); err != nil {
			return got, false
		}
	} else if p, err := policy.Find(res.Policy, nil); err == nil {
		got = r.Render(t, i, p)
	}
	return got, got.Text == res.Shown
}

// wired reads an item as Wired made it again; false where it could not.
func (h *history) wired(it *item) bool {
	if it.snap < 0 {
		return false
	}
	got, ok := Wired(h.r, h.t, it.snap, func(action string) int {
		if k, ok := h.byCall[action]; ok && k < len(h.items) {
			return h.items[k].snap
		}
		return -1 // the page itself
	})
	if ok {
		it.asStood, it.rendered = false, got
	}
	return ok
}

// Sends goes through a session's pages as they go out under a policy: what a report
// of that policy counts.
func Sends(t *session.Timeline, p policy.Policy, r *policy.Renderer) *policy.Reader {
	return sends(t, r.Plan(p))
}

func sends(t *session.Timeline, plan policy.Plan) *policy.Reader {
	if !plan.Remembers() {
		return plan.Reader(nil)
	}
	if cut := ClientCut(t); cut.Kept != agents.Whole {
		return plan.Reader(cut.Cuts)
	}
	return plan.Reader(nil)
}

// Goes reports whether a policy rewrites snapshot i on its way: the model was given the
// page, and all of it is known. around is the text of its answer besides.
func Goes(t *session.Timeline, i int) (around string, ok bool) {
	sn := &t.Snaps[i]
	r := t.Steps[sn.Step].Result
	s := seen(r)
	return r.Text, s != "" && s.Given() && known(sn.Snap, s)
}

// known reports whether all that the model was given of a page is known: not where only
// changed parts are, or what a client left of it.
func known(s *snapshot.Snapshot, seen session.Seen) bool {
	return !s.Partial || seen == session.SeenInline
}

// SentAt is snapshot i as it goes out under a policy: what a report of that policy
// counts for it. ok is false where no policy rewrites it.
func SentAt(t *session.Timeline, i int, p policy.Policy, r *policy.Renderer) (sent policy.Sent, ok bool) {
	if _, ok = Goes(t, i); !ok {
		return sent, false
	}
	return Sends(t, p, r).At(t, i, func(k int) (string, bool) { return Goes(t, k) }), true
}
