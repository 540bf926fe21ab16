//go:build unix

package shard

import (
	"os"
	"syscall"
)

// hardLimit bounds the process's data, so that one large allocation fails before it
// is looked at, and offers the process first where the machine runs out of memory.
// What cannot be set is not: the bound that Serve keeps itself holds everywhere.
func hardLimit(bytes int64) {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &l) == nil {
		l.Cur = uint64(bytes)
		_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &l)
	}
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}
