package tui

import (
	"strings"
	"testing"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/published"
)

// A strategy that breaks ends no screen: it is said, the panes that do without it go
// on, and nothing is asked for again and again.
func TestAStrategyThatBreaksIsSaid(t *testing.T) {
	apply := published.Compress.Apply
	t.Cleanup(func() { published.Compress.Apply = apply })
	published.Compress.Apply = func(in strategy.Input, v strategy.Values) strategy.Verdict {
		if strings.Contains(in.Page.Text, "Melonie Parker 0") {
			panic("a planted defect")
		}
		return apply(in, v)
	}
	d := newDriver(t, Config{Engine: leadsEngine(12), AutoSteps: 1}, 140, 36)
	said := strings.Contains(d.screen(), "internal error at")
	for _, keys := range []string{"s", "s", "e", "esc", "l", "l", "k", "j", "tab", "S", "esc"} {
		d.press(keys)
		checkScreen(t, d.m, 140, 36)
		said = said || strings.Contains(d.screen(), "internal error at tui/guard_test.go")
	}
	if !said {
		t.Errorf("nothing is said of what broke:\n%s", d.screen())
	}
	if d.m.s.Busy || len(d.m.making) > 0 {
		t.Error("the screen still waits for what broke")
	}
}
