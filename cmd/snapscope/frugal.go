package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// frugal keeps the memory of a command that goes through many recordings within
// what a few of them need: garbage is collected early, not only when the heap has
// doubled. What is in use may be more, and then gets half as much again, so that
// large recordings do not cost time. GOMEMLIMIT and GOGC have precedence.
func frugal() {
	if os.Getenv("GOMEMLIMIT") != "" || os.Getenv("GOGC") != "" {
		return
	}
	base := int64(60+65*runtime.GOMAXPROCS(0)) << 20
	debug.SetMemoryLimit(base)
	// The runtime offers no call behind a collection but that of a finalizer.
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var watch func(*collected)
	watch = func(c *collected) {
		metrics.Read(live)
		used := int64(live[0].Value.Uint64())
		debug.SetMemoryLimit(max(base, used+used/4+24<<20))
		runtime.SetFinalizer(c, watch)
	}
	runtime.SetFinalizer(&collected{}, watch)
}

// collected is what becomes garbage at every collection.
type collected struct{ _ [16]byte }
