package expiry

import "snapscope/snapshot/strategy"

const clearedPlaceholder = "[Tool result cleared to save context]"

// ClearToolUses is Anthropic's context editing on the server: once the prompt
// as the client sends it is over the trigger, every tool result but the last
// few is cleared, snapshots and others alike. The client's history keeps
// everything, so the trigger is held against the prompt with nothing cleared,
// and from then on one more result goes with every call.
//
// Known costs: the prompt cache is lost from the first cleared result on, at
// each call that clears; the wording of the vendor's own placeholder is not
// published, ours stands in for it.
var ClearToolUses = &strategy.Strategy{
	Name:   "clear-tool-uses",
	Title:  "clear old tool results",
	Source: "Anthropic context editing, clear_tool_uses_20250919",
	Link:   "https://docs.claude.com/en/docs/build-with-claude/context-editing",
	Read:   "beta of September 2025; names and defaults of its documentation",
	Doc: "When the prompt as sent is over trigger tokens, the results of all tool uses but the last keep are cleared; the calls " +
		"themselves stay. Each clearing loses the prompt cache from the first cleared result on. The vendor's placeholder text is not " +
		"published; ours stands in its place.",
	Knobs: []strategy.Knob{
		{
			Key: "trigger", Label: "trigger", Unit: "tokens", Doc: "Clearing starts when the prompt is larger than this.",
			Type: strategy.Int, Min: 1000, Max: 2_000_000, Step: 5000, Default: 100_000, Sweep: []float64{20_000, 50_000, 100_000, 150_000},
		},
		{
			Key: "keep", Label: "keep", Unit: "tool uses", Doc: "The most recent tool uses whose results are never cleared.",
			Type: strategy.Int, Min: 0, Max: 100, Step: 1, Default: 3, Sweep: []float64{1, 3, 5, 10},
		},
		{
			Key: "clear_at_least", Label: "clear at least", Unit: "tokens", Doc: "Nothing is cleared when it would come to fewer tokens than this; 0: no minimum.",
			Type: strategy.Int, Min: 0, Max: 1_000_000, Step: 1000, Default: 0, Sweep: []float64{0, 10_000, 50_000},
		},
	},
	Retain: func(v strategy.Values) strategy.Retention {
		return &toolUseKeeper{trigger: v.Int("trigger"), keep: v.Int("keep"), least: v.Int("clear_at_least")}
	},
}

type toolUseKeeper struct {
	trigger, keep, least int

	history []strategy.Arrival
	results []strategy.Arrival // of history, the tool results; the first cleared of them are cleared
	cleared int
	off     int // tokens of the cleared ones
}

// Arrive notes one tool result or user message.
func (k *toolUseKeeper) Arrive(a strategy.Arrival) {
	k.history = append(k.history, a)
	if !a.User {
		k.results = append(k.results, a)
	}
}

// Call clears what is due before a call that would carry inputTokens with what
// was cleared before already left out.
func (k *toolUseKeeper) Call(inputTokens int) []strategy.Expired {
	prompt := inputTokens + k.off
	end := len(k.results) - k.keep
	if prompt <= k.trigger || end <= k.cleared {
		return nil
	}
	off := k.off
	for _, a := range k.results[k.cleared:end] {
		off += a.Tokens
	}
	if off < k.least {
		return nil
	}
	var out []strategy.Expired
	for _, a := range k.results[k.cleared:end] {
		out = append(out, strategy.Expired{
			ID: a.ID, Step: a.Step, Placeholder: clearedPlaceholder, Rule: cleared(prompt, k.trigger, k.keep),
		})
	}
	k.cleared, k.off = end, off
	return out
}

// Live lists the snapshots still in full with what came after each.
func (k *toolUseKeeper) Live() []strategy.Counter {
	var live []strategy.Arrival
	for _, a := range k.results[k.cleared:] {
		if a.Snapshot {
			live = append(live, a)
		}
	}
	return agesOf(k.history, live)
}

// Compacted forgets all but the last keep arrivals.
func (k *toolUseKeeper) Compacted(keep int) {
	gone := forget(&k.history, keep)
	cleared := stillArrived(k.results[:k.cleared], gone)
	k.results = append(cleared, stillArrived(k.results[k.cleared:], gone)...)
	k.cleared, k.off = len(cleared), 0
	for _, a := range cleared {
		k.off += a.Tokens
	}
}
