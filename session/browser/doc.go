// Package browser drives a real Chromium: it launches one or attaches to one,
// carries out one action at a time, waits until the page is quiet and captures
// it. It is the only package that speaks the DevTools protocol.
//
//	Launch ─ process ─┐                       ┌─ tab ─ frame ─ frame …   what the browser tells (events)
//	                  ├─ link (pipe, socket) ─┤
//	Attach ───────────┘                       └─ Do: act ─▶ settle ─▶ capture   what we ask (calls)
//
// Events are applied in the order they come, in the one goroutine that reads
// the link, and change plain state under one lock. When a call has answered,
// everything the browser said before is already in that state; whoever waits
// for a change looks at the state again after each one. Nothing in here sleeps
// for a guess.
//
// Three rules keep a hostile or a dead page from hurting the session:
//
//   - Every call ends with its context. A dialog that opens, a renderer that
//     crashes or a browser that goes away cancels the calls of the running
//     step, each with its own cause.
//   - Our own script runs in an isolated world, which the page can neither see
//     nor patch.
//   - Every wait is bounded, and says why it ended.
//
// The protocol's types are rod's; its connection, page and element layers are
// not used, because their calls cannot be cancelled while a dialog is open and
// some of them panic on frames of another process.
package browser
