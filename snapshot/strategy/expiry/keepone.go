package expiry

import (
	"sort"

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
	arrivals
	live []numbered
}

// Arrive notes one tool result or user message.
func (k *oneKeeper) Arrive(a strategy.Arrival) {
	if n := k.number(a); a.Snapshot {
		k.live = append(k.live, n)
	}
}

// Call clears every snapshot but the newest.
func (k *oneKeeper) Call(int) (cleared []strategy.Expired, back []string) {
	if len(k.live) < 2 {
		return nil, nil
	}
	newest := k.live[len(k.live)-1]
	for _, s := range k.live[:len(k.live)-1] {
		cleared = append(cleared, strategy.Expired{ID: s.ID, Step: s.Step, Rule: newer(newest.Arrival), Placeholder: keepOnePlaceholder, Calls: k.after(s)})
	}
	k.live = []numbered{newest}
	return cleared, nil
}

// Live lists the snapshots still in full with what came after each.
func (k *oneKeeper) Live() []strategy.Counter { return k.ages(k.live) }

// Compacted forgets all but the last keep arrivals.
func (k *oneKeeper) Compacted(keep int) { k.live = k.live[k.forget(keep, k.live):] }

// arrivals counts what arrived, and how much of that is forgotten.
type arrivals struct{ n, gone int }

// numbered is an arrival with its number, from 1.
type numbered struct {
	strategy.Arrival
	n int
}

func (c *arrivals) number(a strategy.Arrival) numbered {
	c.n++
	return numbered{a, c.n}
}

// after is how many arrived after one.
func (c *arrivals) after(a numbered) int { return c.n - a.n }

// forget leaves the last keep arrivals; so many of list, which is in order, are gone.
func (c *arrivals) forget(keep int, list []numbered) int {
	c.gone = max(c.gone, c.n-max(0, keep))
	return sort.Search(len(list), func(i int) bool { return list[i].n > c.gone })
}

// ages counts for each snapshot of list what arrived after it.
func (c *arrivals) ages(list []numbered) (out []strategy.Counter) {
	for _, s := range list {
		if s.Snapshot {
			out = append(out, strategy.Counter{ID: s.ID, Step: s.Step, Calls: c.after(s)})
		}
	}
	return out
}

// cleared says why a rule by tokens cleared something.
func cleared(prompt, trigger, keep int) strategy.Rule {
	return strategy.Asked("trigger", float64(prompt), ">", float64(trigger), "cleared",
		"prompt {m} tokens {r} {k} {v}: all but the last {1 tool result} → {o}").With(keep)
}
