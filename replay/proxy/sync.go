package proxy

import (
	"fmt"
	"strings"
)

// Sync says how far a step's recording has to be before the agent gets the step's
// answer. What an agent has been told is what a recording must not lack, so the
// default waits for the disk; each step down is faster and can lose more.
type Sync string

// The ways to wait.
const (
	SyncStep Sync = "step" // the step is on the disk: neither a kill nor a power cut loses it
	SyncFile Sync = "file" // the step is in the file: a kill of the proxy does not lose it
	SyncNone Sync = "none" // nothing is waited for: a kill can lose the last steps
)

// Syncs are the ways there are, the default first.
var Syncs = []Sync{SyncStep, SyncFile, SyncNone}

// ParseSync reads one of Syncs.
func ParseSync(s string) (Sync, error) {
	var names []string
	for _, k := range Syncs {
		if string(k) == s {
			return k, nil
		}
		names = append(names, string(k))
	}
	return "", fmt.Errorf("there is no %q; there are %s", s, strings.Join(names, ", "))
}
