// Package registry lists the strategies there are.
//
// Each strategy knows the contract (package strategy) and nothing of the others;
// the table stands above them, so that adding one means a package, or a file in
// one, and a row here. Help, docs, completion, config files, the screen and the
// sweep are all read off this table.
package registry

import (
	"fmt"
	"strings"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/budget"
	"snapscope/snapshot/strategy/delta"
	"snapscope/snapshot/strategy/expiry"
	"snapscope/snapshot/strategy/fold"
	"snapscope/snapshot/strategy/published"
)

// all is the one table of strategies, in the order they are listed and shown.
var all = []*strategy.Strategy{
	full,
	published.Passmark,
	published.Compress,
	budget.Strategy,
	published.ResponseDiff,
	delta.Strategy,
	fold.Strategy,
	published.Incremental,
	published.AgentBrowser,
	expiry.OpenClaw,
	expiry.KeepOne,
	expiry.ClearToolUses,
}

// full is the measure of all others: the page's text as it is.
var full = &strategy.Strategy{
	Name:   "full",
	Title:  "full snapshot",
	Source: "the page itself",
	Doc:    "The whole snapshot, every time. What an agent reads when nothing is cut.",
	Apply: func(in strategy.Input, _ strategy.Values) strategy.Verdict {
		return strategy.Verdict{Kind: strategy.KindFull, Rules: []strategy.Rule{strategy.Said("all", "full", "nothing is left out")}, Text: in.Page.Text}
	},
}

// All lists every strategy in the order it is shown.
func All() []*strategy.Strategy { return all }

// Get finds a strategy by name. The error lists the names there are.
func Get(name string) (*strategy.Strategy, error) {
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
