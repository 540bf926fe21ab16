// Package proxy holds what a program between an agent and the rest of the world
// needs, whatever it stands between: the messages' framing, the replacing of one
// JSON value among untouched bytes, the holds, and the folder of the recordings.
//
//	agent ──▶ seat ──▶ MCP server (replay/proxy/mcp) or model API (replay/proxy/api)
//	           │
//	           ├─▶ recording        the data: a screen follows the file
//	           └─▶ replay/proxy/control   a socket for commands and notices of holds
//
// A seat owns the agent's bytes, the holds and the policy's state; a screen owns
// nothing. A screen that closes, crashes or hangs lets every hold go, so it can
// never harm the agent. What is not understood is passed on as it came.
package proxy
