package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"snapscope/session"
)

// liveBrowser is a live session on the table that notes what it is told to do.
type liveBrowser struct {
	*fakeEngine
	did    []string
	noted  chan error // what Watch answers
	gone   error
	opened int
}

func newLive() *liveBrowser {
	l := &liveBrowser{fakeEngine: leadsEngine(20), noted: make(chan error, 1)}
	l.info.Mode = session.ModeLive
	l.do = func(_ context.Context, a session.Action) ([]session.Event, error) {
		l.did = append(l.did, a.Label())
		return fakeStep(20+len(l.did), a, leadsURL, "Leads", leadsPage(20, len(l.did), ": google")), nil
	}
	return l
}

func (l *liveBrowser) Watch(context.Context) error {
	select {
	case err := <-l.noted:
		return err
	default:
		return session.ErrUnwatched
	}
}

func (l *liveBrowser) Gone() error { return l.gone }

func (l *liveBrowser) Reopen(ctx context.Context) ([]session.Event, error) {
	l.opened++
	l.gone = nil
	return l.Do(ctx, session.Action{Verb: session.VerbGoto, Args: map[string]any{"url": leadsURL}})
}

// TestActByName holds what a typed action on an element becomes.
func TestActByName(t *testing.T) {
	for _, c := range []struct{ typed, did string }{
		{"click e12", "click e12"},
		{"click Next page", "click e9000"},
		{"click next", "click e9000"},
		{`click "Next page"`, "click e9000"},
		{"fill Search google", "fill e7 google"},
		{`fill search "two words"`, "fill e7 two words"},
		{`fill searchbox "Search" it`, `fill searchbox "Search" it`},
		{"click {role: button, name: Next page}", `click button "Next page"`},
		{"click css=#save", "click css #save"},
		{"click button=right Deals", "click e4 right"},
		{"type hello", "type hello"},
		{"goto /deals", "goto /deals"},
	} {
		e := newLive()
		d := newDriver(t, Config{Engine: e, AutoSteps: 3}, 120, 36)
		d.press(":")
		d.typed(c.typed)
		d.press("enter")
		if got := strings.Join(e.did, ";"); got != c.did {
			t.Errorf("%s did %q, want %q", c.typed, got, c.did)
		}
	}
	e := newLive()
	d := newDriver(t, Config{Engine: e, AutoSteps: 3}, 200, 45)
	d.press(":")
	d.typed("click Select Melonie Parker 1")
	d.press("enter")
	d.wants(`elements called "Select Melonie Parker 1"`, "take one by its ref")
	d.press("esc", ":")
	d.typed("click Nowhere")
	d.press("enter")
	d.wants(`no element called "Nowhere" on this page`)
	d.press("esc", ":")
	d.typed("click dea")
	d.wants("e4", `link "Deals"`)
	d.press("tab", "enter")
	if got := strings.Join(e.did, ";"); got != "click e4" {
		t.Errorf("the completion did %q", got)
	}
}

// TestActUnderTheCursor holds that a key opens what can be done to the element
// under the cursor, with its ref filled in.
func TestActUnderTheCursor(t *testing.T) {
	e := newLive()
	d := newDriver(t, Config{Engine: e, AutoSteps: 3}, 120, 36)
	d.m.s.WantRef = ""
	if err := d.m.s.WordRef("e7"); err != nil {
		t.Fatal(err)
	}
	d.press("d")
	d.wants("act on e7 searchbox", "▸ f  fill")
	d.press("enter")
	d.wants(":fill e7")
	d.typed("abc")
	d.press("enter")
	if err := d.m.s.WordRef("e4"); err != nil {
		t.Fatal(err)
	}
	d.press("d", "c")
	if got := strings.Join(e.did, ";"); got != "fill e7 abc;click e4" {
		t.Errorf("did %q", got)
	}
	d.press("[", "d")
	d.wants("this is the past")
}

// TestHandAndEndOfTheBrowser holds that what is done in the browser by hand is
// offered as a snapshot, and that a browser that is gone is started by one key.
func TestHandAndEndOfTheBrowser(t *testing.T) {
	e := newLive()
	e.noted <- nil
	d := newDriver(t, Config{Engine: e, AutoSteps: 3}, 120, 36)
	d.wants("changed by hand", "S takes a snapshot of it")
	d.press("S")
	d.lacks("changed by hand")
	e.noted <- errors.New("the browser is gone (it was killed); start a new session")
	d.press("S")
	d.wants("✗ browser gone", "the browser is gone (it was killed) · S starts it again at the same page")
	d.press("S")
	d.lacks("browser gone")
	if got := strings.Join(e.did, ";"); got != "snapshot;snapshot;goto "+leadsURL || e.opened != 1 {
		t.Errorf("did %q, opened %d", got, e.opened)
	}
	e.gone = errors.New("click: the browser is gone")
	d.press(":")
	d.typed("back")
	d.press("enter")
	d.wants("✗ browser gone", "S starts it again")
}

// TestBreakpointsBackwards holds that R goes to the last step at which a
// breakpoint holds, and stays where none does.
func TestBreakpointsBackwards(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(20), AutoSteps: -1}, 120, 36)
	d.press("R")
	d.wants("no breakpoint is set")
	d.press("b")
	d.typed("action fill")
	d.press("enter", "R")
	d.wants("step 3/6", "stopped: ")
	d.press("R")
	d.wants("step 3/6", "no breakpoint holds before this step")
}
