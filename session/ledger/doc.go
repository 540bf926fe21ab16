// Package ledger works out what every model call of a session carried, what it
// cost and what the agent could no longer read, under any policy.
//
//	Timeline ─┐
//	Policy   ─┼─▶ history: parts ─▶ call by call: expire, count, cache, survive ─▶ Report
//	Prices   ─┘
//
// It is a pure function: no clock, no file, no state but the caches of the
// policy.Renderer that it is given.
//
// # What is counted
//
// A step is a tool call with a result. A snapshot is a result in which the model
// saw snapshot text, whole or incremental.
//
// A model call carries, in this order: the tool definitions and the system
// prompt (where the session knows their size or Options say it, else nothing),
// then the events before it: user messages, what the model said, its tool calls
// (name, a space, arguments as JSON with sorted keys) and the results: text
// besides the snapshot, then the snapshot part. Each part is counted by itself
// and a call is the sum of its parts. Console lines, notes and images are not
// counted. An error is counted with the text unless the text holds it already.
//
// Model calls are those of the session where it tells of any; else one is taken
// before each action, actions that ran together sharing one.
//
// AppendedTokens is what all results, those after the last call too, added to
// the history once. InputTokens is the sum over the calls of what each carried,
// SavedRatio its distance from policy full.
//
// # The snapshot part
//
// Under a policy without rewrites it stands as the source had it: inline text in
// full, incremental text as it stands, and for a link, a spilled or a dropped
// snapshot only the notice. A policy with rewrites is applied to the full tree,
// rebuilt where the source sent only changes, wherever the model saw snapshot
// text; notices stay notices.
//
// A retention rule is told of every result and user message and is asked before
// each call. What it clears is replaced, text and snapshot, by its placeholder
// from that call on. A message that nothing changed holds no snapshot: it neither
// expires others nor expires. What the recorded agent itself cleared is not
// repeated: the figures are those of the policy alone.
//
// A compaction leaves the last messages that it names and its summary.
//
// # Cache and cost
//
// A call's cached prefix is the longest run of leading parts that are identical
// to the call before, as the provider's rule allows: nothing below the minimum
// prefix, rounded down to the block step, and nothing but the fixed head when
// more messages follow the prefix than the look-back. The rest is written to the
// cache as far as the rule lets it, what remains is plain. Without a known model
// the rule is the bare prefix and there is no cost. Cost is that of input; what
// the model wrote costs the same under every policy. Idle times that let a cache
// run dry are not modelled.
//
// # Survival
//
// For every action with a target by ref, or by role and name: did what the call
// that chose it carries show that element? An inline snapshot shows the elements
// of its lines; a delta those of the lines it repeats or adds and, as long as the
// snapshot it builds on can itself be read, the rest of its page. What a readable
// delta takes away is no longer shown by its base. A result's other text counts
// too where it holds the ref in brackets. An element that nothing showed before
// the call is lost under every policy and said to be so.
package ledger
