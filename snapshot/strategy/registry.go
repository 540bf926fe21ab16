package strategy

import (
	"fmt"
	"strings"
)

// all is the one table of strategies, in the order they are listed and shown.
var all = []*Strategy{
	full,
	passmark,
	compress,
	budget,
	responseDiff,
	delta,
	fold,
	incremental,
	agentBrowser,
	openclaw,
	keepOne,
	clearToolUses,
}

// All lists every strategy in the order it is shown.
func All() []*Strategy { return all }

// Get finds a strategy by name. The error lists the names there are.
func Get(name string) (*Strategy, error) {
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
	}
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	return nil, fmt.Errorf("no strategy %q; there are %s", name, strings.Join(names, ", "))
}
