// Package mcp is the seat between an agent and its MCP server: it passes every
// message on, records what is said, and holds or rewrites tool calls and their
// answers when a person or a policy asks for it.
//
//	client ─▶ Link.FromClient ─▶ Passage ─▶ server      stdio.go: lines and a process
//	client ◀─ Passage ◀─ Link.FromServer ◀─ server      http.go: a reverse proxy
//	              │
//	              └─▶ recorder (a goroutine of its own) ─▶ story, wire, recording
//
// The bytes of a message are passed on as they came: nothing is decoded and
// encoded again. Only tools/call, its answer and tools/list are ever changed, by
// replacing single values. What goes out of a page is decided by policy.Reader.
// Everything else always flows, held call or not: a server may ask its client
// something in the middle of a call.
//
// What goes wrong in here must not reach the agent. A panic, or a recorder that
// takes longer than 500 ms, costs a rewrite and no more; after the second panic
// the seat copies bytes both ways and does nothing else until its end.
package mcp
