// Package expiry holds the rules by which known agents clear pages out of a history
// that has grown: after so many calls, over so many tokens, or all but the newest.
// A rule only says what goes and why; the ledger carries it out.
package expiry

import (
	"slices"

	"snapscope/snapshot/strategy"
)

// ExpiredPlaceholder is what OpenClaw puts in an expired snapshot's place. It
// never varies, so that prompt caches keep working.
const ExpiredPlaceholder = "[Browser snapshot expired - content cleared]"

// OpenClaw clears a snapshot when enough has happened since it was taken, and
// at once when a newer one arrives; the order of the rules and the
// counting as in its published code.
//
// Known fault, shown by sticky false: the published code remembers which
// snapshots expired but blanks each for one request only; from the next request
// on it goes out in full again.
var OpenClaw = &strategy.Strategy{
	Name:   "openclaw",
	Title:  "snapshot expiry",
	Source: "OpenClaw, browser snapshot expiration",
	Link:   "https://github.com/iamEvanYT/openclaw/blob/d4346e8807869d534fdd717d99a512884e3780ec/docs/browser-snapshot-expiration.md",
	Read:   "a fork's document and its code; OpenClaw itself has not taken it in",
	Doc: "Before each model call: every snapshot counts the tool results and user messages that came since the last call; one that " +
		"reached tool_calls is replaced by a constant placeholder, and a new snapshot expires every older one at once. Its own result " +
		"and what came along with it do not count; parallel and failed results count one each; a shrunken history never counts backwards.\n" +
		"Known fault of the published code (sticky false): an expired snapshot is blanked for one request and then goes out in full again.",
	Knobs: []strategy.Knob{
		{
			Key: "enabled", Label: "enabled", Doc: "Whether snapshots expire at all.",
			Type: strategy.Bool, Max: 1, Step: 1, Default: 1,
		},
		{
			Key: "tool_calls", Label: "expires after", Unit: "results or messages", Doc: "A snapshot expires when this many tool results and user messages came after it.",
			Type: strategy.Int, Min: 1, Max: 100, Step: 1, Default: 3, Sweep: []float64{1, 2, 3, 5, 8, 13},
		},
		{
			Key: "sticky", Label: "stays expired", Doc: "Expired snapshots stay expired, as documented; off: each comes back after one request, as in the published code.",
			Type: strategy.Bool, Max: 1, Step: 1, Default: 1,
		},
	},
	Retain: func(v strategy.Values) strategy.Retention {
		return &openclawKeeper{enabled: v.Bool("enabled"), limit: v.Int("tool_calls"), sticky: v.Bool("sticky")}
	},
}

type openclawKeeper struct {
	enabled, sticky bool
	limit           int

	history  []strategy.Arrival // what the agent's history holds
	now      tally              // of history
	atCall   tally              // of history at the last call
	live     []aged             // registered and in full
	fresh    []strategy.Arrival // snapshots that came since the last call
	blanked  []aged             // sticky false: blanked in the last call
	returned []aged             // sticky false: blanked once, in full ever since
}

// aged is a snapshot with its counter.
type aged struct {
	strategy.Arrival
	calls int
}

// tally counts what is in a history.
type tally struct{ results, users int }

func (t *tally) add(a strategy.Arrival) {
	if a.User {
		t.users++
	} else {
		t.results++
	}
}

// Arrive notes one tool result or user message.
func (k *openclawKeeper) Arrive(a strategy.Arrival) {
	k.history = append(k.history, a)
	k.now.add(a)
	if a.Snapshot {
		k.fresh = append(k.fresh, a)
	}
}

// pending is what came since the last call. A history that shrank may hold less
// than it did then: that counts as nothing, for each kind by itself.
func (k *openclawKeeper) pending() int {
	return max(0, k.now.results-k.atCall.results) + max(0, k.now.users-k.atCall.users)
}

// Call expires what is due before a model call.
func (k *openclawKeeper) Call(int) (out []strategy.Expired, back []string) {
	if !k.enabled {
		return nil, nil
	}
	n := k.pending()
	k.atCall = k.now
	for _, s := range k.blanked {
		back = append(back, s.ID)
	}
	k.returned = append(k.returned, k.blanked...)
	k.blanked = nil
	for i := range k.live {
		k.live[i].calls += n
	}
	expire := func(s aged, rule strategy.Rule) {
		if !k.sticky {
			rule.Form += " for this one request (sticky false)"
			k.blanked = append(k.blanked, s)
		}
		out = append(out, strategy.Expired{ID: s.ID, Step: s.Step, Rule: rule, Placeholder: ExpiredPlaceholder, Calls: s.calls, Limit: k.limit})
	}
	if len(k.fresh) > 0 {
		newest := k.fresh[len(k.fresh)-1]
		for _, s := range k.live {
			expire(s, newer(newest))
		}
		for _, s := range k.fresh[:len(k.fresh)-1] {
			expire(aged{Arrival: s}, newer(newest))
		}
		k.live, k.fresh = []aged{{Arrival: newest}}, nil
		return out, back
	}
	stay := k.live[:0:0]
	for _, s := range k.live {
		if s.calls < k.limit {
			stay = append(stay, s)
			continue
		}
		expire(s, strategy.Asked("tool_calls", float64(s.calls), "≥", float64(k.limit), "expired", resultsOrMessages(s.calls)+" {r} {k} {v} → {o}"))
	}
	k.live = stay
	return out, back
}

// newer is the rule that only the newest snapshot stays.
func newer(a strategy.Arrival) strategy.Rule {
	return strategy.Said("newer", "expired", "a newer snapshot came at step {1} → {o}").With(a.Step)
}

func resultsOrMessages(n int) string {
	if n == 1 {
		return "{m} result or message"
	}
	return "{m} results or messages"
}

// Live lists the snapshots still in full. With sticky off, one that was blanked
// in an earlier call is listed again, with no limit: nothing clears it any more.
func (k *openclawKeeper) Live() []strategy.Counter {
	if !k.enabled {
		return agesOf(k.history, k.fresh)
	}
	var out []strategy.Counter
	n := k.pending()
	for _, s := range k.returned {
		out = append(out, strategy.Counter{ID: s.ID, Step: s.Step, Calls: s.calls})
	}
	for _, s := range k.live {
		out = append(out, strategy.Counter{ID: s.ID, Step: s.Step, Calls: s.calls + n, Limit: k.limit})
	}
	for _, s := range k.fresh {
		out = append(out, strategy.Counter{ID: s.ID, Step: s.Step, Limit: k.limit})
	}
	return out
}

// Compacted forgets all but the last keep arrivals.
func (k *openclawKeeper) Compacted(keep int) {
	out := forget(&k.history, keep)
	if len(out) == 0 {
		return
	}
	for _, user := range out {
		if user {
			k.now.users--
		} else {
			k.now.results--
		}
	}
	k.live, k.blanked, k.returned = stillIn(k.live, out), stillIn(k.blanked, out), stillIn(k.returned, out)
	k.fresh = stillArrived(k.fresh, out)
}

func stillIn(list []aged, gone map[string]bool) []aged {
	return slices.DeleteFunc(slices.Clone(list), func(a aged) bool { _, is := gone[a.ID]; return is })
}

// forget leaves the last keep arrivals of a history. It answers the ids of the others,
// and whether each is a user's.
func forget(history *[]strategy.Arrival, keep int) map[string]bool {
	n := len(*history) - max(0, min(keep, len(*history)))
	gone := make(map[string]bool, n)
	for _, a := range (*history)[:n] {
		gone[a.ID] = a.User
	}
	*history = (*history)[n:]
	return gone
}

// agesOf counts for each of list what arrived after it.
func agesOf(history, list []strategy.Arrival) []strategy.Counter {
	var out []strategy.Counter
	at := 0
	for _, s := range list {
		for at < len(history) && history[at].ID != s.ID {
			at++
		}
		out = append(out, strategy.Counter{ID: s.ID, Step: s.Step, Calls: max(0, len(history)-at-1)})
	}
	return out
}

// stillArrived keeps of list what is not gone.
func stillArrived(list []strategy.Arrival, gone map[string]bool) []strategy.Arrival {
	return slices.DeleteFunc(slices.Clone(list), func(a strategy.Arrival) bool { _, is := gone[a.ID]; return is })
}
