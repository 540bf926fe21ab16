//go:build !race

package mcp

// raced says that the race detector is on.
const raced = false
