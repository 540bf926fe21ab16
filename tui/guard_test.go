package tui

import (
	"context"
	"strings"
	"testing"

	"snapscope/session"
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

// brokenCamera is an engine that breaks when it is asked for a picture.
type brokenCamera struct{ session.Engine }

func (brokenCamera) Screenshot(context.Context) ([]byte, error) { panic("a planted defect") }

// A picture that breaks is said, and asked for again only by a person.
func TestAPictureThatBreaksIsSaid(t *testing.T) {
	d := newDriver(t, Config{Engine: brokenCamera{leadsEngine(12)}, AutoSteps: 1}, 140, 36)
	d.press("p")
	d.wants("internal error at tui/guard_test.go", "a planted defect")
	if d.m.s.Pic.Asked || d.m.s.Pic.Err == "" {
		t.Errorf("the screen still waits for the picture: %+v", d.m.s.Pic)
	}
	d.press("esc", "s")
	checkScreen(t, d.m, 140, 36)
}

// A search says which policies it could not count, whether it finds one or not.
func TestASearchSaysWhatBroke(t *testing.T) {
	apply := published.ResponseDiff.Apply
	t.Cleanup(func() { published.ResponseDiff.Apply = apply })
	published.ResponseDiff.Apply = func(strategy.Input, strategy.Values) strategy.Verdict { panic("a planted defect") }
	d := newDriver(t, Config{Engine: leadsEngine(130), AutoSteps: 6}, 200, 45)
	d.press(":")
	d.typed("tune 30")
	d.press("enter")
	d.wants("a policy is not chosen", "internal error at tui/guard_test.go")
}

// A report that breaks is said, and no file is left of it.
func TestAnExportThatBreaksIsSaid(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(12), AutoSteps: 1, ExportDir: t.TempDir()}, 140, 36)
	msg := d.m.writeOut("report.html", func() (string, error) { panic("a planted defect") })()
	d.send(msg)
	d.wants("making report.html: internal error at tui/guard_test.go")
}
