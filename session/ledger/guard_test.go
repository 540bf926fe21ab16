package ledger_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// A strategy that breaks is the session's error, with few pages, which are rendered
// when they are needed, and with many, which are rendered on goroutines before.
func TestAStrategyThatBreaks(t *testing.T) {
	breaks := policy.Single(&strategy.Strategy{Name: "planted", Apply: func(in strategy.Input, _ strategy.Values) strategy.Verdict {
		if strings.Contains(in.Page.Text, "page 1\"") {
			panic("a planted defect")
		}
		return strategy.Verdict{Text: in.Page.Text}
	}})
	for _, pages := range []int{2, 200} {
		s := &script{doc: "d"}
		for i := range pages {
			s.act(session.VerbClick, "e2", fmt.Sprintf("- list [ref=e1]:\n  - button \"page %d\" [ref=e2]", i))
		}
		r, err := ledger.Run(t.Context(), s.timeline(), breaks, ledger.Options{Renderer: policy.NewRenderer(words)})
		var broke *guard.Broke
		if r != nil || !errors.As(err, &broke) || !strings.Contains(err.Error(), "a planted defect (please report)") {
			t.Errorf("%d pages: %v", pages, err)
		}
	}
}
