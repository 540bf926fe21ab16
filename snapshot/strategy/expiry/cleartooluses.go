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

	arrivals
	results []numbered // tool results; the first cleared of them are cleared
	cleared int
	sums    []int // by result: the tokens of all results up to it,
	taken   int   // and of those that a compaction took
}

// Arrive notes one tool result or user message.
func (k *toolUseKeeper) Arrive(a strategy.Arrival) {
	if n := k.number(a); !a.User {
		k.sums = append(k.sums, k.taken+k.tokens(len(k.results))+a.Tokens)
		k.results = append(k.results, n)
	}
}

// tokens are those of the first n results.
func (k *toolUseKeeper) tokens(n int) int {
	if n == 0 {
		return 0
	}
	return k.sums[n-1] - k.taken
}

// Call clears what is due before a call that would carry inputTokens with what
// was cleared before already left out.
func (k *toolUseKeeper) Call(inputTokens int) (out []strategy.Expired, back []string) {
	prompt := inputTokens + k.tokens(k.cleared)
	end := len(k.results) - k.keep
	if prompt <= k.trigger || end <= k.cleared || k.tokens(end) < k.least {
		return nil, nil
	}
	for _, a := range k.results[k.cleared:end] {
		out = append(out, strategy.Expired{
			ID: a.ID, Step: a.Step, Placeholder: clearedPlaceholder, Rule: cleared(prompt, k.trigger, k.keep), Calls: k.after(a),
		})
	}
	k.cleared = end
	return out, nil
}

// Live lists the snapshots still in full with what came after each.
func (k *toolUseKeeper) Live() []strategy.Counter { return k.ages(k.results[k.cleared:]) }

// Compacted forgets all but the last keep arrivals.
func (k *toolUseKeeper) Compacted(keep int) {
	gone := k.forget(keep, k.results)
	k.taken += k.tokens(gone)
	k.results, k.sums, k.cleared = k.results[gone:], k.sums[gone:], max(0, k.cleared-gone)
}
