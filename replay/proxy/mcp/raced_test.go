//go:build race

package mcp

// raced says that the race detector is on: bytes take ten times as long.
const raced = true
