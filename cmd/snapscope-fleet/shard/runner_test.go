package shard

import (
	"errors"
	"testing"
)

// A process that reaches its bound is told from one that fails, wherever it was
// when there was nothing left.
func TestWhyAProcessEnded(t *testing.T) {
	for said, memory := range map[string]bool{
		"fatal error: runtime: out of memory\n\ngoroutine 1":                            true,
		"fatal error: runtime: cannot allocate memory\n":                                true,
		"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT": true,
		"runtime: failed to create new OS thread (have 9 already; errno=11)\n":          true,
		"panic: a defect\n\ngoroutine 1":                                                false,
		"":                                                                              false,
	} {
		var p tail
		_, _ = p.Write([]byte(said))
		if got := errors.Is(p.why(), errMemory); got != memory {
			t.Errorf("%q is memory: %v", said, got)
		}
	}
}
