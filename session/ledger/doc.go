// Package ledger works out what a session sent to its model, what that cost, and
// what another policy would have sent, cost and hidden.
//
//	Timeline ─┐                                                  ┌─▶ Bill, Advice ─▶ Sheet ─▶ text, JSON,
//	Policy   ─┼─▶ history: parts ─▶ call by call: clear, count, ─┤                           Markdown, HTML
//	Prices   ─┘                     cache, can it be read?       └─▶ Report
//
//	history.go     the parts of a request and the forms they take
//	simulate.go    call by call; expiry.go what a retention rule clears, cache.go the prompt cache
//	reading.go     can an agent with only the history find an element? shown.go: by the verdicts
//	wired.go       what a policy made of a page on its way, made again by its recipe
//	loss.go        which rule hid it; fix.go which knob would have kept it; price.go what it costs
//	quotes.go      what the model took from pages; quoteread.go: could it still be read?
//	moved.go       what an act met: another element than was read, or nothing that changed
//	runs.go        whole sessions without a loss, and the interval of their share
//	trouble.go     what did go wrong, in the session as it was sent: no policy's doing
//	bill.go        what the input was made of; worth.go what the snapshots were good for
//	images.go      how vendors count pictures; prices.go their prices and cache rules
//	factor.go      our count in the vendor's tokens; billed.go costs by the session's receipts
//	study.go       a whole Sheet; advice.go its first line; text, markdown, html, json write it
//
// It is a pure function: no clock, no file, no state but the caches of the
// policy.Renderer that it is given.
//
// # Two baselines
//
// As sent is what the session really sent: a page whole, as changed parts, as a
// link, as the agent's client cut it, as a policy rewrote it on its way, and
// cleared where the agent itself cleared it. Full is every page that the model was
// given, in full: changed parts put together, what a client cut made whole. A
// page behind a link was not given: it stays a link under every policy, and so
// does the notice of one whose text is gone. Changed parts that cannot be put
// together stand as sent under every policy; Report.Unbuilt counts them, and a
// comparison over many sessions leaves such a session out.
//
// Every other policy is applied to the pages of full, so one that changes nothing
// equals full. Savings are told against both baselines where they differ.
//
// # What goes out
//
// What a policy makes of a page is decided in one place, session/policy's Reader,
// which the proxies ask before they send and this package before it counts. Part of
// every figure, with or without a proxy:
//
//   - A page that the agent asks for is rewritten like any other. Asked for again with
//     nothing between, it goes as it came: the first did not serve.
//   - So does the page of an answer that is an error, and one too large to be
//     rewritten while an agent waits.
//   - Each reader of a session has a context of its own. A base is a page that this
//     reader was given since its last compaction, not too many bytes ago.
//   - The lines that tell how a notation is read go before the first page in it that
//     a reader gets, again after a compaction, and count. As long as they are longer
//     than what they would have saved so far, pages go as they came.
//   - Where the session shows that its client cuts long answers, an answer over the
//     client's limit is no base for the next page.
//
// What hangs on how a proxy is attached is no part of them: a rewrite that took too
// long, an answer in a batch, one that a person edited, a client that does not tell
// which of its agents reads (pages then have no base). The recording says so of each
// answer (session.Recipe), and as sent is read by that.
//
// # What is counted
//
// A step is a tool call with a result. A snapshot is a result in which the model
// saw snapshot text, whole or in part; an empty one counts, of nothing.
//
// A model call holds, in this order: the tool definitions and the system prompt
// (where the session knows their size or Options say it), then the events before
// it: user messages, what the model said, its tool calls (name, a space, arguments
// as JSON with sorted keys) and the results: text besides the snapshot, pictures
// by the published rule of the model's vendor, then the snapshot part. An action that
// the model wrote into what it said is counted there and nowhere else. Each part is
// counted by itself and a call is the sum of its parts. Console lines and notes are
// not counted. An error is counted with the text unless the text holds it already.
//
// Model calls are those of the session where it tells of any; else one is taken
// before each action, actions that ran together sharing one.
//
// Where the session holds the vendor's counts, the figures are in the vendor's
// tokens: each part of ours is multiplied by a factor (factor.go), learned from
// what each call has more than the one before it, else the published one of the
// model, else 1. What the vendor's count of a call is more (or less) than that is a
// part of the call under every policy (Breakdown.Uncounted): system prompt, tool
// definitions, thinking, pictures of unknown size. A call that the vendor did not
// count takes the difference of the one before. So the report as sent equals the
// vendor's count to the token, and every share and cost is of the whole. Without
// any vendor's count the figures are by our own, and the published factor is in
// the costs alone.
//
// AppendedTokens is what all results, those after the last call too, added to
// the history once, by our own count. InputTokens is the sum over the calls of the input of each.
//
// # The snapshot part
//
// A retention rule is told of every result and user message and is asked before
// each call. What it clears is replaced, text and snapshot, by its placeholder
// from that call on. A message that nothing changed holds no snapshot: it neither
// expires others nor expires. A compaction leaves the last messages that it names
// and its summary.
//
// # Cache and cost
//
// A call's cached prefix is the longest run of leading parts that are identical
// to the call before, as the provider's rule allows: nothing below the minimum
// prefix, rounded down to the block step, where the rule asks for it back to the
// end of an earlier call, and nothing but the fixed head when more messages
// follow the prefix than the look-back. The rest is written to the
// cache as far as the rule lets it, what remains is plain. Without a known model
// the rule is the bare prefix and there is no cost. Cost is that of input; what
// the model wrote costs the same under every policy. Idle times that let a cache
// run dry are not modelled.
//
// Where the session's receipts say what was cached, a call as sent costs what its
// receipt says, and a what-if starts from that (billed.go).
//
// # Survival
//
// For every action with a target by ref, or by role and name: did what the call
// that chose it holds show that element? An element is a document and a ref
// (session.Step.Document): the same ref of a page that was left names another, and
// of several open tabs the one whose page has it is meant.
//
// What a rewritten page shows is what its verdicts say (strategy.Verdict.Elements),
// followed through the stages of the policy; a delta shows besides what its base
// shows, as long as that can itself be read, and what a readable delta takes away is
// no longer shown by its base. As sent, a page shows the elements of the lines that
// stood in the result. A ref in any other text is something that somebody said, not
// a handle. An element that nothing showed before the call is lost under every
// policy and said to be so. A session without any page has no survival.
//
// # Quotes
//
// An agent reads more than it touches. A quote is a piece of page text that the model
// used: a number, a code, a date, a name or quoted words (package quote) that it says or
// types after a page gave it, and that neither the user, nor a tool, nor the model itself
// wrote since. Each counts once a turn; what names the element acted on is no quote.
// Which they are is found once a session, whatever the policy, from the pages as they
// were sent. A quote is kept when, at the call that used it, a readable page of its
// document shows it, on whatever line (Report.Reading); else the rule, the knob and the
// price are told as for an element. Quotes are never part of survival, and bringing them
// back is not taken off what a policy saves.
//
// # What went wrong
//
// Of causes there are two kinds, which are never mixed. What did go wrong stands in the
// report as sent (Report.Troubles): a call failed, the agent's program cut a page, an act
// named an element that no page of the document in view had shown, a page was read
// before it was complete. What would go wrong under a policy that never ran stands in
// that policy's losses, except those that no earlier page showed.
//
// An act moved where its ref meant another element by then than the agent had read for it:
// by the locator at the head of a Playwright server's answer, else by a newer page that
// the agent was not given. It had no effect where the page after it is the one before it
// but for refs and focus, and no dialog, download or console line is told. Both are of the
// session as it was sent and are no part of survival.
//
// A page was read too early where whoever captured it says so, or where the very next
// step only read it again and found at least twice as many elements.
//
// # Losses and net savings
//
// Each loss has a price: one more model call with the context of that point, and
// the page in the calls after it. One element lost and used five times is one
// loss. A new snapshot cures what had expired; what a rewrite or a client left out
// it would leave out again. Net saved is what is left after paying for all losses,
// so it is never more than saved.
package ledger
