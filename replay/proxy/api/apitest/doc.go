// Package apitest holds a model, an agent and a page server that do what they
// are told, for tests of the seats: a whole agent loop without a network, a key or
// a browser. The tests of several packages import it; no program does.
//
//	Agent ── Messages, Chat, Responses ──▶ Model     (or Gemini's form) refuses what the vendors refuse, counts what they count
//	Agent ── MCP over stdio ─────────────▶ Page      a table of leads, answered as Playwright MCP answers
//
// The model decides by a script and by what the request lets it read: it clicks
// an element only if some tool result still shows its ref, and else says LOST.
// It reads requests with the standard library alone, so it is a witness that the
// seats' own readers cannot have spoilt.
package apitest
