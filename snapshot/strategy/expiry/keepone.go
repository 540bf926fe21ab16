package expiry

import (
	"slices"

	"snapscope/snapshot/strategy"
)

const keepOnePlaceholder = "[Earlier page snapshot removed: only the newest one is kept]"

// KeepOne is single retention: only the newest page tree stays in the history.
// Stagehand works like this, Anthropic's guide to context engineering advises
// it, and it is the third tier of dev-browser-mcp. No counter and no grace: an element
// that stood only in an older snapshot cannot be acted on.
var KeepOne = &strategy.Strategy{
	Name:   "keep-one",
	Title:  "only the newest snapshot",
	Source: "single retention: Stagehand; dev-browser-mcp, tier 3",
	Link:   "https://www.anthropic.com/engineering/effective-context-engineering-for-ai-agents",
	Read:   "September 2025 (the link advises it); the rule only",
	Doc: "Before each model call every snapshot but the newest becomes one line. The cheapest history there is; each new snapshot " +
		"changes an old message, so a prompt cache is lost from there on.",
	Retain: func(strategy.Values) strategy.Retention { return &oneKeeper{} },
}

type oneKeeper struct {
	history []strategy.Arrival
	live    []strategy.Arrival
}

// Arrive notes one tool result or user message.
func (k *oneKeeper) Arrive(a strategy.Arrival) {
	k.history = append(k.history, a)
	if a.Snapshot {
		k.live = append(k.live, a)
	}
}

// Call clears every snapshot but the newest.
func (k *oneKeeper) Call(int) []strategy.Expired {
	if len(k.live) < 2 {
		return nil
	}
	newest := k.live[len(k.live)-1]
	var out []strategy.Expired
	for _, s := range k.live[:len(k.live)-1] {
		out = append(out, strategy.Expired{ID: s.ID, Step: s.Step, Rule: newer(newest), Placeholder: keepOnePlaceholder})
	}
	k.live = []strategy.Arrival{newest}
	return out
}

// Live lists the snapshots still in full with what came after each.
func (k *oneKeeper) Live() []strategy.Counter { return agesOf(k.history, k.live) }

// Compacted forgets all but the last keep arrivals.
func (k *oneKeeper) Compacted(keep int) {
	k.live = stillArrived(k.live, forget(&k.history, keep))
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

// cleared says why a rule by tokens cleared something.
func cleared(prompt, trigger, keep int) strategy.Rule {
	return strategy.Asked("trigger", float64(prompt), ">", float64(trigger), "cleared",
		"prompt {m} tokens {r} {k} {v}: all but the last {1 tool result} → {o}").With(keep)
}
