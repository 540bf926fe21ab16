//go:build !unix

package shard

// hardLimit is for systems that bound a process's data.
func hardLimit(int64) {}
